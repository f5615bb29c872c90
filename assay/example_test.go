package assay_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing/fstest"

	"example.com/assay/assay"
	"example.com/assay/assay/sequence"
)

// The whole story: a policy is parsed once; a call is decided by what came
// before it and by its arguments; a denial says what would pass. Only the
// argument check brings obligations, so it is asked last: its answer is the one
// that is left when both allow.
func Example() {
	policy, err := assay.Parse([]byte(`
tools:
  allow: [apply_discount, verify_customer]
  approval_required: [apply_discount]
schemas:
  apply_discount:
    type: object
    required: [percent]
    additionalProperties: false
    properties:
      percent: {type: number, minimum: 0, maximum: 30}
sequences:
  - {type: before, first: verify_customer, then: apply_discount}
`), &assay.Options{Strict: true}) // a schema that does not compile is an error here
	if err != nil {
		fmt.Println(err)
		return
	}

	var history []assay.Call
	try := func(call assay.Call, approved bool) {
		d := assay.CheckSequence(policy, history, call)
		if d.Allowed {
			d = assay.CheckArgs(policy, call)
		}
		var duties *assay.ObligationsError
		switch err := d.Err(); {
		case errors.As(err, &duties) && !approved:
			fmt.Println(call.Tool, "has to wait:", d.Obligations[0].Kind)
			return
		case errors.As(err, &duties):
			fmt.Println(call.Tool, "was approved and may run")
		case err != nil:
			fmt.Println(call.Tool, "is denied:", d.Code)
			for _, v := range d.Violations {
				fmt.Printf("  %s: %s\n", v.Constraint, v.Suggestion)
			}
			return
		default:
			fmt.Println(call.Tool, "may run")
		}
		history = append(history, call)
	}
	try(assay.Call{Tool: "apply_discount", Arguments: json.RawMessage(`{"percent": 30}`)}, true)
	try(assay.Call{Tool: "verify_customer"}, false)
	try(assay.Call{Tool: "apply_discount", Arguments: json.RawMessage(`{"percent": 50}`)}, true)
	try(assay.Call{Tool: "apply_discount", Arguments: json.RawMessage(`{"percent": 30}`)}, false)
	try(assay.Call{Tool: "apply_discount", Arguments: json.RawMessage(`{"percent": 30}`)}, true)
	// Output:
	// apply_discount is denied: E_SEQUENCE
	//   before: call "verify_customer" before "apply_discount"
	// verify_customer may run
	// apply_discount is denied: E_ARG_SCHEMA
	//   maximum: use a number <= 30
	// apply_discount has to wait: approval_required
	// apply_discount was approved and may run
}

func ExampleParse() {
	_, err := assay.Parse([]byte("tools:\n  deney: [rm]\n"), nil)
	fmt.Println(err)

	var refused *assay.PolicyError
	if errors.As(err, &refused) {
		p := refused.Problems[0]
		fmt.Println(refused.Kind, p.Path, p.Line, p.Column)
	}
	// Output:
	// assay: the policy is refused (structure): line 2, column 3: /tools/deney: unknown key "deney"; did you mean "deny"?
	// structure /tools/deney 2 3
}

func ExampleParseFS() {
	files := fstest.MapFS{"policy.yaml": {Data: []byte("blocklist: [rm]")}}
	policy, err := assay.ParseFS(files, "policy.yaml", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(assay.PolicyDecide(policy, "rm").Code)
	// Output: E_TOOL_BLOCKED
}

func ExampleCompile() {
	policy, err := assay.Compile(&assay.Spec{
		Tools: &assay.Tools{Allow: []string{"read_*", "pay"}},
		Schemas: map[string]any{
			"pay": map[string]any{
				"type":       "object",
				"required":   []string{"amount"},
				"properties": map[string]any{"amount": map[string]any{"type": "number", "maximum": 100}},
			},
		},
		Sequences: []sequence.Rule{
			sequence.MaxCalls{Tool: sequence.Selector{Tool: "pay"}, Max: 1},
		},
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := json.Marshal(policy.Spec())
	fmt.Println(string(text))
	// Output: {"tools":{"allow":["read_*","pay"]},"schemas":{"pay":{"properties":{"amount":{"maximum":100,"type":"number"}},"required":["amount"],"type":"object"}},"sequences":[{"type":"max_calls","tool":"pay","max":1}]}
}

func ExamplePolicy_Problems() {
	policy, err := assay.Parse([]byte("schemas:\n  pay: {properties: {amount: {maxium: 30}}}\n"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range policy.Problems() {
		fmt.Println(p.Tool, "line", p.Line, p.Path)
	}
	fmt.Println(assay.CheckArgs(policy, assay.Call{Tool: "pay"}).Code)
	// Output:
	// pay line 2 /schemas/pay/properties/amount/maxium
	// E_SCHEMA_COMPILE
}

func ExampleCheckArgs() {
	policy, err := assay.Parse([]byte("schemas: {pay: {properties: {amount: {maximum: 30}}}}"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	d := assay.CheckArgs(policy, assay.Call{Tool: "pay", Arguments: json.RawMessage(`{"amount": 31}`)})
	fmt.Println(d.Allowed, d.Code)
	for _, v := range d.Violations {
		fmt.Println(v.Path, v.Constraint, v.SchemaPath)
	}
	// Output:
	// false E_ARG_SCHEMA
	// /amount maximum /schemas/pay/properties/amount/maximum
}

func ExampleCheckArgsValue() {
	policy, err := assay.Parse([]byte("schemas: {pay: {properties: {amount: {multipleOf: 0.01}}}}"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	// A float64 is its shortest decimal, so 19.99 is the number that it looks like.
	fmt.Println(assay.CheckArgsValue(policy, "pay", map[string]any{"amount": 19.99}).Allowed)
	fmt.Println(assay.CheckArgsValue(policy, "pay", map[string]any{"amount": "19.99"}).Allowed)
	fmt.Println(assay.CheckArgsValue(policy, "pay", struct{ Amount float64 }{19.99}).Code)
	// Output:
	// true
	// true
	// E_VALUE
}

func ExampleCheckSequence() {
	policy, err := assay.Parse([]byte("[{type: before, first: verify, then: delete}]"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	call := assay.Call{Tool: "delete"}
	d := assay.CheckSequence(policy, nil, call)
	fmt.Println(d.Allowed, d.Violations[0].RuleID)
	fmt.Println(assay.CheckSequence(policy, []assay.Call{{Tool: "verify"}}, call).Allowed)
	// Output:
	// false before:verify->delete
	// true
}

func ExamplePolicyDecide() {
	policy, err := assay.Parse([]byte("blocklist: [rm, 'delete_*']"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range []string{"rm", "ls", "delete_x", "delete_*"} {
		fmt.Println(tool, assay.PolicyDecide(policy, tool).Allowed)
	}
	// Output:
	// rm false
	// ls true
	// delete_x true
	// delete_* false
}

func ExampleDecision_Err() {
	policy, err := assay.Parse([]byte("tools: {approval_required: [pay], deny: [wipe]}"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tool := range []string{"read", "pay", "wipe"} {
		err := assay.CheckArgs(policy, assay.Call{Tool: tool}).Err()
		var duties *assay.ObligationsError
		switch {
		case err == nil:
			fmt.Println(tool, "may run")
		case errors.As(err, &duties):
			fmt.Println(tool, "may run after", duties.Decision.Obligations[0].Kind)
		default:
			fmt.Println(tool, "must not run")
		}
	}
	// Output:
	// read may run
	// pay may run after approval_required
	// wipe must not run
}

func ExampleNewSession() {
	policy, err := assay.Parse([]byte(`
tools: {approval_required: [pay]}
sequences:
  - {type: before, first: verify, then: pay}
  - {type: max_calls, tool: pay, max: 1}
`), &assay.Options{Strict: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	session := assay.NewSession(policy)
	fmt.Println(session.Available())

	try := func(tool string, approved bool) {
		d, pending := session.Begin(assay.Call{Tool: tool})
		defer pending.Cancel() // whatever does not run gives its place back; after Done it does nothing
		var duties *assay.ObligationsError
		if err := d.Err(); errors.As(err, &duties) {
			if !approved {
				fmt.Println(tool, "is refused by a person")
				return
			}
		} else if err != nil {
			fmt.Println(tool, "is denied:", d.Violations[0].Constraint)
			return
		}
		fmt.Println(tool, "runs")
		pending.Done()
	}
	try("pay", true)
	try("verify", false)
	try("pay", false)
	try("pay", true)
	try("pay", true)
	// Output:
	// [verify]
	// pay is denied: before
	// verify runs
	// pay is refused by a person
	// pay runs
	// pay is denied: max_calls
}

func ExampleRestore() {
	policy, err := assay.Parse([]byte("limits: {max_tool_calls_total: 1}"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	session := assay.NewSession(policy)
	_, pending := session.Begin(assay.Call{Tool: "pay"})
	snapshot, err := session.Snapshot() // kept before the call runs, so that a crash cannot give it away twice
	if err != nil {
		fmt.Println(err)
		return
	}
	pending.Done()

	again, err := assay.Restore(policy, snapshot)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(again.Next(assay.Call{Tool: "pay"}).Code)
	// Output: E_RATE_LIMIT
}
