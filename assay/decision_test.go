package assay_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/assay/assay"
)

func TestADecisionAsJSON(t *testing.T) {
	p := mustParse(t, `{"schemas":{"pay":{"properties":{"sum":{"maximum":30}}}},"tools":{"approval_required":["pay"]}}`)
	for _, test := range []struct {
		name string
		d    assay.Decision
		want string
	}{
		{"the zero value", assay.Decision{}, `{"allowed":false}`},
		{"a denial", assay.CheckArgs(p, assay.Call{Tool: "pay", Arguments: []byte(`{"sum":31}`)}),
			`{"allowed":false,"code":"E_ARG_SCHEMA","reason":"the arguments break the policy's schema for the tool","violations":[{"path":"/sum","constraint":"maximum","message":"the number must be \u003c= 30","suggestion":"use a number \u003c= 30","schema_path":"/schemas/pay/properties/sum/maximum"}]}`},
		{"an allow with a duty", assay.CheckArgs(p, assay.Call{Tool: "pay", Arguments: []byte(`{"sum":30}`)}),
			`{"allowed":true,"obligations":[{"kind":"approval_required","source":"name"}]}`},
		{"an allow with a warning", assay.CheckArgs(p, assay.Call{Tool: "look"}),
			`{"allowed":true,"warning":{"code":"E_TOOL_UNCONSTRAINED","reason":"the policy has no schema for the tool: its arguments are not checked"}}`},
	} {
		if got, err := json.Marshal(test.d); err != nil || string(got) != test.want {
			t.Errorf("%s is %s, %v; want %s", test.name, got, err, test.want)
		}
	}
}

func TestADenialAsAnError(t *testing.T) {
	p := mustParse(t, `{"tools":{"deny":["rm"]},"schemas":{"pay":{"properties":{"sum":{"maximum":30},"to":{"type":"string"}},"required":["to"]}}}`)
	for _, test := range []struct{ tool, arguments, want string }{
		{"pay", `{"sum":31,"to":"x"}`, `assay: denied (E_ARG_SCHEMA): /sum: the number must be <= 30; use a number <= 30`},
		{"pay", `{"sum":31}`, `assay: denied (E_ARG_SCHEMA): missing the property "to"; add the property "to" (and 1 more)`},
		{"rm", `{}`, `assay: denied (E_TOOL_DENIED): a deny pattern matches the tool's name`},
	} {
		d := assay.CheckArgs(p, assay.Call{Tool: test.tool, Arguments: []byte(test.arguments)})
		if err := d.Err(); err == nil || err.Error() != test.want {
			t.Errorf("%s %s: %v, want %s", test.tool, test.arguments, err, test.want)
		}
	}
	if got, want := (assay.Decision{}).Err().Error(), "assay: denied"; got != want {
		t.Errorf("the zero value: %s", got)
	}
	d := assay.CheckArgs(p, assay.Call{Tool: "pay", Arguments: []byte(`{"sum":31}`)})
	d.Truncated = true
	if got := d.Err().Error(); !strings.HasSuffix(got, " (and more)") {
		t.Error(got)
	}
}
