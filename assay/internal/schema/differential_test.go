package schema

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/assay/assay/internal/ecma"
	"example.com/assay/assay/internal/strictjson"
)

// plainly is a second opinion, the library github.com/santhosh-tekuri/jsonschema
// over the schema as it stands.
type plainly struct{ schema *jsonschema.Schema }

type plainPattern struct{ *ecma.Regexp }

func (p plainPattern) MatchString(s string) bool {
	matched, err := p.Regexp.MatchString(s, nil)
	return matched && err == nil
}

type refuse struct{}

func (refuse) Load(string) (any, error) { return nil, errors.New("refused") }

func compilePlainly(doc any) (p plainly, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("panic")
		}
	}()
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(refuse{})
	compiler.UseRegexpEngine(func(s string) (jsonschema.Regexp, error) {
		re, err := ecma.Compile(s)
		return plainPattern{re}, err
	})
	if err := compiler.AddResource("https://a.invalid/plain", doc); err != nil {
		return p, err
	}
	p.schema, err = compiler.Compile("https://a.invalid/plain")
	return p, err
}

// withoutFormats drops format from a schema: that keyword is this package's own.
func withoutFormats(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			if _, isText := member.(string); name == "format" && isText {
				continue
			}
			out[name] = withoutFormats(member)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = withoutFormats(item)
		}
		return out
	}
	return v
}

// TestLibraryAgrees takes every schema of the public suite that the gate lets
// through, and every instance of the same file, and compares with the library.
// What the gate lets through, the library has to compile.
func TestLibraryAgrees(t *testing.T) {
	compared := 0
	for _, draft := range suiteDrafts {
		for _, file := range suiteFiles(t, draft) {
			if filepath.Base(filepath.Dir(file)) == "format" {
				continue
			}
			groups := readSuite(t, file)
			values := map[string]any{}
			for _, text := range []string{`{}`, `[]`, `""`, `0`, `1.0`, `null`, `true`, `{"foo":1,"bar":[1,2,{"foo":"x"}]}`, `[1,"a",{"foo":null},[[]]]`} {
				values[text] = decode(t, text)
			}
			for _, group := range groups {
				for _, test := range group.Tests {
					if v, err := strictjson.Decode(test.Data); err == nil && len(test.Data) < 10_000 && len(values) < 40 {
						values[string(test.Data)] = v
					}
				}
			}
			for _, group := range groups {
				doc, err := strictjson.Decode(group.Schema)
				if err != nil {
					continue
				}
				doc = withoutFormats(withDraft(draft, doc))
				s, _ := Compile(Source{Doc: doc, Pointer: "/schemas/t"}, Options{})
				if s == nil {
					continue
				}
				plain, err := compilePlainly(doc)
				if err != nil {
					t.Errorf("%s: %s: the gate lets through what the library refuses: %v", file, group.Description, err)
					continue
				}
				for text, v := range values {
					compared++
					result := s.Validate(v, nil)
					if want := plain.schema.Validate(v) == nil; result.Failure != None || result.Valid() != want {
						t.Errorf("%s: %s: %.200s: valid is %v, failure %d; the library says %v", file, group.Description, text, result.Valid(), result.Failure, want)
					}
				}
			}
		}
	}
	t.Log(compared, "comparisons")
}

// TestGateIsAsStrictAsTheMetaschemas replaces every value inside schemas of the
// public suite by every value of a list: whatever the library's metaschema
// refuses, the gate has to refuse.
func TestGateIsAsStrictAsTheMetaschemas(t *testing.T) {
	replacements := []any{nil, true, json.Number("-1"), json.Number("1.5"), json.Number("2"), "", "a", "#", []any{}, []any{"a"}, []any{"a", "a"}, []any{true}, map[string]any{}, map[string]any{"a": "a"}, map[string]any{"a": []any{}}}
	compiledBoth := 0
	for _, draft := range suiteDrafts {
		seen := map[string]bool{}
		for _, file := range suiteFiles(t, draft) {
			if filepath.Base(filepath.Dir(file)) == "format" {
				continue
			}
			for _, group := range readSuite(t, file) {
				doc, err := strictjson.Decode(group.Schema)
				if err != nil {
					continue
				}
				object, ok := withDraft(draft, doc).(map[string]any)
				if !ok || len(group.Schema) > 300 {
					continue
				}
				for name := range object {
					if key := name + string(must(json.Marshal(object[name]))); name == "$schema" || seen[key] {
						continue
					} else {
						seen[key] = true
					}
					mutate(object, name, replacements, func() {
						s, _ := Compile(Source{Doc: object, Pointer: "/schemas/t"}, Options{AnnotateFormats: true})
						if s == nil {
							return
						}
						compiledBoth++
						// The library's copy of the draft-07 metaschema wants the members
						// of enum distinct; the published one does not.
						if _, err := compilePlainly(object); err != nil && !(draft == "draft7" && strings.Contains(err.Error(), "/enum': items at")) {
							text, _ := json.Marshal(object)
							t.Errorf("the gate lets through %s, the library says %v", text, err)
						}
						if r := s.Validate(nil, nil); r.Failure != None {
							text, _ := json.Marshal(object)
							t.Errorf("no answer by %s", text)
						}
					})
				}
			}
		}
	}
	t.Log(compiledBoth, "schemas compiled by both")
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

// mutate puts each replacement at object[name] and below it, and calls try.
func mutate(object map[string]any, name string, replacements []any, try func()) {
	original := object[name]
	for _, replacement := range replacements {
		object[name] = replacement
		try()
	}
	object[name] = original
	switch v := original.(type) {
	case map[string]any:
		for inner := range v {
			mutate(v, inner, replacements, try)
		}
	case []any:
		for i := range v {
			kept := v[i]
			for _, replacement := range replacements {
				v[i] = replacement
				try()
			}
			v[i] = kept
		}
	}
}
