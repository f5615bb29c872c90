package sequence_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/assay/assay/sequence"
)

// A letter is one kind of call.
type letter struct {
	tool string
	args string // JSON; empty: unknown
}

func (l letter) ref() refCall {
	switch l.args {
	case "":
		return refCall{tool: l.tool}
	case `{}`:
		return refCall{l.tool, map[string]string{}}
	}
	value := strings.TrimSuffix(strings.TrimPrefix(l.args, `{"k":"`), `"}`)
	return refCall{l.tool, map[string]string{"k": value}}
}

func (l letter) bytes() []byte {
	if l.args == "" {
		return nil
	}
	return []byte(l.args)
}

func (l letter) String() string { return l.tool + l.args }

func traceOf(letters []letter) (sequence.Trace, []refCall) {
	t := sequence.Trace{Arguments: func(i int) []byte { return letters[i].bytes() }}
	var ref []refCall
	for _, l := range letters {
		t.Names = append(t.Names, l.tool)
		ref = append(ref, l.ref())
	}
	return t, ref
}

func name(s string) sequence.Selector { return sequence.Selector{Tool: s} }

func with(tool, pattern string) sequence.Selector {
	return sequence.Selector{Tool: tool, Args: map[string]string{"k": pattern}}
}

// singles builds every kind of rule about one operand, with small parameters.
func singles(operands ...sequence.Selector) (rules []sequence.Rule) {
	for _, a := range operands {
		rules = append(rules, sequence.Require{Tool: a})
		for n := range 3 {
			rules = append(rules, sequence.Eventually{Tool: a, Within: n}, sequence.MaxCalls{Tool: a, Max: n})
		}
	}
	return rules
}

// pairs builds every kind of rule about two operands, with small parameters.
func pairs(a, b sequence.Selector) []sequence.Rule {
	rules := []sequence.Rule{
		sequence.Before{First: a, Then: b},
		sequence.NeverAfter{Trigger: a, Forbidden: b},
	}
	for n := range 3 {
		rules = append(rules, sequence.After{Trigger: a, Then: b, Within: n})
	}
	return rules
}

// sequences builds all sequences of at most most members.
func sequences(most int, members ...sequence.Selector) []sequence.Rule {
	lists := [][]sequence.Selector{{}}
	for start, depth := 0, 0; depth < most; depth++ {
		end := len(lists)
		for _, list := range lists[start:end] {
			for _, m := range members {
				lists = append(lists, append(slices.Clone(list), m))
			}
		}
		start = end
	}
	var rules []sequence.Rule
	for _, list := range lists {
		for _, strict := range []bool{false, true} {
			rules = append(rules, sequence.Sequence{Tools: list, Strict: strict})
		}
	}
	return rules
}

// world is an alphabet with the rules that are tried on it.
type world struct {
	name    string
	letters []letter
	aliases map[string][]string
	rules   []sequence.Rule
}

func worlds() []world {
	a, b, c := name("a"), name("b"), name("c")
	plain := []letter{{tool: "a"}, {tool: "b"}, {tool: "c"}, {tool: "z"}}
	names := slices.Concat(singles(a, b), pairs(a, b), pairs(b, a), pairs(a, a), sequences(3, a, b, c),
		[]sequence.Rule{
			sequence.Blocklist{Pattern: ""}, sequence.Blocklist{Pattern: "a"},
			sequence.Blocklist{Pattern: "ab"}, sequence.Blocklist{Pattern: "z"},
			sequence.Sequence{Tools: []sequence.Selector{a, b, a, c}},
			sequence.Sequence{Tools: []sequence.Selector{a, a, b, a}, Strict: true},
		})

	// A stands for a and b, B for b, c for itself and a, E for nothing.
	aliases := map[string][]string{"A": {"a", "b", "a"}, "B": {"b", "other"}, "c": {"c", "a"}, "E": {}}
	A, B, E := name("A"), name("B"), name("E")
	aliased := slices.Concat(singles(A, c, E), pairs(A, B), pairs(B, A), pairs(A, a), pairs(b, A), pairs(c, A),
		pairs(E, a), pairs(a, E), sequences(2, A, B, c))

	// The tool a has an argument k; its match is unknown, sure or impossible.
	one, two := with("a", "^1$"), with("a", "^[12]$")
	doubtful := []letter{{tool: "a"}, {tool: "a", args: `{"k":"1"}`}, {tool: "b"}, {tool: "z"}}
	args := slices.Concat(singles(one), pairs(one, b), pairs(b, one), pairs(one, one), pairs(one, two),
		pairs(a, one), pairs(one, a), sequences(2, one, b), sequences(2, one, a), sequences(2, one, two),
		[]sequence.Rule{
			sequence.Sequence{Tools: []sequence.Selector{one, two, b, one}},
			sequence.Sequence{Tools: []sequence.Selector{b, one, two, one}, Strict: true},
		})

	known := []letter{{tool: "a", args: `{"k":"2"}`}, {tool: "a", args: `{}`}, {tool: "a"}, {tool: "b"}}
	sure := slices.Concat(singles(one), pairs(one, b), pairs(b, one), pairs(two, one), pairs(one, two), sequences(2, one, two))

	// An alias with arguments, over tools that a plain selector names too.
	any1 := with("A", "^1$")
	mixed := []letter{{tool: "a"}, {tool: "b"}, {tool: "b", args: `{"k":"1"}`}, {tool: "z"}}
	both := slices.Concat(singles(any1), pairs(any1, b), pairs(b, any1), pairs(any1, one), pairs(one, any1),
		pairs(any1, A), sequences(2, any1, b), sequences(2, any1, one))

	return []world{
		{"names", plain, nil, names},
		{"aliases", plain, aliases, aliased},
		{"unknown arguments", doubtful, nil, args},
		{"known arguments", known, nil, sure},
		{"aliases with arguments", mixed, aliases, both},
	}
}

func outcome(r sequence.Report) refVerdict {
	o := r.Outcomes[0]
	v := refVerdict{status: o.Status}
	if o.Violation != nil {
		v.constraint, v.spanned, v.context = o.Violation.Constraint, o.Violation.Spanned, o.Violation.Context
	}
	return v
}

func (v refVerdict) equal(w refVerdict) bool {
	return v.status == w.status && v.constraint == w.constraint &&
		slices.Equal(v.spanned, w.spanned) && maps.Equal(v.context, w.context)
}

// TestEveryShortTrace compares, over every trace, the reference with Evaluate in
// both extents and with Check, and Check with a monitor that was restored from a
// snapshot before every call.
func TestEveryShortTrace(t *testing.T) {
	for _, w := range worlds() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range w.rules {
				c, problems := sequence.Compile([]sequence.Rule{r}, w.aliases, sequence.Options{})
				if problems != nil {
					t.Fatalf("%s: %v", r.ID(), problems)
				}
				everyTrace{t, w, r, c}.from(nil, c.NewMonitor())
			}
		})
	}
}

type everyTrace struct {
	*testing.T
	world
	rule    sequence.Rule
	checker *sequence.Checker
}

const longest = 5

// from checks the trace, of which m has seen all but the last call, and every
// longer one that begins with it.
func (e everyTrace) from(letters []letter, m *sequence.Monitor) {
	trace, ref := traceOf(letters)
	checked := e.checker.Check(trace, nil)
	for _, extent := range []sequence.Extent{sequence.Prefix, sequence.Complete} {
		want := reference(e.rule, e.aliases, ref, extent)
		got := outcome(sequence.Evaluate(e.checker, trace, extent, nil))
		if !got.equal(want) {
			e.Fatalf("%s over %v, extent %d:\n got %+v\nwant %+v", e.rule.ID(), letters, extent, got, want)
		}
		if extent == sequence.Prefix &&
			(checked.Allowed == (want.status == sequence.Violated) || checked.Failure != sequence.OK) {
			e.Fatalf("%s over %v: Check %s, want %+v", e.rule.ID(), letters, show(checked), want)
		}
	}
	if len(letters) > 0 {
		last := letters[len(letters)-1]
		if got := m.Next(last.call(), nil); !reflect.DeepEqual(got, checked) {
			e.Fatalf("%s over %v:\nmonitor  %s\none-shot %s", e.rule.ID(), letters, show(got), show(checked))
		}
		if checked.Allowed && len(m.Available([]string{last.tool})) == 0 {
			e.Fatalf("%s over %v: allowed and not available", e.rule.ID(), letters)
		}
		if len(letters) == longest {
			return
		}
		m = e.restored(m)
		m.Record(last.call(), nil)
	}
	m = e.restored(m)
	for _, l := range e.letters {
		e.from(append(letters[:len(letters):len(letters)], l), m)
	}
}

// restored returns m after a way through its state.
func (e everyTrace) restored(m *sequence.Monitor) *sequence.Monitor {
	r, err := e.checker.RestoreMonitor(m.State())
	if err != nil {
		e.Fatalf("%s: state %s: %v", e.rule.ID(), m.State(), err)
	}
	return r
}

func (l letter) call() sequence.Call { return sequence.Call{Tool: l.tool, Arguments: l.bytes()} }

func show(r sequence.Result) string {
	s := fmt.Sprintf("allowed %v failure %v", r.Allowed, r.Failure)
	for _, v := range r.Violations {
		s += fmt.Sprintf("\n  %s %s %q %q tool %q %v %v", v.RuleID, v.Constraint, v.Message, v.Suggestion, v.Tool, v.Spanned, v.Context)
	}
	return s
}
