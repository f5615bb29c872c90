package main

import (
	"fmt"
	"unicode/utf8"

	"example.com/assay/assay"
	"github.com/cedar-policy/cedar-go"
	"github.com/open-policy-agent/opa/v1/ast"
)

var (
	verbs = []string{"get", "list", "create", "update", "delete", "search", "export", "merge", "archive", "approve"}
	nouns = []string{"customer", "invoice", "order", "ticket", "refund", "document", "calendar_event", "branch", "secret", "report"}
)

// toolNames returns n different names, such as list_refund_17.
func toolNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s_%s_%d", verbs[i%10], nouns[i/10%10], i)
	}
	return names
}

// freeNames returns names that look like those of toolNames and are none.
func freeNames() []string {
	names := toolNames(64)
	for i := range names {
		names[i] += "b"
	}
	return names
}

// validName is what a strict program asks of every name.
func validName(tool string) bool { return tool != "" && utf8.ValidString(tool) }

// nameRows ask whether a tool's name is on a list of blocked ones.
func nameRows() []row {
	var rows []row
	for _, n := range []int{10, 1_000, 100_000} {
		rows = append(rows, row{
			name:  fmt.Sprintf("name among %s blocked", thousands(n)),
			reach: reach{ratio: 2, allocs: true},
			make:  func() ([]contestant, error) { return nameContestants(n) },
		})
	}
	return rows
}

func nameContestants(n int) ([]contestant, error) {
	blocked, free := toolNames(n), freeNames()
	last := blocked[n-1]
	ask := func(name string, decide func(tool string) bool) contestant {
		return contestant{name: name, allow: each(free, decide), deny: func() bool { return decide(last) }}
	}

	policy, err := assay.Compile(&assay.Spec{Blocklist: blocked}, &assay.Options{MaxPolicyBytes: 10_000_000})
	if err != nil {
		return nil, err
	}
	set := make(map[string]struct{}, n)
	for _, name := range blocked {
		set[name] = struct{}{}
	}

	object := map[string]any{}
	for _, name := range blocked {
		object[name] = true
	}
	rego, err := opa("default allow := false\nallow if not data.blocked[input.tool]", map[string]any{"blocked": object})
	if err != nil {
		return nil, err
	}
	tool := ast.StringTerm("tool")
	inputs := map[string]ast.Value{}
	for _, name := range append(free, last) {
		inputs[name] = ast.NewObject([2]*ast.Term{tool, ast.StringTerm(name)})
	}

	// A literal list becomes a set when the program is compiled.
	program, err := celProgram(fmt.Sprintf("!(tool in %s)", jsonText(blocked)), "tool")
	if err != nil {
		return nil, err
	}
	activation := map[string]any{}

	entities := cedar.EntityMap{}
	list := cedar.NewEntityUID("List", "blocked")
	for _, name := range blocked {
		uid := cedar.NewEntityUID("Tool", cedar.String(name))
		entities[uid] = cedar.Entity{UID: uid, Parents: cedar.NewEntityUIDSet(list)}
	}
	cedars, err := cedarPolicies(`permit(principal, action, resource); forbid(principal, action, resource in List::"blocked");`, entities)
	if err != nil {
		return nil, err
	}

	contestants := []contestant{
		ask(nameAssay, func(tool string) bool { return assay.PolicyDecide(policy, tool).Allowed }),
		ask(nameHand, func(tool string) bool {
			if !validName(tool) {
				return false
			}
			_, found := set[tool]
			return !found
		}),
		ask(nameOPA, func(tool string) bool { return rego(inputs[tool]) }),
		ask(nameCEL, func(tool string) bool {
			activation["tool"] = tool
			return program(activation)
		}),
		ask(nameCedar, func(tool string) bool { return cedars(tool, cedar.Record{}) }),
	}
	// The others look at one entry after the other.
	if n > 1_000 {
		return contestants, nil
	}
	schema, err := santhoshSchema(fmt.Sprintf(`{"not": {"enum": %s}}`, jsonText(blocked)))
	if err != nil {
		return nil, err
	}
	enforce, err := casbinDeny("r.tool == p.tool", blocked)
	if err != nil {
		return nil, err
	}
	return append(contestants,
		ask(nameSanthosh, func(tool string) bool { return schema.Validate(tool) == nil }),
		ask(nameCasbin, enforce),
	), nil
}
