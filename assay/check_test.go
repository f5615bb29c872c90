package assay_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/assay/assay"
	"example.com/assay/internal/race"
	"example.com/assay/internal/stop"
)

// support is a policy with something to say in every check.
const support = `
tools:
  allow: [pay, "read_*", verify]
  deny: ["*_all"]
  approval_required: [pay]
  restrict_scope: [pay]
tool_pins:
  verify: {server_id: s, tool_name: verify,
    schema_hash: "0000000000000000000000000000000000000000000000000000000000000000",
    meta_hash: "1111111111111111111111111111111111111111111111111111111111111111"}
schemas:
  pay:
    type: object
    required: [amount]
    additionalProperties: false
    properties:
      amount: {type: number, maximum: 200}
      to: {enum: [alice, bob]}
sequences:
  - {type: before, first: verify, then: pay}
  - {type: max_calls, tool: pay, max: 1}
blocklist: [read_secret]
`

func TestNoPolicyDeniesEverything(t *testing.T) {
	for name, p := range map[string]*assay.Policy{"nil": nil, "zero": {}} {
		for what, d := range map[string]assay.Decision{
			"CheckArgs":      assay.CheckArgs(p, assay.Call{Tool: "t"}),
			"CheckArgsValue": assay.CheckArgsValue(p, "t", map[string]any{}),
			"CheckSequence":  assay.CheckSequence(p, nil, assay.Call{Tool: "t"}),
			"PolicyDecide":   assay.PolicyDecide(p, "t"),
			"Session.Next":   assay.NewSession(p).Next(assay.Call{Tool: "t"}),
		} {
			if d.Allowed || d.Code != assay.CodeNoPolicy || !d.Failed() || d.Err() == nil {
				t.Errorf("%s of a %s policy: %+v", what, name, d)
			}
		}
		if p.Digest() != "" || p.Spec() != nil || p.Problems() != nil {
			t.Errorf("a %s policy has contents", name)
		}
		if got := p.Until(nil); assay.CheckArgs(got, assay.Call{Tool: "t"}).Allowed {
			t.Errorf("a %s policy allows after Until", name)
		}
	}
	if p, err := assay.Compile(nil, nil); p != nil || err == nil {
		t.Errorf("Compile(nil) returns %v, %v", p, err)
	}
}

func TestZeroValuesDeny(t *testing.T) {
	var d assay.Decision
	if d.Allowed || d.Err() == nil || !d.Failed() {
		t.Errorf("the zero Decision is %v", d.Err())
	}
	var s assay.Session
	if s.Next(assay.Call{Tool: "t"}).Allowed {
		t.Error("the zero Session allows")
	}
	var none *assay.Session
	if none.Next(assay.Call{Tool: "t"}).Allowed {
		t.Error("the nil Session allows")
	}
	if d, p := none.Begin(assay.Call{Tool: "t"}); d.Allowed || p != nil {
		t.Error("the nil Session begins")
	}
	var p *assay.Pending
	p.Done()
	p.Cancel()
	if assay.CheckArgs(mustParse(t, "{}"), assay.Call{}).Allowed {
		t.Error("the zero Call is allowed")
	}
}

func TestNamesThatAreNoNamesAreRefused(t *testing.T) {
	open := mustParse(t, "version: '1.1'")
	names := mustParse(t, "['', a]")
	for _, name := range []string{"", "\xff", "a\xc3", "\xed\xa0\x80"} {
		for what, d := range map[string]assay.Decision{
			"CheckArgs":             assay.CheckArgs(open, assay.Call{Tool: name}),
			"CheckArgsValue":        assay.CheckArgsValue(open, name, nil),
			"CheckSequence":         assay.CheckSequence(open, nil, assay.Call{Tool: name}),
			"CheckSequence history": assay.CheckSequence(open, []assay.Call{{Tool: "a"}, {Tool: name}}, assay.Call{Tool: "b"}),
			"CheckSequence names":   assay.CheckSequence(names, []assay.Call{{Tool: name}}, assay.Call{Tool: "a"}),
			"PolicyDecide":          assay.PolicyDecide(open, name),
			"Session.Next":          assay.NewSession(open).Next(assay.Call{Tool: name}),
			"Session of names":      assay.NewSession(names).Next(assay.Call{Tool: name}),
		} {
			if d.Code != assay.CodeInvalidRequest || d.Allowed || !d.Failed() {
				t.Errorf("%s of %q answers %+v", what, name, d)
			}
		}
	}
}

func TestCheckArgsDecides(t *testing.T) {
	p := mustParse(t, support)
	hash0, hash1 := strings.Repeat("0", 64), strings.Repeat("1", 64)
	for _, test := range []struct {
		name string
		call assay.Call
		code assay.Code
		warn assay.Code
	}{
		{"right arguments", assay.Call{Tool: "pay", Arguments: []byte(`{"amount": 200}`)}, "", ""},
		{"a broken limit", assay.Call{Tool: "pay", Arguments: []byte(`{"amount": 200.01}`)}, assay.CodeArgSchema, ""},
		{"no arguments where some are required", assay.Call{Tool: "pay"}, assay.CodeArgSchema, ""},
		{"empty bytes", assay.Call{Tool: "read_x", Arguments: []byte{}}, assay.CodeArgSchema, ""},
		{"a repeated member", assay.Call{Tool: "pay", Arguments: []byte(`{"amount": 1, "amount": 1}`)}, assay.CodeArgSchema, ""},
		{"no arguments at all", assay.Call{Tool: "read_x"}, "", assay.CodeToolUnconstrained},
		{"a denied pattern", assay.Call{Tool: "read_all"}, assay.CodeToolDenied, ""},
		{"a blocked name", assay.Call{Tool: "read_secret"}, assay.CodeToolDenied, ""},
		{"a name in no list", assay.Call{Tool: "wipe"}, assay.CodeToolNotAllowed, ""},
		{"the pinned tool", assay.Call{Tool: "verify", Identity: &assay.Identity{ServerID: "s", ToolName: "verify", SchemaHash: hash0, MetaHash: hash1}}, "", assay.CodeToolUnconstrained},
		{"another tool than the pinned one", assay.Call{Tool: "verify", Identity: &assay.Identity{ServerID: "s", ToolName: "verify", SchemaHash: hash1, MetaHash: hash1}}, assay.CodeToolDrift, ""},
	} {
		d := assay.CheckArgs(p, test.call)
		if d.Code != test.code || d.Allowed != (test.code == "") || d.Warning.Code != test.warn {
			t.Errorf("%s: %+v", test.name, d)
		}
		if d.Failed() {
			t.Errorf("%s: counts as a failure", test.name)
		}
		if !d.Allowed && d.Reason == "" {
			t.Errorf("%s: gives no reason", test.name)
		}
	}
}

func TestCheckSequenceDecides(t *testing.T) {
	p := mustParse(t, support)
	pay := assay.Call{Tool: "pay"}
	if d := assay.CheckSequence(p, []assay.Call{{Tool: "verify"}}, pay); !d.Allowed {
		t.Errorf("after verify: %v", d.Err())
	}
	d := assay.CheckSequence(p, []assay.Call{{Tool: "verify"}, pay}, pay)
	if d.Code != assay.CodeSequence || d.Failed() || len(d.Violations) != 1 {
		t.Fatalf("a second pay: %+v", d)
	}
	v := d.Violations[0]
	if v.RuleID != "max_calls:pay<=1" || v.RuleType != "max_calls" || v.Constraint != "max_calls" || v.Tool != "pay" ||
		!reflect.DeepEqual(v.Spanned, []int{1, 2}) || v.EventIndex == nil || *v.EventIndex != 2 ||
		!reflect.DeepEqual(v.Context, map[string]int{"max": 1, "actual": 2}) || v.Message == "" || v.Suggestion == "" {
		t.Errorf("the violation is %+v", v)
	}
}

func TestAHistorysArgumentsAreThoseOfTheirCalls(t *testing.T) {
	p := mustParse(t, "[{type: never_after, trigger: {tool: read, args_match: {n: '^1$'}}, forbidden: send}]")
	read := func(n string) assay.Call { return assay.Call{Tool: "read", Arguments: []byte(`{"n": ` + n + `}`)} }
	for name, test := range map[string]struct {
		history []assay.Call
		want    string
	}{
		"none matches":                {[]assay.Call{read("2"), read("3")}, ""},
		"the first matches":           {[]assay.Call{read("1.0"), read("3")}, "never_after"},
		"the last matches":            {[]assay.Call{read("2"), read(`"1"`)}, "never_after"},
		"nobody knows":                {[]assay.Call{read("2"), {Tool: "read"}}, "arguments_unknown"},
		"null is as good as unknown":  {[]assay.Call{{Tool: "read", Arguments: []byte("null")}}, "arguments_unknown"},
		"no JSON is unknown":          {[]assay.Call{{Tool: "read", Arguments: []byte("{")}}, "arguments_unknown"},
		"a call of another tool":      {[]assay.Call{{Tool: "write", Arguments: []byte(`{"n": 1}`)}}, ""},
		"a known object without name": {[]assay.Call{{Tool: "read", Arguments: []byte(`{}`)}}, ""},
	} {
		d := assay.CheckSequence(p, test.history, assay.Call{Tool: "send"})
		got := ""
		if len(d.Violations) > 0 {
			got = d.Violations[0].Constraint
		}
		if got != test.want || d.Allowed != (test.want == "") {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestErrLetsNoObligationPass(t *testing.T) {
	p := mustParse(t, support)
	d := assay.CheckArgs(p, assay.Call{Tool: "pay", Arguments: []byte(`{"amount": 1}`)})
	want := []assay.Obligation{
		{Kind: "approval_required", Source: "name"},
		{Kind: "restrict_scope", Source: "name", Contract: map[string]string{
			"scope_type": "resource", "scope_value": "*", "scope_match_mode": "exact",
		}},
	}
	if !d.Allowed || !reflect.DeepEqual(d.Obligations, want) {
		t.Fatalf("the decision is %+v", d)
	}
	duty, ok := d.Err().(*assay.ObligationsError)
	if !ok || duty.Error() != "assay: allowed with obligations: approval_required, restrict_scope" {
		t.Errorf("the error is %v", d.Err())
	}
	denied, ok := assay.CheckArgs(p, assay.Call{Tool: "read_all"}).Err().(*assay.DeniedError)
	if !ok || !strings.HasPrefix(denied.Error(), "assay: denied (E_TOOL_DENIED): ") {
		t.Errorf("the error is %v", denied)
	}
	if err := assay.CheckArgs(p, assay.Call{Tool: "read_x"}).Err(); err != nil {
		t.Errorf("a plain allow is the error %v", err)
	}
}

// questions asks everything that a Decision may hold something for.
func questions(p *assay.Policy) []assay.Decision {
	pay := assay.Call{Tool: "pay"}
	return []assay.Decision{
		assay.CheckArgs(p, assay.Call{Tool: "pay", Arguments: []byte(`{"amount": 1}`)}),
		assay.CheckArgs(p, assay.Call{Tool: "pay", Arguments: []byte(`{"amount": 900, "to": "eve", "x": 1}`)}),
		assay.CheckArgs(p, assay.Call{Tool: "read_x"}),
		assay.CheckSequence(p, []assay.Call{{Tool: "verify"}, pay, pay}, pay),
		assay.CheckSequence(p, nil, pay),
		assay.CheckSequence(p, nil, assay.Call{Tool: "verify"}),
		assay.PolicyDecide(p, "rm"),
		assay.NewSession(p).Next(pay),
	}
}

func TestNothingInADecisionIsShared(t *testing.T) {
	p := mustParse(t, support)
	want := questions(p)
	asked := questions(p)
	for i := range asked {
		scribble(reflect.ValueOf(&asked[i]))
	}
	if got := questions(p); !reflect.DeepEqual(got, want) {
		t.Errorf("after a change of every decision the answers are\n%+v\nwant\n%+v", got, want)
	}
	if reflect.DeepEqual(asked, want) {
		t.Error("nothing was changed")
	}
}

func TestAPolicyIsSafeForConcurrentUse(t *testing.T) {
	p := mustParse(t, support)
	want := questions(p)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				if got := questions(p); !reflect.DeepEqual(got, want) {
					t.Errorf("the answers are\n%+v\nwant\n%+v", got, want)
					return
				}
				p.Spec()
			}
		})
	}
	all.Wait()
}

func TestAnAllowAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, and so allocate")
	}
	p := mustParse(t, support)
	list := mustParse(t, "blocklist: [rm]")
	unconstrained := assay.Call{Tool: "read_x", Arguments: []byte(`{"a": [1, "x"]}`)}
	history := make([]assay.Call, 100)
	for i := range history {
		history[i] = assay.Call{Tool: fmt.Sprint("read_", i)}
	}
	plain := mustParse(t, "schemas: {t: {type: object, required: [n], properties: {n: {type: integer, maximum: 3}}, additionalProperties: false}}")
	constrained := assay.Call{Tool: "t", Arguments: []byte(`{"n": 3}`)}
	value := map[string]any{"n": json.Number("3")}
	float, integer := map[string]any{"n": 3.0}, map[string]any{"n": 3}
	order := mustParse(t, "[{type: before, first: read_0, then: write}]")
	session := assay.NewSession(order)
	for name, check := range map[string]func() assay.Decision{
		"CheckArgs without a schema": func() assay.Decision { return assay.CheckArgs(p, unconstrained) },
		"CheckArgs with a schema":    func() assay.Decision { return assay.CheckArgs(plain, constrained) },
		"CheckArgsValue":             func() assay.Decision { return assay.CheckArgsValue(plain, "t", value) },
		"CheckArgsValue of a float":  func() assay.Decision { return assay.CheckArgsValue(plain, "t", float) },
		"CheckArgsValue of an int":   func() assay.Decision { return assay.CheckArgsValue(plain, "t", integer) },
		"CheckSequence":              func() assay.Decision { return assay.CheckSequence(p, history, unconstrained) },
		"CheckSequence by a scan":    func() assay.Decision { return assay.CheckSequence(order, history, assay.Call{Tool: "write"}) },
		"Session.Next":               func() assay.Decision { return session.Next(unconstrained) },
		"PolicyDecide":               func() assay.Decision { return assay.PolicyDecide(list, "ls") },
	} {
		if d := check(); !d.Allowed {
			t.Fatalf("%s: %v", name, d.Err())
		}
		if n := testing.AllocsPerRun(100, func() { check() }); n > 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func TestUntilStopsAChecksWork(t *testing.T) {
	p := mustParse(t, "schemas: {t: {items: {type: integer}}}\nsequences: [{type: max_calls, tool: a, max: 0}]")
	args := assay.Call{Tool: "t", Arguments: []byte("[" + strings.Repeat("1,", 50_000) + "1]")}
	history := slices.Repeat([]assay.Call{{Tool: "b"}}, 1000)

	flag := new(stop.Flag)
	q := p.Until(flag)
	if q.Digest() != p.Digest() {
		t.Error("Until returns another policy")
	}
	ask := func(p *assay.Policy) []assay.Code {
		session := assay.NewSession(p)
		return []assay.Code{
			assay.CheckArgs(p, args).Code,
			assay.CheckSequence(p, history, args).Code,
			session.Next(args).Code,
		}
	}
	if got, want := ask(q), []assay.Code{"", "", ""}; !slices.Equal(got, want) {
		t.Errorf("before the flag is set: %q", got)
	}
	flag.Set()
	limit := assay.CodeLimitExceeded
	if got, want := ask(q), []assay.Code{limit, limit, limit}; !slices.Equal(got, want) {
		t.Errorf("after the flag is set: %q", got)
	}
	if got, want := ask(p), []assay.Code{"", "", ""}; !slices.Equal(got, want) {
		t.Errorf("without a flag: %q", got)
	}
}
