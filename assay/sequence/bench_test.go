package sequence_test

import (
	"fmt"
	"testing"

	"example.com/assay/assay/sequence"
)

func compile(tb testing.TB, aliases map[string][]string, rules ...sequence.Rule) *sequence.Checker {
	tb.Helper()
	c, problems := sequence.Compile(rules, aliases, sequence.Options{})
	if problems != nil {
		tb.Fatal(problems)
	}
	return c
}

// history is n calls that no rule forbids, and a next one.
func history(n int, next string) []string {
	names := make([]string, 0, n+1)
	for i := range n {
		names = append(names, []string{"search", "read_file", "verify_identity", "list_orders"}[i%4])
	}
	return append(names, next)
}

// handWritten is what a program without a policy would do.
func handWritten(names []string) bool {
	first, then := -1, -1
	for i, name := range names {
		if name == "verify_identity" && first < 0 {
			first = i
		}
		if name == "delete_customer" && then < 0 {
			then = i
		}
	}
	return then < 0 || first >= 0 && first < then
}

func BenchmarkBefore(b *testing.B) {
	rule := sequence.Before{First: name("verify_identity"), Then: name("delete_customer")}
	c := compile(b, nil, rule)
	for _, n := range []int{0, 10, 1000, 2000} {
		for _, end := range []string{"delete_customer", "search"} {
			names := history(n, end)
			if n == 0 {
				names[0] = "search"
			}
			b.Run(fmt.Sprintf("policy/%d/%s", n, end), func(b *testing.B) {
				b.ReportAllocs()
				budget := sequence.NewBudget(1<<40, 0, nil)
				for b.Loop() {
					if !c.Check(sequence.Trace{Names: names}, budget).Allowed {
						b.Fatal("denied")
					}
				}
			})
			b.Run(fmt.Sprintf("hand-written/%d/%s", n, end), func(b *testing.B) {
				for b.Loop() {
					if !handWritten(names) {
						b.Fatal("denied")
					}
				}
			})
		}
	}
}

// fiftyRules are of every kind that looks at names, each about tools of its own.
func fiftyRules(n int) []sequence.Rule {
	var rules []sequence.Rule
	for i := range n {
		a, b := name(fmt.Sprintf("tool_%d_a", i)), name(fmt.Sprintf("tool_%d_b", i))
		switch i % 6 {
		case 0:
			rules = append(rules, sequence.Before{First: a, Then: b})
		case 1:
			rules = append(rules, sequence.MaxCalls{Tool: a, Max: 1_000_000})
		case 2:
			rules = append(rules, sequence.After{Trigger: a, Then: b, Within: 1_000_000})
		case 3:
			rules = append(rules, sequence.NeverAfter{Trigger: b, Forbidden: a})
		case 4:
			rules = append(rules, sequence.Sequence{Tools: []sequence.Selector{a, b}})
		case 5:
			rules = append(rules, sequence.Eventually{Tool: a, Within: 1_000_000})
		}
	}
	return rules
}

func BenchmarkFiftyRules(b *testing.B) {
	for _, tools := range []string{"mentioned", "others"} {
		c := compile(b, nil, fiftyRules(50)...)
		var names []string
		for i := range 2001 {
			if tools == "mentioned" {
				names = append(names, fmt.Sprintf("tool_%d_a", i%50))
			} else {
				names = append(names, fmt.Sprintf("work_%d_x", i%50))
			}
		}
		b.Run(tools, func(b *testing.B) {
			b.ReportAllocs()
			budget := sequence.NewBudget(1<<40, 0, nil)
			for b.Loop() {
				if r := c.Check(sequence.Trace{Names: names}, budget); !r.Allowed {
					b.Fatal(show(r))
				}
			}
		})
	}
}

func BenchmarkMonitorNext(b *testing.B) {
	a, then := name("verify_identity"), name("delete_customer")
	for _, r := range []sequence.Rule{
		sequence.Require{Tool: a},
		sequence.Before{First: a, Then: then},
		sequence.After{Trigger: a, Then: then, Within: 5},
		sequence.After{Trigger: a, Then: then, Within: 1},
		sequence.NeverAfter{Trigger: then, Forbidden: a},
		sequence.Eventually{Tool: a, Within: 5},
		sequence.MaxCalls{Tool: then, Max: 1_000_000},
		sequence.Sequence{Tools: []sequence.Selector{a, then}},
		sequence.Sequence{Tools: []sequence.Selector{a}, Strict: true},
		sequence.Blocklist{Pattern: "drop_"},
	} {
		for _, n := range []int{1, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", r.ID(), n), func(b *testing.B) {
				m := compile(b, nil, r).NewMonitor()
				for i := range n {
					call := sequence.Call{Tool: "search"}
					if i == 0 && r.Type() != "after" && r.Type() != "never_after" || i == n-1 && r.Type() == "after" {
						call.Tool = "verify_identity"
					}
					m.Record(call, nil)
				}
				budget := sequence.NewBudget(1<<40, 0, nil)
				call := sequence.Call{Tool: "delete_customer"}
				b.ReportAllocs()
				for b.Loop() {
					if !m.Next(call, budget).Allowed {
						b.Fatal("denied")
					}
				}
			})
		}
	}
	b.Run("1000 other rules", func(b *testing.B) {
		rules := append(fiftyRules(1000), sequence.Before{First: a, Then: then})
		m := compile(b, nil, rules...).NewMonitor()
		m.Record(sequence.Call{Tool: "verify_identity"}, nil)
		budget := sequence.NewBudget(1<<40, 0, nil)
		b.ReportAllocs()
		for b.Loop() {
			if !m.Next(sequence.Call{Tool: "delete_customer"}, budget).Allowed {
				b.Fatal("denied")
			}
		}
	})
}

func BenchmarkMonitorRecord(b *testing.B) {
	m := compile(b, nil, fiftyRules(50)...).NewMonitor()
	budget := sequence.NewBudget(1<<40, 0, nil)
	b.ReportAllocs()
	for b.Loop() {
		m.Record(sequence.Call{Tool: "tool_1_a"}, budget)
	}
}
