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

// eachTrace calls f with every trace of at most most letters.
func eachTrace(letters []letter, most int, f func([]letter)) {
	var walk func(trace []letter)
	walk = func(trace []letter) {
		f(trace)
		if len(trace) == most {
			return
		}
		for _, l := range letters {
			walk(append(trace, l))
		}
	}
	walk(make([]letter, 0, most))
}

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

// pairs builds every kind of rule with small parameters from two operands.
func pairs(a, b sequence.Selector) []sequence.Rule {
	rules := []sequence.Rule{
		sequence.Require{Tool: a},
		sequence.Before{First: a, Then: b},
		sequence.NeverAfter{Trigger: a, Forbidden: b},
	}
	for n := range 4 {
		rules = append(rules,
			sequence.After{Trigger: a, Then: b, Within: n},
			sequence.Eventually{Tool: a, Within: n},
			sequence.MaxCalls{Tool: a, Max: n})
	}
	return rules
}

// sequences builds sequences of up to three members.
func sequences(members ...sequence.Selector) []sequence.Rule {
	lists := [][]sequence.Selector{{}}
	for start, depth := 0, 0; depth < 3; depth++ {
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
	names := slices.Concat(pairs(a, b), pairs(b, a), pairs(a, a), sequences(a, b, c),
		[]sequence.Rule{
			sequence.Blocklist{Pattern: ""}, sequence.Blocklist{Pattern: "a"},
			sequence.Blocklist{Pattern: "ab"}, sequence.Blocklist{Pattern: "z"},
			sequence.Sequence{Tools: []sequence.Selector{a, b, a, c}},
			sequence.Sequence{Tools: []sequence.Selector{a, a, b, a}, Strict: true},
		})

	// A stands for a and b, B for b, c for itself and a, E for nothing.
	aliases := map[string][]string{"A": {"a", "b", "a"}, "B": {"b", "other"}, "c": {"c", "a"}, "E": {}}
	A, B, E := name("A"), name("B"), name("E")
	aliased := slices.Concat(pairs(A, B), pairs(B, A), pairs(A, a), pairs(b, A), pairs(c, A),
		pairs(E, a), pairs(a, E), sequences(A, B, c))

	// The tool a has an argument k; its match is unknown, sure or impossible.
	one, two := with("a", "^1$"), with("a", "^[12]$")
	doubtful := []letter{{tool: "a"}, {tool: "a", args: `{"k":"1"}`}, {tool: "b"}, {tool: "z"}}
	args := slices.Concat(pairs(one, b), pairs(b, one), pairs(one, one), pairs(one, two),
		pairs(a, one), pairs(one, a), sequences(one, b), sequences(one, a), sequences(one, two),
		[]sequence.Rule{
			sequence.Sequence{Tools: []sequence.Selector{one, two, b, one}},
			sequence.Sequence{Tools: []sequence.Selector{b, one, two, one}, Strict: true},
		})

	known := []letter{{tool: "a", args: `{"k":"2"}`}, {tool: "a", args: `{}`}, {tool: "a"}, {tool: "b"}}
	sure := slices.Concat(pairs(one, b), pairs(b, one), pairs(two, one), pairs(one, two), sequences(one, two))

	// An alias with arguments, over tools that a plain selector names too.
	any1 := with("A", "^1$")
	mixed := []letter{{tool: "a"}, {tool: "b"}, {tool: "b", args: `{"k":"1"}`}, {tool: "z"}}
	both := slices.Concat(pairs(any1, b), pairs(b, any1), pairs(any1, one), pairs(one, any1),
		pairs(any1, A), sequences(any1, b), sequences(any1, one))

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

// TestEveryShortTrace compares the reference, Evaluate in both extents, Check,
// and a monitor that goes through a snapshot at every call.
func TestEveryShortTrace(t *testing.T) {
	for _, w := range worlds() {
		t.Run(w.name, func(t *testing.T) {
			for _, r := range w.rules {
				c, problems := sequence.Compile([]sequence.Rule{r}, w.aliases, sequence.Options{})
				if problems != nil {
					t.Fatalf("%s: %v", r.ID(), problems)
				}
				eachTrace(w.letters, 5, func(letters []letter) {
					trace, ref := traceOf(letters)
					for _, extent := range []sequence.Extent{sequence.Prefix, sequence.Complete} {
						want := reference(r, w.aliases, ref, extent)
						got := outcome(sequence.Evaluate(c, trace, extent, nil))
						if !got.equal(want) {
							t.Fatalf("%s over %v, extent %d:\n got %+v\nwant %+v", r.ID(), letters, extent, got, want)
						}
						if extent == sequence.Complete {
							continue
						}
						checked := c.Check(trace, nil)
						if checked.Allowed != (want.status != sequence.Violated) {
							t.Fatalf("%s over %v: Check %+v, want %+v", r.ID(), letters, checked, want)
						}
						if len(letters) == 0 {
							continue
						}
						sameAsOneShot(t, c, r.ID(), letters, checked)
					}
				})
			}
		})
	}
}

// sameAsOneShot feeds the trace to a monitor but for the last call, whose
// answer has to be that of the one-shot check.
func sameAsOneShot(t *testing.T, c *sequence.Checker, id string, letters []letter, want sequence.Result) {
	t.Helper()
	m := c.NewMonitor()
	last := len(letters) - 1
	for _, l := range letters[:last] {
		m.Record(l.call(), nil)
	}
	got := m.Next(letters[last].call(), nil)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s over %v:\nmonitor  %s\none-shot %s", id, letters, show(got), show(want))
	}
	available := m.Available([]string{letters[last].tool})
	if want.Allowed && len(available) == 0 {
		t.Fatalf("%s over %v: allowed and not available", id, letters)
	}
}

func (l letter) call() sequence.Call { return sequence.Call{Tool: l.tool, Arguments: l.bytes()} }

func show(r sequence.Result) string {
	s := fmt.Sprintf("allowed %v failure %v", r.Allowed, r.Failure)
	for _, v := range r.Violations {
		s += fmt.Sprintf("\n  %s %s %q %q tool %q %v %v", v.RuleID, v.Constraint, v.Message, v.Suggestion, v.Tool, v.Spanned, v.Context)
	}
	return s
}
