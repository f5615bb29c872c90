package schema

import (
	"testing"

	"example.com/assay/assay/internal/strictjson"
)

// FuzzSchema compiles any JSON as a schema and judges any JSON by it: no panic,
// no hang, and what the gate lets through the library compiles.
func FuzzSchema(f *testing.F) {
	for _, a := range adversaries() {
		if len(a.schema)+len(a.value) < 2000 {
			f.Add([]byte(a.schema), []byte(a.value))
		}
	}
	for _, flip := range append(flips, partFlips...) {
		f.Add([]byte(flip), []byte(`{"p":["a",1,null]}`))
	}
	f.Add([]byte(`{"properties":{"a":{"$ref":"#/$defs/x","minimum":1}},"$defs":{"x":{"$anchor":"y","format":"date"}},"additionalProperties":false}`), []byte(`{"a":1.0}`))
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		doc, err := strictjson.Decode(schema)
		if err != nil {
			return
		}
		v, err := strictjson.Decode(value)
		if err != nil {
			return
		}
		s, problems := Compile(Source{Doc: doc, Pointer: "/schemas/t"}, Options{})
		if (s == nil) != (len(problems) > 0) {
			t.Fatal(s, problems)
		}
		if s == nil {
			return
		}
		first := s.Validate(v, NewBudget(20_000, nil))
		second := s.Validate(v, NewBudget(20_000, nil))
		if first.Failure != second.Failure || len(first.Violations) != len(second.Violations) {
			t.Fatalf("two answers: %+v, %+v", first, second)
		}
		for i := range first.Violations {
			if first.Violations[i] != second.Violations[i] {
				t.Fatalf("two answers: %+v, %+v", first, second)
			}
		}
	})
}
