package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"cel.dev/cel-go/cel"
	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"
	"github.com/cedar-policy/cedar-go"
	google "github.com/google/jsonschema-go/jsonschema"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// The names of the peers in tables.
const (
	nameOPA      = "OPA"
	nameCEL      = "cel-go"
	nameSanthosh = "jsonschema/v6"
	nameGoogle   = "jsonschema-go"
	nameCedar    = "cedar-go"
	nameCasbin   = "casbin"
)

// opa prepares data.bench.allow of a Rego module, with data beside it.
func opa(module string, data map[string]any) (func(input ast.Value) bool, error) {
	if data == nil {
		data = map[string]any{}
	}
	ctx := context.Background()
	query, err := rego.New(
		rego.Query("data.bench.allow"),
		rego.Module("bench.rego", "package bench\n"+module),
		rego.Store(inmem.NewFromObjectWithOpts(data, inmem.OptReturnASTValuesOnRead(true))),
	).PrepareForEval(ctx)
	if err != nil {
		return nil, fmt.Errorf("OPA: %w", err)
	}
	return func(input ast.Value) bool {
		return must(query.Eval(ctx, rego.EvalParsedInput(input))).Allowed()
	}, nil
}

// celProgram compiles an expression over variables of any type.
func celProgram(expression string, variables ...string) (func(map[string]any) bool, error) {
	options := []cel.EnvOption{cel.ParserExpressionSizeLimit(10_000_000), cel.ExpressionNodeLimit(1_000_000)}
	for _, v := range variables {
		options = append(options, cel.Variable(v, cel.DynType))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, fmt.Errorf("cel-go: %w", err)
	}
	tree, issues := env.Compile(expression)
	if issues.Err() != nil {
		return nil, fmt.Errorf("cel-go: %w", issues.Err())
	}
	program, err := env.Program(tree, cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, fmt.Errorf("cel-go: %w", err)
	}
	return func(input map[string]any) bool {
		out, _, err := program.Eval(input)
		return must(out, err).Value() == true
	}, nil
}

// cedarPolicies parses policies and returns their answer for a tool.
func cedarPolicies(text string, entities cedar.EntityMap) (func(tool string, context cedar.Record) bool, error) {
	policies, err := cedar.NewPolicySetFromBytes("bench.cedar", []byte(text))
	if err != nil {
		return nil, fmt.Errorf("cedar-go: %w", err)
	}
	return func(tool string, context cedar.Record) bool {
		decision, _ := cedar.Authorize(policies, entities, cedar.Request{
			Principal: cedar.NewEntityUID("Agent", "a"),
			Action:    cedar.NewEntityUID("Action", "call"),
			Resource:  cedar.NewEntityUID("Tool", cedar.String(tool)),
			Context:   context,
		})
		return decision == cedar.Allow
	}, nil
}

// casbinDeny makes an enforcer in which every rule denies a tool, matched by
// an expression over r.tool and p.tool.
func casbinDeny(matcher string, rules []string) (func(tool string) bool, error) {
	m, err := model.NewModelFromString(`
[request_definition]
r = tool
[policy_definition]
p = tool, eft
[policy_effect]
e = !some(where (p.eft == deny))
[matchers]
m = ` + matcher)
	if err != nil {
		return nil, fmt.Errorf("casbin: %w", err)
	}
	enforcer, err := casbin.NewEnforcer(m)
	if err != nil {
		return nil, fmt.Errorf("casbin: %w", err)
	}
	var lines [][]string
	for _, r := range rules {
		lines = append(lines, []string{r, "deny"})
	}
	if _, err := enforcer.AddPolicies(lines); err != nil {
		return nil, fmt.Errorf("casbin: %w", err)
	}
	return func(tool string) bool { return must(enforcer.Enforce(tool)) }, nil
}

// santhoshSchema compiles a schema with jsonschema/v6.
func santhoshSchema(text string) (*santhosh.Schema, error) {
	doc, err := santhosh.UnmarshalJSON(bytes.NewReader([]byte(text)))
	if err != nil {
		return nil, err
	}
	compiler := santhosh.NewCompiler()
	if err := compiler.AddResource("bench.json", doc); err != nil {
		return nil, err
	}
	return compiler.Compile("bench.json")
}

// googleSchema compiles a schema with jsonschema-go.
func googleSchema(text string) (*google.Resolved, error) {
	var schema google.Schema
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		return nil, err
	}
	return schema.Resolve(nil)
}
