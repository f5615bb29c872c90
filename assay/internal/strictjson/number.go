package strictjson

import (
	"bytes"
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
)

// Number is the exact value of a JSON number literal (docs/policy.md,
// "Arguments"): sign × digits × 10^exponent. It is held in lowest form, digits
// without leading or trailing zeros, so that equal numbers have equal forms
// however they were written. The zero value is 0. Nothing but the parsing of a
// literal of more than 19 significant digits, String, and a division by such a
// number allocates.
type Number struct {
	negative bool
	small    uint64 // the digits, where large is empty
	large    string // the digits, where they are more than smallDigits
	exponent int
}

// smallDigits is how many decimal digits always fit in 64 bits.
const smallDigits = 19

// ParseNumber returns the value of a literal by the grammar of RFC 8259,
// section 6, within MaxLiteral and MaxExponent; otherwise it returns false.
func ParseNumber[T ~string | ~[]byte](literal T) (Number, bool) {
	var n Number
	i := 0
	if i < len(literal) && literal[i] == '-' {
		n.negative = true
		i++
	}
	if len(literal) > MaxLiteral || i >= len(literal) || !isDigit(literal[i]) ||
		literal[i] == '0' && i+1 < len(literal) && isDigit(literal[i+1]) {
		return Number{}, false
	}
	var (
		digits = 0  // significant ones, from the first to the last that is not 0
		zeros  = 0  // seen behind the last of them
		from   = -1 // index of the first of them
		to     = 0  // behind the last of them
		scale  = 0  // digits behind the decimal point
		point  = false
	)
	for ; i < len(literal); i++ {
		b := literal[i]
		if b == '.' && !point && i+1 < len(literal) && isDigit(literal[i+1]) {
			point = true
			continue
		}
		if !isDigit(b) {
			break
		}
		if point {
			scale++
		}
		switch {
		case b == '0' && digits == 0: // leading
		case b == '0':
			zeros++
		default:
			if digits == 0 {
				from = i
			}
			digits += zeros + 1
			to = i + 1
			if digits <= smallDigits {
				n.small = n.small*power10[zeros+1] + uint64(b-'0')
			}
			zeros = 0
		}
	}
	if i < len(literal) {
		exponent, ok := parseExponent(literal[i:])
		if !ok {
			return Number{}, false
		}
		n.exponent = exponent
	}
	if digits == 0 {
		return Number{}, true
	}
	n.exponent += zeros - scale
	if digits > smallDigits {
		n.small = 0
		n.large = strings.Replace(string(literal[from:to]), ".", "", 1)
	}
	return n, true
}

// parseExponent reads what stands behind the digits of a literal.
func parseExponent[T ~string | ~[]byte](s T) (int, bool) {
	i := 1
	if s[0] != 'e' && s[0] != 'E' {
		return 0, false
	}
	negative := false
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		negative = s[i] == '-'
		i++
	}
	if i >= len(s) {
		return 0, false
	}
	exponent := 0
	for ; i < len(s); i++ {
		if !isDigit(s[i]) {
			return 0, false
		}
		if exponent = exponent*10 + int(s[i]-'0'); exponent > MaxExponent {
			return 0, false
		}
	}
	if negative {
		exponent = -exponent
	}
	return exponent, true
}

var power10 = func() (p [smallDigits + 1]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// Sign returns -1, 0 or 1.
func (n Number) Sign() int {
	switch {
	case n.isZero():
		return 0
	case n.negative:
		return -1
	}
	return 1
}

func (n Number) isZero() bool { return n.small == 0 && n.large == "" }

// Equal reports whether n and m are the same number: 1, 1.0 and 10e-1 are.
func (n Number) Equal(m Number) bool { return n == m }

// IsInteger reports whether n is mathematically an integer: 1.0 and 1e3 are.
func (n Number) IsInteger() bool { return n.exponent >= 0 }

// Int64 returns n if it is an integer that fits.
func (n Number) Int64() (int64, bool) {
	if n.large != "" || n.exponent < 0 || n.exponent > smallDigits {
		return 0, false
	}
	high, low := bits.Mul64(n.small, power10[n.exponent])
	switch {
	case high != 0:
		return 0, false
	case low <= math.MaxInt64 && n.negative:
		return -int64(low), true
	case low <= math.MaxInt64:
		return int64(low), true
	case n.negative && low == -math.MinInt64:
		return math.MinInt64, true
	}
	return 0, false
}

// Cmp returns -1, 0 or 1 as n is less than, equal to or greater than m.
func (n Number) Cmp(m Number) int {
	if s, t := n.Sign(), m.Sign(); s != t {
		if s < t {
			return -1
		}
		return 1
	}
	c := n.compareMagnitude(m)
	if n.negative {
		return -c
	}
	return c
}

func (n Number) compareMagnitude(m Number) int {
	if n == (Number{}) { // then m is 0 too
		return 0
	}
	if n.large == "" && m.large == "" && n.exponent == m.exponent {
		return cmp.Compare(n.small, m.small)
	}
	var nSpace, mSpace [smallDigits + 1]byte
	nDigits, mDigits := n.digits(nSpace[:0]), m.digits(mSpace[:0])
	// Both start with a digit that is not 0, so the place of that digit decides,
	// and in the same place the digits compare like text.
	nPlace, mPlace := len(nDigits)+n.exponent, len(mDigits)+m.exponent
	switch {
	case nPlace < mPlace:
		return -1
	case nPlace > mPlace:
		return 1
	}
	return bytes.Compare(nDigits, mDigits)
}

// digits appends the digits of n to buf, or returns the ones it holds.
func (n Number) digits(buf []byte) []byte {
	if n.large != "" {
		return []byte(n.large)
	}
	return strconv.AppendUint(buf, n.small, 10)
}

// MultipleOf reports whether n is an integer times m. Of 0 only 0 is a
// multiple; signs do not matter.
func (n Number) MultipleOf(m Number) bool {
	if n.isZero() {
		return true
	}
	// In lowest form the digits of n are no multiple of 10, so no multiple of
	// a number of m's digits with more zeros behind them.
	shift := n.exponent - m.exponent
	if m.isZero() || shift < 0 {
		return false
	}
	if m.large == "" {
		return mulMod(n.digitsMod(m.small), power10Mod(shift, m.small), m.small) == 0
	}
	divisor := m.bigDigits()
	rest := big.NewInt(10)
	rest.Exp(rest, big.NewInt(int64(shift)), divisor)
	rest.Mul(rest, n.bigDigits())
	return rest.Mod(rest, divisor).Sign() == 0
}

func (n Number) bigDigits() *big.Int {
	if n.large == "" {
		return new(big.Int).SetUint64(n.small)
	}
	i, _ := new(big.Int).SetString(n.large, 10)
	return i
}

// digitsMod returns the digits of n, as an integer, modulo d.
func (n Number) digitsMod(d uint64) uint64 {
	if n.large == "" {
		return n.small % d
	}
	var rest uint64
	for i := range len(n.large) {
		high, low := bits.Mul64(rest, 10)
		low, carry := bits.Add64(low, uint64(n.large[i]-'0'), 0)
		rest = bits.Rem64(high+carry, low, d)
	}
	return rest
}

func mulMod(a, b, d uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return bits.Rem64(high, low, d)
}

// power10Mod returns 10^k modulo d.
func power10Mod(k int, d uint64) uint64 {
	result, base := 1%d, 10%d
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			result = mulMod(result, base, d)
		}
		base = mulMod(base, base, d)
	}
	return result
}

// String returns the plain decimal form of n, as Plain does.
func (n Number) String() string {
	if n.isZero() {
		return "0"
	}
	var space [smallDigits + 1]byte
	digits := n.digits(space[:0])
	var b strings.Builder
	if n.negative {
		b.WriteByte('-')
	}
	switch place := len(digits) + n.exponent; {
	case place <= 0:
		b.WriteString("0.")
		b.WriteString(strings.Repeat("0", -place))
		b.Write(digits)
	case n.exponent < 0:
		b.Write(digits[:place])
		b.WriteByte('.')
		b.Write(digits[place:])
	default:
		b.Write(digits)
		b.WriteString(strings.Repeat("0", n.exponent))
	}
	return b.String()
}

// AppendTo appends a short form of n that two numbers share exactly if they are
// equal: its digits and its exponent, which are not written out.
func (n Number) AppendTo(dst []byte) []byte {
	if n.negative {
		dst = append(dst, '-')
	}
	if n.large != "" {
		dst = append(dst, n.large...)
	} else {
		dst = strconv.AppendUint(dst, n.small, 10)
	}
	dst = append(dst, 'e')
	return strconv.AppendInt(dst, int64(n.exponent), 10)
}

// Plain returns the exact decimal form of a number literal: no exponent, no
// trailing zeros behind the point, no point without digits behind it. "1e5" is
// "100000", "1.50" is "1.5", "-0" is "0". It has at most about 2,000
// characters. A text that ParseNumber refuses is returned as it is.
func Plain(literal string) string {
	if isPlainInteger(literal) {
		return literal
	}
	n, ok := ParseNumber(literal)
	if !ok {
		return literal
	}
	return n.String()
}

// isPlainInteger reports whether s is an integer in plain form.
func isPlainInteger(s string) bool {
	s = strings.TrimPrefix(s, "-")
	if s == "" || s[0] == '0' {
		return false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}
