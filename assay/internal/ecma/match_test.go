package ecma

import (
	"flag"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	seedFlag  = flag.Uint64("ecma.seed", 1, "seed of the generated patterns")
	pairsFlag = flag.Int("ecma.pairs", 5_000, "generated pairs of pattern and text")
)

// matches are pairs of a pattern and a text with the right answer, which Node
// (20.20.2; ECMA-262 2024 in what they use) confirms wherever it is installed.
var matches = []struct {
	pattern, text string
	want          bool
}{
	// Searching: a match anywhere will do.
	{``, ``, true}, {``, `a`, true}, {`a`, `bab`, true}, {`a`, `bbb`, false}, {`a`, ``, false}, {`ab|cd`, `xcdx`, true},
	{`ab|cd`, `ad`, false}, {`a||b`, ``, true}, {`foo`, `a foo b`, true}, {`(?:)`, ``, true},
	// Anchors know the text's ends only, not its lines.
	{`^a`, `ab`, true}, {`^a`, `ba`, false}, {`a$`, `ba`, true}, {`a$`, `ab`, false}, {`^a$`, "a\n", false}, {`^a`, "\na", false},
	{`a$`, "a\nb", false}, {`^$`, ``, true}, {`^$`, "\n", false}, {`$^`, ``, true}, {`$^`, `a`, false}, {`a^b`, `ab`, false},
	{`^a|b$`, `ax`, true}, {`^a|b$`, `xb`, true}, {`^a|b$`, `bxa`, false}, {`^(?:a|b)$`, `ab`, false}, {`(^a|b)c`, `xbc`, true},
	{`(^a|b)c`, `xac`, false}, {`a*$b*`, `b`, true}, {`(?:^)*a`, `ba`, true},
	// Repetition.
	{`^a*$`, ``, true}, {`^a+$`, ``, false}, {`^a?$`, `aa`, false}, {`^a{2}$`, `aa`, true}, {`^a{2}$`, `aaa`, false},
	{`^a{2,}$`, `aaaa`, true}, {`^a{2,}$`, `a`, false}, {`^a{1,2}$`, `aaa`, false}, {`^a{0}$`, ``, true}, {`^a{0}$`, `a`, false},
	{`^(?:a{2}){2}$`, `aaaa`, true}, {`^(?:a{2}){2}$`, `aaa`, false}, {`^a*?b$`, `aab`, true}, {`^a+?$`, `aaa`, true},
	{`^a??b$`, `ab`, true}, {`^(?:a*)*$`, `aaa`, true}, {`^(?:a|b*)*$`, `abba`, true}, {`^(?:a?){3}$`, `aa`, true},
	{`^(?:\b|a){2}$`, `a`, true}, {`^a{01,002}$`, `aa`, true}, {`^[ab]*a[ab]{3}$`, `babababa`, false}, {`^[ab]*a[ab]{3}$`, `ababaaab`, true},
	{`^(?:ab?)+$`, `aabaab`, true}, {`^(?:ab?)+$`, `aabba`, false}, {`^\d{4}-\d{2}-\d{2}$`, `2024-02-30`, true},
	{`^\d{4}-\d{2}-\d{2}$`, `2024-2-30`, false}, {`^\d+(?:\.\d{1,2})?$`, `10.25`, true}, {`^\d+(?:\.\d{1,2})?$`, `10.255`, false},
	// The dot and `\s` know the Unicode line ends and spaces.
	{`^.$`, "\n", false}, {`^.$`, "\r", false}, {`^.$`, "\u2028", false}, {`^.$`, "\u2029", false}, {`^.$`, "\u0085", true},
	{`^.$`, "😀", true}, {`^..$`, "😀", false}, {`^\s$`, "\u00a0", true}, {`^\s$`, "\ufeff", true}, {`^\s$`, "\u2028", true},
	{`^\s$`, "\u0085", false}, {`^\s$`, "\u180e", false}, {`^\s$`, "\u200b", false}, {`^\s$`, "\v", true}, {`^\S$`, "\u3000", false}, {`^\S$`, "é", true},
	// `\d`, `\w` and `\b` are ASCII.
	{`^\d$`, "٣", false}, {`^\D$`, "٣", true}, {`^\w$`, "é", false}, {`^\w$`, "_", true}, {`^\W$`, "ſ", true}, {`^\w$`, "\u212a", false},
	{`\bfoo\b`, "a foo.", true}, {`\bfoo\b`, "afoo", false}, {`\bfoo\b`, "éfoo", true}, {`é\b`, "é", false}, {`\B`, "é", true}, {`\B`, "", true},
	{`\b`, "", false}, {`a\Bb`, "ab", true}, {`\Bé\B`, "é", true}, {`\B`, "aéa", false}, {`\B`, "a😀A", false},
	// Classes.
	{`^[a-c]$`, `b`, true}, {`^[^a-c]$`, `b`, false}, {`^[^a]$`, "\n", true}, {`[]`, `a`, false}, {`[]`, ``, false}, {`^[^]$`, "\n", true},
	{`^[^]$`, "😀", true}, {`^[a-]$`, `-`, true}, {`^[-a]$`, `-`, true}, {`^[\d-]$`, `-`, true}, {`^[\]\-\\]$`, `]`, true}, {`^[\b]$`, "\b", true},
	{`^[.*+?]$`, `?`, true}, {`^[.]$`, `a`, false}, {`^[\W\d]$`, `a`, false}, {`^[^\W]$`, `a`, true}, {`^[😀-😂]$`, "😁", true}, {`^[^😀]$`, "😁", true},
	{`^[\u{1F600}-\u{1F602}]$`, "😁", true}, {`^[\uD83D\uDE00]$`, "😀", true}, {`^[--0]$`, `.`, true}, {`^[^\s@]+@[^\s@]+$`, `a@b`, true},
	{`^[^\s@]+@[^\s@]+$`, `a@b@c`, false}, {`^[a-z-]+$`, `a-b`, true}, {`^[$^|(){}/]+$`, `(^$/)`, true}, {`^[^\d\D]$`, `a`, false},
	// Escapes.
	{`^\x41\u0042\u{43}\u{000044}$`, `ABCD`, true}, {`^\cA\ca$`, "\x01\x01", true}, {`^\0$`, "\x00", true}, {`^\t\n\v\f\r$`, "\t\n\v\f\r", true},
	{`^\uD83D\uDE00$`, "😀", true}, {`\uD83D`, "😀", false}, {`\uDE00`, "😀", false}, {`^[^\uD83D]$`, "😀", true}, {`^\u{D83D}\u{DE00}$`, "😀", false},
	{`^\/\.\*\$$`, `/.*$`, true}, {`^\-\@\_\ \!\"\#\%\&\'\,\:\;\<\=\>\~`, `-@_ !"#%&',:;<=>~`, true}, {"^\\`$", "`", true}, {`^[\-\@\_\ ]+$`, `_@ -`, true},
	{`^/a/$`, `/a/`, true}, {"^a\nb$", "a\nb", true},
	// Unicode properties.
	{`^\p{L}+$`, "héλ", true}, {`^\p{L}+$`, "a1", false}, {`^\P{L}$`, "1", true}, {`^\p{Lu}$`, "É", true}, {`^\p{Lu}$`, "é", false},
	{`^\p{Script=Greek}$`, "λ", true}, {`^\p{sc=Grek}$`, "a", false}, {`^\p{scx=Deva}$`, "\u0964", true}, {`^\p{sc=Deva}$`, "\u0964", false},
	{`^[\p{L}\d]+$`, "é1", true}, {`^[^\p{L}]$`, "é", false}, {`^[\P{Lu}]$`, "É", false}, {`^\p{Emoji}$`, "😀", true}, {`^\p{Any}$`, "\U0010fffd", true},
	{`^\p{ASCII}$`, "é", false}, {`^\p{Assigned}$`, "a", true}, {`^\p{gc=Cn}$`, "\U000e0fff", true}, {`^\p{Alphabetic}$`, "é", true}, {`^[^\p{Emoji}a]$`, "😀", false},
	{`^\p{White_Space}$`, "\u0085", true}, {`^\p{Lowercase}$`, "ª", true}, {`^\p{gc=Nd}$`, "٣", true}, {`^[\p{Emoji}-]$`, "-", true},
	// Backreferences: a group that took no part matches the empty text.
	{`^(a)\1$`, `aa`, true}, {`^(a)\1$`, `a`, false}, {`^(a*)b\1$`, `aabaa`, true}, {`^(a*)b\1$`, `aaba`, false}, {`^(?:(a)|b)\1$`, `b`, true},
	{`^\1(a)$`, `a`, true}, {`^(a\1)$`, `a`, true}, {`^(?<x>a|b)\k<x>$`, `bb`, true}, {`^\k<x>(?<x>a)$`, `a`, true}, {`^(.)(.)\2\1$`, `abba`, true},
	{`^(?:(a)|(b)|c)*\1$`, `ac`, true}, {`^(?:(a)|b)*\1$`, `ab`, true}, {`^(z)((a+)?(b+)?(c))*\4$`, `zaacbbbcac`, true}, {`^(?:(a)b?)*\1$`, `aba`, true},
	{`^(a){0}\1$`, ``, true}, {`^(a)(?:\1)0$`, `aa0`, true}, {`(?<𝒜>.)\k<𝒜>`, `aa`, true}, {`(?<a>.)\k<\u0061>`, `aa`, true}, {`^(é)\1$`, "éé", true},
	{`^(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\10$`, `abcdefghijj`, true},
	// Lookarounds: one answer, then no way back in.
	{`^(?=.*\d)[a-z\d]+$`, `ab1`, true}, {`^(?=.*\d)[a-z\d]+$`, `abc`, false}, {`^(?!.*\.\.)[\w./-]+$`, `a/../b`, false}, {`^(?!.*\.\.)[\w./-]+$`, `a/b.c`, true},
	{`(?<!a)b`, `ab`, false}, {`(?<!a)b`, `cb`, true}, {`(?<=a)b`, `ab`, true}, {`(?<=^a)b`, `xab`, false}, {`(?<=\$)\d+`, `$5`, true}, {`(?<=(a+)b)c`, `aabc`, true},
	{`(?=(a+))a*b\1`, `baaabac`, true}, {`(?!(a))\1b`, `b`, true}, {`(?<=(\d+)(\d+))\1\2$`, `1053105`, false}, {`(?<=(\d)(\d+))$`, `1053`, true}, {`(?<=\1(a))b`, `aab`, true},
	{`(?=(a*?))\1b`, `ab`, true}, {`^(?=(a+?))\1b`, `aab`, false}, {`^(?:(?=(a))a|b)*$`, `ab`, true}, {`(?<!^)a`, `a`, false}, {`(?=)`, ``, true}, {`(?!)`, `a`, false},
	{`(?<=😀)a`, `😀a`, true}, {`(?<=[^a])b`, `😀b`, true}, {`^(?:(?!foo).)*$`, `fobar`, true}, {`^(?:(?!foo).)*$`, `xfoox`, false},
	// Long counts.
	{`^.{1,4096}$`, `ab`, true}, {`^.{1,4096}$`, ``, false}, {`^(?:ab){1001,}$`, `ab`, false}, {`(?:a{50}){50}`, `aa`, false},
}

func TestMatchesHaveTheRightAnswer(t *testing.T) {
	for _, m := range matches {
		checkEngines(t, m.pattern, []string{m.text}, []bool{m.want})
	}
}

// checkEngines asks every engine that can run a pattern about texts.
// automatonOf returns the automaton of a tree, nil where none can be.
func automatonOf(n *node) *automaton {
	if size, ok := n.program(); !ok || size > maxProgram {
		return nil
	}
	a, _ := compileAutomaton(n)
	return a
}

func checkEngines(t *testing.T, pattern string, texts []string, want []bool) {
	t.Helper()
	re, err := Compile(pattern)
	if err != nil {
		t.Errorf("%q does not compile: %v", pattern, err)
		return
	}
	if re.String() != pattern {
		t.Errorf("%q: String is %q", pattern, re)
	}
	tree, err := parse(pattern)
	if err != nil {
		t.Fatal(err)
	}
	loop, auto := shapeOf(tree), automatonOf(tree)
	re2, _, linear := compileRE2(tree)
	engine, err := compileBacktrack(tree)
	if err != nil {
		t.Errorf("%q: the backtracking engine: %v", pattern, err)
		return
	}
	for i, text := range texts {
		check := func(engine string, got bool, err error) {
			t.Helper()
			if got != want[i] || err != nil {
				t.Errorf("%q on %q: %s answers %v, %v; want %v", pattern, text, engine, got, err, want[i])
			}
		}
		got, err := re.MatchString(text, NewBound(10*DefaultBound))
		check("MatchString", got, err)
		got, err = re.Match([]byte(text), NewBound(10*DefaultBound))
		check("Match", got, err)
		if loop != nil {
			check("the loop", loop.match(text), nil)
		}
		if auto != nil {
			check("the automaton", auto.match(text), nil)
		}
		if linear {
			check("RE2", re2.MatchString(text), nil)
		}
		got, err = NewBound(10*DefaultBound).match(engine, text)
		if err == ErrBound && re.Linear() {
			continue // no answer, and nobody asks this engine for one
		}
		check("the backtracking engine", got, err)
	}
}

// Counts beyond the 1,000 that Go's regexp takes are exact, alone and nested.
func TestLargeCountsAreExact(t *testing.T) {
	for _, c := range []struct {
		pattern string
		lengths []int // at which a text of a's begins to match, stops, begins again…
	}{
		{`^a{1000}$`, []int{1000, 1001}}, {`^a{1001}$`, []int{1001, 1002}}, {`^a{999,1001}$`, []int{999, 1002}},
		{`^(?:a|b){1,1500}$`, []int{1, 1501}}, {`^(?:a|b){1500,}$`, []int{1500}}, {`^(?:a|b){2000,2001}$`, []int{2000, 2002}},
		{`^(?:a{40}){40}$`, []int{1600, 1601}}, {`^(?:(?:a|b){30}){40,41}$`, []int{1200, 1201, 1230, 1231}}, {`^.{1,4096}$`, []int{1, 4097}},
		{`^(?:(?:a{3}){3}){150,151}$`, []int{1350, 1351, 1359, 1360}}, {`^(?:a{1000}|a{3})$`, []int{3, 4, 1000, 1001}}, {`^(?:a{1001,}|a{3})$`, []int{3, 4, 1001}},
	} {
		var texts []string
		var want []bool
		for i, n := range c.lengths {
			texts = append(texts, strings.Repeat("a", n-1), strings.Repeat("a", n))
			want = append(want, i%2 == 1, i%2 == 0)
		}
		checkEngines(t, c.pattern, texts, want)
	}
}

func TestNodeGivesTheSameAnswers(t *testing.T) {
	var questions []question
	for _, m := range matches {
		questions = append(questions, question{plainEscapes(m.pattern), []string{m.text}})
	}
	for i, a := range askNode(t, questions) {
		m := matches[i]
		if !a.Valid || a.Matches[0] != m.want {
			t.Errorf("%q on %q: node answers %+v, the table %v", m.pattern, m.text, a, m.want)
		}
	}
}

// Generated patterns with backreferences, lookarounds and all else, on texts
// near them. Run once with -ecma.seed 3 -ecma.pairs 100000 against Node 20.20.2:
// no difference.
func TestGeneratedPatternsMatchAsInJavaScript(t *testing.T) {
	g := newGenerator(*seedFlag, false)
	var patterns []string
	var questions []question
	for range *pairsFlag / 4 {
		p := g.pattern(1 + g.IntN(7))
		patterns = append(patterns, p)
		questions = append(questions, question{plainEscapes(p), []string{g.text(6), g.text(6), g.text(6), g.text(6)}})
	}
	for i, a := range askNode(t, questions) {
		if !a.Valid { // a backreference and a digit: no such group
			if _, err := Compile(patterns[i]); err == nil {
				t.Errorf("%q: node refuses it", patterns[i])
			}
			continue
		}
		checkEngines(t, patterns[i], questions[i].Texts, a.Matches)
	}
}

// The fast engines and RE2 say what the backtracking engine says. Run once with
// -ecma.seed 2 -ecma.pairs 200000: no difference, and one pair beyond the bound.
func TestLinearEnginesAgreeWithTheBacktrackingOne(t *testing.T) {
	g := newGenerator(*seedFlag, true)
	var loops, automata, re2s, positive, unanswered int
	for i := range *pairsFlag / 5 {
		p := g.pattern(1 + g.IntN(7))
		if i%3 == 0 {
			p = g.plain(1 + g.IntN(4))
		}
		tree, err := parse(p)
		if err != nil {
			t.Fatalf("%q: %v", p, err)
		}
		if shapeOf(tree) != nil {
			loops++
		}
		if automatonOf(tree) != nil {
			automata++
		}
		if _, _, ok := compileRE2(tree); ok {
			re2s++
		}
		engine, err := compileBacktrack(tree)
		if err != nil {
			t.Fatalf("%q: %v", p, err)
		}
		var texts []string
		var want []bool
		for range 5 {
			text := g.text(7)
			matched, err := NewBound(10*DefaultBound).match(engine, text)
			if err != nil {
				unanswered++
				continue
			}
			if matched {
				positive++
			}
			texts, want = append(texts, text), append(want, matched)
		}
		checkEngines(t, p, texts, want)
	}
	t.Logf("%d pairs, %d of them matches, %d beyond the bound: %d patterns by the loop, %d by the automaton, %d by RE2", *pairsFlag, positive, unanswered, loops, automata, re2s)
	if unanswered > *pairsFlag/1_000 {
		t.Error("too many pairs are beyond the bound")
	}
	if loops == 0 || automata == 0 || re2s == 0 || positive == 0 {
		t.Error("some engine was never asked")
	}
}

// A pattern never panics, neither in compiling nor in matching, and its engines
// agree on texts.
func FuzzPattern(f *testing.F) {
	for _, m := range matches {
		f.Add(m.pattern, m.text)
	}
	for _, p := range append(accepted, refused...) {
		f.Add(p, "aab1")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 300 || len(text) > 300 {
			return
		}
		re, err := Compile(pattern)
		if err != nil {
			if strings.Contains(err.Error(), "cannot run") {
				t.Errorf("%q passes the parser: %v", pattern, err)
			}
			return
		}
		got, err := re.MatchString(text, nil)
		if re.Linear() && err != nil {
			t.Errorf("%q on %q: linear, and yet %v", pattern, text, err)
		}
		if err != nil || !utf8.ValidString(text) {
			return
		}
		tree, err := parse(pattern)
		if err != nil {
			t.Fatal(err)
		}
		engine, err := compileBacktrack(tree)
		if err != nil {
			t.Fatalf("%q: %v", pattern, err)
		}
		if want, err := NewBound(DefaultBound).match(engine, text); err == nil && want != got {
			t.Errorf("%q on %q: %v, by backtracking %v", pattern, text, got, want)
		}
		if re2, _, ok := compileRE2(tree); ok && re2.MatchString(text) != got {
			t.Errorf("%q on %q: %v, by RE2 %v", pattern, text, got, !got)
		}
	})
}
