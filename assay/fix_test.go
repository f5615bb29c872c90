package assay_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"example.com/assay/assay"
)

func TestAFixIsOfferedWhereTheRepairIsObvious(t *testing.T) {
	const text = `
schemas:
  pay:
    type: object
    required: [amount]
    additionalProperties: false
    properties:
      amount: {type: number, minimum: 1, maximum: 30}
      currency: {const: EUR}
      mode: {enum: [fast]}
      to: {enum: [alice, bob]}
      note: {type: string, maxLength: 3}
      "a/b": {type: integer}
      dry: {type: boolean}
      list: {items: {maximum: 3}}
      even: {maximum: 3, multipleOf: 2}
      whole: {type: integer, maximum: 2.5}
`
	p, err := assay.Parse([]byte(text), &assay.Options{SuggestFixes: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		arguments, want string // "" wants no fix
		changes         []assay.Change
	}{
		"over the maximum":             {`{"amount": 50}`, `{"amount":30}`, []assay.Change{{Path: "/amount", FromConstraint: "maximum", Action: "set"}}},
		"under the minimum":            {`{"amount": -1}`, `{"amount":1}`, []assay.Change{{Path: "/amount", FromConstraint: "minimum", Action: "set"}}},
		"an item over the maximum":     {`{"amount": 1, "list": [1, 9]}`, `{"amount":1,"list":[1,3]}`, []assay.Change{{Path: "/list/1", FromConstraint: "maximum", Action: "set"}}},
		"the only value":               {`{"amount": 1, "currency": "USD"}`, `{"amount":1,"currency":"EUR"}`, []assay.Change{{Path: "/currency", FromConstraint: "const", Action: "set"}}},
		"the only one of an enum":      {`{"amount": 1, "mode": 3}`, `{"amount":1,"mode":"fast"}`, []assay.Change{{Path: "/mode", FromConstraint: "enum", Action: "set"}}},
		"one of several":               {`{"amount": 1, "to": "eve"}`, "", nil},
		"text that is too long":        {`{"amount": 1, "note": "abcd"}`, "", nil},
		"a missing property":           {`{}`, "", nil},
		"a number as text":             {`{"amount": "30"}`, `{"amount":30}`, []assay.Change{{Path: "/amount", FromConstraint: "type", Action: "convert"}}},
		"a number as text, escaped":    {`{"amount": 1, "a/b": "7"}`, `{"a/b":7,"amount":1}`, []assay.Change{{Path: "/a~1b", FromConstraint: "type", Action: "convert"}}},
		"a boolean as text":            {`{"amount": 1, "dry": "true"}`, `{"amount":1,"dry":true}`, []assay.Change{{Path: "/dry", FromConstraint: "type", Action: "convert"}}},
		"text that is no number":       {`{"amount": "x"}`, "", nil},
		"a number out of the limits":   {`{"amount": "31"}`, "", nil},
		"a property too many":          {`{"amount": 1, "x": 1, "<b>": 2}`, `{"amount":1}`, []assay.Change{{Path: "/<b>", FromConstraint: "additionalProperties", Action: "remove"}, {Path: "/x", FromConstraint: "additionalProperties", Action: "remove"}}},
		"two repairs":                  {`{"amount": 31, "x": 1}`, `{"amount":30}`, []assay.Change{{Path: "/x", FromConstraint: "additionalProperties", Action: "remove"}, {Path: "/amount", FromConstraint: "maximum", Action: "set"}}},
		"one repair of two":            {`{"amount": 31, "note": "abcd"}`, "", nil},
		"a limit that does not pass":   {`{"amount": 1, "even": 8}`, "", nil},
		"a limit of the wrong type":    {`{"amount": 1, "whole": 8}`, "", nil},
		"arguments that are no object": {`3`, "", nil},
		"arguments that are no JSON":   {`{`, "", nil},
	} {
		call := assay.Call{Tool: "pay", Arguments: []byte(test.arguments)}
		d := assay.CheckArgs(p, call)
		if d.Allowed {
			t.Errorf("%s: is allowed", name)
			continue
		}
		if test.want == "" {
			if d.SuggestedFix != nil {
				t.Errorf("%s: offers %s", name, d.SuggestedFix.Arguments)
			}
			continue
		}
		want := &assay.Fix{Arguments: json.RawMessage(test.want), Changes: test.changes}
		if !reflect.DeepEqual(d.SuggestedFix, want) {
			t.Errorf("%s: offers %+v, want %+v", name, d.SuggestedFix, want)
			continue
		}
		call.Arguments = d.SuggestedFix.Arguments
		if d := assay.CheckArgs(p, call); !d.Allowed {
			t.Errorf("%s: what it offers is denied: %v", name, d.Err())
		}
		if d := assay.CheckArgs(mustParse(t, text), assay.Call{Tool: "pay", Arguments: []byte(test.arguments)}); d.SuggestedFix != nil {
			t.Errorf("%s: offers a fix that nobody asked for", name)
		}
	}
	value := map[string]any{"amount": 50, "list": []any{9}}
	d := assay.CheckArgsValue(p, "pay", value)
	if d.SuggestedFix == nil || string(d.SuggestedFix.Arguments) != `{"amount":30,"list":[3]}` {
		t.Errorf("for a value: %+v", d.SuggestedFix)
	}
	if !reflect.DeepEqual(value, map[string]any{"amount": 50, "list": []any{9}}) {
		t.Errorf("the value became %v", value)
	}
}

func TestAFixTellsNoSecret(t *testing.T) {
	p, err := assay.Parse([]byte("schemas:\n  $defs: {s: {const: hunter2}}\n  t: {properties: {pin: {writeOnly: true, $ref: '#/$defs/s'}}}\n"), &assay.Options{SuggestFixes: true})
	if err != nil {
		t.Fatal(err)
	}
	d := assay.CheckArgs(p, assay.Call{Tool: "t", Arguments: []byte(`{"pin": "x"}`)})
	if d.Allowed || d.SuggestedFix != nil {
		t.Errorf("the decision is %+v", d)
	}
}
