package args

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/assay/assay/internal/strictjson"
	"example.com/assay/internal/race"
)

// decoded reads a schema as the facade does.
func decoded(t testing.TB, text string) any {
	t.Helper()
	v, err := strictjson.Decode([]byte(text))
	if err != nil {
		t.Fatalf("the test's own JSON %s: %v", text, err)
	}
	return v
}

func ceiling(n int64) *int64 { return &n }

func compiled(t testing.TB, r *Rules) *Checker {
	t.Helper()
	c, problems := Compile(r, Options{})
	for _, p := range problems {
		t.Fatalf("unexpected problem %+v", p)
	}
	return c
}

const hash = "abababababababababababababababababababababababababababababababab"

func TestTheFirstStepThatAppliesDecides(t *testing.T) {
	pinned := Identity{"s", "t", hash, hash}
	other := Identity{"other", "t", hash, hash}
	small := decoded(t, `{"type": "object", "properties": {"n": {"maximum": 3}}}`)
	for _, test := range []struct {
		name    string
		rules   Rules
		req     Request
		code    string
		warning string
	}{
		{"an empty name is no request", Rules{Deny: []string{"*"}}, Request{Tool: ""}, CodeInvalidRequest, ""},
		{"a name that is not UTF-8 is no request", Rules{Deny: []string{"*"}}, Request{Tool: "a\xff"}, CodeInvalidRequest, ""},

		{"a drifted pin comes before a ceiling",
			Rules{Pins: map[string]Identity{"t": pinned}, MaxRequests: ceiling(0)}, Request{Tool: "t", Identity: &other}, CodeToolDrift, ""},
		{"a drifted pin comes before a deny",
			Rules{Pins: map[string]Identity{"t": pinned}, Deny: []string{"t"}}, Request{Tool: "t", Identity: &other}, CodeToolDrift, ""},
		{"a pin holds for its own tool only",
			Rules{Pins: map[string]Identity{"t": pinned}, Unconstrained: Allow}, Request{Tool: "u", Identity: &other}, "", ""},
		{"a pin that the identity matches does not decide",
			Rules{Pins: map[string]Identity{"t": pinned}, Unconstrained: Allow}, Request{Tool: "t", Identity: &pinned}, "", ""},
		{"a pin without an identity warns",
			Rules{Pins: map[string]Identity{"t": pinned}, Unconstrained: Allow}, Request{Tool: "t"}, "", CodeToolPinUnverified},
		{"a pin without an identity warns beside a schema",
			Rules{Pins: map[string]Identity{"t": pinned}, Schemas: map[string]any{"t": small}}, Request{Tool: "t"}, "", CodeToolPinUnverified},
		{"another warning comes before that of a pin",
			Rules{Pins: map[string]Identity{"t": pinned}}, Request{Tool: "t"}, "", CodeToolUnconstrained},
		{"a pin without an identity opens nothing",
			Rules{Pins: map[string]Identity{"t": pinned}, Allow: []string{}}, Request{Tool: "t"}, CodeToolNotAllowed, ""},

		{"a ceiling of no requests denies the first", Rules{MaxRequests: ceiling(0)}, Request{Tool: "t", Requests: 1}, CodeRateLimit, ""},
		{"a ceiling of no calls denies the first", Rules{MaxCalls: ceiling(0)}, Request{Tool: "t", Calls: 1}, CodeRateLimit, ""},
		{"a count that nobody set is the first", Rules{MaxCalls: ceiling(0)}, Request{Tool: "t"}, CodeRateLimit, ""},
		{"a count at the ceiling passes", Rules{MaxCalls: ceiling(3), Unconstrained: Allow}, Request{Tool: "t", Calls: 3}, "", ""},
		{"a count over the ceiling is denied", Rules{MaxCalls: ceiling(3)}, Request{Tool: "t", Calls: 4}, CodeRateLimit, ""},
		{"requests over their ceiling are denied", Rules{MaxRequests: ceiling(3)}, Request{Tool: "t", Requests: 4, Calls: 1}, CodeRateLimit, ""},
		{"a ceiling comes before a deny", Rules{MaxCalls: ceiling(0), Deny: []string{"t"}}, Request{Tool: "t"}, CodeRateLimit, ""},

		{"a deny pattern denies", Rules{Deny: []string{"t"}}, Request{Tool: "t"}, CodeToolDenied, ""},
		{"a deny pattern comes before an allow", Rules{Deny: []string{"t*"}, Allow: []string{"*"}}, Request{Tool: "t"}, CodeToolDenied, ""},
		{"a deny class denies",
			Rules{DenyClasses: []string{"risky"}, Classes: map[string][]string{"t": {"fine", "risky"}}, Allow: []string{"t"}}, Request{Tool: "t"}, CodeToolDenied, ""},
		{"a class name is no pattern",
			Rules{DenyClasses: []string{"*", "ris*"}, Classes: map[string][]string{"t": {"risky"}}, Unconstrained: Allow}, Request{Tool: "t"}, "", ""},
		{"a tool of the taxonomy is no pattern",
			Rules{DenyClasses: []string{"risky"}, Classes: map[string][]string{"t*": {"risky"}}, Unconstrained: Allow}, Request{Tool: "tt"}, "", ""},
		{"the blocklist denies",
			Rules{Blocked: func(tool string) bool { return tool == "t" }, Allow: []string{"*"}}, Request{Tool: "t"}, CodeToolDenied, ""},
		{"the blocklist denies a tool that has a schema",
			Rules{Blocked: func(tool string) bool { return tool == "t" }, Schemas: map[string]any{"t": true}}, Request{Tool: "t"}, CodeToolDenied, ""},
		{"an empty deny list denies nothing", Rules{Deny: []string{}, DenyClasses: []string{}, Unconstrained: Allow}, Request{Tool: "t"}, "", ""},
		{"a deny comes before the reading", Rules{Deny: []string{"t"}}, Request{Tool: "t", Arguments: []byte("{")}, CodeToolDenied, ""},

		{"an empty allow list allows nothing", Rules{Allow: []string{}}, Request{Tool: "t"}, CodeToolNotAllowed, ""},
		{"an empty list of allowed classes allows nothing", Rules{AllowClasses: []string{}}, Request{Tool: "t"}, CodeToolNotAllowed, ""},
		{"an allow pattern allows", Rules{Allow: []string{"t"}, Unconstrained: Allow}, Request{Tool: "t"}, "", ""},
		{"an allowed class allows beside a list that does not",
			Rules{Allow: []string{"x"}, AllowClasses: []string{"fine"}, Classes: map[string][]string{"t": {"fine"}}, Unconstrained: Allow}, Request{Tool: "t"}, "", ""},
		{"a pattern allows beside a class that does not",
			Rules{Allow: []string{"t"}, AllowClasses: []string{"fine"}, Unconstrained: Allow}, Request{Tool: "t"}, "", ""},
		{"no entry matches", Rules{Allow: []string{"x*"}, AllowClasses: []string{"fine"}}, Request{Tool: "t"}, CodeToolNotAllowed, ""},
		{"a schema allows no name", Rules{Allow: []string{"x"}, Schemas: map[string]any{"t": true}}, Request{Tool: "t"}, CodeToolNotAllowed, ""},
		{"an allow list comes before the reading", Rules{Allow: []string{}}, Request{Tool: "t", Arguments: []byte("{")}, CodeToolNotAllowed, ""},

		{"text that is no JSON is denied without a schema", Rules{Unconstrained: Allow}, Request{Tool: "t", Arguments: []byte("{")}, CodeArgSchema, ""},
		{"text that is no JSON is denied with a schema", Rules{Schemas: map[string]any{"t": true}}, Request{Tool: "t", Arguments: []byte("{")}, CodeArgSchema, ""},
		{"the reading comes before a schema that does not compile",
			Rules{Schemas: map[string]any{"t": json.Number("3")}}, Request{Tool: "t", Arguments: []byte(`{"a":1,"a":1}`)}, CodeArgSchema, ""},
		{"the reading comes before the denial of unconstrained tools",
			Rules{Unconstrained: Deny}, Request{Tool: "t", Arguments: []byte(`{} {}`)}, CodeArgSchema, ""},
		{"absent arguments are an empty object", Rules{Schemas: map[string]any{"t": decoded(t, `{"type":"object","maxProperties":0}`)}}, Request{Tool: "t"}, "", ""},
		{"empty bytes are malformed", Rules{Unconstrained: Allow}, Request{Tool: "t", Arguments: []byte{}}, CodeArgSchema, ""},
		{"empty bytes are malformed beside a schema", Rules{Schemas: map[string]any{"t": true}}, Request{Tool: "t", Arguments: []byte{}}, CodeArgSchema, ""},

		{"a schema that does not compile denies its tool", Rules{Schemas: map[string]any{"t": json.Number("3"), "u": true}}, Request{Tool: "t"}, CodeSchemaCompile, ""},
		{"a schema that does not compile denies no other tool", Rules{Schemas: map[string]any{"t": json.Number("3"), "u": true}}, Request{Tool: "u"}, "", ""},
		{"a schema that does not compile comes before one that the arguments break",
			Rules{Schemas: map[string]any{"t": json.Number("3")}, RequireArgs: map[string][]string{"t": {"x"}}}, Request{Tool: "t"}, CodeSchemaCompile, ""},
		{"broken shared definitions deny every tool with a schema", Rules{DefsBroken: true, Schemas: map[string]any{"t": true}}, Request{Tool: "t"}, CodeSchemaCompile, ""},
		{"broken shared definitions deny a tool with required arguments",
			Rules{DefsBroken: true, RequireArgs: map[string][]string{"t": {"x"}}}, Request{Tool: "t", Arguments: []byte(`{"x":1}`)}, CodeSchemaCompile, ""},
		{"broken shared definitions deny no tool without a schema", Rules{DefsBroken: true, Unconstrained: Allow}, Request{Tool: "t"}, "", ""},
		{"arguments that break the schema are denied", Rules{Schemas: map[string]any{"t": small}}, Request{Tool: "t", Arguments: []byte(`{"n":4}`)}, CodeArgSchema, ""},
		{"arguments that keep to the schema are allowed", Rules{Schemas: map[string]any{"t": small}}, Request{Tool: "t", Arguments: []byte(` {"n": 3} `)}, "", ""},
		{"a schema may allow null", Rules{Schemas: map[string]any{"t": decoded(t, `{"type":"null"}`)}}, Request{Tool: "t", Arguments: []byte("null")}, "", ""},
		{"a schema may allow a number", Rules{Schemas: map[string]any{"t": true}}, Request{Tool: "t", Arguments: []byte("0")}, "", ""},
		{"the schema false allows nothing", Rules{Schemas: map[string]any{"t": false}}, Request{Tool: "t"}, CodeArgSchema, ""},
		{"a tool with a schema is not unconstrained", Rules{Schemas: map[string]any{"t": decoded(t, `{}`)}, Unconstrained: Deny}, Request{Tool: "t"}, "", ""},

		{"without a schema null is no object", Rules{Unconstrained: Allow}, Request{Tool: "t", Arguments: []byte("null")}, CodeArgSchema, ""},
		{"without a schema a list is no object", Rules{Unconstrained: Allow}, Request{Tool: "t", Arguments: []byte(" []")}, CodeArgSchema, ""},
		{"without a schema a text is no object", Rules{Unconstrained: Allow}, Request{Tool: "t", Arguments: []byte(`"{}"`)}, CodeArgSchema, ""},
		{"the shape comes before the denial of unconstrained tools", Rules{Unconstrained: Deny}, Request{Tool: "t", Arguments: []byte("3")}, CodeArgSchema, ""},
		{"without a schema an object is allowed", Rules{Unconstrained: Allow}, Request{Tool: "t", Arguments: []byte(" \n{\"a\": [1]}")}, "", ""},
		{"an unconstrained tool is warned of by default", Rules{}, Request{Tool: "t"}, "", CodeToolUnconstrained},
		{"an unconstrained tool may be denied", Rules{Unconstrained: Deny}, Request{Tool: "t"}, CodeToolUnconstrained, ""},
		{"an unknown mode denies", Rules{Unconstrained: 7}, Request{Tool: "t"}, CodeToolUnconstrained, ""},
		{"a class does not make a tool constrained",
			Rules{Unconstrained: Deny, Classes: map[string][]string{"t": {"fine"}}}, Request{Tool: "t"}, CodeToolUnconstrained, ""},

		{"a value is judged as it is", Rules{Schemas: map[string]any{"t": small}}, Request{Tool: "t", HasValue: true, Value: map[string]any{"n": json.Number("4")}}, CodeArgSchema, ""},
		{"a value may be allowed", Rules{Schemas: map[string]any{"t": small}}, Request{Tool: "t", HasValue: true, Value: map[string]any{"n": json.Number("3")}}, "", ""},
		{"a value is judged instead of the text",
			Rules{Unconstrained: Allow}, Request{Tool: "t", HasValue: true, Value: map[string]any{}, Arguments: []byte("{")}, "", ""},
		{"a nil value is null", Rules{Unconstrained: Allow}, Request{Tool: "t", HasValue: true}, CodeArgSchema, ""},
		{"a nil value meets a schema as null", Rules{Schemas: map[string]any{"t": decoded(t, `{"type":"null"}`)}}, Request{Tool: "t", HasValue: true}, "", ""},
		{"a value meets a schema that does not compile",
			Rules{Schemas: map[string]any{"t": json.Number("3")}}, Request{Tool: "t", HasValue: true, Value: map[string]any{}}, CodeSchemaCompile, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, _ := Compile(&test.rules, Options{})
			got := c.Check(&test.req)
			if got.Allowed != (test.code == "") || got.Code() != test.code || got.WarningCode() != test.warning {
				t.Errorf("got %+v, want code %q and warning %q", got, test.code, test.warning)
			}
			if (got.Reason() == "") != got.Allowed || (got.WarningReason() == "") != (got.WarningCode() == "") {
				t.Errorf("a code goes without its reason or a reason without its code: %+v", got)
			}
			if (got.Code() == CodeArgSchema) != (len(got.Violations()) > 0) {
				t.Errorf("violations %+v with code %q", got.Violations(), got.Code())
			}
			name := c.CheckName(test.req.Tool)
			switch test.code {
			case CodeInvalidRequest, CodeToolDenied, CodeToolNotAllowed:
				if name != test.code {
					t.Errorf("CheckName says %q, Check says %q", name, test.code)
				}
			case CodeToolDrift, CodeRateLimit: // decide before the name
			default:
				if name != "" {
					t.Errorf("CheckName says %q, Check says %q", name, test.code)
				}
			}
		})
	}
}

func TestTheReasonOfADenialByNameSaysWhatMatched(t *testing.T) {
	c := compiled(t, &Rules{
		Deny: []string{"by_pattern"}, DenyClasses: []string{"c"}, Classes: map[string][]string{"by_class": {"c"}},
		Blocked: func(tool string) bool { return tool == "by_list" },
	})
	for tool, want := range map[string]string{"by_pattern": "pattern", "by_class": "class", "by_list": "blocklist"} {
		if got := c.Check(&Request{Tool: tool}); !strings.Contains(got.Reason(), want) || strings.Contains(got.Reason(), tool) {
			t.Errorf("%s: reason %q does not say %s, or repeats the policy", tool, got.Reason(), want)
		}
	}
}

func TestEveryMemberOfAPinIsCompared(t *testing.T) {
	want := Identity{"s", "t", hash, strings.ToUpper(hash)}
	c := compiled(t, &Rules{Pins: map[string]Identity{"t": want, "empty": {ToolName: "t", SchemaHash: hash, MetaHash: hash}}})
	for _, test := range []struct {
		name   string
		change func(*Identity)
	}{
		{"server", func(i *Identity) { i.ServerID = "S" }},
		{"tool", func(i *Identity) { i.ToolName = "t " }},
		{"schema hash", func(i *Identity) { i.SchemaHash = strings.ToUpper(hash) }},
		{"meta hash", func(i *Identity) { i.MetaHash = hash }},
		{"server not given", func(i *Identity) { i.ServerID = "" }},
		{"nothing given", func(i *Identity) { *i = Identity{} }},
	} {
		found := want
		test.change(&found)
		if got := c.Check(&Request{Tool: "t", Identity: &found}); got.Code() != CodeToolDrift {
			t.Errorf("%s differs: %+v", test.name, got)
		}
	}
	if got := c.Check(&Request{Tool: "empty", Identity: &Identity{ToolName: "t", SchemaHash: hash, MetaHash: hash}}); got.Code() != CodeToolDrift {
		t.Errorf("a member that is not given passes for an empty one: %+v", got)
	}
}

func TestANilCheckerDenies(t *testing.T) {
	var c *Checker
	if got := c.Check(&Request{Tool: "t"}); got.Allowed || got.Code() != CodeNoPolicy {
		t.Errorf("got %+v", got)
	}
	if got := c.CheckName("t"); got != CodeNoPolicy {
		t.Errorf("got %q", got)
	}
	if (Result{}).Allowed {
		t.Error("the zero Result allows")
	}
}

func TestNoRulesAllowObjectsWithAWarning(t *testing.T) {
	c, problems := Compile(nil, Options{})
	if got := c.Check(&Request{Tool: "t"}); len(problems) != 0 || !got.Allowed || got.WarningCode() != CodeToolUnconstrained {
		t.Errorf("got %+v, problems %v", got, problems)
	}
}

func TestTextThatTheStrictReaderRefusesSaysWhichRuleItBreaks(t *testing.T) {
	for _, test := range []struct{ name, text, path, message string }{
		{"no value", " ", "", "no JSON value"},
		{"syntax", `{"a": 1,}`, "", "not valid JSON"},
		{"a member twice", `{"x": {"secret": 1, "\u0073ecret": 2}}`, "/x", "named twice"},
		{"trailing data", `{} true`, "", "more text"},
		{"not UTF-8", "{\"a\": \"\xff\"}", "/a", "UTF-8"},
		{"half of a pair", `{"a": "\ud800"}`, "/a", "surrogate"},
		{"too deep", strings.Repeat("[", 129) + strings.Repeat("]", 129), strings.Repeat("/0", 128), "128"},
		{"a number too long", `{"a": [1, ` + strings.Repeat("9", 1001) + `]}`, "/a/1", "1000"},
		{"a number too large", `{"a": 1e1001}`, "/a", "1000"},
		{"a path that is not repeated, being long", `{"` + strings.Repeat("a", 600) + `": 1e1001}`, "", "1000"},
	} {
		for form, r := range map[string]*Rules{"no schema": {}, "schema": {Schemas: map[string]any{"t": true}}} {
			got := compiled(t, r).Check(&Request{Tool: "t", Arguments: []byte(test.text)})
			if got.Code() != CodeArgSchema || len(got.Violations()) != 1 {
				t.Errorf("%s, %s: got %+v", test.name, form, got)
				continue
			}
			v := got.Violations()[0]
			if v.Path != test.path || v.Constraint != "json" || v.SchemaPath != "" || v.Suggestion == "" || !strings.Contains(v.Message, test.message) {
				t.Errorf("%s, %s: got %+v, want path %q and %q in the message", test.name, form, v, test.path, test.message)
			}
			if strings.Contains(v.Message, "secret") {
				t.Errorf("%s, %s: the message repeats the text: %s", test.name, form, v.Message)
			}
		}
	}
}

func TestWhatOneSourceCallsWriteOnlyIsHiddenInAll(t *testing.T) {
	hidden := map[string]any{"properties": map[string]any{"pin": map[string]any{"writeOnly": true}}}
	rules := &Rules{
		Schemas: map[string]any{"t": hidden, "u": map[string]any{}, "byref": map[string]any{"items": map[string]any{"$ref": "#/$defs/d"}}},
		Defs:    map[string]any{"d": hidden},
		ArgConstraints: map[string]map[string]any{
			"t": {"pin": map[string]any{"enum": []any{"s3cret"}}}, "u": {"pin": map[string]any{"enum": []any{"s3cret"}}},
			"byref": {"pin": map[string]any{"const": "s3cret"}},
		},
		Constraints: []Constraint{{Tool: "t", Params: map[string]string{"pin": "^s3cret$"}, Pointer: "/constraints/0/params"}},
	}
	c := compiled(t, rules)
	for tool, shown := range map[string]bool{"t": false, "byref": false, "u": true} {
		got := c.Check(&Request{Tool: tool, Arguments: []byte(`{"pin": "x"}`)})
		if len(got.Violations()) == 0 || strings.Contains(fmt.Sprint(got.Violations()), "s3cret") != shown {
			t.Errorf("%s: got %+v", tool, got)
		}
	}
}

func TestObligationsRideOnAnAllowInTheOrderOfTheirKinds(t *testing.T) {
	scope := map[string]string{"scope_type": "resource", "scope_value": "*", "scope_match_mode": "exact"}
	redact := map[string]string{"redaction_target": "body", "redaction_mode": "mask", "redaction_scope": "request"}
	own := map[string]string{"scope_type": "path", "scope_value": "/srv", "scope_match_mode": "prefix"}
	classes := map[string][]string{"deploy": {"risky"}, "wipe": {"risky"}, "send": {"sink"}}
	for _, test := range []struct {
		name  string
		rules Rules
		tool  string
		want  []Obligation
	}{
		{"none", Rules{}, "deploy", nil},
		{"by name", Rules{Approval: Duty{Tools: []string{"dep*"}}}, "deploy", []Obligation{{"approval_required", "name", nil}}},
		{"by class", Rules{Approval: Duty{Classes: []string{"risky"}}}, "deploy", []Obligation{{"approval_required", "class", nil}}},
		{"by both", Rules{Approval: Duty{Tools: []string{"deploy"}, Classes: []string{"risky"}}}, "deploy", []Obligation{{"approval_required", "name+class", nil}}},
		{"by neither", Rules{Approval: Duty{Tools: []string{"x"}, Classes: []string{"y"}}}, "deploy", nil},
		{"of a tool that nothing names", Rules{Approval: Duty{Tools: []string{"*"}}}, "unnamed", []Obligation{{"approval_required", "name", nil}}},
		{"all three", Rules{Redact: Duty{Tools: []string{"*"}}, Scope: Duty{Classes: []string{"risky"}}, Approval: Duty{Tools: []string{"deploy"}}}, "deploy",
			[]Obligation{{"approval_required", "name", nil}, {"restrict_scope", "class", scope}, {"redact_args", "name", redact}}},
		{"a contract of its own", Rules{Scope: Duty{Tools: []string{"*"}, Contract: own}}, "x", []Obligation{{"restrict_scope", "name", own}}},
		{"an approval has no contract", Rules{Approval: Duty{Tools: []string{"*"}, Contract: own}}, "x", []Obligation{{"approval_required", "name", nil}}},
		{"a denial carries none", Rules{Deny: []string{"wipe"}, Approval: Duty{Tools: []string{"*"}}}, "wipe", nil},
	} {
		test.rules.Classes = classes
		got := compiled(t, &test.rules).Check(&Request{Tool: test.tool})
		if !reflect.DeepEqual(got.Obligations(), test.want) {
			t.Errorf("%s: got %+v, want %+v", test.name, got.Obligations(), test.want)
		}
	}
}

func TestOnlyABareAllowIsAdmitted(t *testing.T) {
	var none int64
	hash := strings.Repeat("0", 64)
	for _, test := range []struct {
		name  string
		rules Rules
		tool  string
		value any
		want  bool
	}{
		{"a schema that the value satisfies", Rules{}, "t", map[string]any{"n": 1.0}, true},
		{"a schema that it breaks", Rules{}, "t", map[string]any{"n": "x"}, false},
		{"a value that is no JSON", Rules{}, "t", map[string]any{"other": make(chan int)}, false},
		{"a tool without a schema", Rules{Unconstrained: Allow}, "free", map[string]any{}, false},
		{"an invalid name", Rules{}, "\xff", map[string]any{}, false},
		{"a denied tool", Rules{Deny: []string{"t"}}, "t", map[string]any{}, false},
		{"a tool that is not allowed", Rules{Allow: []string{}}, "t", map[string]any{}, false},
		{"a blocked tool", Rules{Blocked: func(string) bool { return true }}, "t", map[string]any{}, false},
		{"a pinned tool", Rules{Pins: map[string]Identity{"t": {"s", "t", hash, hash}}}, "t", map[string]any{}, false},
		{"no requests left", Rules{MaxRequests: &none}, "t", map[string]any{}, false},
		{"no calls left", Rules{MaxCalls: &none}, "t", map[string]any{}, false},
		{"an obligation", Rules{Approval: Duty{Tools: []string{"*"}}}, "t", map[string]any{}, false},
		{"a second source that does not compile", Rules{ArgConstraints: map[string]map[string]any{"t": {"n": "no schema"}}}, "t", map[string]any{}, false},
	} {
		test.rules.Schemas = map[string]any{"t": decoded(t, `{"type":"object","properties":{"n":{"type":"number"}}}`)}
		c, _ := Compile(&test.rules, Options{})
		if got := c.Admits(&Request{Tool: test.tool, Value: test.value, HasValue: true}); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
	if (*Checker)(nil).Admits(&Request{Tool: "t", Arguments: []byte("{}")}) {
		t.Error("a nil Checker admits")
	}
}

func TestNothingOfAResultIsSharedWithTheChecker(t *testing.T) {
	contract := map[string]string{"scope_type": "path"}
	rules := &Rules{
		Scope: Duty{Tools: []string{"*"}, Contract: contract}, Redact: Duty{Tools: []string{"*"}},
		RequireArgs: map[string][]string{"t": {"x"}},
	}
	c := compiled(t, rules)
	contract["scope_type"] = "changed"
	rules.Scope.Tools[0], rules.RequireArgs["t"][0] = "none", "y"
	allowed, denied := Request{Tool: "t", Arguments: []byte(`{"x":1}`)}, Request{Tool: "t"}
	first, refused := c.Check(&allowed), c.Check(&denied)
	if !first.Allowed || first.Obligations()[0].Contract["scope_type"] != "path" || len(refused.Violations()) != 1 {
		t.Fatalf("got %+v and %+v", first, refused)
	}
	for i := range first.Obligations() {
		first.Obligations()[i].Kind = "changed"
		for term := range first.Obligations()[i].Contract {
			first.Obligations()[i].Contract[term] = "changed"
		}
	}
	refused.Violations()[0] = Violation{}
	second, again := c.Check(&allowed), c.Check(&denied)
	for _, o := range second.Obligations() {
		for _, term := range o.Contract {
			if o.Kind == "changed" || term == "changed" {
				t.Errorf("a change of one result reached the next: %+v", o)
			}
		}
	}
	if again.Violations()[0].Constraint != "required" {
		t.Errorf("a change of one result reached the next: %+v", again.Violations())
	}
}

func TestChecksRunAtOnce(t *testing.T) {
	c := compiled(t, &Rules{
		Deny: []string{"*rm*"}, Scope: Duty{Tools: []string{"*"}},
		Schemas: map[string]any{"t": decoded(t, `{"type":"object","properties":{"n":{"maximum":3,"pattern":"^(?=a)a"}}}`)},
	})
	var group sync.WaitGroup
	for g := range 8 {
		group.Go(func() {
			for i := range 200 {
				n := (g + i) % 7
				got := c.Check(&Request{Tool: "t", Arguments: fmt.Appendf(nil, `{"n":%d}`, n)})
				if got.Allowed != (n <= 3) {
					t.Errorf("n = %d: %+v", n, got)
					return
				}
			}
		})
	}
	group.Wait()
}

func TestAStoppedCheckDenies(t *testing.T) {
	c := compiled(t, &Rules{Schemas: map[string]any{"t": decoded(t, `{"type":"object"}`)}})
	var stop atomic.Bool
	req := Request{Tool: "t", Stop: &stop}
	if got := c.Check(&req); !got.Allowed {
		t.Fatalf("before the stop: %+v", got)
	}
	stop.Store(true)
	if got := c.Check(&req); got.Code() != CodeLimitExceeded {
		t.Errorf("after the stop: %+v", got)
	}
}

func TestABudgetThatIsUsedUpDenies(t *testing.T) {
	items := []byte(`[` + strings.Repeat("1,", 999) + `1]`)
	for name, schemas := range map[string]string{
		"in the open":  `{"items":{"maximum":3}}`,
		"under not":    `{"not":{"items":{"maximum":0}}}`,
		"under if":     `{"if":{"items":{"maximum":0}},"else":true}`,
		"under oneOf":  `{"oneOf":[{"items":{"maximum":0}},true]}`,
		"under anyOf":  `{"anyOf":[{"items":{"maximum":3}},true]}`,
		"with contain": `{"contains":{"minimum":2},"maxContains":3,"minContains":0}`,
	} {
		c, problems := Compile(&Rules{Schemas: map[string]any{"t": decoded(t, schemas)}}, Options{MaxSteps: 100})
		if len(problems) > 0 {
			t.Fatalf("%s: %+v", name, problems)
		}
		if got := c.Check(&Request{Tool: "t", Arguments: items}); got.Code() != CodeLimitExceeded || len(got.Violations()) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	// Denied already by one schema, a call stays denied for that.
	c, _ := Compile(&Rules{
		Schemas:        map[string]any{"t": decoded(t, `{"type":"object","maxProperties":0}`)},
		Constraints:    []Constraint{{"t", map[string]string{"p": "x"}, "/constraints/0/params"}},
		ArgConstraints: map[string]map[string]any{"t": {"a": decoded(t, `{"items":{"maximum":3}}`)}},
	}, Options{MaxSteps: 100})
	got := c.Check(&Request{Tool: "t", Arguments: []byte(`{"a":` + string(items) + `}`)})
	if got.Code() != CodeArgSchema || len(got.Violations()) == 0 {
		t.Errorf("denied already: %+v", got)
	}
}

// A model of the decision, as literal as it can be: every list is walked, every
// schema is a Go function.
type model struct {
	rules  Rules
	judges map[string]func(n int) bool // tool -> whether {"n": n} passes all its schemas
}

func (m *model) wants(req *Request, n int) (code, warning string) {
	r := &m.rules
	classes := r.Classes[req.Tool]
	inClass := func(list []string) bool {
		return slices.ContainsFunc(list, func(c string) bool { return slices.Contains(classes, c) })
	}
	pin, pinned := r.Pins[req.Tool]
	judge := m.judges[req.Tool]
	present := r.Allow != nil || r.AllowClasses != nil
	switch {
	case pinned && req.Identity != nil && *req.Identity != pin:
		return CodeToolDrift, ""
	case r.MaxRequests != nil && req.Requests > *r.MaxRequests, r.MaxCalls != nil && req.Calls > *r.MaxCalls:
		return CodeRateLimit, ""
	case loop(r.Deny, req.Tool), inClass(r.DenyClasses), r.Blocked(req.Tool):
		return CodeToolDenied, ""
	case present && !loop(r.Allow, req.Tool) && !inClass(r.AllowClasses):
		return CodeToolNotAllowed, ""
	case judge != nil && !judge(n):
		return CodeArgSchema, ""
	case judge == nil && r.Unconstrained == Deny:
		return CodeToolUnconstrained, ""
	case judge == nil && r.Unconstrained == Warn:
		return "", CodeToolUnconstrained
	case pinned && req.Identity == nil:
		return "", CodeToolPinUnverified
	}
	return "", ""
}

func TestACallIsAllowedOnlyIfEveryStepAllowsIt(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	tools := []string{"a", "b", "ab", "ba", "abc", "$defs"}
	texts := []string{"a", "b*", "*b", "*b*", "*", "a*b", "abc", "**a", "$*"}
	names := []string{"one", "two"}
	some := func(from []string) []string {
		if random.IntN(3) == 0 {
			return nil
		}
		list := []string{}
		for range random.IntN(3) {
			list = append(list, from[random.IntN(len(from))])
		}
		return list
	}
	few := func() *int64 {
		if random.IntN(4) > 0 {
			return nil
		}
		return ceiling(int64(random.IntN(4)))
	}
	seen := map[string]int{}
	for range 400 {
		m := model{judges: map[string]func(int) bool{}}
		blocked := some(tools)
		m.rules = Rules{
			Allow: some(texts), Deny: some(texts), AllowClasses: some(names), DenyClasses: some(names),
			Classes: map[string][]string{}, Pins: map[string]Identity{},
			Blocked:     func(tool string) bool { return slices.Contains(blocked, tool) },
			MaxRequests: few(), MaxCalls: few(), Unconstrained: Unconstrained(random.IntN(3)),
			Schemas: map[string]any{}, RequireArgs: map[string][]string{}, ArgConstraints: map[string]map[string]any{},
		}
		if random.IntN(2) == 0 {
			m.rules.Deny, m.rules.DenyClasses = nil, nil
		}
		for _, tool := range tools {
			m.rules.Classes[tool] = some(names)
			if random.IntN(4) == 0 {
				m.rules.Pins[tool] = Identity{"s", tool, hash, hash}
			}
			and := func(more func(int) bool) {
				if before := m.judges[tool]; before != nil {
					m.judges[tool] = func(n int) bool { return before(n) && more(n) }
				} else {
					m.judges[tool] = more
				}
			}
			if random.IntN(3) == 0 {
				m.rules.Schemas[tool] = map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"maximum": json.Number("5")}}}
				and(func(n int) bool { return n <= 5 })
			}
			if random.IntN(5) == 0 {
				m.rules.RequireArgs[tool] = [][]string{{"n"}, {"n", "m"}}[random.IntN(2)]
				two := len(m.rules.RequireArgs[tool]) == 2
				and(func(int) bool { return !two })
			}
			if random.IntN(4) == 0 {
				m.rules.ArgConstraints[tool] = map[string]any{"n": map[string]any{"minimum": json.Number("2")}, "m": false}
				and(func(n int) bool { return n >= 2 })
			}
		}
		c := compiled(t, &m.rules)
		for range 20 {
			tool := append(tools, "other")[random.IntN(len(tools)+1)]
			n := random.IntN(8)
			req := Request{Tool: tool, Arguments: fmt.Appendf(nil, `{"n":%d}`, n), Requests: 1 + int64(random.IntN(4)), Calls: 1 + int64(random.IntN(4))}
			if random.IntN(2) == 0 {
				req.Arguments, req.HasValue, req.Value = nil, true, map[string]any{"n": json.Number(fmt.Sprint(n))}
			}
			if random.IntN(2) == 0 {
				req.Identity = &Identity{[]string{"s", "other"}[random.IntN(2)], tool, hash, hash}
			}
			code, warning := m.wants(&req, n)
			seen[code+warning]++
			got := c.Check(&req)
			if got.Allowed != (code == "") || got.Code() != code || got.WarningCode() != warning {
				t.Fatalf("rules %+v, blocked %q, request %+v: got code %q and warning %q, want %q and %q", m.rules, blocked, req, got.Code(), got.WarningCode(), code, warning)
			}
			if c.Admits(&req) {
				seen["admitted"]++
				if !got.Allowed || warning != "" || len(got.Obligations()) > 0 {
					t.Fatalf("rules %+v, blocked %q, request %+v: admitted, with code %q, warning %q and obligations %v", m.rules, blocked, req, code, warning, got.Obligations())
				}
			}
		}
	}
	for _, code := range []string{"", "admitted", CodeToolDrift, CodeRateLimit, CodeToolDenied, CodeToolNotAllowed, CodeArgSchema, CodeToolUnconstrained, CodeToolPinUnverified} {
		if seen[code] < 30 {
			t.Errorf("only %d calls came to %q: the samples are one-sided", seen[code], code)
		}
	}
}

// Whatever the bytes are: there is an answer, it is the one that the decoded
// value has, and text that the strict reader refuses is never allowed.
func FuzzCheck(f *testing.F) {
	c := compiled(f, &Rules{
		Allow: []string{"pay", "open*", "*\xc3\xa9"}, Deny: []string{"*admin*"}, Unconstrained: Allow,
		Schemas: map[string]any{"pay": decoded(f, `{"type":"object","additionalProperties":false,"required":["amount"],"properties":{
			"amount":{"type":"number","maximum":30,"multipleOf":0.01},"memo":{"type":"string","maxLength":10,"pattern":"^[a-z]*$"},
			"tags":{"type":"array","items":{"enum":["a","b",1,null]},"uniqueItems":true}}}`)},
		RequireArgs:    map[string][]string{"pay": {"amount"}},
		ArgConstraints: map[string]map[string]any{"pay": {"amount": decoded(f, `{"minimum":0}`)}},
	})
	f.Add("pay", []byte(`{"amount":19.99,"memo":"lunch","tags":["a",1,null]}`))
	f.Add("pay", []byte(`{"amount":1,"amount":2}`))
	f.Add("pay", []byte(`{"amount":1e400}`))
	f.Add("open_door", []byte(` {} `))
	f.Add("openadmin", []byte(`{}`))
	f.Add("caf\xc3\xa9", []byte(`[]`))
	f.Add("", []byte(nil))
	f.Fuzz(func(t *testing.T, tool string, text []byte) {
		if text == nil {
			text = []byte{}
		}
		got := c.Check(&Request{Tool: tool, Arguments: text})
		if got.Allowed != (got.Code() == "") {
			t.Fatalf("allowed %v with code %q", got.Allowed, got.Code())
		}
		value, err := strictjson.Decode(text)
		if err != nil {
			if got.Allowed {
				t.Fatalf("%q is allowed with arguments that do not read: %v", tool, err)
			}
			return
		}
		if again := c.Check(&Request{Tool: tool, Value: value, HasValue: true}); !reflect.DeepEqual(got, again) {
			t.Fatalf("the text is judged %+v, its value %+v", got, again)
		}
	})
}

func TestAnAllowAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, and so allocate")
	}
	c := compiled(t, &Rules{
		Allow: []string{"pay", "read_*", "*_x", "*y*"}, Deny: []string{"*admin*"},
		Pins:        map[string]Identity{"pinned": {"s", "pinned", hash, hash}},
		Blocked:     func(tool string) bool { return tool == "rm" },
		MaxRequests: ceiling(10),
		Approval:    Duty{Tools: []string{"deploy*"}},
		Schemas: map[string]any{"pay": decoded(t, `{"type":"object","additionalProperties":false,"required":["amount"],
			"properties":{"amount":{"type":"number","maximum":30},"memo":{"type":"string","maxLength":10}}}`)},
		RequireArgs: map[string][]string{"pay": {"amount"}},
	})
	identity := Identity{"s", "pinned", hash, hash}
	for _, test := range []struct {
		name string
		req  Request
	}{
		{"without a schema, with a warning", Request{Tool: "read_file", Arguments: []byte(`{"path":"/srv"}`)}},
		{"without arguments", Request{Tool: "a_x"}},
		{"pinned", Request{Tool: "y", Identity: &identity}},
		{"with two schemas", Request{Tool: "pay", Arguments: []byte(`{"amount": 12, "memo": "lunch"}`)}},
		{"a value with two schemas", Request{Tool: "pay", HasValue: true, Value: map[string]any{"amount": json.Number("12")}}},
	} {
		if got := c.Check(&test.req); !got.Allowed {
			t.Fatalf("%s: %+v", test.name, got)
		}
		if n := testing.AllocsPerRun(200, func() { c.Check(&test.req) }); n != 0 {
			t.Errorf("%s: Check allocates %v times", test.name, n)
		}
	}
	for _, name := range []string{"pay", "read_file", "rm", "admin", "none"} {
		if n := testing.AllocsPerRun(200, func() { c.CheckName(name) }); n != 0 {
			t.Errorf("CheckName(%q) allocates %v times", name, n)
		}
	}
}

func BenchmarkCheckName(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		denied := make([]string, n)
		for i := range denied {
			denied[i] = fmt.Sprintf("blocked_tool_%06d", i)
		}
		c := compiled(b, &Rules{Deny: denied})
		b.Run(fmt.Sprintf("denied/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if c.CheckName(denied[i%n]) == "" {
					b.Fatal("allowed")
				}
			}
		})
	}
	for _, n := range []int{10, 1_000, 100_000} {
		c := compiled(b, &Rules{Deny: manyPatterns(n)})
		b.Run(fmt.Sprintf("patterns/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c.CheckName(unmatched) != "" {
					b.Fatal("denied")
				}
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	discount := decoded(b, `{"type":"object","additionalProperties":false,"required":["percent"],
		"properties":{"percent":{"type":"number","minimum":0,"maximum":30},"reason":{"type":"string","maxLength":100}}}`)
	c := compiled(b, &Rules{Allow: []string{"*"}, Deny: manyPatterns(1_000), Schemas: map[string]any{"discount": discount}, Unconstrained: Allow})
	for _, test := range []struct {
		name    string
		req     Request
		allowed bool
	}{
		{"unconstrained", Request{Tool: unmatched, Arguments: []byte(`{"city":"Oslo"}`)}, true},
		{"schema/allow", Request{Tool: "discount", Arguments: []byte(`{"percent": 15, "reason": "loyal customer"}`)}, true},
		{"schema/deny", Request{Tool: "discount", Arguments: []byte(`{"percent": 45, "reason": "loyal customer"}`)}, false},
		{"denied", Request{Tool: "exact_000000"}, false},
	} {
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c.Check(&test.req).Allowed != test.allowed {
					b.Fatal("the wrong answer")
				}
			}
		})
	}
}

func TestProblemsOfManyToolsThatReachOneFaultyDefinitionAreFew(t *testing.T) {
	faulty := map[string]any{}
	for i := range 100 {
		faulty[fmt.Sprintf("keyword%d", i)] = true
	}
	r := &Rules{Defs: map[string]any{"faulty": faulty}, Schemas: map[string]any{}}
	const tools = 500
	for i := range tools {
		r.Schemas[fmt.Sprintf("t%d", i)] = map[string]any{"$ref": "#/$defs/faulty"}
	}
	_, problems := Compile(r, Options{})
	named := map[string]bool{}
	for _, p := range problems {
		named[p.Tool] = true
	}
	if len(named) != tools || len(problems) > 2000+tools {
		t.Errorf("%d problems of %d tools", len(problems), len(named))
	}
}

func TestProblemsOfManyToolsAreInTheOrderOfTheirNames(t *testing.T) {
	r := &Rules{Schemas: map[string]any{}}
	var want []string
	for i := range 300 {
		name := fmt.Sprintf("t%03d", i)
		r.Schemas[name] = map[string]any{"pattern": "^a{1,3}" + name + "$", "type": "string"}
		if i%3 == 0 {
			r.Schemas[name] = map[string]any{"maxium": true, "type": "nothing"}
			want = append(want, "/schemas/"+name+"/maxium", "/schemas/"+name+"/type")
		}
	}
	for range 5 {
		_, problems := Compile(r, Options{})
		var got []string
		for _, p := range problems {
			got = append(got, p.Path)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %v", got)
		}
	}
}
