package sequence_test

import (
	"strings"
	"testing"

	"example.com/assay/assay/sequence"
)

func TestEvaluateAnExactList(t *testing.T) {
	c := sequence.CompileExact([]string{"a", "b"})
	for _, row := range []struct {
		names []string
		want  sequence.Status
	}{
		{[]string{"a", "b"}, sequence.Held},
		{[]string{"a"}, sequence.Violated},
		{[]string{"a", "b", "c"}, sequence.Violated},
		{[]string{"b", "a"}, sequence.Violated},
		{nil, sequence.Violated},
	} {
		trace := sequence.Trace{Names: row.names}
		r := sequence.Evaluate(c, trace, sequence.Complete, nil)
		if len(r.Outcomes) != 1 || r.Outcomes[0].Status != row.want {
			t.Errorf("%v: %+v, want %v", row.names, r, row.want)
			continue
		}
		if got := c.Check(trace, nil); got.Allowed != (row.want == sequence.Held) {
			t.Errorf("%v: %s", row.names, show(got))
		}
		if v := r.Outcomes[0].Violation; v != nil && (v.Constraint != "sequence_exact_match" ||
			v.RuleType != "" || v.Tool != "" || v.Spanned != nil || v.EventIndex != nil) {
			t.Errorf("%v: %+v", row.names, v)
		}
	}
	if r := sequence.CompileExact(nil).Check(sequence.Trace{Names: []string{"a"}}, nil); r.Allowed {
		t.Error("an empty list allows a call")
	}
}

func TestStatusesHaveNames(t *testing.T) {
	for s, want := range map[sequence.Status]string{
		sequence.NotExercised: "not_exercised", sequence.Held: "held", sequence.Violated: "violated",
	} {
		if s.String() != want {
			t.Errorf("%d is %q, want %q", s, s, want)
		}
	}
}

// An agent can call the tools that an alias stands for, and no alias.
func TestSuggestionsNameTheToolsOfAnAlias(t *testing.T) {
	aliases := map[string][]string{"one": {"x1"}, "two": {"y1", "y2"}, "many": strings.Fields("m1 m2 m3 m4 m5 m6 m7 m8 m9")}
	for _, row := range []struct {
		rule              sequence.Rule
		trace, suggestion string
	}{
		{sequence.Before{First: name("two"), Then: name("b")}, "b", `call "y1" or "y2" before "b"`},
		{sequence.Require{Tool: name("one")}, "b", `call "x1" first`},
		{sequence.MaxCalls{Tool: name("two"), Max: 0}, "y2", `do not call "y1" or "y2" any more`},
		{sequence.Sequence{Tools: []sequence.Selector{name("many"), name("b")}}, "b",
			`call "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8" or another tool of the alias "many" next in the sequence`},
	} {
		r := compile(t, aliases, row.rule).Check(sequence.Trace{Names: strings.Fields(row.trace)}, nil)
		if len(r.Violations) != 1 || r.Violations[0].Suggestion != row.suggestion {
			t.Errorf("%s: %s, want %q", row.rule.ID(), show(r), row.suggestion)
		}
	}
}

// TestSuggestionsSayWhatToDoNext: when the proposed call is what breaks the
// rule, the agent hears what to call instead; when it happened before, that
// nothing helps.
func TestSuggestionsSayWhatToDoNext(t *testing.T) {
	a, b := name("a"), name("b")
	const lost = "nothing that follows repairs"
	for _, row := range []struct {
		rule       sequence.Rule
		trace      string
		suggestion string
	}{
		{sequence.Require{Tool: a}, "x", `call "a" first`},
		{sequence.Before{First: a, Then: b}, "x b", `call "a" before "b"`},
		{sequence.Before{First: a, Then: b}, "b x", lost},
		{sequence.After{Trigger: a, Then: b, Within: 1}, "a x", `call "b" now`},
		{sequence.After{Trigger: a, Then: b, Within: 1}, "a x x", lost},
		{sequence.After{Trigger: a, Then: b}, "x a", `do not call "a"`},
		{sequence.NeverAfter{Trigger: a, Forbidden: b}, "a b", `do not call "b"`},
		{sequence.NeverAfter{Trigger: a, Forbidden: b}, "a b x", lost},
		{sequence.Eventually{Tool: a, Within: 2}, "x x", `call "a" now`},
		{sequence.Eventually{Tool: a, Within: 2}, "x x x", lost},
		{sequence.Eventually{Tool: a, Within: 2}, "x x a", lost},
		{sequence.MaxCalls{Tool: a, Max: 1}, "a a", `do not call "a" any more`},
		{sequence.MaxCalls{Tool: a, Max: 1}, "a a x", lost},
		{sequence.Blocklist{Pattern: "dr"}, "x drop", "call a tool whose name does not contain it"},
		{sequence.Blocklist{Pattern: "dr"}, "drop x", lost},
		{sequence.Sequence{Tools: []sequence.Selector{a, b}}, "b", `call "a" next`},
		{sequence.Sequence{Tools: []sequence.Selector{a, b}, Strict: true}, "a x", `call "b" next`},
		{sequence.Sequence{Tools: []sequence.Selector{a, b}, Strict: true}, "a x b", lost},
		{sequence.MaxCalls{Tool: with("a", "1"), Max: 0}, "a", "give the arguments"},
	} {
		c := compile(t, nil, row.rule)
		trace := sequence.Trace{Names: strings.Fields(row.trace)}
		r := c.Check(trace, nil)
		if len(r.Violations) != 1 || !strings.HasPrefix(r.Violations[0].Suggestion, row.suggestion) {
			t.Errorf("%s over %s: %s, want %q", row.rule.ID(), row.trace, show(r), row.suggestion)
		}
		if row.suggestion == lost {
			continue
		}
		// What can be repaired was allowed up to the call before.
		trace.Names = trace.Names[:len(trace.Names)-1]
		if r := c.Check(trace, nil); len(trace.Names) > 0 && row.rule.Type() != "require" && !r.Allowed {
			t.Errorf("%s over %v: %s", row.rule.ID(), trace.Names, show(r))
		}
	}
}

func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("é", 5000)
	c := compile(t, nil, sequence.Before{First: name(long), Then: name("b")})
	v := c.Check(sequence.Trace{Names: []string{"b"}}, nil).Violations[0]
	if len(v.Message) > 300 || strings.ContainsRune(v.Message, '\uFFFD') || !strings.Contains(v.Message, "éé…") {
		t.Errorf("message %q", v.Message)
	}
}
