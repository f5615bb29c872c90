package assay_test

import (
	"testing"

	"example.com/assay/assay"
)

// BenchmarkSmall is what a decision costs where the rules have little to do, so
// that what surrounds them counts.
func BenchmarkSmall(b *testing.B) {
	p := mustParse(b, `
schemas:
  apply_discount:
    {type: object, properties: {percent: {type: number, minimum: 0, maximum: 30}}, required: [percent], additionalProperties: false}
tools: {deny: [delete_customer, drop_table, send_money], allow: ["*"]}
`)
	names := mustParse(b, `blocklist: [delete_customer, drop_table, send_money]`)
	text, value := []byte(`{"percent": 15}`), map[string]any{"percent": 15.0}
	for _, bb := range []struct {
		name string
		want bool
		ask  func() assay.Decision
	}{
		{"raw", true, func() assay.Decision {
			return assay.CheckArgs(p, assay.Call{Tool: "apply_discount", Arguments: text})
		}},
		{"decoded", true, func() assay.Decision { return assay.CheckArgsValue(p, "apply_discount", value) }},
		{"name denied", false, func() assay.Decision {
			return assay.CheckArgs(p, assay.Call{Tool: "delete_customer", Arguments: text})
		}},
		{"name without a schema", true, func() assay.Decision {
			return assay.CheckArgs(p, assay.Call{Tool: "list_customers"})
		}},
		{"name blocked", false, func() assay.Decision { return assay.PolicyDecide(names, "delete_customer") }},
		{"name not blocked", true, func() assay.Decision { return assay.PolicyDecide(names, "list_customers") }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if bb.ask().Allowed != bb.want {
					b.Fatal("another answer")
				}
			}
		})
	}
}
