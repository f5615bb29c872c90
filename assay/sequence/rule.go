package sequence

import (
	"maps"
	"slices"
	"strings"
)

// Rule is one of [Require], [Before], [After], [NeverAfter], [Eventually],
// [MaxCalls], [Sequence] and [Blocklist], as a value. No other type is a rule.
type Rule interface {
	// ID names the rule by its kind and operands, such as "before:a->b". It
	// does not depend on where the rule stands among others.
	ID() string
	// Type is the kind as a policy writes it, such as "max_calls".
	Type() string

	// compile checks the operands and returns how the rule is decided.
	compile(p *compiler, path string) rule
}

// Selector says which calls a rule is about.
//
// Without Args it matches every call of Tool, where the name of an alias stands
// for each of its members. With Args it matches such a call when, for each
// entry, the argument of that name is present and its text matches the pattern:
// an ECMA-262 regular expression with the `u` flag, unanchored. The text of a
// string is its decoded text, of a number its exact decimal form without
// exponent or trailing zeros (1e5 is "100000"), of true, false and null the word.
//
// Whether such a call matches is unknown when its arguments are absent, null,
// no object or not strict JSON, when the argument is an array or object, and
// when the pattern exceeds its time. A known object without the argument, or
// with one that is known not to match, does not match.
//
// Args is nil for a plain name; an empty map is an error of [Compile].
type Selector struct {
	Tool string            `json:"tool"`
	Args map[string]string `json:"args_match,omitzero"`
}

// String returns the selector as rule ids write it: the tool's name, and with
// Args "tool{arg~pattern,…}" with the arguments in ascending order.
func (s Selector) String() string {
	if s.Args == nil {
		return s.Tool
	}
	var b strings.Builder
	b.WriteString(s.Tool)
	b.WriteByte('{')
	for i, arg := range slices.Sorted(maps.Keys(s.Args)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(arg)
		b.WriteByte('~')
		b.WriteString(s.Args[arg])
	}
	b.WriteByte('}')
	return b.String()
}

// MarshalJSON writes a plain name as a string and any other selector as an object.
func (s Selector) MarshalJSON() ([]byte, error) {
	if s.Args == nil {
		return marshal(s.Tool)
	}
	type object Selector
	return marshal(object(s))
}

// rule is a compiled Rule. Exactly one of auto and order is set.
type rule struct {
	auto  automaton
	order *order

	args   bool // some operand looks at arguments
	timed  bool // auto has limits that are lengths
	blocks bool // the operand is matched by pattern, against the name

	pattern                    string
	id, kind, constraint, tool string
}
