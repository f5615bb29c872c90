package strictjson

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func mustParse(t testing.TB, literal string) Number {
	t.Helper()
	n, ok := ParseNumber(literal)
	if !ok {
		t.Fatalf("ParseNumber(%q) refuses", literal)
	}
	return n
}

func TestPlain(t *testing.T) {
	for literal, want := range map[string]string{
		"0": "0", "-0": "0", "0.0": "0", "-0.00e5": "0", "0e1000": "0",
		"1": "1", "-1": "-1", "10": "10", "1.0": "1", "1.50": "1.5", "-1.50": "-1.5", "100": "100",
		"1e5": "100000", "1E+5": "100000", "1.5e3": "1500", "12e-1": "1.2", "1e-3": "0.001", "-1.25e-2": "-0.0125",
		"10e-1": "1", "100e-2": "1", "120e-1": "12", "0.1e1": "1",
		"9007199254740993":                    "9007199254740993",
		"9007199254740993.0":                  "9007199254740993",
		"18446744073709551615":                "18446744073709551615",
		"18446744073709551616":                "18446744073709551616",
		"184467440737095516.160":              "184467440737095516.16",
		"12345678901234567890123456789.5e-20": "123456789.012345678901234567895",
		"12345678901234567890123456789.50e2":  "1234567890123456789012345678950",
		"1e400":                               "1" + strings.Repeat("0", 400),
		"1e-400":                              "0." + strings.Repeat("0", 399) + "1",
		"1e1000":                              "1" + strings.Repeat("0", 1000),
		// What is no JSON number stays as it is.
		"": "", "-": "-", "01": "01", "+1": "+1", "1.": "1.", ".5": ".5", "1e": "1e", "1e1001": "1e1001", "x": "x", "0x1": "0x1", "--1": "--1",
	} {
		if got := Plain(literal); got != want {
			t.Errorf("Plain(%q) = %q, want %q", literal, got, want)
		}
	}
}

func TestCmp(t *testing.T) {
	// In strictly ascending order; equal numbers share a line.
	order := [][]string{
		{"-1e1000", "-10e999"},
		{"-18446744073709551616"},
		{"-10", "-1e1", "-10.0"},
		{"-9.99"},
		{"-1e-1000"},
		{"0", "-0", "0.0", "0e5", "-0e-1000"},
		{"1e-1000", "0.1e-999"},
		{"0.01", "1e-2", "0.010"},
		{"0.1"},
		{"0.10000000000000000000000000000001"},
		{"1", "1.0", "10e-1", "1e0", "0.001e3"},
		{"19.99", "1999e-2", "19.990"},
		{"9007199254740992"},
		{"9007199254740993", "9007199254740993.0", "9.007199254740993e15"},
		{"9999999999999999999"},
		{"18446744073709551615"},
		{"18446744073709551615.5"},
		{"18446744073709551616"},
		{"123456789012345678901234567890"},
		{"123456789012345678901234567891"},
		{"1e400"},
		{"1e999"},
		{strings.Repeat("9", 1000)},
		{"1e1000", "10e999"},
	}
	for i, equals := range order {
		for _, a := range equals {
			for j, others := range order {
				for _, b := range others {
					want := 0
					if i < j {
						want = -1
					} else if i > j {
						want = 1
					}
					x, y := mustParse(t, a), mustParse(t, b)
					if got := x.Cmp(y); got != want {
						t.Errorf("Cmp(%s, %s) = %d, want %d", a, b, got, want)
					}
					if got := x.Equal(y); got != (want == 0) {
						t.Errorf("Equal(%s, %s) = %v", a, b, got)
					}
				}
			}
		}
	}
}

func TestIsInteger(t *testing.T) {
	for literal, want := range map[string]bool{
		"0": true, "-0.0": true, "1": true, "1.0": true, "1e0": true, "10e-1": true, "1.5e1": true, "1e1000": true,
		"120e-1": true, "0.1": false, "1.5": false, "15e-2": false, "1e-1000": false,
		"9007199254740993.0": true, "9007199254740993.5": false,
		strings.Repeat("9", 998) + ".0": true, strings.Repeat("9", 998) + ".1": false,
	} {
		if got := mustParse(t, literal).IsInteger(); got != want {
			t.Errorf("IsInteger(%s) = %v", literal, got)
		}
	}
}

func TestInt64(t *testing.T) {
	for literal, want := range map[string]string{
		"0": "0", "-0": "0", "1": "1", "2.0": "2", "1e3": "1000", "-5e2": "-500",
		"9223372036854775807": "9223372036854775807", "-9223372036854775808": "-9223372036854775808",
		"9223372036854775808": "none", "-9223372036854775809": "none", "18446744073709551615": "none",
		"1e18": "1000000000000000000", "1e19": "none", "1e1000": "none", "0.5": "none", "1e-1": "none",
		"184467440737095516160": "none", "12345678901234567890123": "none",
	} {
		got := "none"
		if i, ok := mustParse(t, literal).Int64(); ok {
			got = fmt.Sprint(i)
		}
		if got != want {
			t.Errorf("Int64(%s) = %s, want %s", literal, got, want)
		}
	}
}

func TestMultipleOf(t *testing.T) {
	long := strings.Repeat("123456789", 100)
	for _, tt := range []struct {
		n, m string
		want bool
	}{
		{"19.99", "0.01", true},
		{"19.995", "0.01", false},
		{"0.3", "0.1", true},
		{"0.35", "0.1", false},
		{"4.35", "0.01", true},
		{"1", "0.1", true},
		{"7", "2", false},
		{"8", "2", true},
		{"-8", "2", true},
		{"8", "-2", true},
		{"7.5", "2.5", true},
		{"0", "3", true},
		{"0.0", "0.1", true},
		{"0", "0", true},
		{"1", "0", false},
		{"1e1000", "1", true},
		{"1e1000", "3", false},
		{"3e1000", "3", true},
		{"1e1000", "7e-1000", false},
		{"7e1000", "7e-1000", true},
		{"1e-1000", "1", false},
		{"1e-1000", "1e-1000", true},
		{"1e308", "0.5", true},
		{"12391239123", "1e-8", true},
		{"9007199254740993", "3", true},
		{"9007199254740993", "2", false},
		{"18446744073709551615", "5", true},
		{"18446744073709551616", "65536", true},
		{"18446744073709551616", "18446744073709551616", true},
		{"18446744073709551617", "18446744073709551616", false},
		{"36893488147419103232", "18446744073709551616", true},
		{"18446744073709551615", "18446744073709551616", false},
		{long, long, true},
		{long + "0", long, true},
		{long + "1", long, false},
		{"100", "8", false},
		{"1000", "8", true},
		{"1e3", "0.8", true},
	} {
		if got := mustParse(t, tt.n).MultipleOf(mustParse(t, tt.m)); got != tt.want {
			t.Errorf("MultipleOf(%.40s, %.40s) = %v", tt.n, tt.m, got)
		}
	}
}

// randomLiteral makes a literal of every shape that could go wrong.
func randomLiteral(r *rand.Rand) string {
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			if r.IntN(3) == 0 {
				b.WriteByte("09"[r.IntN(2)])
			} else {
				b.WriteByte(byte('0' + r.IntN(10)))
			}
		}
		return b.String()
	}
	length := func() int {
		if r.IntN(8) == 0 {
			return 1 + r.IntN(60)
		}
		return 1 + r.IntN(6)
	}
	s := strings.TrimLeft(digits(length()), "0")
	if s == "" {
		s = "0"
	}
	if r.IntN(2) == 0 {
		s += "." + digits(length())
	}
	switch r.IntN(4) {
	case 0:
		s += fmt.Sprintf("e%d", r.IntN(40)-20)
	case 1:
		s += fmt.Sprintf("E+%d", r.IntN(6))
	}
	if r.IntN(3) == 0 {
		s = "-" + s
	}
	return s
}

// TestNumbersEqualRationals compares every operation with math/big.
func TestNumbersEqualRationals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		a, b := randomLiteral(r), randomLiteral(r)
		x, y := mustParse(t, a), mustParse(t, b)
		p, _ := new(big.Rat).SetString(a)
		q, _ := new(big.Rat).SetString(b)
		if got, want := x.Cmp(y), p.Cmp(q); got != want {
			t.Fatalf("Cmp(%s, %s) = %d, want %d", a, b, got, want)
		}
		if got, want := x.Equal(y), p.Cmp(q) == 0; got != want {
			t.Fatalf("Equal(%s, %s) = %v", a, b, got)
		}
		if got, want := x.IsInteger(), p.IsInt(); got != want {
			t.Fatalf("IsInteger(%s) = %v", a, got)
		}
		if got, want := x.Sign(), p.Sign(); got != want {
			t.Fatalf("Sign(%s) = %d", a, got)
		}
		want := p.Sign() == 0
		if q.Sign() != 0 {
			want = new(big.Rat).Quo(p, q).IsInt()
		}
		if got := x.MultipleOf(y); got != want {
			t.Fatalf("MultipleOf(%s, %s) = %v", a, b, got)
		}
		i, ok := x.Int64()
		if fits := p.IsInt() && p.Num().IsInt64(); ok != fits || ok && i != p.Num().Int64() {
			t.Fatalf("Int64(%s) = %d, %v", a, i, ok)
		}
		plain := Plain(a)
		back, okBack := new(big.Rat).SetString(plain)
		if !okBack || back.Cmp(p) != 0 || strings.ContainsAny(plain, "eE") || !json.Valid([]byte(plain)) {
			t.Fatalf("Plain(%s) = %s", a, plain)
		}
		if Plain(plain) != plain || x.String() != plain {
			t.Fatalf("Plain(%s) = %s, String %s", plain, Plain(plain), x)
		}
	}
}

func TestParseNumberAgreesWithScanNumber(t *testing.T) {
	alphabet := "0019-+.eE"
	r := rand.New(rand.NewPCG(3, 4))
	accepted := 0
	for range 100_000 {
		b := make([]byte, 1+r.IntN(8))
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		end, kind := ScanNumber(b, 0)
		scanned := kind == 0 && end == len(b)
		if _, ok := ParseNumber(b); ok != scanned {
			t.Fatalf("ParseNumber(%q) = %v, ScanNumber %v", b, ok, scanned)
		}
		if scanned {
			accepted++
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d literals were numbers", accepted)
	}
	for _, literal := range []string{
		strings.Repeat("1", 1000), strings.Repeat("1", 1001), "1e1000", "1e1001", "1e-1000", "1e-1001", "1e0001000", "0." + strings.Repeat("0", 998),
		"0." + strings.Repeat("0", 999), "1e99999999999999999999999", "1 ", " 1", "1a", "1e+-1", "1..2", "1.2.3", "1.e5",
	} {
		end, kind := ScanNumber([]byte(literal), 0)
		scanned := kind == 0 && end == len(literal)
		if _, ok := ParseNumber(literal); ok != scanned {
			t.Errorf("ParseNumber(%.20q) = %v, ScanNumber %v", literal, ok, scanned)
		}
	}
}

func TestOrdinaryNumbersAllocateNothing(t *testing.T) {
	literals := []string{"19.99", "0.01", "-1", "1e5", "9007199254740993", "1e1000", "1234567890123456789"}
	if n := testing.AllocsPerRun(100, func() {
		for _, a := range literals {
			for _, b := range literals {
				x, _ := ParseNumber(a)
				y, _ := ParseNumber(b)
				x.Cmp(y)
				x.MultipleOf(y)
				if x.Equal(y) != (a == b) || !x.IsInteger() && a == "-1" {
					t.Fatal(a, b)
				}
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
