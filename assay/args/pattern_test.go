package args

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/assay/internal/race"
)

func TestEachFormOfAPatternMatchesWhatItSays(t *testing.T) {
	for _, test := range []struct {
		pattern string
		form    Form
		literal string
		yes, no []string
	}{
		{"*", Any, "", []string{"a", "*", "read_file", "ü"}, nil},
		{"**", Any, "", []string{"a", "*"}, nil},
		{"***", Any, "", []string{"a", "***"}, nil},
		{"read_*", Prefix, "read_", []string{"read_", "read_file", "read_*"}, []string{"read", "Read_file", "xread_", "rea"}},
		{"read_**", Prefix, "read_", []string{"read_", "read_x"}, []string{"read"}},
		{"*_write", Suffix, "_write", []string{"_write", "x_write"}, []string{"write", "_write_", "_Write"}},
		{"**_write", Suffix, "_write", []string{"_write", "x_write"}, []string{"write"}},
		{"*admin*", Infix, "admin", []string{"admin", "my_admin_tool", "admin_", "_admin", "adadmin"}, []string{"admi", "Admin", "a_dmin"}},
		{"**admin**", Infix, "admin", []string{"admin", "xadminx"}, []string{"admi"}},
		{"rm", Exact, "rm", []string{"rm"}, []string{"r", "rmdir", "RM", " rm", "rm ", "rm*"}},
		{"a*b", Exact, "a*b", []string{"a*b"}, []string{"ab", "axb", "a**b"}},
		{"a**b", Exact, "a**b", []string{"a**b"}, []string{"a*b", "ab"}},
		{"a*b*", Prefix, "a*b", []string{"a*b", "a*bc"}, []string{"ab", "axb", "xa*b"}},
		{"*a*b", Suffix, "a*b", []string{"a*b", "xa*b"}, []string{"ab", "a*bx"}},
		{"*a*b*", Infix, "a*b", []string{"a*b", "xa*by"}, []string{"ab", "axb"}},
		{"ü*", Prefix, "ü", []string{"ü", "übung"}, []string{"u", "u\u0308bung", "\xc3"}},
		{"*é", Suffix, "é", []string{"é", "café"}, []string{"cafe\u0301", "cafe"}},
		{"[ab]*", Prefix, "[ab]", []string{"[ab]", "[ab]c"}, []string{"a", "b", "ab"}},
		{"fs.*", Prefix, "fs.", []string{"fs.", "fs.read"}, []string{"fs", "fsx"}},
		{"?x", Exact, "?x", []string{"?x"}, []string{"ax", "x"}},
		{"", Exact, "", nil, []string{"a", "*"}},
		{" ", Exact, " ", []string{" "}, []string{"a", "  "}},
	} {
		p := ParsePattern(test.pattern)
		if p.Form != test.form || p.Literal != test.literal {
			t.Errorf("ParsePattern(%q) = %v, want form %d of %q", test.pattern, p, test.form, test.literal)
		}
		index := compilePatterns([]string{test.pattern})
		for _, name := range test.yes {
			if !p.Match(name) {
				t.Errorf("pattern %q does not match %q", test.pattern, name)
			}
			if !index.match(name) {
				t.Errorf("index of %q does not match %q", test.pattern, name)
			}
		}
		for _, name := range test.no {
			if p.Match(name) {
				t.Errorf("pattern %q matches %q", test.pattern, name)
			}
			if index.match(name) {
				t.Errorf("index of %q matches %q", test.pattern, name)
			}
		}
	}
}

func TestAnAbsentListAndAnEmptyListMatchNothing(t *testing.T) {
	if compilePatterns(nil) != nil {
		t.Error("an absent list is not nil")
	}
	if compilePatterns([]string{}) == nil {
		t.Error("an empty list is nil, as if it were absent")
	}
	for _, texts := range [][]string{nil, {}} {
		if compilePatterns(texts).match("a") {
			t.Errorf("the list %#v matches", texts)
		}
	}
}

// loop is what the index has to be equal to.
func loop(texts []string, name string) bool {
	for _, text := range texts {
		if ParsePattern(text).Match(name) {
			return true
		}
	}
	return false
}

// Few letters make patterns that contain, start and end one another, so that
// every turn of the machine is taken.
func TestTheIndexIsEqualToALoopOverThePatterns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	text := func(letters string, longest int) string {
		b := make([]byte, random.IntN(longest+1))
		for i := range b {
			b[i] = letters[random.IntN(len(letters))]
		}
		return string(b)
	}
	matches := 0
	for range 1_500 {
		letters := []string{"ab", "abc", "ab\xff\x00", "abcdefghijklmnop"}[random.IntN(4)]
		shortest := random.IntN(11)
		patterns := []string{}
		for range random.IntN(40) {
			literal := text(letters, 12)
			if len(literal) < shortest {
				continue
			}
			patterns = append(patterns, []string{"%s", "%s*", "*%s", "*%s*"}[random.IntN(4)])
			patterns[len(patterns)-1] = strings.Replace(patterns[len(patterns)-1], "%s", literal, 1)
		}
		index := compilePatterns(patterns)
		for range 40 {
			name := text(letters, 40)
			want := loop(patterns, name)
			if want {
				matches++
			}
			if got := index.match(name); got != want {
				t.Fatalf("patterns %q, name %q: index says %v, loop says %v", patterns, name, got, want)
			}
		}
	}
	if matches < 5_000 || matches > 55_000 {
		t.Errorf("%d of 60,000 names match: the samples are one-sided", matches)
	}
}

func TestEveryByteIsALabel(t *testing.T) {
	var patterns []string
	for b := range 256 {
		if b != '*' {
			patterns = append(patterns, "*x"+string([]byte{byte(b)})+"y*", string([]byte{byte(b)})+"z*", "*z"+string([]byte{byte(b)}))
		}
	}
	index := compilePatterns(patterns)
	for a := range 256 {
		for b := a % 17; b < 256; b += 17 {
			for _, name := range []string{
				string([]byte{'x', byte(a), byte(b)}), string([]byte{byte(a), byte(b), 'z'}), string([]byte{byte(a), 'z', byte(b), 'q'}),
			} {
				if got, want := index.match(name), loop(patterns, name); got != want {
					t.Fatalf("name %q: index says %v, loop says %v", name, got, want)
				}
			}
		}
	}
}

// The name and the patterns together are of the size that a hostile call and a
// hostile policy may have; a machine that starts anew at each byte of the name
// would take minutes.
func TestALongNameAgainstPatternsThatNearlyMatchEverywhere(t *testing.T) {
	run := strings.Repeat("a", 60_000)
	var patterns []string
	for n := 1_000; n <= 16_000; n += 1_000 {
		patterns = append(patterns, "*"+run[:n]+"b*", "*"+run[:n]+"b", "b"+run[:n]+"*", "*b"+run[:n]+"*")
	}
	index := compilePatterns(patterns)
	for _, test := range []struct {
		name string
		want bool
	}{
		{run, false},
		{run[:999] + "b" + run[:999], false},
		{run + "b", true},
		{"b" + run, true},
		{run[:20_000] + "b" + run[:20_000], true},
		{strings.Repeat(run[:999]+"b", 60), false},
	} {
		if got := index.match(test.name); got != test.want {
			t.Errorf("name of %d bytes: index says %v, want %v", len(test.name), got, test.want)
		}
	}
}

func TestMatchAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, and so allocate")
	}
	index := compilePatterns(manyPatterns(1_000))
	if n := testing.AllocsPerRun(100, func() { index.match(unmatched); index.match("pre_000001_tool") }); n != 0 {
		t.Errorf("match allocates %v times", n)
	}
}

func FuzzPatternIndex(f *testing.F) {
	f.Add("rm\n*admin*\nread_*\n*_write", "my_admin_tool")
	f.Add("*aab*\n*aba*\n*b*", "aaabab")
	f.Add("a*b\n**\n", "")
	f.Add("*abcd*\n*bcde*\n*cdeab*", "abcbcdeabcde")
	f.Add("*\xff\xfe*\n\x00*", "\x00\xff\xfe")
	f.Fuzz(func(t *testing.T, list, name string) {
		patterns := strings.Split(list, "\n")
		index := compilePatterns(patterns)
		// Every tail of the name is a name too, and each starts the machine elsewhere.
		for i := range min(len(name), 32) + 1 {
			if got, want := index.match(name[i:]), loop(patterns, name[i:]); got != want {
				t.Fatalf("patterns %q, name %q: index says %v, loop says %v", patterns, name[i:], got, want)
			}
		}
	})
}

// unmatched is a name that none of manyPatterns matches.
const unmatched = "get_weather_forecast"

// manyPatterns returns n patterns, a quarter of each form but Any.
func manyPatterns(n int) []string {
	patterns := make([]string, n)
	for i := range patterns {
		patterns[i] = fmt.Sprintf([]string{"exact_%06d", "pre_%06d_*", "*_%06d_suf", "*in_%06d_fix*"}[i%4], i)
	}
	return patterns
}

// wordPatterns returns n patterns that share their beginnings and ends with
// ordinary tool names.
func wordPatterns(n int) []string {
	random := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields("get set list read write delete create update weather file user account forecast admin billing report search query run shell send mail calendar event")
	patterns := make([]string, n)
	for i := range patterns {
		text := words[random.IntN(len(words))] + "_" + words[random.IntN(len(words))] + "_" + words[random.IntN(len(words))]
		text += fmt.Sprintf("%d", i)
		switch i % 4 {
		case 1:
			text += "*"
		case 2:
			text = "*" + fmt.Sprintf("%d", i) + text[:len(text)-len(fmt.Sprintf("%d", i))]
		case 3:
			text = "*" + text + "*"
		}
		patterns[i] = text
	}
	return patterns
}

func BenchmarkPatterns(b *testing.B) {
	for _, kind := range []struct {
		name string
		make func(int) []string
	}{{"numbered", manyPatterns}, {"words", wordPatterns}} {
		for _, n := range []int{10, 1_000, 100_000} {
			index := compilePatterns(kind.make(n))
			b.Run(fmt.Sprintf("%s/none/%d", kind.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if index.match(unmatched) {
						b.Fatal("a pattern matches")
					}
				}
			})
			// Names that share long parts with the patterns of the list.
			b.Run(fmt.Sprintf("%s/near/%d", kind.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if index.match("pre_000001x_in_000003_fi_000002_su") || index.match("get_file_report_user") {
						b.Fatal("a pattern matches")
					}
				}
			})
		}
	}
}

func BenchmarkHostileName(b *testing.B) {
	run := strings.Repeat("a", 64_000)
	var deep []string
	for n := 1_000; n <= 16_000; n += 1_000 {
		deep = append(deep, "*"+run[:n]+"b*")
	}
	for _, test := range []struct {
		name     string
		patterns []string
		text     string
	}{
		{"runs", deep, run},
		{"numbered", manyPatterns(100_000), strings.Repeat("in_000003_fi", 5_300)},
		{"words", wordPatterns(100_000), strings.Repeat("get_file_user", 4_900)},
	} {
		index := compilePatterns(test.patterns)
		b.Run(test.name, func(b *testing.B) {
			b.SetBytes(int64(len(test.text)))
			for b.Loop() {
				if index.match(test.text) {
					b.Fatal("a pattern matches")
				}
			}
		})
	}
}

func BenchmarkCompilePatterns(b *testing.B) {
	for _, kind := range []struct {
		name string
		make func(int) []string
	}{{"numbered", manyPatterns}, {"words", wordPatterns}} {
		patterns := kind.make(100_000)
		bytes := 0
		for _, p := range patterns {
			bytes += len(p)
		}
		b.Run(kind.name, func(b *testing.B) {
			b.SetBytes(int64(bytes))
			b.ReportAllocs()
			for b.Loop() {
				compilePatterns(patterns)
			}
		})
	}
}
