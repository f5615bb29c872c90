package assay_test

import (
	"encoding/json"
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
