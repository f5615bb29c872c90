package sequence_test

import (
	"reflect"
	"testing"

	"example.com/assay/assay/sequence"
)

// fuzzRule reads a rule from three bytes.
func fuzzRule(kind, operands, number byte) sequence.Rule {
	selectors := []sequence.Selector{name("a"), name("b"), name("A"), name("E"),
		with("a", "^1$"), with("a", "^[12]$"), with("A", "^1$"), name("c")}
	x, y, z := selectors[operands&7], selectors[operands>>3&7], selectors[number&7]
	n := int(number & 3)
	switch kind % 9 {
	case 0:
		return sequence.Require{Tool: x}
	case 1:
		return sequence.Before{First: x, Then: y}
	case 2:
		return sequence.After{Trigger: x, Then: y, Within: n}
	case 3:
		return sequence.NeverAfter{Trigger: x, Forbidden: y}
	case 4:
		return sequence.Eventually{Tool: x, Within: n}
	case 5:
		return sequence.MaxCalls{Tool: x, Max: n}
	case 6:
		return sequence.Blocklist{Pattern: []string{"", "a", "z", "c"}[n]}
	}
	return sequence.Sequence{Tools: []sequence.Selector{x, y, z, x}[:1+operands>>6], Strict: kind%9 == 8}
}

var fuzzLetters = []letter{{tool: "a"}, {tool: "a", args: `{"k":"1"}`}, {tool: "a", args: `{"k":"2"}`},
	{tool: "a", args: `{}`}, {tool: "b"}, {tool: "b", args: `{"k":"1"}`}, {tool: "c"}, {tool: "z"}}

// FuzzMonitor: several rules over one trace. The one-shot check and a monitor,
// whose last call was pending and others came and were cancelled in between, and
// which went through a snapshot, say of each rule what the reference says.
func FuzzMonitor(f *testing.F) {
	f.Add([]byte{1, 0x08, 0}, []byte{4, 0, 1})
	f.Add([]byte{2, 0x0c, 2, 8, 0xcc, 5}, []byte{0, 1, 4, 0, 7})
	f.Add([]byte{7, 0xe5, 1, 5, 0x04, 1, 6, 0, 2}, []byte{0, 0, 2, 6, 1})
	f.Fuzz(func(t *testing.T, program, calls []byte) {
		aliases := map[string][]string{"A": {"a", "b"}, "E": {}}
		var rules []sequence.Rule
		for ; len(program) >= 3 && len(rules) < 6; program = program[3:] {
			rules = append(rules, fuzzRule(program[0], program[1], program[2]))
		}
		var letters []letter
		for _, c := range calls[:min(len(calls), 6)] {
			letters = append(letters, fuzzLetters[c&7])
		}
		if len(letters) == 0 {
			return
		}
		c := compile(t, aliases, rules...)
		trace, ref := traceOf(letters)
		for _, extent := range []sequence.Extent{sequence.Prefix, sequence.Complete} {
			report := sequence.Evaluate(c, trace, extent, nil)
			for i, r := range rules {
				got := outcome(sequence.Report{Outcomes: report.Outcomes[i:]})
				if want := reference(r, aliases, ref, extent); !got.equal(want) {
					t.Fatalf("%s over %v, extent %d:\n got %+v\nwant %+v", r.ID(), letters, extent, got, want)
				}
			}
		}
		want := c.Check(trace, nil)
		denied := 0
		for _, r := range rules {
			if v := reference(r, aliases, ref, sequence.Prefix); v.status == sequence.Violated {
				if denied >= len(want.Violations) || want.Violations[denied].RuleID != r.ID() ||
					want.Violations[denied].Constraint != v.constraint {
					t.Fatalf("%v: %s is missing in %s", letters, r.ID(), show(want))
				}
				denied++
			}
		}
		if want.Allowed != (denied == 0) || len(want.Violations) != denied || want.Failure != sequence.OK {
			t.Fatalf("%v: %s", letters, show(want))
		}
		m := c.NewMonitor()
		for i, l := range letters[:len(letters)-1] {
			_, other := begin(m, fuzzLetters[calls[i]>>3&7].call(), nil)
			m.Record(l.call(), nil)
			other.Cancel()
		}
		restored, err := c.RestoreMonitor(m.State())
		if err != nil {
			t.Fatalf("%v: state %s: %v", letters, m.State(), err)
		}
		last := letters[len(letters)-1].call()
		for by, m := range map[string]*sequence.Monitor{"monitor": m, "restored monitor": restored} {
			if got := m.Next(last, nil); !reflect.DeepEqual(got, want) {
				t.Fatalf("%v:\n%s  %s\none-shot %s", letters, by, show(got), show(want))
			}
		}
	})
}

// FuzzRestore: any text is refused, or is a state that a monitor can go on from.
func FuzzRestore(f *testing.F) {
	var c *sequence.Checker
	{
		var problems []sequence.Problem
		c, problems = sequence.Compile(everyKind(), map[string][]string{"A": {"b", "other"}}, sequence.Options{})
		if problems != nil {
			f.Fatal(problems)
		}
	}
	m := c.NewMonitor()
	f.Add([]byte(m.State()))
	for i := range 40 {
		m.Record(fuzzLetters[i*i%7].call(), nil)
		f.Add([]byte(m.State()))
	}
	f.Fuzz(func(t *testing.T, state []byte) {
		m, err := c.RestoreMonitor(state)
		if err != nil {
			if m != nil {
				t.Fatal("a monitor in spite of an error")
			}
			return
		}
		again, err := c.RestoreMonitor(m.State())
		if err != nil || string(again.State()) != string(m.State()) {
			t.Fatalf("%s became %s (%v)", state, m.State(), err)
		}
		for _, l := range fuzzLetters {
			before := string(m.State())
			r := m.Next(l.call(), nil)
			if r.Allowed != (len(r.Violations) == 0 && r.Failure == sequence.OK) {
				t.Fatalf("%s then %v: %s", state, l, show(r))
			}
			if got := string(m.State()); got != before {
				t.Fatalf("Next changed %s to %s", before, got)
			}
			m.Record(l.call(), nil)
		}
	})
}
