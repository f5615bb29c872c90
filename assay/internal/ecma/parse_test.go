package ecma

import (
	"errors"
	"strings"
	"testing"
)

// accepted and refused are patterns by the grammar of this package: that of
// ECMA-262 2024 with the u flag, and identity escapes of ASCII punctuation and
// the space.
var accepted = []string{
	``, `|`, `()`, `(|)`, `a|`, `^$`, `^^`, `\b\B`, `(?:)`, `(?=)`, `(?!)`, `(?<=)`, `(?<!)`, `(?<n>a)`, `(?<$_9>a)`, `(?<é>a)\k<é>`, `(?<\u0061>.)\k<a>`,
	`(?<\u{61}b>.)\k<ab>`, `(?<𝒜>.)`, `(?<\uD835\uDC9C>.)\k<𝒜>`, `(?<a>.)(?<A>.)`, `\k<a>(?<a>.)`, `(a)\1`, `\1(a)`, `(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\10`,
	`a*`, `a+`, `a?`, `a{1}`, `a{1,}`, `a{1,2}`, `a{0}`, `a{00,01}`, `a*?`, `a+?`, `a??`, `a{1}?`, `a{1,}?`, `a{1,2}?`, `(?:a)*`, `(?:^)*`, `(?:(?=a))*`, `a{0,99999999999999999999}`,
	`.`, `\d\D\s\S\w\W`, `\f\n\r\t\v`, `\cA\cz`, `\0`, `\0a`, `\x00\xfF`, `\u0000\uFFFF`, `\uD83D\uDE00`, `\uD83D`, `\uDE00`, `\u{0}`, `\u{10FFFF}`, `\u{00000010FFFF}`,
	`\p{L}\P{L}`, `\p{General_Category=Letter}`, `\p{gc=L}`, `\p{Script=Greek}`, `\p{sc=Grek}`, `\p{scx=Grek}`, `\p{Any}\p{ASCII}\p{Assigned}`, `\p{Emoji}`,
	`\^\$\\\.\*\+\?\(\)\[\]\{\}\|\/`, `\-\@\_\ \!\"\#\%\&\'\,\:\;\<\=\>\~`, "\\`", `/`, `-`, `<>`, `=!:`, `,`, `"`, "\n", "\u2028",
	`[]`, `[^]`, `[a]`, `[^a]`, `[a-z]`, `[a-a]`, `[-]`, `[a-]`, `[-a]`, `[^-a]`, `[--0]`, `[+--]`, `[a-c-e]`, `[\d-]`, `[-\d]`, `[\d\w]`, `[\b]`, `[\-]`, `[a\-z]`, `[\]]`, `[[]`, `[.*+?(){}|^$/]`, `[^^]`,
	`[\p{L}-]`, `[\cA]`, `[\0]`, `[\x41-\x5A]`, `[\u{41}-\u{5A}]`, `[\uD83D\uDE00-\uD83D\uDE02]`, `[😀-😂]`, `[\@\ \_]`, `[\f\n\r\t\v]`, `[\--\/]`,
}

var refused = []string{
	`*`, `+`, `?`, `{`, `}`, `]`, `{1}`, `a**`, `a++`, `a???`, `a{1}{2}`, `^*`, `$+`, `\b?`, `\B{2}`, `(?=a)*`, `(?!a)+`, `(?<=a)?`, `(?<!a){2}`, `|*`, `(*)`, `(?:+)`,
	`a{`, `a}`, `a{}`, `a{,2}`, `a{1`, `a{1,`, `a{1,2`, `a{a}`, `a{1 }`, `a{ 1}`, `a{-1}`, `a{2,1}`, `a{1,0}`, `a{99999999999999999999,9}`, `a{1}}`,
	`(`, `)`, `(a`, `a)`, `(?`, `(?a)`, `(?i)a`, `(?i:a)`, `(?-i:a)`, `(?>a)`, `(?#a)`, `(?P<n>a)`, `(?'n'a)`, `(?|a)`, `(?R)`, `(?1)`, `(?&n)`, `(?(1)a)`, `(?<`, `(?<n`, `(?<>a)`, `(?<1>a)`, `(?<a b>c)`, `(?<a-b>c)`,
	`(?<\u>a)`, `(?<\x61>a)`, `(?<\n>a)`, `(?<\u{110000}>a)`, `(?<\uD835>a)`, `(?<\u0030>a)`, `(?<n>a)(?<n>b)`, `(?<n>a)|(?<n>b)`, `(?<a>.)(?<\u0061>.)`,
	`\`, `a\`, `\1`, `(a)\2`, `\9`, `\99999999999999999999`, `\00`, `\01`, `\k`, `\k<`, `\k<n`, `\k<n>`, `\k<>(?<n>a)`, `(?<n>a)\k<m>`, `(?<n>a)\k`, `\ka`,
	`\a`, `\e`, `\g`, `\h`, `\i`, `\A`, `\Z`, `\z`, `\G`, `\K`, `\Q`, `\E`, `\R`, `\X`, `\C`, `\H`, `\N`, `\V`, `\é`, "\\\n", "\\\u2028", "\\\x01", "\\\x7f",
	`\c`, `\c1`, `\cé`, `\x`, `\x4`, `\x4g`, `\xé`, `\u`, `\u004`, `\u00g0`, `\u{}`, `\u{110000}`, `\u{41`, `\u{ 41}`, `\u{-1}`, `\u{4_1}`, `\uD83D\u{DE0`,
	`\p`, `\pL`, `\p{`, `\p{}`, `\p{L`, `\p{l}`, `\p{Lx}`, `\p{^L}`, `\p{Greek}`, `\p{IsGreek}`, `\p{InGreek}`, `\p{Script}`, `\p{Script=}`, `\p{Script=Nope}`, `\p{sc=L}`, `\p{gc=Greek}`, `\p{ L}`, `\p{L }`, `\p{Block=Thai}`, `\p{Other_Math}`, `\P`, `\p{RGI_Emoji}`,
	`[`, `[a`, `[\`, `[\]`, `[^`, `a]`, `[]]`, `[z-a]`, `[a-\d]`, `[\d-z]`, `[\w-\d]`, `[\p{L}-z]`, `[\1]`, `[\k]`, `[\B]`, `[\00]`, `[\a]`, `[\A]`, `[\é]`, `[\c]`, `[\c1]`, `[\c_]`, `[\x4]`, `[\u{110000}]`, `[\p{Nope}]`, `[a--]`, `[😂-😀]`, `[\u{2}-\u{1}]`,
	"\xff", "a\xc3", "\xed\xa0\x80",
}

func TestPatternsOfTheGrammarCompile(t *testing.T) {
	for _, p := range accepted {
		if _, err := Compile(p); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
}

func TestOtherPatternsDoNotCompile(t *testing.T) {
	for _, p := range refused {
		_, err := Compile(p)
		syntax, ok := errors.AsType[*SyntaxError](err)
		if !ok {
			t.Errorf("%q: got %v, want a SyntaxError", p, err)
			continue
		}
		if syntax.Offset < 0 || syntax.Offset > len(p) || syntax.Message == "" {
			t.Errorf("%q: offset %d, message %q", p, syntax.Offset, syntax.Message)
		}
	}
}

func TestSyntaxErrorsSayWhere(t *testing.T) {
	for _, c := range []struct {
		pattern string
		offset  int
	}{
		{`ab(c`, 2}, {`ab)c`, 2}, {`a**`, 2}, {`é[z-a]`, 3}, {`x\q`, 1}, {`a{2,1}`, 1}, {`(?i)x`, 0}, {`^(a)\2`, 4}, {`ab[cd`, 2}, {`a]`, 1}, {`\p{Nope}`, 0},
		{`(?<n>a)(?<n>b)`, 10}, {`(?=a)*`, 5}, {`[a\q]`, 2}, {`[ab-\w]`, 2}, {`[\d-z]`, 1},
	} {
		_, err := Compile(c.pattern)
		syntax, ok := errors.AsType[*SyntaxError](err)
		if !ok || syntax.Offset != c.offset {
			t.Errorf("%q: got %v, want an error at offset %d", c.pattern, err, c.offset)
		}
	}
}

func TestBoundsOfPatterns(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("(", n) + "a" + strings.Repeat(")", n) }
	for name, c := range map[string]struct {
		pattern string
		ok      bool
	}{
		"the longest":             {strings.Repeat("a", MaxBytes), true},
		"one byte longer":         {strings.Repeat("a", MaxBytes+1), false},
		"the deepest":             {deep(MaxDepth), true},
		"one group deeper":        {deep(MaxDepth + 1), false},
		"groups beside groups":    {strings.Repeat("(a)", 2*MaxDepth), true},
		"many large classes":      {strings.Repeat(`[\p{L}]`, MaxBytes/7), false},
		"a least count too large": {`(?:a{100000}){100000}`, false},
		"no text is too short":    {`(?:a{100000}){100000}|`, true},
	} {
		if _, err := Compile(c.pattern); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// explained returns why Node and this package may rightly differ about whether a
// pattern compiles, or "".
func explained(pattern string, valid bool, err error) string {
	switch {
	case valid && strings.Contains(pattern, "{99999999999999999999,9"):
		return "V8 compares counts after cutting them off"
	case valid && err != nil && strings.Contains(err.Error(), "long enough"):
		return "a bound of this package"
	case valid && err != nil && strings.Contains(err.Error(), "two groups have the same name"):
		return "ECMA-262 2025 lets two alternatives share a group's name; Node from 23 on"
	case valid && err != nil && strings.Contains(err.Error(), "there are no inline flags"):
		return "ECMA-262 2025 has modifiers; Node from 23 on"
	}
	return ""
}

// Run once with -ecma.seed 3 -ecma.pairs 100000, 200,000 mutations, against Node
// 20.20.2 (V8 11.3, whose grammar of patterns is that of ECMA-262 2024): no
// difference but the explained ones.
func TestSyntaxIsThatOfJavaScript(t *testing.T) {
	checkSyntax(t, *seedFlag, 2**pairsFlag)
}

func checkSyntax(t *testing.T, seed uint64, n int) {
	g := newGenerator(seed, false)
	patterns := append(append([]string{}, accepted...), refused...)
	patterns = append(patterns, g.mutations(patterns, n)...)
	var questions []question
	kept := patterns[:0]
	for _, p := range patterns {
		if strings.ToValidUTF8(p, "") == p { // JSON has nothing else
			kept = append(kept, p)
			questions = append(questions, question{Pattern: plainEscapes(p)})
		}
	}
	both := 0
	for i, a := range askNode(t, questions) {
		_, err := Compile(kept[i])
		if a.Valid != (err == nil) && explained(kept[i], a.Valid, err) == "" {
			t.Errorf("%q: node accepts it: %v; here: %v", kept[i], a.Valid, err)
		}
		if a.Valid {
			both++
		}
	}
	if both < len(kept)/10 || both > len(kept)*9/10 {
		t.Errorf("%d of %d patterns are valid: the mutations test one side only", both, len(kept))
	}
}

// mutations returns n patterns near those of the table.
func (g *generator) mutations(table []string, n int) []string {
	pieces := []string{"\\", "(", ")", "[", "]", "{", "}", "?", "*", "+", "|", "^", "$", ".", "-", ",", "<", ">", "=", "!", ":", "a", "k", "n", "u", "x", "p", "c", "b", "0", "1", "2", "9", "é", "😀", " ", "_", "@", "/",
		`(?:`, `(?<n>`, `(?=`, `(?<!`, `\k<n>`, `\1`, `\u{`, `\u00`, `\uD83D`, `\uDE00`, `{1,2}`, `{2,}`, `\p{L}`, `\p{`, `[^`, `a-z`, `\d`, `\-`, `\b`}
	out := make([]string, 0, n)
	for range n {
		p := []rune(strings.ToValidUTF8(table[g.IntN(len(table))], ""))
		for range 1 + g.IntN(3) {
			at := g.IntN(len(p) + 1)
			end := min(len(p), at+g.IntN(3))
			var piece []rune
			switch g.IntN(4) {
			case 0: // delete
			case 1: // part of another pattern
				other := []rune(strings.ToValidUTF8(table[g.IntN(len(table))], ""))
				from := g.IntN(len(other) + 1)
				piece = other[from:min(len(other), from+1+g.IntN(6))]
			default:
				piece = []rune(pieces[g.IntN(len(pieces))])
				if g.IntN(2) == 0 {
					end = at // insert
				}
			}
			p = []rune(string(p[:at]) + string(piece) + string(p[end:]))
		}
		out = append(out, string(p))
	}
	return out
}
