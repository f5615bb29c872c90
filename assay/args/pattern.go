package args

import "strings"

// Form is one of the five forms of a name pattern.
type Form uint8

// The forms. A run of stars at either end counts as one star; a star that is at
// neither end is a literal star.
const (
	Exact  Form = iota // "x": the name itself
	Prefix             // "x*": names that start with x
	Suffix             // "*x": names that end with x
	Infix              // "*x*": names that contain x
	Any                // "*": every name
)

// Pattern is a name pattern of the policy language (docs/policy.md, "What is
// decided first"), taken apart. Names are compared byte for byte.
type Pattern struct {
	Form    Form
	Literal string // the text that a name must have; empty for Any
}

// ParsePattern takes the text of a pattern apart. Every text is a pattern; the
// empty one is Exact and matches no tool name, since none is empty.
func ParsePattern(text string) Pattern {
	tail := strings.TrimLeft(text, "*")
	literal := strings.TrimRight(tail, "*")
	starBefore, starAfter := len(tail) < len(text), len(literal) < len(tail)
	switch {
	case literal == "" && starBefore:
		return Pattern{Form: Any}
	case starBefore && starAfter:
		return Pattern{Infix, literal}
	case starBefore:
		return Pattern{Suffix, literal}
	case starAfter:
		return Pattern{Prefix, literal}
	}
	return Pattern{Exact, literal}
}

// Match reports whether the pattern matches name.
func (p Pattern) Match(name string) bool {
	switch p.Form {
	case Prefix:
		return strings.HasPrefix(name, p.Literal)
	case Suffix:
		return strings.HasSuffix(name, p.Literal)
	case Infix:
		return strings.Contains(name, p.Literal)
	case Any:
		return true
	}
	return name == p.Literal
}

// patterns answers whether any pattern of a list matches a name, in time that
// is linear in the name and nearly independent of the list, without allocating.
// A nil *patterns is an absent list; an empty list is present and matches nothing.
type patterns struct {
	any    bool
	exact  map[string]struct{}
	prefix *trie // of the literals
	suffix *trie // of the literals, reversed
	infix  *automaton
}

// compilePatterns indexes a list of pattern texts; nil stays nil.
func compilePatterns(texts []string) *patterns {
	if texts == nil {
		return nil
	}
	var literals [Any + 1][]string
	for _, text := range texts {
		p := ParsePattern(text)
		if p.Form == Suffix {
			p.Literal = reversed(p.Literal)
		}
		literals[p.Form] = append(literals[p.Form], p.Literal)
	}
	x := &patterns{
		any:    len(literals[Any]) > 0,
		prefix: buildTrie(literals[Prefix]),
		suffix: buildTrie(literals[Suffix]),
		infix:  buildAutomaton(literals[Infix]),
	}
	if n := len(literals[Exact]); n > 0 {
		x.exact = make(map[string]struct{}, n)
		for _, literal := range literals[Exact] {
			x.exact[literal] = struct{}{}
		}
	}
	return x
}

// match reports whether any pattern of the list matches name.
func (x *patterns) match(name string) bool {
	if x == nil {
		return false
	}
	if x.any {
		return true
	}
	if _, found := x.exact[name]; found {
		return true
	}
	return x.prefix.startOf(name) || x.suffix.endOf(name) || x.infix.within(name)
}

func reversed(s string) string {
	b := make([]byte, len(s))
	for i := range len(s) {
		b[len(s)-1-i] = s[i]
	}
	return string(b)
}
