package ecma

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/internal/race"
)

// explosive takes time exponential in the length of secret.
const explosive = `^(?:(a+)+)+\1b$`

var secret = strings.Repeat("a", 60)

func compile(t testing.TB, pattern string) *Regexp {
	t.Helper()
	re, err := Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return re
}

func TestAMatchBeyondItsBoundIsNoAnswer(t *testing.T) {
	re := compile(t, explosive)
	if re.Linear() {
		t.Fatal("the pattern is linear")
	}
	b := NewBound(20 * time.Millisecond)
	matched, err := re.MatchString(secret, b)
	if matched || err != ErrBound {
		t.Fatalf("got %v, %v; want ErrBound", matched, err)
	}
	if strings.Contains(err.Error(), "aaa") {
		t.Error("the error quotes the text")
	}
	// The time is gone for every other pattern of the check too.
	if _, err := compile(t, `^(x)\1$`).MatchString("xx", b); err != ErrBound {
		t.Errorf("a second match on the same bound: %v", err)
	}
	// But not for linear ones, and not for the next check.
	if matched, err := compile(t, `^x+$`).MatchString("xx", b); !matched || err != nil {
		t.Errorf("a linear pattern: %v, %v", matched, err)
	}
	if matched, err := re.MatchString("aab", nil); !matched || err != nil {
		t.Errorf("a fresh bound: %v, %v", matched, err)
	}
	if _, err := re.Match([]byte(secret), nil); err != ErrBound {
		t.Errorf("the default bound: %v", err)
	}
}

func TestABoundOfNothingAnswersNothing(t *testing.T) {
	for _, d := range []time.Duration{0, -1} {
		if _, err := compile(t, `(a)\1`).MatchString("aa", NewBound(d)); err != ErrBound {
			t.Errorf("%v: %v", d, err)
		}
	}
}

func TestAnEngineThatFailsIsNoAnswer(t *testing.T) {
	// Out of stack, long before the time.
	re := compile(t, `^(?:(?!x)[^])*$`)
	if matched, err := re.MatchString(strings.Repeat("a", 10_000), NewBound(time.Hour)); !matched || err != nil {
		t.Errorf("a text of usual size: %v, %v", matched, err)
	}
	if _, err := re.MatchString(strings.Repeat("a", 1_000_000), NewBound(time.Hour)); err != ErrBound {
		t.Errorf("out of stack: %v", err)
	}
	// A panic.
	if _, err := NewBound(time.Second).match(nil, "a"); err != ErrBound {
		t.Errorf("a panic: %v", err)
	}
}

// A program between the sizes runs on RE2 while program times text is small, and
// under the bound where it is not.
func TestALargeProgramOnALongTextIsBounded(t *testing.T) {
	re := compile(t, `(?:[ab]?a?){300}a[ab]{300}c`)
	if re.Linear() || re.kind != bySize {
		t.Fatal("the pattern is not of the kind that this test is about")
	}
	if matched, err := re.MatchString("a"+strings.Repeat("b", 300)+"c", NewBound(time.Hour)); !matched || err != nil {
		t.Errorf("a short text: %v, %v", matched, err)
	}
	if _, err := re.MatchString(strings.Repeat("ab", 50_000), NewBound(20*time.Millisecond)); err != ErrBound {
		t.Errorf("a long text: %v", err)
	}
}

func TestTheClockIsOneGoroutine(t *testing.T) {
	re := compile(t, `(a)\1`)
	for range 100 {
		if _, err := re.MatchString("aa", nil); err != nil {
			t.Fatal(err)
		}
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if n := strings.Count(string(stacks), "regexp2/v2.runClock("); n > 1 {
		t.Errorf("%d goroutines keep the time", n)
	}
}

func TestARegexpIsSafeForConcurrentUse(t *testing.T) {
	var wait sync.WaitGroup
	for _, c := range []struct {
		pattern string
		want    bool // of "aa"
	}{
		{`^[ab]+$`, true}, {`(?:aa|bb)$`, true}, {`[ab]*a[ab]{30}$`, false}, {`^(?:\p{L}|\d|c){100,3000}$|aa`, true}, {`^(a|b)\1$`, true}, {explosive, false},
	} {
		re := compile(t, c.pattern)
		for range 4 {
			wait.Go(func() {
				for range 50 {
					if matched, err := re.MatchString("aa", nil); matched != c.want || err != nil {
						t.Errorf("%q: %v, %v", c.pattern, matched, err)
					}
				}
				if _, err := re.MatchString(secret, NewBound(time.Nanosecond)); err != nil && err != ErrBound {
					t.Errorf("%q: %v", c.pattern, err)
				}
			})
		}
	}
	wait.Wait()
}

func TestLinearPatternsDoNotAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, and so allocate")
	}
	long := strings.Repeat("abc_é", 400)
	for _, pattern := range []string{`^[a-z]{3}$`, `^prefix`, `^\S+$`, `^\p{L}+$`, `^.{1,4096}$`, `^(?:read|write)$`, `(?:\.[a-z]{2,3})+$`, `foo|ba[rz]`, `\bfoo\b`,
		`[ab]*a[ab]{30}c`, `\p{L}é`, `[^\p{Lu}]x[^]{30}y`} {
		re := compile(t, pattern)
		if !re.Linear() {
			t.Errorf("%q is not linear", pattern)
		}
		for _, text := range []string{"", "abc", "prefix", "write", long} {
			bytes := []byte(text)
			if n := testing.AllocsPerRun(20, func() {
				_, _ = re.MatchString(text, nil)
				_, _ = re.Match(bytes, nil)
			}); n != 0 {
				t.Errorf("%q on %d bytes allocates %v times", pattern, len(text), n)
			}
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, c := range []struct{ name, pattern, text string }{
		{"loop/name", `^[a-z0-9_-]+$`, "customer-records_2024"},
		{"loop/prefix", `^https://api\.example\.com/`, "https://api.example.com/v1/users"},
		{"loop/long", `^.{1,4096}$`, strings.Repeat("é", 1000)},
		{"automaton/enum", `^(?:read|write|delete)$`, "delete"},
		{"automaton/amount", `^\d+(?:\.\d{1,2})?$`, "1234.56"},
		{"automaton/mail", `^[^@\s]+@[^@\s]+\.[^@\s]+$`, "someone@mail.example.com"},
		{"automaton/search", `DROP|DELETE|TRUNCATE`, strings.Repeat("select a from b where c; ", 40)},
		{"re2/classes", `[\p{L}\p{N}]+[^\p{L}\p{N}]{3}`, "a name of some length, and more..."},
		{"backtrack/lookahead", `^(?!.*\.\.)[\w./-]+$`, "home/user/notes.txt"},
		{"backtrack/reference", `^(['"]).*\1$`, `"a quoted text"`},
	} {
		b.Run(c.name, func(b *testing.B) {
			re := compile(b, c.pattern)
			bound := NewBound(time.Hour)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := re.MatchString(c.text, bound); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, c := range []struct{ name, pattern string }{
		{"loop", `^[a-z0-9_-]+$`},
		{"automaton", `^[^@\s]+@[^@\s]+\.[^@\s]+$`},
		{"re2", `[\p{L}\p{N}]+[^\p{L}\p{N}]{3}`},
		{"backtrack", `^(?!.*\.\.)[\w./-]+$`},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile(c.pattern); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Patterns that are made to cost: each is refused or compiles, and answers or
// exceeds its bound. A test that does not end is the failure.
func TestHostilePatternsEnd(t *testing.T) {
	repeat := strings.Repeat
	texts := []string{"", "a", repeat("a", 64_000), repeat("ab", 32_000), repeat("é", 32_000)}
	for name, pattern := range map[string]string{
		"counts in counts":           `((a{1000}){1000}){1000}`,
		"counts of an empty text":    `(?:(?:(?=a)){2147483646}){2147483646}x`,
		"a count of any size":        `(?:a?){0,99999999999}b`,
		"counts of a property":       `(?:[\p{L}\p{N}]{1,100}x){90}`,
		"depth of optional repeats":  repeat("(?:", 200) + "a" + repeat(")*", 200),
		"depth of doubled repeats":   repeat("(?:", 200) + "a" + repeat("){2}", 200),
		"depth of captured repeats":  repeat("(", 200) + "a" + repeat("){1,2}", 200) + `\1`,
		"depth of alternatives":      repeat("(?:a|", 200) + "a" + repeat(")", 200) + "(?=x)",
		"a long literal":             repeat("a", 65_000),
		"many alternatives":          repeat("ab|", 21_000) + "c",
		"many optional characters":   "^" + repeat("a?", 32_000) + "$",
		"many dots":                  repeat(".*", 32_000),
		"many stars, then no":        repeat("a*", 32_000) + "(?=x)",
		"many lookbehinds":           repeat("(?<=a*b)", 8_000),
		"many backreferences":        "(a)" + repeat(`\1`, 32_000),
		"many groups":                repeat("(a)", 21_000) + `\21000`,
		"a class of many members":    "[" + repeat("ab", 32_000) + "]",
		"a class of many properties": "[" + repeat(`\P{L}`, 190) + "]",
		"many lazy loops in a loop":  "(?:" + repeat("a*?b*?", 5_000) + ")*?(?=x)",
		"many states to determine":   `[ab]*a[ab]{190}c`,
		"a repeated choice":          `^(?:a|a)*$(?!x)b`,
	} {
		re, err := Compile(pattern)
		if err != nil {
			if _, ok := errors.AsType[*SyntaxError](err); !ok {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		bound := NewBound(DefaultBound)
		for _, text := range texts {
			if _, err := re.MatchString(text, bound); err != nil && (err != ErrBound || re.Linear()) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
