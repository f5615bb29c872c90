package sequence_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"example.com/assay/assay/sequence"
)

func TestRuleIDsAndJSON(t *testing.T) {
	for _, row := range []struct {
		rule     sequence.Rule
		id, json string
	}{
		{sequence.Require{Tool: name("x")}, "require:x", `{"type":"require","tool":"x"}`},
		{sequence.Before{First: name("verify_identity"), Then: name("delete_customer")},
			"before:verify_identity->delete_customer", `{"type":"before","first":"verify_identity","then":"delete_customer"}`},
		{sequence.After{Trigger: name("A"), Then: name("B"), Within: 2}, "after:A->B@2",
			`{"type":"after","trigger":"A","then":"B","within":2}`},
		{sequence.NeverAfter{Trigger: name("a"), Forbidden: name("b")}, "never_after:a->b",
			`{"type":"never_after","trigger":"a","forbidden":"b"}`},
		{sequence.Eventually{Tool: name("x"), Within: 3}, "eventually:x@3", `{"type":"eventually","tool":"x","within":3}`},
		{sequence.MaxCalls{Tool: name("search"), Max: 3}, "max_calls:search<=3", `{"type":"max_calls","tool":"search","max":3}`},
		{sequence.Sequence{Tools: []sequence.Selector{name("a"), name("b")}}, "sequence:a>b",
			`{"type":"sequence","tools":["a","b"]}`},
		{sequence.Sequence{Tools: []sequence.Selector{name("a"), name("b"), name("c")}, Strict: true},
			"sequence:strict:a>b>c", `{"type":"sequence","tools":["a","b","c"],"strict":true}`},
		{sequence.Sequence{}, "sequence:", `{"type":"sequence","tools":[]}`},
		{sequence.Blocklist{Pattern: "rm"}, "blocklist:rm", `{"type":"blocklist","pattern":"rm"}`},
		{sequence.Require{Tool: sequence.Selector{Tool: "pay", Args: map[string]string{"to": "^x", "n": "<1>"}}},
			"require:pay{n~<1>,to~^x}", `{"type":"require","tool":{"tool":"pay","args_match":{"n":"<1>","to":"^x"}}}`},
	} {
		if got := row.rule.ID(); got != row.id {
			t.Errorf("id %s, want %s", got, row.id)
		}
		if kind, _, _ := strings.Cut(row.id, ":"); row.rule.Type() != kind {
			t.Errorf("%s: type %s", row.id, row.rule.Type())
		}
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(row.rule); err != nil || b.String() != row.json+"\n" {
			t.Errorf("%s: %s (%v), want %s", row.id, b.String(), err, row.json)
		}
	}
}

func TestCompileReportsEveryProblem(t *testing.T) {
	bad := map[string]string{"env": "(", "a/b~c": "a{,2}", "fine": "^x"}
	rules := []sequence.Rule{
		sequence.Before{First: sequence.Selector{Tool: "a", Args: bad}, Then: name("b")},
		sequence.After{Trigger: name("a"), Then: sequence.Selector{Tool: "b", Args: map[string]string{}}, Within: -1},
		sequence.After{Trigger: name("a"), Then: name("b"), Within: 1_000_001},
		sequence.Eventually{Tool: name("a"), Within: 1_000_001},
		sequence.MaxCalls{Tool: name("a"), Max: -1},
		nil,
		&sequence.Require{Tool: name("a")},
		(*sequence.Require)(nil),
		sequence.Sequence{Tools: []sequence.Selector{name("a"), with("b", `\A`), with("b", `\A`)}},
		sequence.NeverAfter{Trigger: with("a", "("), Forbidden: with("a", ")")},
	}
	aliases := map[string][]string{"x": {"own", "y", "x"}, "y": {"tool", "x"}, "z/~": {"y"}, "empty": {}}
	c, problems := sequence.Compile(rules, aliases, sequence.Options{})
	if c != nil {
		t.Error("a checker in spite of problems")
	}
	want := []string{
		"/sequences/0/first/args_match/a~1b~0c",
		"/sequences/0/first/args_match/env",
		"/sequences/1/then/args_match",
		"/sequences/1/within",
		"/sequences/2/within",
		"/sequences/3/within",
		"/sequences/4/max",
		"/sequences/5",
		"/sequences/6",
		"/sequences/7",
		"/sequences/8/tools/1/args_match/k",
		"/sequences/8/tools/2/args_match/k",
		"/sequences/9/trigger/args_match/k",
		"/sequences/9/forbidden/args_match/k",
		"/aliases/x/1",
		"/aliases/y/1",
		"/aliases/z~1~0/0",
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.Path)
		if p.Message == "" || p.Hint == "" {
			t.Errorf("%s: message %q, hint %q", p.Path, p.Message, p.Hint)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestCompileTakesTheLargestOperands(t *testing.T) {
	compile(t, nil, sequence.MaxCalls{Tool: name("a"), Max: sequence.MaxOperand},
		sequence.After{Trigger: name("a"), Then: name("b"), Within: sequence.MaxOperand},
		sequence.Eventually{Tool: name("a"), Within: 0})
}

func TestCompileKeepsNothingOfItsInput(t *testing.T) {
	args := map[string]string{"k": "^1$"}
	tools := []sequence.Selector{{Tool: "A"}, {Tool: "b", Args: args}}
	aliases := map[string][]string{"A": {"a"}}
	rules := []sequence.Rule{sequence.Sequence{Tools: tools, Strict: true}}
	c, problems := sequence.Compile(rules, aliases, sequence.Options{})
	if problems != nil {
		t.Fatal(problems)
	}
	trace, _ := traceOf([]letter{{tool: "a"}, {tool: "b", args: `{"k":"2"}`}})
	before := c.Check(trace, nil)
	args["k"], tools[0], aliases["A"][0], rules[0] = "^2$", name("z"), "z", sequence.Blocklist{}
	delete(aliases, "A")
	if after := c.Check(trace, nil); before.Allowed || !reflect.DeepEqual(before, after) {
		t.Errorf("before the change %s\nafter %s", show(before), show(after))
	}
	// Nor does a result share anything with the checker.
	before.Violations[0].Spanned[0] = 99
	*before.Violations[0].EventIndex = 99
	if after := c.Check(trace, nil); after.Violations[0].Spanned[0] == 99 || *after.Violations[0].EventIndex == 99 {
		t.Error("a result shares its slices")
	}
	c.Tools()[0] = "changed"
	if got := c.Tools(); !reflect.DeepEqual(got, []string{"a", "b"}) {
		t.Errorf("tools %v", got)
	}
}

// TestHugePoliciesCompileOrAreRefused: the product of aliases and rules is
// bounded; names that mean the same share what they mean.
func TestHugePoliciesCompileOrAreRefused(t *testing.T) {
	members := make([]string, 20_000)
	var each []sequence.Rule
	for i := range members {
		members[i] = "tool_" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26%40) + itoa(i)
		each = append(each, sequence.MaxCalls{Tool: name(members[i]), Max: 5})
	}
	aliases := map[string][]string{"all": members}
	var all []sequence.Rule
	for range 5000 {
		all = append(all, sequence.Before{First: name("all"), Then: name("other")})
	}
	c := compile(t, aliases, all...)
	if got := len(c.Tools()); got != len(members)+1 {
		t.Errorf("%d tools", got)
	}
	if r := c.Check(sequence.Trace{Names: []string{members[7], "other"}}, nil); !r.Allowed {
		t.Error(show(r)[:200])
	}
	c, problems := sequence.Compile(append(all, each...), aliases, sequence.Options{})
	if c != nil || len(problems) != 1 || problems[0].Path != "/sequences" {
		t.Errorf("every name used by every rule: %v", problems)
	}
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

func TestViolationsAreCutToTheLimit(t *testing.T) {
	rules := []sequence.Rule{sequence.Blocklist{Pattern: "a"}, sequence.Require{Tool: name("x")}, sequence.Require{Tool: name("y")}}
	c, _ := sequence.Compile(rules, nil, sequence.Options{MaxViolations: 2})
	r := c.Check(sequence.Trace{Names: []string{"a"}}, nil)
	if r.Allowed || len(r.Violations) != 2 || !r.Truncated || r.Violations[1].RuleID != "require:x" {
		t.Error(show(r))
	}
	if r := c.Check(sequence.Trace{Names: []string{"x"}}, nil); len(r.Violations) != 1 || r.Truncated {
		t.Error(show(r))
	}
}
