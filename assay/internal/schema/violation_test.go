package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestViolations pins path, keyword, schema path, message and suggestion for
// each keyword.
func TestViolations(t *testing.T) {
	for _, test := range []struct {
		schema, value string
		want          []Violation // of each, SchemaPath below /schemas/t
	}{
		{`{"type":"string"}`, `1`, []Violation{{"", "type", "the value must be a string", "use a string", "/type"}}},
		{`{"type":["integer","null"]}`, `"x"`, []Violation{{"", "type", "the value must be an integer or null", "use an integer or null", "/type"}}},
		{`{"properties":{"percent":{"maximum":30}}}`, `{"percent":31}`, []Violation{{"/percent", "maximum", "the number must be <= 30", "use a number <= 30", "/properties/percent/maximum"}}},
		{`{"minimum":1.50}`, `1`, []Violation{{"", "minimum", "the number must be >= 1.5", "use a number >= 1.5", "/minimum"}}},
		{`{"exclusiveMaximum":1e3}`, `1000`, []Violation{{"", "exclusiveMaximum", "the number must be < 1000", "use a number < 1000", "/exclusiveMaximum"}}},
		{`{` + in4 + `,"minimum":2,"exclusiveMinimum":true}`, `2`, []Violation{{"", "exclusiveMinimum", "the number must be > 2", "use a number > 2", "/exclusiveMinimum"}}},
		{`{` + in4 + `,"maximum":2,"exclusiveMaximum":false}`, `3`, []Violation{{"", "maximum", "the number must be <= 2", "use a number <= 2", "/maximum"}}},
		{`{"maximum":1e400}`, `2e400`, []Violation{{"", "maximum", "the number must be <= 1e400", "use a number <= 1e400", "/maximum"}}},
		{`{"multipleOf":0.01}`, `0.001`, []Violation{{"", "multipleOf", "the number must be a multiple of 0.01", "use a multiple of 0.01", "/multipleOf"}}},
		{`{"minLength":1}`, `""`, []Violation{{"", "minLength", "the text must have at least 1 character", "use at least 1 character", "/minLength"}}},
		{`{"maxLength":2}`, `"abc"`, []Violation{{"", "maxLength", "the text must have at most 2 characters", "use at most 2 characters", "/maxLength"}}},
		{`{"pattern":"^[a-z]+$"}`, `"A"`, []Violation{{"", "pattern", `the text must match the pattern "^[a-z]+$"`, `use a text that matches "^[a-z]+$"`, "/pattern"}}},
		{`{"format":"date"}`, `"x"`, []Violation{{"", "format", `the value must be a text in the format "date"`, `use a text in the format "date"`, "/format"}}},
		{`{"format":"uint8"}`, `256`, []Violation{{"", "format", "the value must be an integer from 0 to 255", "use an integer from 0 to 255", "/format"}}},
		{`{"enum":["a",1,null,{"b":[2]}]}`, `2`, []Violation{{"", "enum", `the value must be one of "a", 1, null, {"b":[2]}`, `use one of "a", 1, null, {"b":[2]}`, "/enum"}}},
		{`{"const":true}`, `1`, []Violation{{"", "const", "the value must be true", "use true", "/const"}}},
		{`{"minItems":2}`, `[]`, []Violation{{"", "minItems", "the list must have at least 2 items", "give at least 2 items", "/minItems"}}},
		{`{"maxItems":1}`, `[1,2]`, []Violation{{"", "maxItems", "the list must have at most 1 item", "give at most 1 item", "/maxItems"}}},
		{`{"uniqueItems":true}`, `[1,1.0]`, []Violation{{"", "uniqueItems", "the items of the list must differ from each other", "remove the items that occur twice", "/uniqueItems"}}},
		{`{"items":false}`, `[1]`, []Violation{{"/0", "items", "this item is not allowed", "remove it", "/items"}}},
		{`{"prefixItems":[{}],"unevaluatedItems":false}`, `[1,2,3]`, []Violation{{"", "unevaluatedItems", "the list has items that are not allowed", "remove the last items", "/unevaluatedItems"}}},
		{`{` + in7 + `,"items":[{}],"additionalItems":false}`, `[1,2,3]`, []Violation{{"", "additionalItems", "the list must have at most 1 item", "give at most 1 item", "/additionalItems"}}},
		{`{"contains":{"const":1}}`, `[2]`, []Violation{{"", "contains", "no item of the list is of the kind it must contain", "add an item of the kind that the policy describes", "/contains"}}},
		{`{"contains":{"const":1},"minContains":2}`, `[1]`, []Violation{{"", "minContains", "the list must contain at least 2 items of the kind that the policy describes", "give at least 2 items of the kind that the policy describes", "/minContains"}}},
		{`{"contains":{"const":1},"maxContains":1}`, `[1,1]`, []Violation{{"", "maxContains", "the list must contain at most 1 item of the kind that the policy describes", "give at most 1 item of the kind that the policy describes", "/maxContains"}}},
		{`{"required":["b","a"]}`, `{}`, []Violation{{"", "required", `missing the properties "a", "b"`, `add the properties "a", "b"`, "/required"}}},
		{`{"properties":{"a":{},"b":{}},"additionalProperties":false}`, `{"z":1,"y":1}`, []Violation{{"", "additionalProperties", `the properties "y", "z" are not allowed`, `use only "a", "b"`, "/additionalProperties"}}},
		{`{"additionalProperties":{"type":"string"}}`, `{"z":1}`, []Violation{{"/z", "type", "the value must be a string", "use a string", "/additionalProperties/type"}}},
		{`{"unevaluatedProperties":false}`, `{"b":1,"a":1}`, []Violation{{"", "unevaluatedProperties", `the properties "a", "b" are not allowed`, `remove the properties "a", "b"`, "/unevaluatedProperties"}}},
		{`{"propertyNames":{"maxLength":1}}`, `{"aa":1,"b":1,"cc":1}`, []Violation{{"", "propertyNames", `the properties "aa", "cc" are not allowed by name`, `rename or remove the properties "aa", "cc"`, "/propertyNames"}}},
		{`{"dependentRequired":{"a":["b"],"c":["d"]}}`, `{"a":1,"c":1}`, []Violation{{"", "dependentRequired", `missing the properties "b", "d", which other properties given require`, `add the properties "b", "d"`, "/dependentRequired"}}},
		{`{"dependentSchemas":{"a":{"required":["b"]}}}`, `{"a":1}`, []Violation{{"", "required", `missing the property "b"`, `add the property "b"`, "/dependentSchemas/a/required"}}},
		{`{` + in7 + `,"dependencies":{"a":["b"],"c":{"maxProperties":1}}}`, `{"a":1,"c":1}`, []Violation{
			{"", "dependencies", `missing the property "b", which other properties given require`, `add the property "b"`, "/dependencies"},
			{"", "maxProperties", "the object must have at most 1 property", "give at most 1 property", "/dependencies/c/maxProperties"}}},
		{`{"minProperties":1}`, `{}`, []Violation{{"", "minProperties", "the object must have at least 1 property", "give at least 1 property", "/minProperties"}}},
		{`{"anyOf":[{"type":"string"},{"minimum":3}]}`, `1`, []Violation{{"", "anyOf", "the value fits none of the alternatives", "use a value that fits at least one alternative of the policy", "/anyOf"}}},
		{`{"oneOf":[{"type":"string"},{"minimum":3}]}`, `1`, []Violation{{"", "oneOf", "the value fits none of the alternatives", "use a value that fits exactly one alternative of the policy", "/oneOf"}}},
		{`{"oneOf":[true,true]}`, `1`, []Violation{{"", "oneOf", "the value fits more than one of the alternatives", "use a value that fits exactly one alternative of the policy", "/oneOf"}}},
		{`{"not":{"type":"integer"}}`, `1`, []Violation{{"", "not", "the value is of a kind that is not allowed", "use a value that the policy does not exclude", "/not"}}},
		{`{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, []Violation{{"", "required", `missing the property "b"`, `add the property "b"`, "/then/required"}}},
		{`{"if":{"required":["a"]},"else":false}`, `{}`, []Violation{{"", "else", "no value is allowed here", "leave it out", "/else"}}},
		{`{"properties":{"a":false}}`, `{"a":1}`, []Violation{{"/a", "properties", "this property is not allowed", "remove it", "/properties/a"}}},
		{`{"patternProperties":{"^a":false}}`, `{"ab":1}`, []Violation{{"/ab", "patternProperties", "this property is not allowed", "remove it", "/patternProperties/^a"}}},
		{`false`, `1`, []Violation{{"", "false", "no value is allowed here", "leave it out", ""}}},

		// What a failed branch speaks of is that branch's matter alone.
		{`{"allOf":[{"$ref":"#/$defs/b"}],"unevaluatedProperties":false,"$defs":{"b":{"properties":{"a":{"type":"integer"}},"patternProperties":{"^x":true}}}}`, `{"a":"y","xx":1,"c":1}`, []Violation{
			{"", "unevaluatedProperties", `the property "c" is not allowed`, `remove the property "c"`, "/unevaluatedProperties"},
			{"/a", "type", "the value must be an integer", "use an integer", "/$defs/b/properties/a/type"}}},
		{`{"allOf":[{"prefixItems":[{"type":"integer"}]}],"unevaluatedItems":false}`, `["x"]`, []Violation{
			{"/0", "type", "the value must be an integer", "use an integer", "/allOf/0/prefixItems/0/type"}}},

		// Through references the schema path is where the keyword stands.
		{`{"$defs":{"n/m":{"items":{"maximum":3}}},"allOf":[{"$ref":"#/$defs/n~1m"}]}`, `[1,4]`, []Violation{{"/1", "maximum", "the number must be <= 3", "use a number <= 3", "/$defs/n~1m/items/maximum"}}},
		{`{"$dynamicRef":"#n","$defs":{"n":{"$dynamicAnchor":"n","maximum":3}}}`, `4`, []Violation{{"", "maximum", "the number must be <= 3", "use a number <= 3", "/$defs/n/maximum"}}},
		{`{` + in7 + `,"definitions":{"n":{"maximum":3}},"items":{"$ref":"#/definitions/n"}}`, `[4]`, []Violation{{"/0", "maximum", "the number must be <= 3", "use a number <= 3", "/definitions/n/maximum"}}},

		// One violation for each path and keyword, the first schema path of
		// them, the names of all.
		{`{"allOf":[{"required":["b"]},{"required":["a","b"]}],"properties":{"c":{"allOf":[{"maximum":3},{"maximum":2}]}}}`, `{"c":9}`, []Violation{
			{"", "required", `missing the properties "a", "b"`, `add the properties "a", "b"`, "/allOf/0/required"},
			{"/c", "maximum", "the number must be <= 3", "use a number <= 3", "/properties/c/allOf/0/maximum"}}},
		// The order is that of the paths, then of the schema paths, bytewise.
		{`{"properties":{"b":{"type":"string"},"a":{"minimum":3,"multipleOf":2},"a0":{"type":"string"},"a!":{"type":"string"}},"minProperties":9}`, `{"b":1,"a":1,"a0":1,"a!":1}`, []Violation{
			{"", "minProperties", "the object must have at least 9 properties", "give at least 9 properties", "/minProperties"},
			{"/a", "minimum", "the number must be >= 3", "use a number >= 3", "/properties/a/minimum"},
			{"/a", "multipleOf", "the number must be a multiple of 2", "use a multiple of 2", "/properties/a/multipleOf"},
			{"/a!", "type", "the value must be a string", "use a string", "/properties/a!/type"},
			{"/a0", "type", "the value must be a string", "use a string", "/properties/a0/type"},
			{"/b", "type", "the value must be a string", "use a string", "/properties/b/type"}}},
		{`{"properties":{"a/b~":{"type":"string"}}}`, `{"a/b~":1}`, []Violation{{"/a~1b~0", "type", "the value must be a string", "use a string", "/properties/a~1b~0/type"}}},

		// The schema false.
		{`{"properties":{"a":{"$ref":"#/$defs/no"}},"$defs":{"no":false}}`, `{"a":1}`, []Violation{{"/a", "$ref", "no value is allowed here", "leave it out", "/properties/a/$ref"}}},
		{`{"properties":{"a":{"$ref":"#/properties/b/unevaluatedProperties"},"b":{"unevaluatedProperties":false}}}`, `{"a":1}`, []Violation{{"/a", "$ref", "no value is allowed here", "leave it out", "/properties/a/$ref"}}},
		{`{"dependentSchemas":{"a":false,"b":false}}`, `{"a":1,"b":2,"c":3}`, []Violation{{"", "dependentSchemas", `the properties "a", "b" are not allowed`, `remove the properties "a", "b"`, "/dependentSchemas/a"}}},
		{`{` + in7 + `,"dependencies":{"a":false,"b":["c"]}}`, `{"a":1,"b":1}`, []Violation{{"", "dependencies", `missing the property "c", which other properties given require; the property "a" is not allowed`, `add the property "c" and remove the property "a"`, "/dependencies"}}},

		// What several schemas say of one place and keyword.
		{`{"allOf":[{"oneOf":[{"type":"string"}]},{"oneOf":[true,true]}]}`, `{}`, []Violation{{"", "oneOf", "the value fits none of the alternatives", "use a value that fits exactly one alternative of the policy", "/allOf/0/oneOf"}}},
		{`{"additionalProperties":false,"properties":{"x":true},"allOf":[{"additionalProperties":false,"properties":{"a":true}}]}`, `{"a":1,"x":2}`, []Violation{{"", "additionalProperties", `the properties "a", "x" are not allowed`, `remove the properties "a", "x"`, "/additionalProperties"}}},

		// What a failed branch speaks of is not called unevaluated.
		{`{"oneOf":[{"properties":{"k":{"const":"x"},"v":{"type":"integer"}},"required":["k"]},{"properties":{"k":{"const":"y"}},"required":["k"]}],"unevaluatedProperties":false}`, `{"k":"x","v":"1","z":0}`, []Violation{
			{"", "oneOf", "the value fits none of the alternatives", "use a value that fits exactly one alternative of the policy", "/oneOf"},
			{"", "unevaluatedProperties", `the property "z" is not allowed`, `remove the property "z"`, "/unevaluatedProperties"},
		}},
		{`{"const":{"a":"<b>&"}}`, `1`, []Violation{{"", "const", `the value must be {"a":"<b>&"}`, `use {"a":"<b>&"}`, "/const"}}},
	} {
		s := compiled(t, test.schema)
		r := s.Validate(decode(t, test.value), nil)
		for i := range test.want {
			test.want[i].SchemaPath = "/schemas/t" + test.want[i].SchemaPath
		}
		if !slices.Equal(r.Violations, test.want) || r.Failure != None || r.Truncated {
			t.Errorf("%s over %s:\n got %+v\nwant %+v", test.schema, test.value, r, test.want)
		}
	}
}

func TestMembersUnderWriteOnlyAreNotShown(t *testing.T) {
	for _, schema := range []string{
		`{"writeOnly":true,"enum":["s3cret"]}`,
		`{"writeOnly":true,"const":"s3cret"}`,
		`{"writeOnly":true,"pattern":"^s3cret$"}`,
		`{"writeOnly":true,"items":{"const":"s3cret"}}`,
		`{"writeOnly":true,"allOf":[{"const":"s3cret"}]}`,
		`{"allOf":[{"writeOnly":true},{"const":"s3cret"}]}`,
		`{"const":"s3cret","allOf":[{"writeOnly":true}]}`,
		`{"$defs":{"d":{"const":"s3cret"}},"writeOnly":true,"$ref":"#/$defs/d"}`,
		`{"$defs":{"d":{"writeOnly":true}},"const":"s3cret","$ref":"#/$defs/d"}`,
		`{"properties":{"p":{"writeOnly":true,"properties":{"q":{"const":"s3cret"}}}}}`,
		`{"properties":{"p":{"writeOnly":true}},"patternProperties":{"^p$":{"enum":["s3cret"]}}}`,
		`{"properties":{"p":{"writeOnly":true}},"additionalProperties":true,"allOf":[{"properties":{"p":{"const":"s3cret"}}}]}`,
		`{"allOf":[{"properties":{"p":{"writeOnly":true}}},{"properties":{"p":{"pattern":"^s3cret$","const":"s3cret"}}}]}`,
		`{"properties":{"p":{"writeOnly":true}},"dependentSchemas":{"p":{"properties":{"p":{"const":"s3cret"}}}}}`,
		`{"items":{"contentSchema":true,"allOf":[{"$ref":"#/$defs/d"}]},"$defs":{"d":{"items":{"writeOnly":true}}},"const":"s3cret"}`,
	} {
		s := compiled(t, schema)
		for _, value := range []string{`"x"`, `["x"]`, `{"p":{"q":1}}`} {
			r := s.Validate(decode(t, value), nil)
			if text := fmt.Sprintf("%+v", r); strings.Contains(text, "s3cret") {
				t.Errorf("%s over %s: %s", schema, value, text)
			}
		}
	}
	r := compiled(t, `{"properties":{"a":{"writeOnly":false},"b":{"const":"shown"}}}`).Validate(decode(t, `{"b":1}`), nil)
	if !strings.Contains(r.Violations[0].Message, "shown") {
		t.Error("nothing is writeOnly:", r)
	}
	// A shared definition that is writeOnly hides in the schemas that reach it.
	commons := NewCommons(Source{Defs: decode(t, `{"d":{"$ref":"#/$defs/e"},"e":{"writeOnly":true},"f":{}}`).(map[string]any), DefsPointer: "/schemas/$defs"}, Options{})
	for schema, hidden := range map[string]bool{
		`{"items":{"$ref":"#/$defs/d"},"const":"s3cret"}`:                        true,
		`{"items":{"$ref":"#/$defs/d"},"$anchor":"a","const":"s3cret"}`:          true,
		`{"items":{"$ref":"#/$defs/f"},"const":"s3cret"}`:                        false,
		`{"$schema":"http://json-schema.org/draft-07/schema#","const":"s3cret"}`: false,
	} {
		s, problems := commons.Compile(decode(t, schema), "/schemas/t")
		if s == nil {
			t.Fatal(problems)
		}
		r := s.Validate(decode(t, `1`), nil)
		if len(r.Violations) == 0 || strings.Contains(fmt.Sprintf("%+v", r), "s3cret") == hidden {
			t.Error(schema, r)
		}
		if s.Hide(); strings.Contains(fmt.Sprintf("%+v", s.Validate(decode(t, `1`), nil)), "s3cret") {
			t.Error(schema, "shows what it was told to hide")
		}
	}
}

// TestNoMessageRepeatsAValue breaks every keyword with a value that must not
// come back.
func TestNoMessageRepeatsAValue(t *testing.T) {
	schema := `{"properties":{"s":{"type":"integer","enum":[1],"const":1},"t":{"minLength":99,"pattern":"^x$","format":"date","enum":["y"]},
		"n":{"maximum":3,"multipleOf":2,"exclusiveMaximum":1,"not":true},"l":{"maxItems":0,"uniqueItems":true,"contains":{"const":0},"items":{"anyOf":[{"type":"null"}]}},
		"o":{"additionalProperties":{"const":1},"required":["r"],"propertyNames":{"maxLength":0}}},"maxProperties":0}`
	value := `{"s":"s3cret","t":"s3cret","n":53137.3,"l":["s3cret","s3cret",53137.3],"o":{"name":"s3cret","other":53137.3}}`
	r := compiled(t, schema).Validate(decode(t, value), nil)
	if len(r.Violations) < 18 {
		t.Error("only", len(r.Violations), "violations")
	}
	if text := fmt.Sprintf("%+v", r); strings.Contains(text, "s3cret") || strings.Contains(text, "53137") {
		t.Error(text)
	}
}

func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("é", 5000)
	enum := make([]any, 50)
	for i := range enum {
		enum[i] = fmt.Sprint(long, i)
	}
	names := map[string]any{}
	for i := range 50 {
		names[fmt.Sprint(long, i)] = map[string]any{"type": "null"}
	}
	schema := map[string]any{
		"properties": map[string]any{
			"e": map[string]any{"enum": enum}, "c": map[string]any{"const": enum}, "p": map[string]any{"pattern": "^" + long + "$"},
			"m": map[string]any{"maximum": json.Number("0." + strings.Repeat("1", 900))}, "r": map[string]any{"required": enum},
			"a": map[string]any{"properties": names, "additionalProperties": false},
		},
	}
	s, problems := Compile(Source{Doc: schema, Pointer: "/schemas/t"}, Options{})
	if s == nil {
		t.Fatal(problems)
	}
	r := s.Validate(map[string]any{"e": "x", "c": "x", "p": "x", "m": json.Number("1"), "r": map[string]any{}, "a": map[string]any{long: "x", "b\x00\u202e\"": "x", long + "0": "x"}}, nil)
	if len(r.Violations) != 7 {
		t.Error(len(r.Violations), "violations")
	}
	for _, v := range r.Violations {
		if len(v.Message) > 2500 || len(v.Suggestion) > 2500 || !utf8.ValidString(v.Message+v.Suggestion+v.Path) || len(v.Path) > 150 {
			t.Errorf("%d, %d, %d bytes: %s %s", len(v.Path), len(v.Message), len(v.Suggestion), v.Constraint, v.Message)
		}
		if strings.ContainsAny(v.Message, "\x00\u202e") {
			t.Errorf("%q", v.Message)
		}
	}
}

func TestShownNamesAreCut(t *testing.T) {
	for name, want := range map[string]string{
		"":                        `""`,
		"a b":                     `"a b"`,
		`it's "so"`:               `"it's \"so\""`,
		"a\nb\x00":                `"a\nb\x00"`,
		strings.Repeat("x", 128):  `"` + strings.Repeat("x", 128) + `"`,
		strings.Repeat("x", 129):  `"` + strings.Repeat("x", 125) + `…"`,
		strings.Repeat("é", 64):   `"` + strings.Repeat("é", 64) + `"`,
		strings.Repeat("é", 65):   `"` + strings.Repeat("é", 62) + `…"`,
		strings.Repeat("\n", 100): `"` + strings.Repeat(`\n`, 62) + `…"`,
	} {
		if got := shown(name); got != want {
			t.Errorf("%q is shown as %s, want %s", name, got, want)
		}
	}
}

func TestLongNamesThatBeginAlikeAreTwoPlaces(t *testing.T) {
	long := strings.Repeat("é~/", 50)
	s := compiled(t, `{"additionalProperties":{"additionalProperties":{"type":"string"}}}`)
	v := map[string]any{long + "a": map[string]any{"x": true}, long + "b": map[string]any{"x": true, "y": true}}
	cut := "/" + strings.Repeat("é~0~1", 31) + "…"
	var got []string
	for _, v := range s.Validate(v, nil).Violations {
		got = append(got, v.Path)
	}
	if want := []string{cut + "/x", cut + "/x", cut + "/y"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestViolationsAreCapped(t *testing.T) {
	s, _ := compile(t, `{"items":{"type":"string"}}`, Options{})
	list := func(n int) any { return decode(t, `[`+repeat(`1`, n)+`]`) }
	if r := s.Validate(list(64), nil); len(r.Violations) != 64 || r.Truncated {
		t.Error(len(r.Violations), r.Truncated)
	}
	if r := s.Validate(list(65), nil); len(r.Violations) != 64 || !r.Truncated {
		t.Error(len(r.Violations), r.Truncated)
	}
	s, _ = compile(t, `{"items":{"type":"string"}}`, Options{MaxViolations: 3})
	r := s.Validate(list(30_000), nil)
	var paths []string
	for _, v := range r.Violations {
		paths = append(paths, v.Path)
	}
	if !r.Truncated || !slices.Equal(paths, []string{"/0", "/1", "/10"}) {
		t.Error(paths, r.Truncated)
	}
}
