package policydoc

import (
	"math/big"
	"strings"

	"example.com/assay/assay/internal/strictjson"
)

// scalar is what a plain scalar's text means.
type scalar struct {
	kind    Kind
	truth   bool   // of a Bool
	literal string // of a Number: its exact JSON literal
	tag     string // the core schema's tag for it
	refused string // why no policy may hold it, or ""
}

// resolve reads a plain scalar by the YAML 1.2 core schema (section 10.3.2 of
// that specification), with one deviation: a number with leading zeros is text.
func resolve(text string) scalar {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return scalar{kind: Null, tag: "!!null"}
	case "true", "True", "TRUE":
		return scalar{kind: Bool, truth: true, tag: "!!bool"}
	case "false", "False", "FALSE":
		return scalar{kind: Bool, tag: "!!bool"}
	}
	switch c := text[0]; {
	case '0' <= c && c <= '9', c == '+', c == '-', c == '.':
		return resolveNumber(text)
	}
	return scalar{kind: String, tag: "!!str"}
}

const (
	notFinite = "a number that is not finite is not allowed"
	tooLarge  = "a number of more than 1,000 bytes or with an exponent beyond ±1,000 is not allowed"
)

// resolveNumber reads a plain scalar that starts like a number.
func resolveNumber(text string) scalar {
	asText := scalar{kind: String, tag: "!!str"}
	switch unsigned := strings.TrimLeft(text[:1], "+-") + text[1:]; unsigned {
	case ".inf", ".Inf", ".INF":
		return scalar{kind: Number, tag: "!!float", refused: notFinite}
	}
	switch text {
	case ".nan", ".NaN", ".NAN":
		return scalar{kind: Number, tag: "!!float", refused: notFinite}
	}
	if digits, ok := strings.CutPrefix(text, "0o"); ok {
		return resolveInteger(digits, "01234567", 8)
	}
	if digits, ok := strings.CutPrefix(text, "0x"); ok {
		return resolveInteger(digits, "0123456789abcdefABCDEF", 16)
	}

	rest := text
	sign := ""
	if rest[0] == '+' || rest[0] == '-' {
		sign, rest = strings.TrimPrefix(rest[:1], "+"), rest[1:]
	}
	whole, rest := cutDigits(rest)
	fraction, point := "", false
	if point = strings.HasPrefix(rest, "."); point {
		fraction, rest = cutDigits(rest[1:])
	}
	exponent := rest
	if rest != "" {
		if rest[0] != 'e' && rest[0] != 'E' {
			return asText
		}
		rest = rest[1:]
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		digits, behind := cutDigits(rest)
		if digits == "" || behind != "" {
			return asText
		}
	}
	switch {
	case whole == "" && fraction == "":
		return asText
	case len(whole) > 1 && whole[0] == '0':
		return asText
	}
	n := scalar{kind: Number, tag: "!!int"}
	if point || exponent != "" {
		n.tag = "!!float"
	}
	switch {
	case text == "-0":
		n.literal = "0"
	case text[0] != '+' && whole != "" && point == (fraction != ""):
		n.literal = text
	default:
		// JSON has no plus sign and wants digits on both sides of a point.
		if whole == "" {
			whole = "0"
		}
		if fraction != "" {
			fraction = "." + fraction
		}
		n.literal = sign + whole + fraction + exponent
		if n.literal == "-0" {
			n.literal = "0"
		}
	}
	// Both the literal as written and the one that stands for it must be within
	// the bounds, or JSON and YAML would disagree about which numbers exist.
	if _, ok := strictjson.ParseNumber(n.literal); !ok || len(text) > strictjson.MaxLiteral {
		n.refused = tooLarge
	}
	return n
}

// resolveInteger reads the digits of an integer behind its prefix 0o or 0x.
func resolveInteger(digits, allowed string, base int) scalar {
	if digits == "" || strings.Trim(digits, allowed) != "" {
		return scalar{kind: String, tag: "!!str"}
	}
	n := scalar{kind: Number, tag: "!!int"}
	if len("0x")+len(digits) > strictjson.MaxLiteral {
		n.refused = tooLarge
		return n
	}
	i, _ := new(big.Int).SetString(digits, base)
	n.literal = i.String()
	if len(n.literal) > strictjson.MaxLiteral {
		n.refused = tooLarge
	}
	return n
}

// cutDigits splits s behind its leading decimal digits.
func cutDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	return s[:i], s[i:]
}
