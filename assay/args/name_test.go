package args

import (
	"reflect"
	"testing"
)

func TestANameAloneAllowsOnlyWhatCheckAllows(t *testing.T) {
	one, none := int64(1), int64(0)
	for _, test := range []struct {
		name  string
		rules Rules
		tool  string
		ok    bool
	}{
		{"no rules", Rules{}, "t", true},
		{"no rules, no name", Rules{}, "", false},
		{"no rules, no UTF-8", Rules{}, "\xff", false},
		{"tools without a schema are allowed", Rules{Unconstrained: Allow}, "t", true},
		{"tools without a schema are denied", Rules{Unconstrained: Deny}, "t", false},
		{"a schema", Rules{Schemas: map[string]any{"t": true}}, "t", false},
		{"a schema of another tool", Rules{Schemas: map[string]any{"u": true}}, "t", true},
		{"allowed by name", Rules{Allow: []string{"t"}}, "t", true},
		{"allowed by pattern", Rules{Allow: []string{"t*"}}, "t", true},
		{"allowed by pattern, and expected", Rules{Allow: []string{"e*"}}, "expected", true},
		{"not allowed", Rules{Allow: []string{"u"}}, "t", false},
		{"not allowed, and expected", Rules{Allow: []string{"u"}}, "expected", false},
		{"denied by pattern, and expected", Rules{Deny: []string{"e*"}}, "expected", false},
		{"denied by the blocklist, and expected", Rules{Blocked: func(tool string) bool { return tool == "expected" }}, "expected", false},
		{"denied by class, and expected", Rules{DenyClasses: []string{"c"}, Classes: map[string][]string{"expected": {"c"}}}, "expected", false},
		{"a pin", Rules{Pins: map[string]Identity{"t": {}}}, "t", false},
		{"within the limits", Rules{MaxRequests: &one, MaxCalls: &one}, "t", true},
		{"over the limit of requests", Rules{MaxRequests: &none}, "t", false},
		{"over the limit of calls", Rules{MaxCalls: &none}, "t", false},
		{"obligations", Rules{Approval: Duty{Tools: []string{"t"}}}, "t", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, _ := Compile(&test.rules, Options{})
			c, _ := Compile(&test.rules, Options{Expect: []string{"expected", "", "\xff"}})
			r := Request{Tool: test.tool, Requests: 1, Calls: 1}
			want := c.Check(&r)
			if plain := before.Check(&r); !reflect.DeepEqual(plain, want) {
				t.Errorf("to expect a name changes the answer from %+v to %+v", plain, want)
			}
			ok, code, reason := c.AllowsName(test.tool, 1, 1)
			if ok != test.ok {
				t.Errorf("the name alone allows: %v, want %v", ok, test.ok)
			}
			if ok && (!want.Allowed || code != want.WarningCode() || reason != want.WarningReason() || len(want.Obligations()) > 0) {
				t.Errorf("the name alone allows with %q, %q; Check says %+v", code, reason, want)
			}
		})
	}
	if ok, _, _ := (*Checker)(nil).AllowsName("t", 1, 1); ok {
		t.Error("a nil checker allows a name")
	}
}
