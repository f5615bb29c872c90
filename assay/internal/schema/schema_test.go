package schema

import (
	"testing"

	"example.com/assay/assay/internal/strictjson"
)

func decode(t testing.TB, text string) any {
	t.Helper()
	v, err := strictjson.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	return v
}

func compile(t testing.TB, text string, opts Options) (*Schema, []Problem) {
	t.Helper()
	return Compile(Source{Doc: decode(t, text), Pointer: "/schemas/t"}, opts)
}

func compiled(t testing.TB, text string) *Schema {
	t.Helper()
	s, problems := compile(t, text, Options{})
	if s == nil {
		t.Fatalf("%.200s does not compile: %+v", text, problems)
	}
	return s
}

// TestValidate is the meaning of the keywords where docs/policy.md says more
// than JSON Schema does, or where the package evaluates them itself.
func TestValidate(t *testing.T) {
	for _, test := range []struct {
		schema    string
		good, bad []string
	}{
		{`true`, []string{`null`, `0`, `{"a":[1]}`}, nil},
		{`false`, nil, []string{`null`, `0`, `{}`}},
		{`{}`, []string{`null`, `[]`}, nil},
		{`{"type":"object"}`, []string{`{}`}, []string{`null`, `0`, `[]`, `""`}},

		// Numbers are exact, and 1.0 is an integer and equals 1 in every draft.
		{`{"maximum":9007199254740992}`, []string{`9007199254740992`, `9007199254740992.0`, `-1e400`}, []string{`9007199254740993`, `9007199254740992.0000000001`, `1e400`}},
		{`{"multipleOf":0.01}`, []string{`19.99`, `0`, `1e3`, `-0.07`}, []string{`0.001`, `19.995`}},
		{`{"multipleOf":1e-400}`, []string{`1`, `3e-400`}, []string{`1e-401`}},
		{`{"type":"number"}`, []string{`1e400`, `-0`}, []string{`"1"`}},
		{`{"type":"integer"}`, []string{`1.0`, `1e3`, `10e-1`, `1e400`}, []string{`1.5`, `1e-1`}},
		{`{` + in4 + `,"type":"integer"}`, []string{`1.0`}, []string{`1.5`}},
		{`{"const":1}`, []string{`1`, `1.0`, `1e0`, `10e-1`}, []string{`true`, `"1"`, `1.1`}},
		{`{"enum":[1e2,[1],{"a":1}]}`, []string{`100`, `[1.0]`, `{"a":1e0}`}, []string{`1`, `[true]`, `{"a":1,"b":2}`, `[1,1]`}},
		{`{"enum":[0,false,"",null]}`, []string{`0`, `false`, `""`, `null`, `-0`}, []string{`true`, `[]`, `{}`, `"null"`}},
		{`{"const":{"a":"\"","b":["x","y"]}}`, []string{`{"b":["x","y"],"a":"\u0022"}`}, []string{`{"a":"\"b","b":["x","y"]}`, `{"a":"\"","b":["x\"\"y"]}`}},
		{`{"uniqueItems":true}`, []string{`[1,true]`, `[0,false]`, `["1",1]`, `[[1],[2]]`, `[{"a":1},{"a":2}]`}, []string{`[1,1.0]`, `[{"a":1,"b":2},{"b":2,"a":1.0}]`, `[[null],[null]]`}},
		{`{"uniqueItems":false}`, []string{`[1,1]`}, nil},
		{`{"minLength":1e30}`, []string{`1`}, []string{`"a"`}},
		{`{"maxLength":1e30,"maxItems":99999999999999999999}`, []string{`"a"`, `[1]`}, nil},

		// Lengths count characters.
		{`{"maxLength":1}`, []string{`"é"`, `"😀"`, `""`}, []string{`"ab"`}},
		{`{"minLength":2}`, []string{`"😀😀"`}, []string{`"😀"`}},

		// pattern is ECMA-262 with the u flag, unanchored.
		{`{"pattern":"^\\d+$"}`, []string{`"12"`}, []string{`"१२"`, `"12\n"`}},
		{`{"pattern":"^.$"}`, []string{`"😀"`}, []string{`"\n"`, `"\u2028"`}},
		{`{"pattern":"b"}`, []string{`"abc"`}, []string{`"ac"`}},
		{`{"pattern":"^(?!.*\\.\\.)[^/]+$"}`, []string{`"a.b"`}, []string{`"a..b"`}},
		{`{"patternProperties":{"^a":{"type":"integer"},"b$":{"maximum":3}}}`, []string{`{"ab":3,"c":"x"}`}, []string{`{"ab":4}`, `{"a":"x"}`}},

		// Applicators.
		{`{"anyOf":[{"type":"string"},{"minimum":3}]}`, []string{`"a"`, `3`, `null`}, []string{`2`}},
		{`{"oneOf":[{"type":"integer"},{"minimum":2}]}`, []string{`1`, `2.5`}, []string{`3`, `1.5`}},
		{`{"not":{"required":["a"]}}`, []string{`{}`}, []string{`{"a":1}`, `1`}},
		{`{"if":{"type":"integer"},"then":{"minimum":2},"else":{"type":"string"}}`, []string{`2`, `"a"`}, []string{`1`, `1.5`}},
		{`{"if":false,"then":false}`, []string{`1`}, nil},
		{`{"contains":{"type":"integer"},"minContains":2,"maxContains":3}`, []string{`[1,2]`, `[1,2,3,"a"]`, `{}`}, []string{`[1]`, `[1,2,3,4]`, `[]`}},
		{`{"contains":{"type":"integer"},"minContains":0}`, []string{`[]`, `["a"]`}, nil},
		{`{"contains":{"type":"integer"},"minContains":0,"maxContains":1}`, []string{`[]`, `[1]`}, []string{`[1,2]`}},
		{`{"contains":true}`, []string{`[0]`}, []string{`[]`}},
		{`{"propertyNames":{"pattern":"^a"}}`, []string{`{"ab":1}`, `{}`}, []string{`{"ba":1}`}},
		{`{"propertyNames":false}`, []string{`{}`}, []string{`{"a":1}`}},
		{`{"dependentSchemas":{"a":{"required":["b"]}}}`, []string{`{"b":1}`, `{"a":1,"b":1}`}, []string{`{"a":1}`}},
		{`{"dependentSchemas":{"a":false}}`, []string{`{"b":1}`}, []string{`{"a":1}`}},
		{`{` + in7 + `,"dependencies":{"a":["b"],"c":{"maxProperties":1},"d":false}}`, []string{`{"c":1}`, `{"a":1,"b":1}`}, []string{`{"a":1}`, `{"c":1,"e":1}`, `{"d":1}`}},
		{`{"$ref":"#/$defs/x","maximum":3,"$defs":{"x":{"minimum":1}}}`, []string{`2`}, []string{`0`, `4`}},

		// What is evaluated in place counts for unevaluated….
		{`{"allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, []string{`{"a":1}`}, []string{`{"a":1,"b":1}`}},
		{`{"anyOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}],"unevaluatedProperties":false}`, []string{`{"a":1,"b":1}`}, []string{`{"c":1}`}},
		{`{"oneOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}],"unevaluatedProperties":false}`, []string{`{"a":1}`}, []string{`{"a":1,"b":1}`, `{"a":1,"c":1}`}},
		{`{"not":{"not":{"properties":{"a":{}}}},"unevaluatedProperties":false}`, []string{`{}`}, []string{`{"a":1}`}},
		{`{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"properties":{"b":{}}},"else":{"properties":{"c":{}}},"unevaluatedProperties":false}`, []string{`{"a":1,"b":1}`, `{"c":1}`}, []string{`{"a":1,"c":1}`, `{"a":2,"c":1}`}},
		{`{"dependentSchemas":{"a":{"properties":{"a":{},"b":{}}}},"unevaluatedProperties":false}`, []string{`{"a":1,"b":1}`}, []string{`{"b":1}`}},
		{`{"$ref":"#/$defs/x","unevaluatedProperties":false,"$defs":{"x":{"properties":{"a":{}}}}}`, []string{`{"a":1}`}, []string{`{"b":1}`}},
		{`{"contains":{"type":"integer"},"unevaluatedItems":{"type":"string"}}`, []string{`[1,"a",2]`}, []string{`[1,null]`}},
		{`{` + in2019 + `,"contains":{"type":"integer"},"unevaluatedItems":{"type":"string"}}`, nil, []string{`[1,"a"]`}},
		{`{"prefixItems":[{}],"allOf":[{"prefixItems":[{},{}]}],"unevaluatedItems":false}`, []string{`[1,2]`}, []string{`[1,2,3]`}},

		// Dynamic and recursive references.
		{`{"$id":"https://a.invalid/tree","$dynamicAnchor":"n","properties":{"kids":{"items":{"$dynamicRef":"#n"}},"v":{"type":"integer"}}}`, []string{`{"kids":[{"kids":[{"v":1}]}]}`}, []string{`{"kids":[{"kids":[{"v":"x"}]}]}`}},
		{`{"$id":"https://a.invalid/strict","$dynamicAnchor":"n","$ref":"tree","unevaluatedProperties":false,"$defs":{"tree":{"$id":"tree","$dynamicAnchor":"n","properties":{"kids":{"items":{"$dynamicRef":"#n"}}}}}}`, []string{`{"kids":[{"kids":[]}]}`}, []string{`{"x":1}`, `{"kids":[{"x":1}]}`}},
		{`{` + in2019 + `,"$recursiveAnchor":true,"properties":{"a":{"$recursiveRef":"#"},"v":{"type":"integer"}}}`, []string{`{"a":{"a":{"v":1}}}`}, []string{`{"a":{"a":{"v":"x"}}}`}},
	} {
		s := compiled(t, test.schema)
		for _, value := range test.good {
			if r := s.Validate(decode(t, value), nil); !r.Valid() {
				t.Errorf("%s refuses %s: %+v", test.schema, value, r)
			}
		}
		for _, value := range test.bad {
			if r := s.Validate(decode(t, value), nil); r.Valid() || r.Failure != None {
				t.Errorf("%s accepts %s: %+v", test.schema, value, r)
			}
		}
	}
}

// BenchmarkValidate is the full engine; the fast program has its own.
func BenchmarkValidate(b *testing.B) {
	s := compiled(b, `{"type":"object","properties":{"percent":{"type":"number","minimum":0,"maximum":30}},"required":["percent"],"additionalProperties":false}`)
	for name, text := range map[string]string{"valid": `{"percent":10}`, "invalid": `{"percent":31}`} {
		v := decode(b, text)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Validate(v, nil)
			}
		})
	}
}
