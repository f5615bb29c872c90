package lint_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"example.com/assay/assay"
	"example.com/assay/assay/lint"
)

// Every combination of bounds, and the check itself over numbers at, between and
// beyond them, says where a schema leaves a number.
func TestBoundsContradictExactlyWhereNoNumberPasses(t *testing.T) {
	values := []string{"absent", "1", "1.5", "2"}
	for least := range values {
		for above := range values {
			for most := range values {
				for below := range values {
					schema := map[string]any{"type": "number"}
					for keyword, i := range map[string]int{"minimum": least, "exclusiveMinimum": above, "maximum": most, "exclusiveMaximum": below} {
						if i > 0 {
							schema[keyword] = json.Number(values[i])
						}
					}
					agrees(t, schema, "0", "1", "1.25", "1.5", "1.75", "2", "3")
				}
			}
		}
	}
}

// The same for the lengths of what has a length.
func TestLengthsContradictExactlyWhereNothingPasses(t *testing.T) {
	for _, test := range []struct {
		least, most string
		base        map[string]any
		values      []string
	}{
		{"minLength", "maxLength", map[string]any{"type": "string"}, []string{`""`, `"a"`, `"aa"`, `"aaa"`}},
		{"minItems", "maxItems", map[string]any{"type": "array"}, []string{`[]`, `[1]`, `[1,1]`, `[1,1,1]`}},
		{"minContains", "maxContains", map[string]any{"type": "array", "contains": map[string]any{"const": 1}}, []string{`[]`, `[1]`, `[1,1]`, `[1,1,1]`}},
		{"minProperties", "maxProperties", map[string]any{"type": "object"}, []string{`{}`, `{"a":1}`, `{"a":1,"b":1}`, `{"a":1,"b":1,"c":1}`}},
	} {
		for least := -1; least < 3; least++ {
			for most := -1; most < 3; most++ {
				schema := maps.Clone(test.base)
				if least >= 0 {
					schema[test.least] = least
				}
				if most >= 0 {
					schema[test.most] = most
				}
				agrees(t, schema, test.values...)
			}
		}
	}
}

// And for values beside types.
func TestValuesContradictTheirTypeExactlyWhereNonePasses(t *testing.T) {
	values := []string{"null", "true", "1", "1.0", "1e-1", `"1"`, "[]", "{}"}
	for _, of := range []string{"null", "boolean", "integer", "number", "string", "array", "object"} {
		for _, a := range values {
			agrees(t, map[string]any{"type": of, "const": json.RawMessage(a)}, values...)
			for _, b := range values {
				if a != b && a+b != "11.0" && a+b != "1.01" { // equal members are refused
					agrees(t, map[string]any{"type": of, "enum": []json.RawMessage{json.RawMessage(a), json.RawMessage(b)}}, values...)
				}
			}
		}
	}
}

// agrees compares the rule with what the check says of a few values.
func agrees(t *testing.T, schema map[string]any, values ...string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"schemas": map[string]any{"t": map[string]any{"properties": map[string]any{"x": schema}}}})
	if err != nil {
		t.Fatal(err)
	}
	policy, err := assay.Parse(text, &assay.Options{Strict: true})
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	passes := slices.ContainsFunc(values, func(value string) bool {
		return assay.CheckArgs(policy, assay.Call{Tool: "t", Arguments: fmt.Appendf(nil, `{"x":%s}`, value)}).Allowed
	})
	found := slices.ContainsFunc(lint.Lint(text, nil).Findings, func(f lint.Finding) bool { return f.Rule == "contradiction" })
	if found == passes {
		t.Errorf("%s: found %v, some value passes %v", text, found, passes)
	}
}
