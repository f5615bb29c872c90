package strictjson

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// SkipSpace returns the first index at or behind i that holds no JSON white
// space (RFC 8259, section 2), at most len(data).
func SkipSpace(data []byte, i int) int {
	for i < len(data) && data[i] <= ' ' {
		switch data[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// AppendUnquoted appends to dst the text of quoted, a string literal with its
// quotes that ScanString accepted.
func AppendUnquoted(dst, quoted []byte) []byte {
	s := quoted[1 : len(quoted)-1]
	for i := 0; i < len(s); {
		run := i
		for i < len(s) && s[i] != '\\' {
			i++
		}
		dst = append(dst, s[run:i]...)
		if i >= len(s) {
			break
		}
		switch e := s[i+1]; e {
		case 'u':
			r := hex4(s, i+2)
			i += 6
			if r >= surrogateMin && r <= surrogateMax {
				r = 0x10000 + (r-surrogateMin)<<10 + (hex4(s, i+2) - surrogateLow)
				i += 6
			}
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, unescaped[e])
			i += 2
		}
	}
	return dst
}

// unescaped maps the letter of a two-character escape to what it stands for.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/',
	'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

const (
	surrogateMin = 0xD800 // first high surrogate
	surrogateLow = 0xDC00 // first low surrogate
	surrogateMax = 0xDFFF // last low surrogate
)

// hex4 reads four hexadecimal digits, or returns -1.
func hex4(s []byte, i int) rune {
	if i+4 > len(s) {
		return -1
	}
	var r rune
	for _, b := range s[i : i+4] {
		switch {
		case '0' <= b && b <= '9':
			b -= '0'
		case 'a' <= b && b <= 'f':
			b -= 'a' - 10
		case 'A' <= b && b <= 'F':
			b -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(b)
	}
	return r
}

// special marks, in each of eight bytes, a quote, a backslash, a control
// character or a byte beyond ASCII. The lowest mark is exact; marks above it
// may be false, as a borrow can run upward.
func special(w uint64) uint64 {
	const (
		ones = 0x0101010101010101
		high = 0x8080808080808080
	)
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return (w | (quote - ones) | (slash - ones) | (w - ones*0x20)) & high
}

// ScanString scans the string literal whose opening quote is data[i] and
// returns the index behind its closing quote. plain says that it has no
// escapes, so that its content is data[i+1 : end-1]; otherwise AppendUnquoted
// decodes it. Where kind is not 0, end is the offset of what is wrong.
func ScanString(data []byte, i int) (end int, plain bool, kind Kind) {
	plain = true
	i++
	for {
		for i+8 <= len(data) {
			if m := special(binary.LittleEndian.Uint64(data[i:])); m != 0 {
				i += bits.TrailingZeros64(m) >> 3
				break
			}
			i += 8
		}
		if i >= len(data) {
			return i, false, KindSyntax
		}
		switch b := data[i]; {
		case b == '"':
			return i + 1, plain, 0
		case b == '\\':
			plain = false
			if i, kind = scanEscape(data, i); kind != 0 {
				return i, false, kind
			}
		case b < ' ':
			return i, false, KindSyntax
		case b < utf8.RuneSelf:
			i++ // within the last seven bytes of the text
		default:
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				return i, false, KindUTF8
			}
			i += n
		}
	}
}

// scanEscape scans the escape, or the pair of them, whose backslash is data[i].
func scanEscape(data []byte, i int) (int, Kind) {
	if i+1 >= len(data) {
		return len(data), KindSyntax
	}
	if data[i+1] != 'u' {
		if unescaped[data[i+1]] == 0 {
			return i + 1, KindSyntax
		}
		return i + 2, 0
	}
	r := hex4(data, i+2)
	switch {
	case r < 0:
		return i, KindSyntax
	case r < surrogateMin || r > surrogateMax:
		return i + 6, 0
	case r >= surrogateLow:
		return i, KindSurrogate
	}
	if i+8 <= len(data) && data[i+6] == '\\' && data[i+7] == 'u' {
		if low := hex4(data, i+8); low >= surrogateLow && low <= surrogateMax {
			return i + 12, 0
		}
	}
	return i, KindSurrogate
}

// scanName scans a member's name.
func scanName(data []byte, i int) (end int, plain bool, kind Kind) {
	if i >= len(data) || data[i] != '"' {
		return i, false, KindSyntax
	}
	return ScanString(data, i)
}

// scanColon skips to the value behind a member's name that ends at i.
func scanColon(data []byte, i int) (int, Kind) {
	i = SkipSpace(data, i)
	if i >= len(data) || data[i] != ':' {
		return i, KindSyntax
	}
	return SkipSpace(data, i+1), 0
}

// scanWord scans true, false or null.
func scanWord(data []byte, i int) (int, Kind) {
	word := "true"
	switch data[i] {
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	}
	if len(data)-i < len(word) || string(data[i:i+len(word)]) != word {
		return i, KindSyntax
	}
	return i + len(word), 0
}

// ScanNumber scans the number literal that starts at i, checks it against
// MaxLiteral and MaxExponent, and returns the index behind it. What may follow
// a number is the caller's to check. Where kind is not 0, end is the offset of
// what is wrong. It also stands for every value that starts with a byte of no
// other kind.
func ScanNumber(data []byte, i int) (end int, kind Kind) {
	start := i
	if i < len(data) && data[i] == '-' {
		i++
	}
	switch {
	case i >= len(data) || !isDigit(data[i]):
		return i, KindSyntax
	case data[i] == '0':
		i++
		if i < len(data) && isDigit(data[i]) {
			return i, KindSyntax
		}
	default:
		i = skipDigits(data, i)
	}
	if i < len(data) && data[i] == '.' {
		end := skipDigits(data, i+1)
		if end == i+1 {
			return end, KindSyntax
		}
		i = end
	}
	exponent := 0
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		first := i
		for i < len(data) && isDigit(data[i]) {
			// Saturating keeps a long exponent from wrapping around.
			exponent = min(exponent*10+int(data[i]-'0'), MaxExponent+1)
			i++
		}
		if i == first {
			return i, KindSyntax
		}
	}
	if i-start > MaxLiteral || exponent > MaxExponent {
		return start, KindNumber
	}
	return i, 0
}

func isDigit(b byte) bool { return b-'0' <= 9 }

func skipDigits(data []byte, i int) int {
	for i < len(data) && isDigit(data[i]) {
		i++
	}
	return i
}
