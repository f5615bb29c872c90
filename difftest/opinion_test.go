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

	google "github.com/google/jsonschema-go/jsonschema"
	qri "github.com/qri-io/jsonschema"
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

// exclusion says for which schema and instance an engine's opinion is not
// heard, and why. A fault that is the engine's alone is pinned by a test.
type exclusion struct {
	engine  string
	because string
	applies func(s, v *traits) bool
}

var exclusions = []exclusion{
	{"google", "limits are float64 there, and exact here",
		func(s, v *traits) bool { return s.inexact || v.inexact }},
	{"google", "patterns are Go's RE2 there, and ECMA-262 here",
		func(s, v *traits) bool { return s.foreign }},
	{"google", "it knows 2020-12 and draft-07; a 2019-09 schema is put to it as 2020-12, where contains evaluates items",
		func(s, v *traits) bool {
			return s.draft == draft2019 && s.has("contains") && s.has("unevaluatedItems")
		}},

	{"qri", "limits are float64 there, and exact here",
		func(s, v *traits) bool { return s.inexact || v.inexact }},
	{"qri", "patterns are Go's RE2 there, and ECMA-262 here",
		func(s, v *traits) bool { return s.foreign }},
	{"qri", "it asserts formats by rules of its own",
		func(s, v *traits) bool { return s.has("format") }},
	{"qri", "type boolean accepts strings that Go parses as a bool",
		func(s, v *traits) bool { return s.types["boolean"] && v.looksBool }},
	{"qri", "a name evaluated anywhere below counts as evaluated here",
		func(s, v *traits) bool {
			return s.has("additionalProperties") && (v.nested || s.has("$ref", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "contains"))
		}},
	{"qri", "what is evaluated is lost or leaks between schemas",
		func(s, v *traits) bool { return s.has("unevaluatedProperties", "unevaluatedItems") }},
	{"qri", "items behind a list are counted from the last item evaluated anywhere",
		func(s, v *traits) bool { return s.has("prefixItems") && s.has("items") }},
	{"qri", "a member that is null counts as absent for dependentRequired",
		func(s, v *traits) bool { return s.has("dependentRequired") && v.null }},
	{"qri", "minContains: 0 still asks for one item",
		func(s, v *traits) bool { return s.zeroCount }},
	{"qri", "uniqueItems: false is read as true",
		func(s, v *traits) bool { return s.notUnique }},
	{"qri", "counts written as 2.0 cannot be read there",
		func(s, v *traits) bool { return !s.wholeCount }},
	{"qri", "anchors and dynamic references are looked up in registries that are global",
		func(s, v *traits) bool { return s.has("$anchor", "$dynamicRef") }},
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
		return opinionOf(resolved.Validate(v) == nil)
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
		return opinionOf(schema.Validate(context.Background(), v).IsValid())
	}, nil
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
