package assay_test

import (
	"testing"

	"example.com/assay/assay"
)

// runs are one rule of each kind, with the calls at the ends of a run of it and
// the one that comes next and is allowed.
var runs = []struct{ kind, rule, first, last, next string }{
	{"require", "{type: require, tool: verify_identity}", "verify_identity", "", "search_orders"},
	{"before", "{type: before, first: verify_identity, then: delete_customer}", "verify_identity", "", "delete_customer"},
	{"after", "{type: after, trigger: open_ticket, then: close_ticket, within: 5}", "", "open_ticket", "close_ticket"},
	{"after, in time", "{type: after, trigger: open_ticket, then: close_ticket}", "", "open_ticket", "close_ticket"},
	{"never_after", "{type: never_after, trigger: verify_identity, forbidden: delete_customer}", "", "", "delete_customer"},
	{"eventually", "{type: eventually, tool: verify_identity, within: 2}", "verify_identity", "", "search_orders"},
	{"max_calls", "{type: max_calls, tool: delete_customer, max: 1000000}", "", "", "delete_customer"},
	{"sequence", "{type: sequence, tools: [verify_identity, delete_customer]}", "verify_identity", "", "delete_customer"},
	{"blocklist", "{type: blocklist, pattern: drop_}", "", "", "delete_customer"},
}

func BenchmarkSession(b *testing.B) {
	for form, head := range map[string]string{
		"list":    "",
		"mapping": "sequences: ",
		"lists":   "tools: {allow: ['*_*'], deny: [drop_table, 'rm*']}\nlimits: {max_tool_calls_total: 1000000000}\nsequences: ",
	} {
		for _, r := range runs {
			b.Run(form+"/"+r.kind, func(b *testing.B) {
				s := assay.NewSession(mustParse(b, head+"["+r.rule+"]"))
				for i := range 1000 {
					tool := "search_orders"
					switch {
					case i == 0 && r.first != "":
						tool = r.first
					case i == 999 && r.last != "":
						tool = r.last
					}
					_, p := s.Begin(assay.Call{Tool: tool})
					p.Done()
				}
				b.Run("Next", func(b *testing.B) {
					b.ReportAllocs()
					for range b.N {
						if !s.Next(assay.Call{Tool: r.next}).Allowed {
							b.Fatal("denied")
						}
					}
				})
				b.Run("Begin and Cancel", func(b *testing.B) {
					b.ReportAllocs()
					for range b.N {
						_, p := s.Begin(assay.Call{Tool: r.next})
						p.Cancel()
					}
				})
				if r.last != "" {
					return // the next call answers what is open, so it is the end
				}
				b.Run("Begin and Done", func(b *testing.B) {
					b.ReportAllocs()
					for range b.N {
						_, p := s.Begin(assay.Call{Tool: r.next})
						p.Done()
					}
				})
			})
		}
	}
}
