package schema

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const (
	in4    = `"$schema":"http://json-schema.org/draft-04/schema#"`
	in6    = `"$schema":"http://json-schema.org/draft-06/schema#"`
	in7    = `"$schema":"http://json-schema.org/draft-07/schema#"`
	in2019 = `"$schema":"https://json-schema.org/draft/2019-09/schema"`
	in2020 = `"$schema":"https://json-schema.org/draft/2020-12/schema"`
)

// TestGate is the rules of docs/policy.md, "Arguments", one table: what
// does not compile, with where and why, and what does.
func TestGate(t *testing.T) {
	for _, test := range []struct {
		schema string
		want   string // "" compiles, else "reason path" of every problem
	}{
		// A schema is a mapping, true or false.
		{`true`, ``}, {`false`, ``}, {`{}`, ``},
		{`1`, `not-a-schema `}, {`null`, `not-a-schema `}, {`"x"`, `not-a-schema `}, {`[]`, `not-a-schema `},
		{`{"properties":{"a":1}}`, `not-a-schema /properties/a`},
		{`{"not":null}`, `null-keyword /not`},
		{`{"properties":{"a":null}}`, `not-a-schema /properties/a`},

		// Drafts.
		{`{` + in4 + `}`, ``}, {`{` + in6 + `}`, ``}, {`{` + in7 + `}`, ``}, {`{` + in2019 + `}`, ``}, {`{` + in2020 + `}`, ``},
		{`{"$schema":"https://json-schema.org/draft-07/schema"}`, ``},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema#"}`, ``},
		{`{"$schema":"http://json-schema.org/schema#"}`, `unknown-draft /$schema`},
		{`{"$schema":"http://json-schema.org/draft-03/schema#"}`, `unknown-draft /$schema`},
		{`{"$schema":"https://example.invalid/meta"}`, `unknown-draft /$schema`},
		{`{"$schema":7}`, `bad-keyword /$schema`},
		{`{"$schema":null}`, `bad-keyword /$schema`},
		{`{"properties":{"a":{` + in7 + `}}}`, `other-draft /properties/a/$schema`},
		{`{"properties":{"a":{` + in2020 + `}}}`, ``},

		// Keywords of no draft, or of another.
		{`{"maxium":30}`, `unknown-keyword /maxium`},
		{`{"Type":"object"}`, `unknown-keyword /Type`},
		{`{"properties":{"x":{"requird":true}}}`, `unknown-keyword /properties/x/requird`},
		{`{"x-maxium":30,"properties":{"x":{"x-a":null}}}`, ``},
		{`{"dependencies":{"a":["b"]}}`, `foreign-keyword /dependencies`},
		{`{"id":"x"}`, `foreign-keyword /id`},
		{`{"$recursiveRef":"#"}`, `foreign-keyword /$recursiveRef`},
		{`{"additionalItems":false}`, `foreign-keyword /additionalItems`},
		{`{` + in2019 + `,"$dynamicRef":"#a"}`, `foreign-keyword /$dynamicRef`},
		{`{` + in2019 + `,"prefixItems":[{}]}`, `foreign-keyword /prefixItems`},
		{`{` + in7 + `,"$defs":{}}`, `foreign-keyword /$defs`},
		{`{` + in7 + `,"dependentRequired":{}}`, `foreign-keyword /dependentRequired`},
		{`{` + in7 + `,"unevaluatedProperties":false}`, `foreign-keyword /unevaluatedProperties`},
		{`{` + in7 + `,"minContains":1}`, `foreign-keyword /minContains`},
		{`{` + in6 + `,"if":{}}`, `foreign-keyword /if`},
		{`{` + in4 + `,"const":1}`, `foreign-keyword /const`},
		{`{` + in4 + `,"contains":{}}`, `foreign-keyword /contains`},
		{`{` + in4 + `,"$id":"http://a/b"}`, `foreign-keyword /$id`},
		{`{"divisibleBy":2}`, `unknown-keyword /divisibleBy`},
		{`{"definitions":{"a":{"maxium":1}}}`, `unknown-keyword /definitions/a/maxium`},
		{`{"contentSchema":{"maxium":1}}`, `unknown-keyword /contentSchema/maxium`},

		// null, and values that the metaschema refuses.
		{`{"maximum":null}`, `null-keyword /maximum`}, {`{"enum":null}`, `null-keyword /enum`}, {`{"title":null}`, `null-keyword /title`},
		{`{` + in4 + `,"examples":null}`, `null-keyword /examples`},
		{`{"const":null}`, ``}, {`{"default":null}`, ``}, {`{"enum":[null]}`, ``}, {`{"example":null}`, ``},
		{`{"maximum":"30"}`, `bad-keyword /maximum`}, {`{"maxLength":-1}`, `bad-keyword /maxLength`}, {`{"maxLength":1.5}`, `bad-keyword /maxLength`},
		{`{"maxLength":1.0}`, ``}, {`{"minLength":1e400}`, ``}, {`{"multipleOf":0}`, `bad-keyword /multipleOf`}, {`{"multipleOf":-1}`, `bad-keyword /multipleOf`},
		{`{"title":1}`, `bad-keyword /title`}, {`{"description":[]}`, `bad-keyword /description`}, {`{"deprecated":"yes"}`, `bad-keyword /deprecated`},
		{`{"examples":1}`, `bad-keyword /examples`}, {`{"readOnly":0}`, `bad-keyword /readOnly`}, {`{"$comment":1}`, `bad-keyword /$comment`},
		{`{"uniqueItems":"true"}`, `bad-keyword /uniqueItems`},
		{`{"required":true}`, `bad-keyword /required`}, {`{"required":["a","a"]}`, `bad-keyword /required`}, {`{"required":[1]}`, `bad-keyword /required`}, {`{"required":[]}`, ``},
		{`{` + in4 + `,"required":[]}`, `bad-keyword /required`},
		{`{"type":"strng"}`, `bad-keyword /type`}, {`{"type":[]}`, `bad-keyword /type`}, {`{"type":["string","string"]}`, `bad-keyword /type`}, {`{"type":["string","null"]}`, ``},
		{`{"enum":[]}`, `empty-enum /enum`}, {`{"enum":"a"}`, `bad-keyword /enum`}, {`{"enum":[1,1.0]}`, ``}, {`{` + in4 + `,"enum":[1,1.0]}`, `bad-keyword /enum`},
		{`{"allOf":[]}`, `bad-keyword /allOf`}, {`{"anyOf":{}}`, `bad-keyword /anyOf`}, {`{"items":[{}]}`, `not-a-schema /items`}, {`{"prefixItems":[]}`, `bad-keyword /prefixItems`},
		{`{"properties":[]}`, `bad-keyword /properties`}, {`{"dependentRequired":{"a":"b"}}`, `bad-keyword /dependentRequired/a`},
		{`{"additionalProperties":"no"}`, `not-a-schema /additionalProperties`},
		{`{` + in4 + `,"exclusiveMaximum":true}`, `bad-keyword /exclusiveMaximum`}, {`{` + in4 + `,"maximum":3,"exclusiveMaximum":true}`, ``},
		{`{` + in6 + `,"exclusiveMaximum":true}`, `bad-keyword /exclusiveMaximum`},
		{`{` + in4 + `,"properties":{"a":true}}`, `bad-keyword /properties/a`}, {`{` + in4 + `,"additionalProperties":false}`, ``},
		{`{"$vocabulary":{"a":1}}`, `bad-keyword /$vocabulary`}, {`{"$vocabulary":{"a":true}}`, ``},
		{`{"$defs":[]}`, `bad-keyword /$defs`},

		// Keywords that do nothing where they stand: a closed list.
		{`{` + in7 + `,"definitions":{"n":{}},"properties":{"p":{"$ref":"#/definitions/n","maximum":30}}}`, `ignored-keyword /properties/p/maximum`},
		{`{` + in7 + `,"definitions":{"n":{}},"$ref":"#/definitions/n","title":"t","x-a":1,"default":1}`, ``},
		{`{` + in2019 + `,"$defs":{"n":{}},"properties":{"p":{"$ref":"#/$defs/n","maximum":30}}}`, ``},
		{`{"then":{}}`, `ignored-keyword /then`}, {`{"else":{}}`, `ignored-keyword /else`}, {`{"if":{}}`, ``}, {`{"if":{},"then":{}}`, ``},
		{`{"minContains":2}`, `ignored-keyword /minContains`}, {`{"maxContains":2}`, `ignored-keyword /maxContains`}, {`{"contains":{},"minContains":0}`, ``},
		{`{` + in7 + `,"additionalItems":false}`, `ignored-keyword /additionalItems`}, {`{` + in7 + `,"items":{},"additionalItems":false}`, `ignored-keyword /additionalItems`},
		{`{` + in7 + `,"items":[{}],"additionalItems":false}`, ``},
		{`{"properties":{"a":{}},"additionalProperties":false,"maximum":1,"maxLength":3}`, ``},

		// References stay inside.
		{`{"$defs":{"a":{}},"$ref":"#/$defs/a"}`, ``}, {`{"$defs":{"a":{"$anchor":"x"}},"$ref":"#x"}`, ``},
		{`{"$id":"https://a.invalid/r","$defs":{"a":{"$id":"b"}},"$ref":"b"}`, ``}, {`{"$defs":{"a":{"$id":"https://a.invalid/b"}},"$ref":"https://a.invalid/b"}`, ``},
		{`{"$id":"urn:a:b","$defs":{"a":{}},"$ref":"urn:a:b#/$defs/a"}`, ``},
		{`{"properties":{"a":{},"b":{"$ref":"#/properties/a"}}}`, ``},
		{`{"$ref":"#/$defs/none"}`, `bad-reference /$ref`}, {`{"$ref":"#none"}`, `bad-reference /$ref`}, {`{"$ref":"#/~2"}`, `bad-reference /$ref`}, {`{"$ref":"#/%zz"}`, `bad-reference /$ref`}, {`{"$ref":"a b"}`, `bad-reference /$ref`},
		{`{"$ref":"other.json"}`, `outside-reference /$ref`}, {`{"$ref":"schema"}`, `outside-reference /$ref`}, {`{"$ref":"assay:///schema"}`, `outside-reference /$ref`},
		{`{"$ref":"file:///etc/passwd"}`, `outside-reference /$ref`}, {`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`, `outside-reference /$ref`},
		{`{"properties":{"p":{"$ref":"#/properties/q/enum/0"},"q":{"enum":[{"maximum":3}]}}}`, `bad-reference /properties/p/$ref`},
		{`{"properties":{"p":{"$ref":"#/properties/q/const"},"q":{"const":{"maximum":3}}}}`, `bad-reference /properties/p/$ref`},
		{`{"properties":{"p":{"$ref":"#/x-a"}},"x-a":{"maximum":3}}`, `bad-reference /properties/p/$ref`},
		{`{"properties":{"p":{"$ref":"#/default"}},"default":{"maximum":3}}`, `bad-reference /properties/p/$ref`},
		{`{"properties":{"p":{"$ref":"#/examples/0"}},"examples":[{"maximum":3}]}`, `bad-reference /properties/p/$ref`},
		{`{"properties":{"p":{"$ref":"#/properties"}}}`, `bad-reference /properties/p/$ref`},
		{`{"properties":{"p":{"$ref":"#/contentSchema"}},"contentSchema":{"maximum":3}}`, ``},
		{`{"$defs":{"a":{"$id":"https://a.invalid/b","$defs":{"c":{}}}},"$ref":"#/$defs/a/$defs/c"}`, `crossing-reference /$ref`},
		{`{"$defs":{"a":{"$id":"https://a.invalid/b"}},"$ref":"#/$defs/a"}`, `crossing-reference /$ref`},
		{`{"$dynamicRef":"#x","$defs":{"a":{"$dynamicAnchor":"x"}}}`, ``}, {`{"$dynamicRef":"#x"}`, `bad-reference /$dynamicRef`},
		{`{` + in2019 + `,"$recursiveRef":"#/$defs/a"}`, `bad-keyword /$recursiveRef`},

		// Identifiers.
		{`{"$id":"https://json-schema.org/draft/2020-12/schema"}`, `bad-identifier /$id`}, {`{"properties":{"a":{"$id":"http://json-schema.org/draft-07/schema"}}}`, `bad-identifier /properties/a/$id`},
		{`{"$id":"assay:///schema"}`, `bad-identifier /$id`}, {`{"$defs":{"a":{"$id":"schema"}}}`, `bad-identifier /$defs/a/$id`},
		{`{"$id":"https://a.invalid/#x"}`, `bad-identifier /$id`}, {`{"$id":"a b"}`, `bad-identifier /$id`}, {`{"$id":1}`, `bad-keyword /$id`},
		{`{"$defs":{"a":{"$id":"x:y"},"b":{"$id":"x:y"}}}`, `bad-identifier /$defs/b/$id`}, {`{"$defs":{"a":{"$anchor":"y"},"b":{"$anchor":"y"}}}`, `bad-identifier /$defs/b/$anchor`},
		{`{"$defs":{"a":{"$anchor":"1y"}}}`, `bad-identifier /$defs/a/$anchor`}, {`{` + in7 + `,"definitions":{"a":{"$id":"#y"}},"properties":{"p":{"$ref":"#y"}}}`, ``},

		// Loops that consume no input.
		{`{"$ref":"#"}`, `reference-loop `}, {`{"not":{"$ref":"#"}}`, `reference-loop `}, {`{"if":{"$ref":"#"}}`, `reference-loop `}, {`{"allOf":[{"$ref":"#"}]}`, `reference-loop `},
		{`{"anyOf":[{"$ref":"#"},true]}`, `reference-loop `}, {`{"oneOf":[{"$ref":"#"}]}`, `reference-loop `}, {`{"dependentSchemas":{"a":{"$ref":"#"}}}`, `reference-loop `},
		{`{"if":{},"then":{"$ref":"#"}}`, `reference-loop `}, {`{"if":{},"else":{"$ref":"#"}}`, `reference-loop `},
		{`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, `reference-loop /$defs/a`},
		{`{"$dynamicAnchor":"x","$dynamicRef":"#x"}`, `reference-loop `}, {`{` + in2019 + `,"$recursiveRef":"#"}`, `reference-loop `}, {`{` + in7 + `,"dependencies":{"a":{"$ref":"#"}}}`, `reference-loop `},
		{`{"$defs":{"n":{"$dynamicAnchor":"x","$ref":"#/$defs/m"},"m":{"$id":"x:m","$dynamicRef":"#x","$defs":{"d":{"$dynamicAnchor":"x"}}}}}`, `crossing-reference /$defs/n/$ref`},
		{`{"$defs":{"n":{"$dynamicAnchor":"x","$ref":"x:m"},"m":{"$id":"x:m","$dynamicRef":"#x","$defs":{"d":{"$dynamicAnchor":"x"}}}}}`, `reference-loop /$defs/m`},
		{`{"properties":{"a":{"$ref":"#"}},"items":{"$ref":"#"},"propertyNames":{"$ref":"#"},"contains":{"$ref":"#"}}`, ``},

		// Patterns.
		{`{"pattern":"("}`, `bad-pattern /pattern`}, {`{"pattern":"(?i)a"}`, `bad-pattern /pattern`}, {`{"pattern":"\\Aa"}`, `bad-pattern /pattern`}, {`{"pattern":"a{,2}"}`, `bad-pattern /pattern`},
		{`{"pattern":"^[\\w\\-]+\\@$"}`, ``}, {`{"patternProperties":{"[":{}}}`, `bad-pattern /patternProperties/[`}, {`{"pattern":1}`, `bad-keyword /pattern`},

		// Formats.
		{`{"format":"date"}`, ``}, {`{"format":"int32"}`, ``}, {`{"format":"password"}`, ``}, {`{"format":"dat"}`, `unknown-format /format`}, {`{"format":"idn-hostname"}`, `unknown-format /format`}, {`{"format":1}`, `bad-keyword /format`},

		// Every problem is reported, in the order of the policy.
		{`{"maxium":1,"properties":{"a":{"enum":[]},"b":{"pattern":"(","$ref":"x"}},"allOf":[{"typ":1}]}`,
			`unknown-keyword /allOf/0/typ, unknown-keyword /maxium, empty-enum /properties/a/enum, outside-reference /properties/b/$ref, bad-pattern /properties/b/pattern`},

		// Bounds.
		{nested(`{"not":`, `true`, `}`, 128), ``}, {nested(`{"allOf":[`, `true`, `]}`, 64), ``},
		{`{"$defs":{` + chainOf(500) + `}}`, ``}, {`{"$defs":{` + chainOf(501) + `}}`, `too-deep /$defs/n0`},
		{`{"properties":{` + numbered(`"p%d":{}`, 4999) + `}}`, ``}, {`{"properties":{` + numbered(`"p%d":{}`, 5000) + `}}`, `too-large `},
		{`{"$defs":{` + numbered(`"p%d":{"$id":"x:%[1]d"}`, 201) + `}}`, `too-large `},
	} {
		s, problems := compile(t, test.schema, Options{})
		var got []string
		for _, p := range problems {
			got = append(got, p.Reason+" "+strings.TrimPrefix(p.Path, "/schemas/t"))
			if !strings.HasPrefix(p.Path, "/schemas/t") || p.Message == "" {
				t.Errorf("%.300s: problem %+v", test.schema, p)
			}
		}
		if joined := strings.Join(got, ", "); joined != test.want || (s == nil) != (len(problems) > 0) {
			t.Errorf("%.300s:\n got %q\nwant %q", test.schema, joined, test.want)
		}
		if s != nil && len(s.nodes) < 1000 {
			if r := s.Validate(decode(t, `{"a":[1]}`), nil); r.Failure != None {
				t.Errorf("%.300s: no answer by what the gate lets through", test.schema)
			}
		}
	}
}

// chainOf makes definitions of which each refers to the next; n schemas judge
// the value at the first.
func chainOf(n int) string {
	var all []string
	for i := range n - 1 {
		all = append(all, fmt.Sprintf(`"n%d":{"$ref":"#/$defs/n%d"}`, i, i+1))
	}
	return strings.Join(append(all, fmt.Sprintf(`"n%d":{}`, n-1)), ",")
}

func TestGateHintsSayWhatIsMeant(t *testing.T) {
	for schema, want := range map[string]string{
		`{"maxium":30}`:                          "did you mean maximum?",
		`{"Type":"object"}`:                      "did you mean type?",
		`{"additionalPropertys":false}`:          "did you mean additionalProperties?",
		`{"requird":[]}`:                         "did you mean required?",
		`{"nullable":true}`:                      `add "null" to type`,
		`{"discriminator":{}}`:                   "name it x-… if it is meant for people",
		`{"dependencies":{}}`:                    "write dependentRequired or dependentSchemas",
		`{"format":"date-tme"}`:                  "did you mean date-time? Or set enforcement.formats to annotate to keep it as a comment",
		`{"format":"color"}`:                     "set enforcement.formats to annotate to keep it as a comment",
		`{"properties":{"a":{"required":true}}}`: "list the required names in the schema that holds the properties",

		// A schema is a mapping, true or false.
		`{"additionalProperties":"no"}`:  "YAML 1.2 knows only true and false; write false",
		`{"items":"On"}`:                 "YAML 1.2 knows only true and false; write true",
		`{"not":"false"}`:                "write false without quotation marks",
		`{"properties":{"a":"string"}}`:  "write a: {type: string}",
		`{"properties":{"a b":"int"}}`:   `write "a b": {type: integer}`,
		`{"properties":{"a":"none"}}`:    `write a: {type: "null"}`,
		`{"properties":{"a":"a name"}}`:  "write a mapping, such as {type: string}",
		`{"anyOf":["string",{}]}`:        "write {type: string}",
		`{"$defs":{"a":"string"}}`:       "write a: {type: string}",
		`{"properties":{"a":3}}`:         "write a mapping, such as {type: string}",
		`{"properties":{"a":null}}`:      "write {} where any value may stand",
		`{"properties":{"a":["x","y"]}}`: "write a: {enum: […]} to list the values that may stand here",
		`{"items":[{}]}`:                 "write prefixItems for a list of schemas",
		`"string"`:                       "write t: {type: string}",

		// Types by other names.
		`{"type":"str"}`:               "did you mean string?",
		`{"type":"String"}`:            "did you mean string?",
		`{"type":"strng"}`:             "did you mean string?",
		`{"type":"int"}`:               "did you mean integer?",
		`{"type":"float"}`:             "did you mean number?",
		`{"type":"double"}`:            "did you mean number?",
		`{"type":"bool"}`:              "did you mean boolean?",
		`{"type":"list"}`:              "did you mean array?",
		`{"type":"dict"}`:              "did you mean object?",
		`{"type":"map"}`:               "did you mean object?",
		`{"type":["string","none"]}`:   "did you mean null?",
		`{"type":"date"}`:              "",
		`{"type":null}`:                `put null in quotation marks: "null"`,
		`{"type":["string",null]}`:     `put null in quotation marks: "null"`,
		`{"type":["string","string"]}`: "write string once",
		`{"type":[]}`:                  "leave type out where any value may stand",

		// Values of another kind.
		`{"required":"iban"}`:               "write a list: required: [iban]",
		`{"required":"a, b"}`:               "write a list: required: [name, name]",
		`{"dependentRequired":{"a b":"c"}}`: `write a list: "a b": [c]`,
		`{"required":[1]}`:                  "put each name in quotation marks",
		`{"required":["a","a"]}`:            "write a once",
		`{"minimum":"1"}`:                   "write it without quotation marks",
		`{"maxLength":"5"}`:                 "write it without quotation marks",
		`{"maxLength":"five"}`:              "write a number, such as 3",
		`{"exclusiveMaximum":true}`:         "write a number, such as 3",
		`{"maxLength":-1}`:                  "",
		`{"uniqueItems":"yes"}`:             "YAML 1.2 knows only true and false; write true",
		`{"uniqueItems":1}`:                 "write true or false",
		`{"enum":"a"}`:                      "write a list: enum: [a]",
		`{"title":1}`:                       "put it in quotation marks",
		`{"anyOf":{"type":"string"}}`:       "write anyOf: [{…}]",
		`{"properties":["a"]}`:              "write properties: {name: {type: string}}",

		// Regular expressions of other languages.
		`{"pattern":"\\\\Aabc("}`:                 "",
		`{"pattern":"(?i)x"}`:                     "spell out both cases, such as [Aa]",
		`{"patternProperties":{"^(?i:x)$":true}}`: "spell out both cases, such as [Aa]",
		`{"pattern":"(?P<a>x)"}`:                  "write (?<name>…)",
		`{"pattern":"\\Ax"}`:                      "write ^ for the start",
		`{"pattern":"x\\z"}`:                      "write $ for the end",
		`{"pattern":"("}`:                         "",
	} {
		_, problems := compile(t, schema, Options{})
		if len(problems) != 1 || problems[0].Hint != want {
			t.Errorf("%s: %+v, want hint %q", schema, problems, want)
		}
	}
}

func TestGateMessagesNameTheKeyword(t *testing.T) {
	long := strings.Repeat("x", 200)
	for schema, want := range map[string]string{
		`{"additionalProperties":"no"}`:     "additionalProperties is text here; a schema is a mapping, true or false",
		`{"properties":{"a":"string"}}`:     "a is text here; a schema is a mapping, true or false",
		`{"allOf":[null]}`:                  `item 0 of allOf is null here; a schema is a mapping, true or false`,
		`3`:                                 "t is a number here; a schema is a mapping, true or false",
		`{"type":"str"}`:                    `type is "str", which is none of null, boolean, integer, number, string, array, object`,
		`{"type":"` + long + `"}`:           `type is "` + long[:64] + `…", which is none of null, boolean, integer, number, string, array, object`,
		`{"properties":{"` + long + `":1}}`: `"` + long[:64] + `…" is a number here; a schema is a mapping, true or false`,
	} {
		_, problems := compile(t, schema, Options{})
		if len(problems) != 1 || problems[0].Message != want {
			t.Errorf("%s: %+v, want message %q", schema, problems, want)
		}
	}
}

func TestAnnotatedFormatsConstrainNothing(t *testing.T) {
	s, problems := compile(t, `{"format":"color","properties":{"a":{"format":"date"},"b":{"format":"int8"}}}`, Options{AnnotateFormats: true})
	if s == nil {
		t.Fatal(problems)
	}
	if r := s.Validate(decode(t, `{"a":"x","b":1000}`), nil); !r.Valid() {
		t.Error(r)
	}
}

func TestSharedDefinitions(t *testing.T) {
	for _, test := range []struct {
		name, defs, schema string
		want               string // problems as in TestGate, with whole paths
		good, bad          string // a value that passes, one that does not
		schemaPath         string // of the violation of bad
	}{
		{"are merged", `{"n":{"maximum":3}}`, `{"$ref":"#/$defs/n"}`, ``, `3`, `4`, `/schemas/$defs/n/maximum`},
		{"reach further ones", `{"a":{"items":{"$ref":"#/$defs/b"}},"b":{"maximum":3}}`, `{"$ref":"#/$defs/a"}`, ``, `[3]`, `[4]`, `/schemas/$defs/b/maximum`},
		{"may be recursive", `{"a":{"items":{"$ref":"#/$defs/a"},"maximum":3}}`, `{"$ref":"#/$defs/a"}`, ``, `[[3]]`, `[[4]]`, `/schemas/$defs/a/maximum`},
		{"stand beside own ones", `{"n":{"maximum":3}}`, `{"$defs":{"m":{"minimum":1}},"allOf":[{"$ref":"#/$defs/n"},{"$ref":"#/$defs/m"}]}`, ``, `2`, `0`, `/schemas/t/$defs/m/minimum`},
		{"reach into themselves", `{"n":{"properties":{"a":{"maximum":3}}}}`, `{"$ref":"#/$defs/n/properties/a"}`, ``, `3`, `4`, `/schemas/$defs/n/properties/a/maximum`},
		{"have any name", `{"a/b~%":{"maximum":3}}`, `{"$ref":"#/$defs/a~1b~0%25"}`, ``, `3`, `4`, `/schemas/$defs/a~1b~0%/maximum`},
		{"become definitions in draft-07", `{"n":{"maximum":3}}`, `{` + in7 + `,"properties":{"p":{"$ref":"#/$defs/n"}}}`, ``, `{"p":3}`, `{"p":4}`, `/schemas/$defs/n/maximum`},
		{"become definitions in draft-04, nested", `{"n":{"items":{"$ref":"#/$defs/m"}},"m":{"maximum":3}}`, `{` + in4 + `,"definitions":{"k":{}},"properties":{"p":{"$ref":"#/$defs/n"}}}`, ``, `{"p":[3]}`, `{"p":[4]}`, `/schemas/$defs/m/maximum`},
		{"that are own are found by either name in draft-07", `{}`, `{` + in7 + `,"definitions":{"n":{"maximum":3}},"properties":{"p":{"$ref":"#/$defs/n"}}}`, ``, `{"p":3}`, `{"p":4}`, `/schemas/t/definitions/n/maximum`},
		{"collide with own ones even unused", `{"n":{}}`, `{"$defs":{"n":{}}}`, `collision /schemas/t/$defs/n`, ``, ``, ``},
		{"collide in draft-07", `{"n":{}}`, `{` + in7 + `,"definitions":{"n":{}}}`, `collision /schemas/t/definitions/n`, ``, ``, ``},
		{"are checked when reached", `{"n":{"maxium":3},"m":{"maxium":3}}`, `{"$ref":"#/$defs/n"}`, `unknown-keyword /schemas/$defs/n/maxium`, ``, ``, ``},
		{"that are no schema break who reaches them", `{"n":[1]}`, `{"$ref":"#/$defs/n"}`, `bad-reference /schemas/t/$ref, not-a-schema /schemas/$defs/n`, ``, ``, ``},
		{"are not found from the policy's root", `{"n":{}}`, `{"$ref":"#/schemas/$defs/n"}`, `bad-reference /schemas/t/$ref`, ``, ``, ``},
		{"keep to the tool's draft", `{"n":{"prefixItems":[{}]}}`, `{` + in7 + `,"$ref":"#/$defs/n"}`, `foreign-keyword /schemas/$defs/n/prefixItems`, ``, ``, ``},
	} {
		t.Run(test.name, func(t *testing.T) {
			defs := decode(t, test.defs).(map[string]any)
			s, problems := Compile(Source{Doc: decode(t, test.schema), Pointer: "/schemas/t", Defs: defs, DefsPointer: "/schemas/$defs"}, Options{})
			var got []string
			for _, p := range problems {
				got = append(got, p.Reason+" "+p.Path)
			}
			slices.Sort(got)
			want := strings.Split(test.want, ", ")
			slices.Sort(want)
			if strings.Join(got, ", ") != strings.Join(want, ", ") {
				t.Fatalf("got %q, want %q", got, test.want)
			}
			if s == nil {
				return
			}
			if r := s.Validate(decode(t, test.good), nil); !r.Valid() {
				t.Errorf("%s: %+v", test.good, r)
			}
			if r := s.Validate(decode(t, test.bad), nil); len(r.Violations) != 1 || r.Violations[0].SchemaPath != test.schemaPath {
				t.Errorf("%s: %+v, want schema path %s", test.bad, r, test.schemaPath)
			}
		})
	}
}

func TestSharedDefinitionsThatAreNoMapping(t *testing.T) {
	s, problems := Compile(Source{Doc: true, Pointer: "/schemas/t", DefsPointer: "/schemas/$defs", DefsBroken: true}, Options{})
	if s != nil || len(problems) != 1 || problems[0].Reason != BrokenDefinitions || problems[0].Path != "/schemas/$defs" {
		t.Error(s, problems)
	}
}

func TestMergedSizeIsBounded(t *testing.T) {
	defs := map[string]any{"big": map[string]any{"description": strings.Repeat("x", 1000)}}
	source := Source{Doc: decode(t, `{"$ref":"#/$defs/big"}`), Pointer: "/schemas/t", Defs: defs, DefsPointer: "/schemas/$defs"}
	if s, problems := Compile(source, Options{MaxBytes: 500}); s != nil || len(problems) != 1 || problems[0].Reason != TooLarge {
		t.Error(s, problems)
	}
	if s, problems := Compile(source, Options{MaxBytes: 5000}); s == nil {
		t.Error(problems)
	}
	// What cannot be shared is merged, within a bound for all tools together.
	defs["big"].(map[string]any)["$anchor"] = "a"
	c := NewCommons(source, Options{MaxMerging: 1500})
	if s, problems := c.Compile(source.Doc, "/schemas/t"); s == nil || c.merging >= 500 {
		t.Error(problems, c.merging)
	}
	if s, problems := c.Compile(source.Doc, "/schemas/u"); s != nil || problems[0].Reason != TooLarge {
		t.Error(s, problems)
	}
}

func TestGateRefusesGoValuesThatAreNoJSON(t *testing.T) {
	for _, doc := range []any{map[string]any{"enum": []any{1.5}}, map[string]any{"const": struct{}{}}, map[string]any{"maximum": 3}} {
		if s, problems := Compile(Source{Doc: doc}, Options{}); s != nil || len(problems) != 1 || problems[0].Reason != NotSchema {
			t.Error(doc, s, problems)
		}
	}
}
