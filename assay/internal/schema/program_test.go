package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/assay/assay/internal/strictjson"
	"example.com/assay/internal/race"
)

// schemaFor compiles a schema that has to pass the gate.
func schemaFor(tb testing.TB, text string) *Schema {
	tb.Helper()
	s, problems := Compile(Source{Doc: valueOf(tb, text), Pointer: "/schemas/t"}, Options{})
	if s == nil {
		tb.Fatalf("schema %s does not compile: %+v", text, problems)
	}
	return s
}

// valueOf decodes a text that has to be strict JSON.
func valueOf(tb testing.TB, text string) any {
	tb.Helper()
	v, err := strictjson.Decode([]byte(text))
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return v
}

// plenty is a budget that no test runs out of by accident.
func plenty() *Budget { return NewBudget(1_000_000, nil) }

// accepts asks for the text and for its decoded form, which must agree where
// the text is strict JSON.
func accepts(t *testing.T, s *Schema, text string) bool {
	t.Helper()
	raw := s.Accepts([]byte(text), plenty())
	v, err := strictjson.Decode([]byte(text))
	if err != nil {
		if raw {
			t.Errorf("accepts %.200q, which is not strict JSON: %v", text, err)
		}
		return raw
	}
	if decoded := s.AcceptsValue(v, plenty()); decoded != raw {
		t.Errorf("%.200s: accepts the text %v, the value %v", text, raw, decoded)
	}
	return raw
}

// What the program accepts, and what it leaves to the engine. The verdicts
// are JSON Schema's; the engine has no say in this table.
func TestProgramAcceptsWhatSatisfiesTheSchema(t *testing.T) {
	const draft4, draft6, draft7, draft2019 = `"$schema":"http://json-schema.org/draft-04/schema#"`,
		`"$schema":"http://json-schema.org/draft-06/schema#"`, `"$schema":"http://json-schema.org/draft-07/schema#"`,
		`"$schema":"https://json-schema.org/draft/2019-09/schema"`
	for _, tt := range []struct {
		name, schema string
		yes, no      []string
	}{
		{"true takes every value", `true`,
			[]string{`1`, `"a"`, ` null `, `[[],{}]`, `{"a":{"b":[1,2.5e3,"\u00e9"]}}`, "\t[\n]\r"}, nil},
		{"false takes none", `false`, nil, []string{`1`, `{}`, `null`}},
		{"one type", `{"type":"string"}`, []string{`""`, `"a\n"`}, []string{`1`, `null`, `[]`}},
		{"several types", `{"type":["null","integer"]}`, []string{`null`, `3`, `3.0`, `30e-1`}, []string{`3.5`, `"3"`, `true`}},
		{"an integer however it is written", `{"type":"integer"}`,
			[]string{`0`, `-0`, `0.0`, `1.0`, `1e2`, `10e-1`, `123456789012345678901234567890`, `-9223372036854775808`, `1e400`},
			[]string{`0.1`, `1e-1`, `1e-400`, `12345678901234567890.5`}},
		{"inclusive bounds", `{"minimum":-1.5,"maximum":30}`,
			[]string{`-1.5`, `-1`, `30`, `30.0`, `3e1`, `"31"`, `29.999999999999999999999999`},
			[]string{`-1.6`, `-2`, `31`, `30.000000000000000000000001`, `1e400`, `-1e400`}},
		{"exclusive bounds", `{"exclusiveMinimum":0,"exclusiveMaximum":2.5}`,
			[]string{`1e-400`, `1`, `2`, `2.4999999999999999999`}, []string{`0`, `-0.0`, `2.5`, `3`}},
		{"bounds beyond 2^53", `{"maximum":9007199254740992}`,
			[]string{`9007199254740992`, `-9007199254740993`}, []string{`9007199254740993`, `9007199254740992.5`}},
		{"bounds beyond 2^64 above", `{"maximum":100000000000000000000}`,
			[]string{`9223372036854775807`, `1e20`}, []string{`100000000000000000001`}},
		{"bounds beyond 2^64 below", `{"minimum":100000000000000000000}`, []string{`1e20`, `1e21`}, []string{`1`, `9223372036854775807`, `-1`}},
		{"numbers of nineteen digits", `{"minimum":3,"maximum":9223372036854775807}`,
			[]string{`9223372036854775807`, `1000000000000000000`}, []string{`9223372036854775808`, `9999999999999999999`, `18446744073709551621`, `-9223372036854775807`}},
		{"bounds beyond -2^64", `{"maximum":-100000000000000000000}`, []string{`-1e20`}, []string{`1`, `-9223372036854775808`}},
		{"flags of draft 4", `{` + draft4 + `,"minimum":1,"exclusiveMinimum":true,"maximum":3,"exclusiveMaximum":false}`,
			[]string{`2`, `3`, `1.5`}, []string{`1`, `3.5`}},
		{"multiples of a decimal", `{"multipleOf":0.01}`, []string{`19.99`, `5`, `0`, `-0.01`, `1e400`}, []string{`0.001`, `19.999`}},
		{"multiples of an integer", `{"multipleOf":3}`, []string{`9`, `-3`, `0`, `9.0`, `3e5`}, []string{`10`, `4.5`, `-1`}},
		{"lengths in code points", `{"minLength":2,"maxLength":3}`,
			[]string{`"ab"`, `"äöü"`, `"\ud83d\ude00\u0000"`, `"😀😀😀"`, `5`}, []string{`"a"`, `"😀"`, `"abcd"`, `"äöüß"`, `""`}},
		{"a length written as a decimal", `{"maxLength":2.0}`, []string{`"ab"`}, []string{`"abc"`}},
		{"a pattern that stands anywhere", `{"pattern":"b+c"}`, []string{`"abbcd"`, `"\u0062c"`, `0`}, []string{`"ac"`, `""`}},
		{"enum", `{"enum":["a",1,true,null,1e2]}`, []string{`"a"`, `"\u0061"`, `1`, `1.0`, `true`, `null`, `100`},
			[]string{`"b"`, `0`, `false`, `"1"`, `[]`, `{}`, `"A"`}},
		{"enum of many texts", `{"enum":["a","b","c","d","e","f","g","h","i","j"]}`, []string{`"j"`, `"a"`}, []string{`"k"`, `"aa"`, `1`}},
		{"const of a composite", `{"const":{"a":[1,{"b":null}],"c":"x"}}`,
			[]string{`{"a":[1,{"b":null}],"c":"x"}`, `{"c":"\u0078", "a" : [ 1.0 , {"\u0062" : null } ] }`},
			[]string{`{}`, `{"a":[1,{"b":null}]}`, `{"a":[1,{"b":null}],"c":"x","d":1}`, `{"a":[1,{}],"c":"x"}`, `{"a":[1,{"b":null},2],"c":"x"}`, `{"a":[1],"c":"x"}`, `[]`, `"x"`}},
		{"enum and const together", `{"enum":[1,2],"const":2}`, []string{`2`}, []string{`1`, `3`}},
		{"false is not 0", `{"const":false}`, []string{`false`}, []string{`0`, `[]`, `""`, `null`, `true`}},

		{"a closed object", `{"properties":{"a":{"type":"integer"},"b":true},"required":["a"],"additionalProperties":false}`,
			[]string{`{"a":1}`, `{"b":[{}],"a":1}`, `{"\u0061":1}`, `[]`},
			[]string{`{}`, `{"b":1}`, `{"a":"1"}`, `{"a":1,"c":1}`, `{"a":1,"\u0063":1}`, `{"A":1,"a":1}`}},
		{"an open object", `{"properties":{"a":{"type":"integer"}}}`,
			[]string{`{}`, `{"z":{"a":"x"}}`, `{"a":1,"z":1,"y":2}`}, []string{`{"a":"x"}`, `{"z":1,"a":null}`}},
		{"required names without properties", `{"required":["a","b"]}`, []string{`{"b":1,"a":2,"c":3}`}, []string{`{"a":1}`, `{}`}},
		{"additional properties by a schema", `{"properties":{"a":true},"additionalProperties":{"type":"string"}}`,
			[]string{`{"a":1,"b":"x"}`}, []string{`{"b":1}`, `{"a":1,"c":"x","b":1}`}},
		{"pattern properties", `{"properties":{"xa":{"minimum":2}},"patternProperties":{"^x":{"type":"integer"},"a$":{"maximum":5}},"additionalProperties":false}`,
			[]string{`{"xa":3}`, `{"xb":9}`, `{"ba":2.5}`, `{"xca":4}`},
			[]string{`{"xa":1}`, `{"xa":6}`, `{"xa":2.5}`, `{"xca":6}`, `{"xca":2.5}`, `{"b":1}`}},
		{"property names", `{"propertyNames":{"maxLength":2}}`, []string{`{"ab":1}`, `{"😀😀":1}`, `{}`}, []string{`{"abc":1}`, `{"a":1,"\u0061bc":1}`}},
		{"counts of members", `{"minProperties":1,"maxProperties":2}`, []string{`{"a":1}`, `{"a":1,"b":2}`, `1`}, []string{`{}`, `{"a":1,"b":2,"c":3}`}},
		{"dependent names", `{"dependentRequired":{"a":["b"]}}`, []string{`{"a":1,"b":1}`, `{"b":1}`, `{}`}, []string{`{"a":1}`, `{"a":1,"c":1}`}},
		{"dependent schemas", `{"dependentSchemas":{"a":{"required":["b"],"maxProperties":2}}}`, []string{`{"a":1,"b":1}`, `{"c":1,"d":1,"e":1}`}, []string{`{"a":1}`, `{"a":1,"b":1,"c":1}`}},
		{"dependencies of draft 7", `{` + draft7 + `,"dependencies":{"a":["b"],"c":{"minProperties":3}}}`, []string{`{"a":1,"b":1}`, `{"c":1,"d":1,"e":1}`}, []string{`{"a":1}`, `{"c":1}`}},
		{"more than eight names", `{"properties":{"a":true,"b":true,"c":true,"d":true,"e":true,"f":true,"g":true,"h":true,"i":{"const":1},"j":true},"additionalProperties":false}`,
			[]string{`{"i":1,"a":1,"j":2}`}, []string{`{"i":2}`, `{"k":1}`}},

		{"items", `{"items":{"type":"integer"},"minItems":1,"maxItems":2}`, []string{`[1]`, `[1,2]`, `{}`, `"a"`}, []string{`[]`, `[1,2,3]`, `["a"]`, `[1,"a"]`}},
		{"prefix items", `{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"null"}}`,
			[]string{`[]`, `["a"]`, `["a",1]`, `["a",1,null,null]`}, []string{`[1]`, `["a","b"]`, `["a",1,2]`}},
		{"a list of items in draft 2019-09", `{` + draft2019 + `,"items":[{"type":"string"}],"additionalItems":false}`, []string{`[]`, `["a"]`}, []string{`[1]`, `["a","b"]`}},
		{"one schema for items in draft 6", `{` + draft6 + `,"items":{"type":"string"}}`, []string{`["a","b"]`}, []string{`["a",1]`}},
		{"contains", `{"contains":{"minimum":5}}`, []string{`[1,5]`, `["a"]`, `1`}, []string{`[]`, `[1,2]`}},
		{"contains within counts", `{"contains":{"type":"string"},"minContains":2,"maxContains":3}`, []string{`["a",1,"b"]`, `["a","b","c"]`}, []string{`["a"]`, `["a","b","c","d"]`, `[]`}},
		{"contains none", `{"contains":{"type":"string"},"minContains":0,"maxContains":1}`, []string{`[]`, `[1]`, `["a"]`}, []string{`["a","b"]`}},
		{"unique items", `{"uniqueItems":true}`, []string{`[]`, `[1,"1",true,null,false,[]]`, `["a","b"]`, `[1,2,1.5]`, `[[1,1],1]`, `["\u0061","\u0062"]`},
			[]string{`[1,1.0]`, `["a","\u0061"]`, `[null,null]`, `[100,1e2]`, `[0,-0]`}},
		{"nothing unique asked", `{"uniqueItems":false}`, []string{`[1,1]`}, nil},

		{"allOf", `{"allOf":[{"minimum":1},{"maximum":3}]}`, []string{`1`, `3`, `"a"`}, []string{`0`, `4`}},
		{"anyOf", `{"anyOf":[{"type":"string"},{"minimum":3}]}`, []string{`"a"`, `3`, `null`}, []string{`2`}},
		{"oneOf", `{"oneOf":[{"multipleOf":3},{"multipleOf":5}]}`, []string{`3`, `10`}, []string{`15`, `7`, `"a"`}},
		{"not", `{"not":{"type":"string"}}`, []string{`1`, `{}`}, []string{`"a"`}},
		{"if, then and else", `{"if":{"properties":{"k":{"const":"a"}},"required":["k"]},"then":{"required":["x"]},"else":{"required":["y"]}}`,
			[]string{`{"k":"a","x":1}`, `{"y":1}`, `{"k":"b","y":1}`}, []string{`{"k":"a","y":1}`, `{}`, `{"k":"b","x":1}`}},
		{"a lone if", `{"if":{"type":"string"}}`, []string{`1`, `"a"`}, nil},
		{"branches over objects", `{"oneOf":[{"properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false},{"properties":{"b":{"type":"array","items":{"type":"string"}}},"required":["b"],"additionalProperties":false}]}`,
			[]string{`{"a":1}`, `{"b":["x","\n"]}`, `{"b":[]}`}, []string{`{"a":1,"b":[]}`, `{"b":[1]}`, `{}`}},

		{"a reference with its siblings", `{"$defs":{"n":{"type":"integer"}},"$ref":"#/$defs/n","minimum":3}`, []string{`3`}, []string{`2`, `"a"`}},
		{"an anchor", `{"$defs":{"n":{"$anchor":"here","type":"integer"}},"$ref":"#here"}`, []string{`3`}, []string{`"a"`}},
		{"an embedded identifier", `{"$defs":{"n":{"$id":"urn:example:n","type":"integer"}},"items":{"$ref":"urn:example:n"}}`, []string{`[3]`}, []string{`["a"]`}},
		{"a recursive schema", `{"properties":{"next":{"$ref":"#"},"v":{"type":"integer"}},"additionalProperties":false}`,
			[]string{`{"next":{"next":{"v":1}},"v":2}`}, []string{`{"next":{"next":{"v":"1"}}}`, `{"next":{"other":1}}`}},
		{"a dynamic reference to the one place", `{"$dynamicAnchor":"node","properties":{"c":{"items":{"$dynamicRef":"#node"}},"v":{"type":"integer"}}}`,
			[]string{`{"c":[{"v":1},{"c":[]}]}`}, []string{`{"c":[{"v":"1"}]}`}},

		{"a string format", `{"format":"date"}`, []string{`"2024-02-29"`, `5`}, []string{`"2023-02-29"`, `""`}},
		{"an integer format", `{"format":"int32"}`, []string{`2147483647`, `-2147483648`, `1.0`, `"a"`}, []string{`2147483648`, `1.5`, `-2147483649`, `1e400`}},
		{"an unsigned format", `{"format":"uint64"}`, []string{`18446744073709551615`, `0`}, []string{`-1`, `18446744073709551616`}},
		{"a format for people", `{"format":"password","maxLength":2}`, []string{`"ab"`}, []string{`"abc"`}},
		{"annotations and extensions", `{"title":"t","description":"d","default":5,"examples":[1],"x-order":3,"$comment":"c","deprecated":true,"readOnly":true,"type":"integer"}`,
			[]string{`5`}, []string{`"a"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := schemaFor(t, tt.schema)
			for _, text := range tt.yes {
				if !accepts(t, s, text) {
					t.Errorf("%s: not accepted", text)
				}
			}
			for _, text := range tt.no {
				if accepts(t, s, text) {
					t.Errorf("%s: accepted", text)
				}
			}
		})
	}
}

// A clause for objects knows names in words of bits, two of them by itself and
// more in scratch memory, and has no answer for more than maxKnown.
func TestProgramKnowsManyNames(t *testing.T) {
	for _, n := range []int{128, 129, 1000} {
		required := `"required":[` + numbered(`"p%d"`, n) + `],"additionalProperties":false}`
		schema := `{"properties":{"inner":{"properties":{` + numbered(`"p%d":{"const":%[1]d}`, n) + `},` + required + `,` +
			numbered(`"p%d":{"const":%[1]d}`, n) + `},` + required
		inner := `{` + numbered(`"p%d":%[1]d`, n) + `}`
		whole := func(first, second string) string {
			return first[:2*n] + strings.Replace(first[2*n:], `,"p`, `,"inner":`+second+`,"p`, 1)
		}
		s := schemaFor(t, schema)
		if !accepts(t, s, whole(inner, inner)) || !accepts(t, s, inner) {
			t.Fatalf("%d names: not accepted", n)
		}
		for _, i := range []int{0, 1, 63, 64, 65, 126, 127, n - 1} {
			member := fmt.Sprintf(`"p%d":%[1]d`, i)
			without := strings.Replace(strings.Replace(inner, member+",", "", 1), ","+member+"}", "}", 1)
			twice := strings.TrimSuffix(inner, "}") + "," + member + "}"
			wrong := strings.Replace(inner, member, fmt.Sprintf(`"p%d":"x"`, i), 1)
			for _, text := range []string{without, twice, wrong} {
				if text == inner || accepts(t, s, whole(text, inner)) || accepts(t, s, whole(inner, text)) {
					t.Errorf("%d names, with %d wrong: accepted", n, i)
				}
			}
		}
	}
	names := numbered(`"p%d"`, maxKnown+1)
	all := `{` + numbered(`"p%d":0`, maxKnown+1) + `}`
	if accepts(t, schemaFor(t, `{"required":[`+names+`]}`), all) {
		t.Error("one name too many is accepted")
	}
}

// Outside the subset there is no answer, and nothing around it makes one of it.
func TestProgramNeverTurnsADoubtIntoAnAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, schema string
		no           []string
	}{
		{"unevaluated properties", `{"unevaluatedProperties":false}`, []string{`{}`, `1`}},
		{"a doubt under not", `{"not":{"unevaluatedProperties":false}}`, []string{`{"a":1}`, `{}`}},
		{"a doubt under two nots", `{"not":{"not":{"unevaluatedProperties":false}}}`, []string{`{"a":1}`, `{}`}},
		{"a doubt in a property under not", `{"not":{"properties":{"a":{"unevaluatedItems":false}}}}`, []string{`{"a":[1]}`, `{"a":[]}`}},
		{"a doubt as a condition", `{"if":{"unevaluatedProperties":false},"then":{"type":"object"},"else":{"type":"object"}}`, []string{`{}`}},
		{"a doubt beside a match in oneOf", `{"oneOf":[{"unevaluatedProperties":false},{"type":"object"}]}`, []string{`{}`, `{"a":1}`}},
		{"a doubt among the items that count", `{"contains":{"unevaluatedProperties":false},"maxContains":1}`, []string{`[{},{}]`, `[{}]`, `[1,{}]`}},
		{"a doubt about a name", `{"propertyNames":{"anyOf":[{"unevaluatedItems":false},false]}}`, []string{`{"a":1}`}},
		{"a pattern that could exceed its bound, anywhere", `{"anyOf":[true,{"pattern":"^(?=a)"}]}`, []string{`1`, `"a"`}},
		{"a doubt about what is contained, under not", `{"not":{"contains":{"unevaluatedProperties":false}}}`, []string{`[{}]`, `[{"a":1}]`}},
		{"a dynamic reference with several targets", `{"$id":"urn:example:texts","$ref":"urn:example:list","$defs":{"text":{"$dynamicAnchor":"item","type":"string"},` +
			`"list":{"$id":"urn:example:list","items":{"$dynamicRef":"#item"},"$defs":{"any":{"$dynamicAnchor":"item"}}}}}`, []string{`[1]`, `["a"]`}},
		{"two objects that may be equal", `{"uniqueItems":true}`, []string{`[{},{}]`, `[{"a":1},{"a":2}]`}},
		{"two objects under not", `{"not":{"uniqueItems":true}}`, []string{`[{"a":1},{"a":2}]`, `[[],[]]`}},
		{"regex as a format", `{"format":"regex"}`, []string{`"a"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := schemaFor(t, tt.schema)
			for _, text := range tt.no {
				if accepts(t, s, text) {
					t.Errorf("%s: accepted", text)
				}
			}
		})
	}
}

// Around a doubt, what it cannot change is still answered.
func TestProgramAnswersWhereADoubtDoesNotMatter(t *testing.T) {
	for _, tt := range []struct{ schema, text string }{
		{`{"anyOf":[{"unevaluatedProperties":false},{"type":"object"}]}`, `{"a":1}`},
		{`{"properties":{"a":{"unevaluatedProperties":false}}}`, `{"b":1}`},
		{`{"contains":{"type":"object","unevaluatedProperties":false},"minContains":0,"maxContains":2}`, `[{},{"a":1}]`},
		{`{"contains":{"anyOf":[{"type":"integer"},{"unevaluatedProperties":false}]},"minContains":1,"maxContains":2}`, `[{},1]`},
		{`{"not":{"allOf":[{"unevaluatedProperties":false},{"type":"string"}]}}`, `{"a":1}`},
	} {
		s := schemaFor(t, tt.schema)
		if !accepts(t, s, tt.text) {
			t.Errorf("%s: %s is not accepted", tt.schema, tt.text)
		}
	}
}

// Under a schema that takes every value, what is accepted is what is strict.
func TestProgramChecksTheStrictRulesInTheSamePass(t *testing.T) {
	schemas := []string{
		`true`,
		`{"properties":{"a":true,"b":{"properties":{"a":true}}}}`,
		`{"patternProperties":{"^a":true}}`,
		`{"anyOf":[{"type":"string","minLength":1000},true]}`,
		`{"not":{"type":"string","minLength":1000}}`,
		`{"$defs":{"a":true},"allOf":[{"$ref":"#/$defs/a"}]}`,
		`{"contains":true,"minContains":0,"items":true,"propertyNames":true}`,
		`{"const":1,"not":{"const":2}}`,
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	deepObject := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for _, text := range []string{
		``, ` `, `nul`, `tru`, `falsE`, `nulll`, `True`, `1 2`, `{} {}`, `{},`, `[] x`, `"a" "b"`, "\ufeff1", "1\x00", `1,`,
		`01`, `-`, `+1`, `1.`, `.5`, `1e`, `1e+`, `-01`, `00`, `0x1`, `1_000`, `--1`, `1e1001`, `1e-1001`, `1e01000`, `NaN`, `-Infinity`,
		strings.Repeat("9", 1000), strings.Repeat("9", 1001), "0." + strings.Repeat("0", 998), "0." + strings.Repeat("0", 999),
		`"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12G4"`, "\"\n\"", "\"\x1f\"", `"\ud800"`, `"\udc00"`, `"\ud800\u0041"`, `"\ud800\udc00"`, "\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", `'a'`,
		`[`, `]`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, `[1:2]`, `[}`, `[1}`,
		`{`, `}`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{a:1}`, `{"a" 1}`, `{"a",1}`, `{1:2}`, `{"a":1 "b":2}`, `{"a":1]`, `{null:1}`,
		`{"a":1,"a":1}`, `{"a":1,"\u0061":1}`, `{"\u0061":1,"a":1}`, `{"z":1,"z":1}`, `{"z":1,"\u007a":2}`, `{"z":1,"y":2,"z":3}`, `{"":1,"":1}`,
		`{"b":{"a":1,"a":2}}`, `{"q":{"z":1,"z":2}}`, `[{"z":1,"z":2}]`, `{"z":{"z":1},"y":{"z":1}}`, `{"y":{"z":1},"z":1}`, `[{"y":[{"z":1},{"z":2}],"z":1}]`, `{"a":{"a":1},"b":{"a":1}}`,
		"{\"\xff\":1}", `{"\ud800":1}`,
		deep(128), deep(129), deepObject(128), deepObject(129), `{"a":` + deep(127) + `}`, `{"a":` + deep(128) + `}`, `{"z":` + deep(128) + `}`,
		"{\"a\"\t:\r\n1 , \"b\" :{ } }", "\v1", "1\f", "[\u00a01]",
		manyMembers(40, -1), manyMembers(40, 0), manyMembers(40, 39), manyMembers(200, 150),
	} {
		strict := strictjson.Check([]byte(text)) == nil
		for _, schema := range schemas {
			s := schemaFor(t, schema)
			if got := s.Accepts([]byte(text), plenty()); got && !strict {
				t.Errorf("%s accepts %.100q", schema, text)
			} else if !got && strict && !strings.HasPrefix(schema, `{"const"`) {
				t.Errorf("%s does not accept %.100q", schema, text)
			}
		}
	}
}

// manyMembers is an object of n members, the i-th of which repeats at the end.
func manyMembers(n, i int) string {
	var b strings.Builder
	b.WriteString(`{`)
	for k := range n {
		b.WriteString(`"m` + strings.Repeat("x", k) + `":1,`)
	}
	last := n
	if i >= 0 {
		last = i
	}
	b.WriteString(`"m` + strings.Repeat("x", last) + `":2}`)
	return b.String()
}

// Go values that encoding/json, an embedding program or the facade may give.
func TestProgramTakesGoValues(t *testing.T) {
	var nested any = 1
	for range 129 {
		nested = []any{nested}
	}
	loop := map[string]any{}
	loop["a"] = loop
	number := schemaFor(t, `{"type":"integer","minimum":-5,"maximum":18446744073709551615}`)
	decimal := schemaFor(t, `{"multipleOf":0.01}`)
	open := schemaFor(t, `true`)
	tenth := schemaFor(t, `{"const":0.1}`)
	big := schemaFor(t, `{"const":1e21}`)
	third := schemaFor(t, `{"const":0.3333333333333333}`)
	rounded := schemaFor(t, `{"const":1152921504606847000}`)
	edge := schemaFor(t, `{"maximum":9007199254740992}`)
	for _, tt := range []struct {
		name   string
		schema *Schema
		value  any
		want   bool
	}{
		{"int", number, -5, true}, {"int below", number, -6, false},
		{"int8", number, int8(-5), true}, {"int16", number, int16(7), true}, {"int32", number, int32(7), true}, {"int64", number, int64(math.MinInt64), false},
		{"uint", number, uint(7), true}, {"uint8", number, uint8(7), true}, {"uint16", number, uint16(7), true}, {"uint32", number, uint32(7), true},
		{"uint64 beyond int64", number, uint64(math.MaxUint64), true},
		{"float64 that is an integer", number, 3.0, true}, {"float64 that is none", number, 3.5, false},
		{"float64 beyond 2^53", number, 1e19, true}, {"float64 beyond the bound", number, 1e20, false},
		{"json.Number", number, json.Number("12e0"), true}, {"json.Number that is none", open, json.Number("0x1"), false},
		{"json.Number that is empty", open, json.Number(""), false}, {"json.Number out of bounds", open, json.Number("1e1001"), false},
		{"json.Number with a space", open, json.Number(" 1"), false},
		{"a float64 is its shortest decimal", decimal, 19.99, true}, {"0.1", tenth, 0.1, true}, {"0.1 and a bit", tenth, 0.1 + 1e-17*2, false},
		{"1e21", big, 1e21, true}, {"1/3", third, 1.0 / 3, true}, {"2^53", edge, float64(1 << 53), true}, {"2^53+2", edge, float64(1<<53 + 2), false},
		{"2^60 is its shortest decimal", rounded, float64(1 << 60), true}, {"2^60 as an integer is not", rounded, 1 << 60, false},
		{"NaN", open, math.NaN(), false}, {"infinity", open, math.Inf(-1), false}, {"negative zero", tenth, math.Copysign(0, -1), false}, {"negative zero is a number", open, math.Copysign(0, -1), true},
		{"invalid UTF-8", open, "\xff", false}, {"a name of invalid UTF-8", open, map[string]any{"\xff": 1}, false}, {"invalid UTF-8 deep down", open, []any{map[string]any{"a": "\xff"}}, false},
		{"a type that is no JSON", open, struct{}{}, false}, {"a slice of another type", open, []string{"a"}, false}, {"float32", open, float32(1), false},
		{"a type deep down that is no JSON", open, map[string]any{"a": []any{make(chan int)}}, false},
		{"too deep", open, nested, false}, {"just as deep as may be", open, nested.([]any)[0], true}, {"a value that holds itself", open, loop, false},
		{"nil", open, nil, true}, {"a nil map", open, map[string]any(nil), false}, {"a nil slice", open, []any(nil), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.schema.AcceptsValue(tt.value, plenty()); got != tt.want {
				t.Errorf("accepts: %v, want %v", got, tt.want)
			}
		})
	}
}

// The work of a pass is bounded by the budget, of which a pass without an
// answer takes nothing.
func TestProgramStaysWithinTheBudget(t *testing.T) {
	doubling := `{"$defs":{"d0":true`
	for i := range 25 {
		doubling += `,"d` + string(rune('a'+i)) + `":{"allOf":[{"$ref":"#/$defs/` + previous(i) + `"},{"$ref":"#/$defs/` + previous(i) + `"}]}`
	}
	doubling += `},"$ref":"#/$defs/dy"}`
	branches := `{"$defs":{"n":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/n"},"minItems":1,"maxItems":1,"contains":{"type":"string"}},` +
		`{"type":"array","items":{"$ref":"#/$defs/n"},"contains":{"type":"null"}},{"type":"array","items":{"$ref":"#/$defs/n"}}]}},"$ref":"#/$defs/n"}`
	for _, tt := range []struct{ name, schema, text string }{
		{"a doubling chain of references", doubling, `1`},
		{"recursive branches", branches, strings.Repeat("[", 40) + strings.Repeat("]", 40)},
		{"many comparisons", `{"items":{"const":[` + strings.Repeat(`0.5,`, 2000) + `1.5]}}`, `[` + repeat(`[`+strings.Repeat(`0.5,`, 2000)+`1.5]`, 100) + `]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := NewBudget(100_000, nil)
			if schemaFor(t, tt.schema).Accepts([]byte(tt.text), b) {
				t.Error("accepted beyond the budget")
			}
			if b.Steps() != 100_000 {
				t.Errorf("an answer that never came took %d steps", 100_000-b.Steps())
			}
			v, err := strictjson.Decode([]byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if schemaFor(t, tt.schema).AcceptsValue(v, b) {
				t.Error("accepted the value beyond the budget")
			}
		})
	}

	s := schemaFor(t, `{"items":{"type":"integer"}}`)
	b := NewBudget(1000, nil)
	if !s.Accepts([]byte(`[1,2,3]`), b) || b.Steps() >= 1000 || b.Steps() < 900 {
		t.Errorf("three items leave %d of 1000 steps", b.Steps())
	}
	// The last look may be the one that exceeds it.
	long := `"` + strings.Repeat("a", 10_000) + `"`
	begins := schemaFor(t, `{"pattern":"^a"}`)
	begins.Accepts([]byte(long), nil) // its pattern is ready
	if b := NewBudget(200, nil); begins.Accepts([]byte(long), b) || b.Steps() != 200 {
		t.Errorf("a long text leaves %d of 200 steps", b.Steps())
	}
	if b = NewBudget(3, nil); s.Accepts([]byte(`[1,2,3]`), b) {
		t.Error("accepted beyond three steps")
	}
	var stop atomic.Bool
	stop.Store(true)
	if s.Accepts([]byte(`[1]`), NewBudget(1000, &stop)) || s.AcceptsValue([]any{1}, NewBudget(1000, &stop)) {
		t.Error("accepted after the stop")
	}
}

func previous(i int) string {
	if i == 0 {
		return "d0"
	}
	return "d" + string(rune('a'+i-1))
}

func TestProgramDoesNotAllocateWhenItAccepts(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, and so allocate")
	}
	for _, f := range fixtures(t) {
		for _, text := range f.valid {
			v, err := strictjson.Decode([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			data, b := []byte(text), plenty()
			for name, run := range map[string]func() bool{
				"text":  func() bool { b.steps = 1_000_000; return f.schema.Accepts(data, b) },
				"value": func() bool { b.steps = 1_000_000; return f.schema.AcceptsValue(v, b) },
			} {
				if !run() {
					t.Errorf("%s: %s %.100s is not accepted", f.name, name, text)
				}
				if n := testing.AllocsPerRun(100, func() { run() }); n != 0 {
					t.Errorf("%s: %s %.100s: %v allocations", f.name, name, text, n)
				}
			}
		}
	}
}

// Schemas and texts that are meant to explode: the pass ends, takes little
// memory, and what it accepts is valid.
func TestProgramSurvivesAdversaries(t *testing.T) {
	const mostBytes = 50 << 20
	for _, a := range adversaries() {
		t.Run(a.name, func(t *testing.T) {
			s := schemaFor(t, a.schema)
			v := valueOf(t, a.value)
			for form, run := range map[string]func(*Budget) bool{
				"text":  func(b *Budget) bool { return s.Accepts([]byte(a.value), b) },
				"value": func(b *Budget) bool { return s.AcceptsValue(v, b) },
			} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				accepted := run(plenty())
				runtime.ReadMemStats(&after)
				if accepted && a.want == "invalid" {
					t.Errorf("accepts the %s, which is invalid", form)
				}
				if used := after.TotalAlloc - before.TotalAlloc; used > mostBytes {
					t.Errorf("%s: allocated %d MB", form, used>>20)
				}
			}
		})
	}
}

// One schema judges for several goroutines, each with scratch memory of its own.
func TestProgramServesSeveralGoroutines(t *testing.T) {
	s := schemaFor(t, `{"properties":{"tags":{"uniqueItems":true,"items":{"type":"string"}}},"additionalProperties":{"multipleOf":0.01}}`)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			own := strconv.Itoa(i)
			yes := []byte(`{"\u0074ags":["\u0061` + own + `","\n` + own + `"],"\u0078` + own + `":0.2` + own + `,"y":1}`)
			no := []byte(`{"tags":["\u0061` + own + `","a` + own + `"],"x` + own + `":0.25}`)
			value := map[string]any{"tags": []any{own}, "x" + own: 0.25, "y": uint64(math.MaxUint64)}
			for range 500 {
				if !s.Accepts(yes, plenty()) || s.Accepts(no, plenty()) || !s.AcceptsValue(value, plenty()) {
					t.Error("another answer than alone")
					return
				}
			}
		})
	}
	wait.Wait()
}
