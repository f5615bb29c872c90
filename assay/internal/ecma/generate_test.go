package ecma

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes patterns and texts that have a fair chance to match, the same
// ones for the same seed.
type generator struct {
	*rand.Rand
	linear bool // only what regular languages have
	groups int  // written so far
	open   int  // lookarounds around this place
}

func newGenerator(seed uint64, linear bool) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 1)), linear: linear}
}

func (g *generator) pick(options ...string) string { return options[g.IntN(len(options))] }

// pattern returns a pattern of about size parts.
func (g *generator) pattern(size int) string {
	g.groups, g.open = 0, 0
	p := g.disjunction(size)
	if g.IntN(3) == 0 {
		p = "^" + p
	}
	if g.IntN(3) == 0 {
		p += "$"
	}
	return p
}

func (g *generator) disjunction(size int) string {
	if g.IntN(4) == 0 && size > 1 {
		return g.sequence(size/2) + "|" + g.sequence(size-size/2)
	}
	return g.sequence(size)
}

func (g *generator) sequence(size int) string {
	var b strings.Builder
	for size > 0 {
		part := 1 + g.IntN(size)
		size -= part
		b.WriteString(g.term(part))
	}
	return b.String()
}

func (g *generator) term(size int) string {
	if g.IntN(12) == 0 {
		return g.pick(`\b`, `\B`, `^`, `$`)
	}
	if !g.linear && g.IntN(8) == 0 && g.open < 2 {
		g.open++
		defer func() { g.open-- }()
		return g.pick(`(?=`, `(?!`, `(?<=`, `(?<!`) + g.disjunction(size) + ")"
	}
	return g.atom(size) + g.pick("", "", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "{0}", "*?", "+?", "??", "{1,2}?")
}

func (g *generator) atom(size int) string {
	if size > 1 {
		switch g.IntN(4) {
		case 0:
			return "(?:" + g.disjunction(size) + ")"
		case 1:
			return g.class()
		}
		g.groups++
		if g.IntN(4) == 0 {
			return fmt.Sprintf("(?<g%d>", g.groups) + g.disjunction(size) + ")"
		}
		return "(" + g.disjunction(size) + ")"
	}
	if !g.linear && g.groups > 0 && g.IntN(5) == 0 {
		return fmt.Sprintf(`\%d`, 1+g.IntN(g.groups))
	}
	switch g.IntN(6) {
	case 0:
		return g.class()
	case 1:
		return g.pick(".", `\d`, `\D`, `\w`, `\W`, `\s`, `\S`, `\p{L}`, `\P{L}`, `\p{Lu}`, `\p{Script=Latin}`, `\n`, `\x61`, `\u{1F600}`, `\-`, `\uD83D\uDE00`, `[]`, `[^]`)
	}
	return g.char()
}

func (g *generator) char() string {
	return g.pick("a", "a", "a", "b", "b", "A", "1", "_", "-", "é", "😀", " ")
}

func (g *generator) class() string {
	var b strings.Builder
	b.WriteString(g.pick("[", "[", "[^"))
	for range 1 + g.IntN(3) {
		b.WriteString(g.pick("a", "b", "a-b", "A-Z", "0-9", `\d`, `\W`, `\s`, `\p{L}`, `\P{Lu}`, "é-😀", `\-`, "_", `\n`))
	}
	return b.String() + "]"
}

// plain returns a sequence of classes and characters from the text's begin, of
// the kind that may be a shape.
func (g *generator) plain(size int) string {
	var b strings.Builder
	b.WriteByte('^')
	for range size {
		b.WriteString(g.pick(g.char(), g.class(), `\d`, `\w`, `\s`, `\S`, ".", "[^-]", `\p{L}`))
		b.WriteString(g.pick("", "", "*", "+", "?", "{2}", "{1,2}", "{2,}", "{0}"))
	}
	return b.String() + g.pick("", "$", "$")
}

// text returns a text of up to n characters.
func (g *generator) text(n int) string {
	var b strings.Builder
	for range g.IntN(n + 1) {
		b.WriteString(g.pick("a", "a", "a", "a", "b", "b", "b", "A", "1", "_", "-", "é", "😀", " ", "\n", "\u2028", "\u00a0"))
	}
	return b.String()
}
