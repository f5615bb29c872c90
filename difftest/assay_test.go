package difftest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"

	"example.com/assay/assay"
)

// ours is a schema under assay, which has two ways to judge: a fast program that
// may only allow, and the full engine. tool has both. The tool plain has the same
// schema with one more definition that nothing refers to, which only a
// backtracking matcher could match; such a schema has no fast program
// (TestPlainIsNotFast).
type ours struct {
	policy *assay.Policy
	plain  bool // the policy has that tool
	denied int  // how many denials were judged
}

const (
	tool  = "t"
	plain = "plain"
)

// compile puts a schema, in the words of its draft, under assay.
func compile(doc any, assertFormats bool) (*ours, error) {
	formats := "annotate"
	if assertFormats {
		formats = "assert"
	}
	schemas := map[string]any{tool: doc}
	twin, ok := withoutProgram(doc)
	if ok {
		schemas[plain] = twin
	}
	text, err := json.Marshal(map[string]any{
		"version": "2.0", "schemas": schemas, "enforcement": map[string]any{"formats": formats},
	})
	if err != nil {
		return nil, err
	}
	policy, err := assay.Parse(text, nil)
	if err != nil {
		return nil, err
	}
	if problems := policy.Problems(); len(problems) > 0 {
		return nil, fmt.Errorf("%s: %s", problems[0].Path, problems[0].Message)
	}
	return &ours{policy: policy, plain: ok}, nil
}

// withoutProgram adds the definition; false where the schema cannot hold one.
func withoutProgram(doc any) (any, bool) {
	object, ok := doc.(map[string]any)
	if !ok {
		return nil, false
	}
	definitions, ok := object["definitions"].(map[string]any)
	if !ok && object["definitions"] != nil || definitions["backtracking"] != nil {
		return nil, false
	}
	definitions = maps.Clone(definitions)
	if definitions == nil {
		definitions = map[string]any{}
	}
	definitions["backtracking"] = map[string]any{"pattern": "^(?=a)"}
	object = maps.Clone(object)
	object["definitions"] = definitions
	return object, true
}

// judge asks assay about one instance in every way, and reports whether it is
// allowed. An error is a way that gives another answer; undecided is a denial by
// a bound, which says nothing of the schema.
func (o *ours) judge(text []byte, v any) (allowed, undecided bool, err error) {
	d := assay.CheckArgs(o.policy, assay.Call{Tool: tool, Arguments: text})
	values := []any{v}
	if t := instanceTraits(v); !t.inexact {
		values = append(values, asFloats(v))
	}
	anyAllowed, tooDeep := d.Allowed, depth(v) > 128
	for _, v := range values {
		dv := assay.CheckArgsValue(o.policy, tool, v)
		anyAllowed = anyAllowed || dv.Allowed
		if tooDeep && d.Code == assay.CodeArgSchema && dv.Code == assay.CodeValue {
			undecided = true // the two names of that denial
		} else if !reflect.DeepEqual(d, dv) {
			err = errors.Join(err, fmt.Errorf("the text: %s; the value (%T numbers): %s", said(d), values[len(values)-1], said(dv)))
		}
	}
	// A denial is the engine's in any case, so it is asked twice only now and then.
	if !anyAllowed {
		o.denied++
	}
	if o.plain && (anyAllowed || o.denied%8 == 1) {
		if p := assay.CheckArgs(o.policy, assay.Call{Tool: plain, Arguments: text}); p.Allowed != anyAllowed || p.Code != d.Code {
			err = errors.Join(err, fmt.Errorf("with a fast program: %s; without one: %s", said(d), said(p)))
		}
	}
	if !d.Allowed && d.Code != assay.CodeArgSchema {
		if d.Code != assay.CodeLimitExceeded {
			err = errors.Join(err, fmt.Errorf("a denial of the wrong kind: %s", said(d)))
		}
		undecided = true
	}
	return d.Allowed, undecided, err
}

// depth counts the arrays and objects around the innermost scalar.
func depth(v any) int {
	deepest := 0
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			deepest = max(deepest, depth(item))
		}
	case map[string]any:
		for _, member := range v {
			deepest = max(deepest, depth(member))
		}
	default:
		return 0
	}
	return deepest + 1
}

func said(d assay.Decision) string {
	if d.Allowed {
		return "allowed"
	}
	return fmt.Sprintf("denied %s %v", d.Code, d.Violations)
}
