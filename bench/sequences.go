package main

import (
	"fmt"

	"example.com/assay/assay"
	"github.com/cedar-policy/cedar-go"
	"github.com/open-policy-agent/opa/v1/ast"
)

// The rule of sequenceRows.
const (
	first = "verify_identity"
	then  = "delete_customer"
)

// sequenceRows ask whether a call may follow a history that comes with the
// question.
func sequenceRows() []row {
	var rows []row
	for _, n := range []int{0, 10, 1_000, 2_000} {
		rows = append(rows, row{
			name:  fmt.Sprintf("before rule, one shot, history %s", thousands(n)),
			reach: reach{ratio: 2.5, allocs: true},
			make:  func() ([]contestant, error) { return beforeContestants(n) },
		})
	}
	return append(rows, row{
		name:  "50 before rules, one shot, history 2,000",
		reach: reach{ratio: 2.5, allocs: true},
		make:  fiftyContestants,
	})
}

// history returns n calls in which last comes at the end, so that nobody can
// stop looking early, and is not found before.
func history(n int, last string) []assay.Call {
	names := []string{"search_orders", "read_document", "list_invoices", "send_message", "update_tickets"}
	calls := make([]assay.Call, n)
	for i := range calls {
		calls[i].Tool = names[i%len(names)]
	}
	if n > 0 {
		calls[n-1].Tool = last
	}
	return calls
}

// policyOf parses a list of rules, each written as JSON.
func policyOf(rules ...map[string]any) (*assay.Policy, error) {
	return assay.Parse([]byte(jsonText(rules)), nil)
}

func beforeRule(first, then string) map[string]any {
	return map[string]any{"type": "before", "first": first, "then": then}
}

func beforeContestants(n int) ([]contestant, error) {
	policy, err := policyOf(beforeRule(first, then))
	if err != nil {
		return nil, err
	}
	verified, unverified := history(n, first), history(n, "search_orders")
	next := assay.Call{Tool: then}
	allowedNext := next
	if n == 0 {
		allowedNext.Tool = "search_orders"
	}

	// The peers are asked the easier question: whether the prerequisite stands
	// in the history, which is taken to have been checked call by call.
	rego, err := opa(fmt.Sprintf(`
default allow := false
allow if input.next != %q
allow if %q in input.history`, then, first), nil)
	if err != nil {
		return nil, err
	}
	program, err := celProgram(fmt.Sprintf("next != %q || %q in history", then, first), "next", "history")
	if err != nil {
		return nil, err
	}
	cedars, err := cedarPolicies(fmt.Sprintf(`permit(principal, action, resource);
		forbid(principal, action, resource == Tool::%q) unless { context.history.contains(%q) };`, then, first), nil)
	if err != nil {
		return nil, err
	}
	schema, err := santhoshSchema(fmt.Sprintf(`{"if": {"properties": {"next": {"const": %q}}},
		"then": {"properties": {"history": {"contains": {"const": %q}}}}}`, then, first))
	if err != nil {
		return nil, err
	}

	// question is one history and next call in everyone's own form.
	type question struct {
		rego   ast.Value
		cel    map[string]any
		names  []string
		next   string
		schema map[string]any
	}
	ask := func(calls []assay.Call, next assay.Call) question {
		names, values := make([]string, len(calls)), make([]any, len(calls))
		for i, c := range calls {
			names[i], values[i] = c.Tool, c.Tool
		}
		plain := map[string]any{"history": values, "next": next.Tool}
		return question{must(ast.InterfaceToValue(plain)), map[string]any{"history": names, "next": next.Tool}, names, next.Tool, plain}
	}
	yes, no := ask(verified, allowedNext), ask(unverified, next)
	peer := func(name string, decide func(q question) bool) contestant {
		return contestant{name: name, allow: func() bool { return decide(yes) }, deny: func() bool { return decide(no) }}
	}
	return []contestant{
		{
			name:  nameAssay,
			allow: func() bool { return assay.CheckSequence(policy, verified, allowedNext).Allowed },
			deny:  func() bool { return assay.CheckSequence(policy, unverified, next).Allowed },
		},
		{
			name:  nameHand,
			allow: func() bool { return handBefore(first, then, verified, allowedNext) },
			deny:  func() bool { return handBefore(first, then, unverified, next) },
		},
		peer(nameOPA, func(q question) bool { return rego(q.rego) }),
		peer(nameCEL, func(q question) bool { return program(q.cel) }),
		peer(nameSanthosh, func(q question) bool { return schema.Validate(q.schema) == nil }),
		peer(nameCedar, func(q question) bool {
			// Cedar has no list; its set is built of the history that came.
			values := make([]cedar.Value, len(q.names))
			for i, name := range q.names {
				values[i] = cedar.String(name)
			}
			return cedars(q.next, cedar.NewRecord(cedar.RecordMap{"history": cedar.NewSet(values...)}))
		}),
	}, nil
}

// handBefore is the rule as a loop. It stops at the first call that decides, and
// a name in the history that is not valid is one that matches nothing.
func handBefore(first, then string, history []assay.Call, next assay.Call) bool {
	if !validName(next.Tool) {
		return false
	}
	for i := range history {
		switch history[i].Tool {
		case first:
			return true
		case then:
			return false
		}
	}
	return next.Tool != then
}

func fiftyContestants() ([]contestant, error) {
	var rules []map[string]any
	var pairs [][2]string
	for i := range 50 {
		pair := [2]string{fmt.Sprintf("verify_step_%d", i), fmt.Sprintf("run_step_%d", i)}
		rules, pairs = append(rules, beforeRule(pair[0], pair[1])), append(pairs, pair)
	}
	policy, err := policyOf(rules...)
	if err != nil {
		return nil, err
	}
	verified, unverified := history(2_000, "verify_step_17"), history(2_000, "search_orders")
	next := assay.Call{Tool: "run_step_17"}
	hand := func(history []assay.Call) bool {
		for _, pair := range pairs {
			if !handBefore(pair[0], pair[1], history, next) {
				return false
			}
		}
		return true
	}
	return []contestant{
		{
			name:  nameAssay,
			allow: func() bool { return assay.CheckSequence(policy, verified, next).Allowed },
			deny:  func() bool { return assay.CheckSequence(policy, unverified, next).Allowed },
		},
		{
			name:  nameHand,
			allow: func() bool { return hand(verified) },
			deny:  func() bool { return hand(unverified) },
		},
	}, nil
}
