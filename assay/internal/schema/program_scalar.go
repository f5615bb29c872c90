package schema

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"example.com/assay/assay/internal/ecma"
	"example.com/assay/assay/internal/strictjson"
)

const (
	// bytesPerStep is how many bytes of text a step pays for, besides its own work.
	bytesPerStep = 64
	// digitsPerStep is the same for the digits of a long number.
	digitsPerStep = 16
)

// isInteger reports whether a number is mathematically an integer.
func (x *instance) isInteger() bool { return x.small || x.exact().IsInteger() }

// exact returns the value of a number.
func (x *instance) exact() strictjson.Number {
	if !x.small {
		n, _ := strictjson.ParseNumber(x.text)
		return n
	}
	var space [20]byte
	n, _ := strictjson.ParseNumber(strconv.AppendInt(space[:0], x.int, 10))
	return n
}

// equal reports whether two scalars are equal (JSON Schema Core, section 4.2.2).
func (x *instance) equal(y *instance) bool {
	if x.kind != y.kind {
		return false
	}
	switch x.kind {
	case kindBool:
		return x.truth == y.truth
	case kindNumber:
		if x.small && y.small {
			return x.int == y.int
		}
		return x.exact().Equal(y.exact())
	case kindText:
		return x.text == y.text
	}
	return x.kind == kindNull
}

// numberRules are the keywords for numbers (Validation, section 6.2) and the
// number formats.
type numberRules struct {
	integer   bool
	low, high int64 // the int64 values within the limits, both included; none where low > high
	limits    []limit
	divisors  []divisor
}

// limit is a bound for a number.
type limit struct {
	value     strictjson.Number
	upper     bool
	exclusive bool
}

// divisor is a multipleOf.
type divisor struct {
	value strictjson.Number
	small int64 // the value, where it is an int64
	unit  bool  // it divides 1, and so every integer
}

// holdSmall reports whether a number is a small one that holds by the limits
// alone, as most do. False is no answer.
func (r *numberRules) holdSmall(x *instance) bool {
	return x.small && r.low <= x.int && x.int <= r.high && r.divisors == nil
}

// hold judges a number.
func (r *numberRules) hold(x *instance) bool {
	if x.small {
		if x.int < r.low || x.int > r.high {
			return false
		}
	} else {
		n := x.exact()
		if r.integer && !n.IsInteger() {
			return false
		}
		for i := range r.limits {
			l := &r.limits[i]
			c := n.Cmp(l.value)
			if l.upper {
				c = -c
			}
			if c < 0 || c == 0 && l.exclusive {
				return false
			}
		}
	}
	for i := range r.divisors {
		d := &r.divisors[i]
		switch {
		case x.small && d.unit:
		case x.small && d.small != 0:
			if x.int%d.small != 0 {
				return false
			}
		case !x.exact().MultipleOf(d.value):
			return false
		}
	}
	return true
}

// textRules are the keywords for strings (Validation, section 6.3; format).
type textRules struct {
	min, max int // code points
	patterns []*ecma.Regexp
	formats  []func(string) bool
}

// textHolds judges a string.
func (p *pass) textHolds(r *textRules, s string) bool {
	// A code point has one to four bytes, so most lengths need no count.
	if len(s) > r.max || (len(s)+3)/4 < r.min {
		p.steps -= len(s) / bytesPerStep
		if n := utf8.RuneCountInString(s); n < r.min || n > r.max {
			return false
		}
	}
	for _, re := range r.patterns {
		if !p.matches(re, s) {
			return false
		}
	}
	for _, format := range r.formats {
		p.steps -= 1 + len(s)/bytesPerStep
		if !format(s) {
			return false
		}
	}
	return true
}

// matches reports whether a linear pattern, which always answers, matches s.
func (p *pass) matches(re *ecma.Regexp, s string) bool {
	p.steps -= 1 + patternSteps*len(s)/bytesPerStep + re.Prepare()
	if p.steps < 0 {
		return false // no answer, see end
	}
	ok, err := re.MatchString(s, nil)
	if err != nil {
		p.steps = math.MinInt / 2 // no answer, wherever it is asked
	}
	return ok && err == nil
}

// memberSet holds the values of enum or const.
type memberSet struct {
	null, yes, no bool
	texts         []string
	index         map[string]bool // of texts, where they are many
	integers      []int64         // those of the numbers that are int64
	numbers       map[strictjson.Number]bool
	containers    []any
}

// isAmong reports whether x, walked if it is an array or object, equals a member.
func (p *pass) isAmong(m *memberSet, x *instance) verdict {
	found := false
	switch x.kind {
	case kindNull:
		found = m.null
	case kindBool:
		found = x.truth && m.yes || !x.truth && m.no
	case kindNumber:
		if x.small && len(m.integers) <= fewKnown {
			found = slices.Contains(m.integers, x.int)
		} else {
			found = m.numbers[x.exact()]
		}
	case kindText:
		found = m.hasText(x.text)
	default:
		for _, v := range m.containers {
			if p.same(x, v) {
				found = true
				break
			}
		}
	}
	switch {
	case p.steps < 0:
		return unsure
	case found:
		return holds
	}
	return breaks
}

func (m *memberSet) hasText(s string) bool {
	if m.index != nil {
		return m.index[s]
	}
	for _, t := range m.texts {
		if s == t {
			return true
		}
	}
	return false
}

// sameScalar reports whether x equals v, a member of the schema.
func (x *instance) sameScalar(v any) bool {
	switch v := v.(type) {
	case nil:
		return x.kind == kindNull
	case bool:
		return x.kind == kindBool && x.truth == v
	case string:
		return x.kind == kindText && x.text == v
	case json.Number:
		if x.kind != kindNumber {
			return false
		}
		n, ok := strictjson.ParseNumber(string(v))
		return ok && x.exact().Equal(n)
	}
	return false
}
