package difftest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/dlclark/regexp2/v2"
	google "github.com/google/jsonschema-go/jsonschema"
	qri "github.com/qri-io/jsonschema"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// opinion is what an engine says of an instance.
type opinion uint8

const (
	silent opinion = iota // it cannot say, or is not asked
	accepts
	refuses
)

func (o opinion) String() string { return [...]string{"is silent", "accepts", "refuses"}[o] }

func opinionOf(valid bool) opinion {
	if valid {
		return accepts
	}
	return refuses
}

// traits are what the exclusions ask about a schema or an instance.
type traits struct {
	keywords map[string]bool // of a schema
	inexact  bool            // a number that is no multiple of 1/4 below 2^40
	foreign  bool            // a pattern that engines read differently
	types    map[string]bool // of a schema, the types it names

	null       bool // of an instance: it holds a null
	nested     bool // of an instance: an object or array inside another one
	looksBool  bool // of an instance: a string that strconv.ParseBool takes
	wholeCount bool // of a schema: every count is written as digits
	zeroCount  bool // of a schema: minContains is 0
	notUnique  bool // of a schema: uniqueItems is false
	draft      draft
}

func schemaTraits(s grown) traits {
	t := traits{keywords: map[string]bool{}, types: map[string]bool{}, wholeCount: true, draft: s.draft}
	visit(s.doc, func(doc any) {
		object, _ := doc.(map[string]any)
		for name, v := range object {
			t.keywords[name] = true
			switch name {
			case "type":
				list, isList := v.([]any)
				if !isList {
					list = []any{v}
				}
				for _, kind := range list {
					t.types[kind.(string)] = true
				}
			case "pattern":
				t.foreign = t.foreign || !slices.Contains(portable, v.(string))
			case "uniqueItems":
				t.notUnique = t.notUnique || v == false
			case "minContains":
				t.zeroCount = t.zeroCount || rational(v.(json.Number)).Sign() == 0
			}
			switch name {
			case "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "default", "examples":
				inner := instanceTraits(v)
				t.inexact = t.inexact || inner.inexact
			case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
				_, err := strconv.Atoi(string(v.(json.Number)))
				t.wholeCount = t.wholeCount && err == nil
			}
		}
	})
	return t
}

func instanceTraits(v any) traits {
	var t traits
	t.look(v, 0)
	return t
}

func (t *traits) look(v any, depth int) {
	switch v := v.(type) {
	case nil:
		t.null = true
	case json.Number:
		t.inexact = t.inexact || !exact(string(v))
	case string:
		_, err := strconv.ParseBool(v)
		t.looksBool = t.looksBool || err == nil
	case []any:
		t.nested = t.nested || depth > 0
		for _, item := range v {
			t.look(item, depth+1)
		}
	case map[string]any:
		t.nested = t.nested || depth > 0
		for _, member := range v {
			t.look(member, depth+1)
		}
	}
}

// has reports whether the schema has one of the keywords.
func (t *traits) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return t.keywords[name] })
}

// exclusion says for which schemas and instances an engine's opinion is not
// heard, and why. The example is such a case: a schema in the words of 2020-12
// and an instance about which the engine is wrong by the draft's specification;
// silent where it cannot read the schema. TestExclusionsAreNeeded asks, about
// null first.
type exclusion struct {
	engine  string
	because string
	applies func(s, v *traits) bool

	draft            draft
	schema, instance string
	says             opinion
}

// inPlace are the keywords whose subschemas judge the same value.
var inPlace = []string{"$ref", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas"}

var exclusions = []exclusion{
	{"google", "limits are float64 there, and exact here",
		func(s, v *traits) bool { return s.inexact || v.inexact },
		draft2020, `{"maximum": 9007199254740992}`, `9007199254740993`, accepts},
	{"google", "patterns are Go's RE2 there, and ECMA-262 here",
		func(s, v *traits) bool { return s.foreign },
		draft2020, `{"pattern": "^.$"}`, `"\u2028"`, accepts},
	{"google", "it knows 2020-12 and draft-07; a 2019-09 schema is put to it as 2020-12, where contains evaluates items",
		func(s, v *traits) bool {
			return s.draft == draft2019 && s.has("contains") && s.has("unevaluatedItems")
		},
		draft2019, `{"contains": {"const": 1}, "unevaluatedItems": false}`, `[1]`, accepts},

	{"qri", "limits are float64 there, and exact here",
		func(s, v *traits) bool { return s.inexact || v.inexact },
		draft2019, `{"maximum": 9007199254740992}`, `9007199254740993`, accepts},
	{"qri", "patterns are Go's RE2 there, and ECMA-262 here",
		func(s, v *traits) bool { return s.foreign },
		draft2019, `{"pattern": "^.$"}`, `"\u2028"`, accepts},
	{"qri", "it asserts formats, which are annotations unless asked for",
		func(s, v *traits) bool { return s.has("format") },
		draft2019, `{"format": "date"}`, `"x"`, refuses},
	{"qri", "type boolean accepts strings that Go parses as a bool",
		func(s, v *traits) bool { return s.types["boolean"] && v.looksBool },
		draft2019, `{"type": "boolean"}`, `"true"`, accepts},
	{"qri", "for additionalProperties a name counts as evaluated if any schema below or beside evaluated it",
		func(s, v *traits) bool {
			return s.has("additionalProperties") && (v.nested || s.has(inPlace...))
		},
		draft2019, `{"properties": {"a": {"properties": {"b": true}}}, "additionalProperties": false}`, `{"a": {"b": 0}, "b": 0}`, accepts},
	{"qri", "what is evaluated leaks between schemas, so unevaluatedProperties passes over names",
		func(s, v *traits) bool { return s.has("unevaluatedProperties") },
		draft2019, `{"not": {"properties": {"a": {"const": 2}}}, "unevaluatedProperties": false}`, `{"a": 1}`, accepts},
	{"qri", "what is evaluated leaks between schemas, so unevaluatedItems passes over items",
		func(s, v *traits) bool { return s.has("unevaluatedItems") },
		draft2019, `{"items": {"unevaluatedItems": false}}`, `[[], [1]]`, accepts},
	{"qri", "items behind a list begin after the last item that any schema beside or around evaluated",
		func(s, v *traits) bool {
			return s.has("prefixItems") && s.has("items") && (v.nested || s.has(inPlace...))
		},
		draft2019, `{"allOf": [{"items": true}], "prefixItems": [true], "items": false}`, `[1, 2]`, accepts},
	{"qri", "a member that is null counts as absent for dependentRequired",
		func(s, v *traits) bool { return s.has("dependentRequired") && v.null },
		draft2019, `{"dependentRequired": {"a": ["b"]}}`, `{"a": null}`, accepts},
	{"qri", "minContains: 0 still asks for one item",
		func(s, v *traits) bool { return s.zeroCount },
		draft2019, `{"contains": {"type": "string"}, "minContains": 0}`, `[]`, refuses},
	{"qri", "uniqueItems: false is read as true",
		func(s, v *traits) bool { return s.notUnique },
		draft2019, `{"uniqueItems": false}`, `[1, 1]`, refuses},
	{"qri", "counts written as 2.0 cannot be read there",
		func(s, v *traits) bool { return !s.wholeCount },
		draft2019, `{"maxLength": 2.0}`, `"ab"`, silent},
	{"qri", "an anchor is found only by a reference that the schema's first instance reaches",
		func(s, v *traits) bool { return s.has("$anchor") },
		draft2019, `{"not": {"required": ["a"], "properties": {"a": {"$ref": "#n"}}}, "$defs": {"d": {"$anchor": "n", "type": "string"}}}`, `{"a": "x"}`, accepts},
	{"santhosh", "it asserts formats in drafts 4 to 7, which are annotations unless asked for",
		func(s, v *traits) bool { return s.draft <= draft7 && s.has("format") },
		draft7, `{"format": "date"}`, `"x"`, refuses},

	{"qri", "$dynamicRef is ignored",
		func(s, v *traits) bool { return s.has("$dynamicRef") },
		draft2020, `{"$dynamicRef": "#n", "$defs": {"x": {"$dynamicAnchor": "n", "type": "string"}}}`, `1`, accepts},
}

// excluded returns why an engine is not heard, "" if it is.
func excluded(engine string, s, v *traits) string {
	for i := range exclusions {
		if e := &exclusions[i]; e.engine == engine && e.applies(s, v) {
			return e.because
		}
	}
	return ""
}

// askGoogle returns google/jsonschema-go's reader of instances for a schema. It
// is asked in the words of draft-07 or 2020-12.
func askGoogle(s grown) (func(any) opinion, error) {
	doc := s.doc
	if s.draft == draft7 {
		doc = inDraft(doc, draft7)
	} else if object, ok := doc.(map[string]any); ok {
		object = maps.Clone(object)
		delete(object, "$schema")
		doc = object
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return askGoogleText(text)
}

func askGoogleText(text []byte) (_ func(any) opinion, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	schema := new(google.Schema)
	if err := json.Unmarshal(text, schema); err != nil {
		return nil, err
	}
	resolved, err := schema.Resolve(&google.ResolveOptions{
		BaseURI: "https://a.invalid/schema",
		Loader:  func(*url.URL) (*google.Schema, error) { return nil, errors.New("nothing is loaded") },
	})
	if err != nil {
		return nil, err
	}
	return func(v any) (o opinion) {
		defer func() {
			if recover() != nil {
				o = silent
			}
		}()
		return opinionOf(resolved.Validate(asFloats(v)) == nil)
	}, nil
}

// askQri returns qri-io/jsonschema's reader of instances for a schema. It is
// asked in the words of 2019-09.
func askQri(s grown) (func(any) opinion, error) {
	doc := inDraft(s.doc, draft2019)
	if object, ok := doc.(map[string]any); ok {
		delete(object, "$schema") // a copy
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return askQriText(text)
}

func askQriText(text []byte) (_ func(any) opinion, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	schema := new(qri.Schema)
	if err := json.Unmarshal(text, schema); err != nil {
		return nil, err
	}
	return func(v any) (o opinion) {
		defer func() {
			if recover() != nil {
				o = silent
			}
		}()
		return opinionOf(schema.Validate(context.Background(), asFloats(v)).IsValid())
	}, nil
}

// askSanthosh returns santhosh-tekuri/jsonschema's reader of instances for a
// schema. It is asked in the words of the schema's own draft, and about numbers
// as they are written.
func askSanthosh(s grown) (_ func(any) opinion, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	compiler := santhosh.NewCompiler()
	compiler.UseLoader(nowhere{})
	compiler.UseRegexpEngine(func(expression string) (santhosh.Regexp, error) {
		re, err := regexp2.Compile(expression, regexp2.ECMAScript|regexp2.Unicode)
		return ecmaPattern{re}, err
	})
	const address = "https://a.invalid/schema"
	if err := compiler.AddResource(address, inDraft(s.doc, s.draft)); err != nil {
		return nil, err
	}
	schema, err := compiler.Compile(address)
	if err != nil {
		return nil, err
	}
	return func(v any) (o opinion) {
		defer func() {
			if recover() != nil {
				o = silent
			}
		}()
		return opinionOf(schema.Validate(v) == nil)
	}, nil
}

// nowhere is a loader that finds nothing.
type nowhere struct{}

func (nowhere) Load(string) (any, error) { return nil, errors.New("nothing is loaded") }

// ecmaPattern is a pattern as ECMA-262 reads it.
type ecmaPattern struct{ *regexp2.Regexp }

func (p ecmaPattern) MatchString(text string) bool {
	matched, err := p.Regexp.MatchString(text)
	if err != nil {
		panic(err)
	}
	return matched
}

// asFloats is v as encoding/json decodes it.
func asFloats(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, _ := v.Float64()
		return f
	case []any:
		to := make([]any, len(v))
		for i := range v {
			to[i] = asFloats(v[i])
		}
		return to
	case map[string]any:
		to := make(map[string]any, len(v))
		for name := range v {
			to[name] = asFloats(v[name])
		}
		return to
	}
	return v
}
