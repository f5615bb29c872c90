package lint

import (
	"strings"

	"example.com/assay/assay/internal/ecma"
)

// anchored says at which ends of the text every match of an expression stands.
type anchored struct{ start, end bool }

// anchors reads an ECMA-262 expression only so far as to say where it is
// anchored. What does not compile counts as anchored: there is nothing to say.
func anchors(expression string) anchored {
	if _, err := ecma.Compile(expression); err != nil {
		return anchored{true, true}
	}
	s := &expressionScanner{rest: expression}
	return s.disjunction()
}

// expressionScanner takes a valid expression apart into alternatives, terms and
// groups (ECMA-262, section 22.2.1).
type expressionScanner struct{ rest string }

func (s *expressionScanner) peek(prefix string) bool { return strings.HasPrefix(s.rest, prefix) }

func (s *expressionScanner) take(prefix string) bool {
	if !s.peek(prefix) {
		return false
	}
	s.rest = s.rest[len(prefix):]
	return true
}

// disjunction is anchored where each of its alternatives is.
func (s *expressionScanner) disjunction() anchored {
	all := s.alternative()
	for s.take("|") {
		next := s.alternative()
		all.start = all.start && next.start
		all.end = all.end && next.end
	}
	return all
}

// alternative is a run of terms. Where one of them stands at an end of the text
// whatever comes, the run does: what is written beyond it matches nothing. An
// assertion about what follows counts while nothing is matched after it.
func (s *expressionScanner) alternative() (a anchored) {
	followed := false
	for s.rest != "" && !s.peek("|") && !s.peek(")") {
		term, assertion := s.term()
		optional := s.quantifier()
		switch {
		case assertion:
			a.start = a.start || term.start
			followed = followed || term.end
			continue
		case !optional:
			a.start = a.start || term.start
			a.end = a.end || term.end
		}
		followed = false
	}
	a.end = a.end || followed
	return a
}

// term takes one term without its quantifier; assertion says that it looks
// ahead or behind. One that is negative may keep everything out, so it counts
// as an end.
func (s *expressionScanner) term() (a anchored, assertion bool) {
	switch {
	case s.take("^"):
		return anchored{start: true}, false
	case s.take("$"):
		return anchored{end: true}, false
	case s.take("(?=") || s.take("(?<="):
		return s.group(), true
	case s.take("(?!"):
		s.group()
		return anchored{end: true}, true
	case s.take("(?<!"):
		s.group()
		return anchored{start: true}, true
	case s.take("(?:"):
		return s.group(), false
	case s.take("(?<"):
		_, s.rest, _ = strings.Cut(s.rest, ">")
		return s.group(), false
	case s.take("("):
		return s.group(), false
	case s.take("["):
		s.class()
	case s.take(`\b`) || s.take(`\B`):
		return anchored{}, true
	case s.take(`\`):
		s.skip()
	default:
		s.skip()
	}
	return anchored{}, false
}

// group takes what follows an opening parenthesis.
func (s *expressionScanner) group() anchored {
	a := s.disjunction()
	s.take(")")
	return a
}

// skip takes one byte, and never stops on one: the bytes of a character beyond
// ASCII mean nothing here.
func (s *expressionScanner) skip() {
	if s.rest != "" {
		s.rest = s.rest[1:]
	}
}

// class takes what follows [ up to and with the ].
func (s *expressionScanner) class() {
	for s.rest != "" && !s.take("]") {
		s.take(`\`)
		s.skip()
	}
}

// quantifier takes a quantifier, if there is one.
func (s *expressionScanner) quantifier() (optional bool) {
	switch {
	case s.take("*") || s.take("?"):
		optional = true
	case s.take("+"):
	case s.take("{"):
		count, rest, _ := strings.Cut(s.rest, "}")
		s.rest = rest
		least, _, _ := strings.Cut(count, ",")
		optional = strings.Trim(least, "0") == ""
	default:
		return false
	}
	s.take("?")
	return optional
}
