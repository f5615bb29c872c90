package difftest

import (
	"bytes"
	"encoding/json"
	"testing"
)

// decode reads JSON with its number literals as written.
func decode(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// ask returns what assay says of an instance, which every way to ask it has to
// say alike.
func ask(t *testing.T, doc any, instance string) opinion {
	t.Helper()
	our, err := compile(doc, false)
	if err != nil {
		t.Fatal(err)
	}
	allowed, undecided, err := our.judge([]byte(instance), decode(t, instance))
	if err != nil || undecided {
		t.Errorf("undecided %v, %v", undecided, err)
	}
	return opinionOf(allowed)
}

// TestExclusionsAreNeeded asks about the example of every exclusion: the engine
// is wrong there as the table says, and assay is not.
func TestExclusionsAreNeeded(t *testing.T) {
	for _, e := range exclusions {
		t.Run(e.engine+": "+e.because, func(t *testing.T) {
			s := grown{draft: e.draft, doc: decode(t, e.schema)}
			if url := draftURL[e.draft]; url != "" {
				s.doc.(map[string]any)["$schema"] = url
			}
			v := decode(t, e.instance)
			st, it := schemaTraits(s), instanceTraits(v)
			if !e.applies(&st, &it) {
				t.Error("the exclusion does not apply to its example")
			}
			for _, engine := range engines {
				if engine.name != e.engine {
					continue
				}
				said := silent
				if judge, err := engine.ask(s); err == nil {
					judge(nil)
					said = judge(v)
				}
				if said != e.says {
					t.Errorf("%s %s, the table says that it %s", e.engine, said, e.says)
				}
			}
			right := opinionOf(e.says != accepts) // the engine is wrong, or silent about what is valid
			if said := ask(t, inDraft(s.doc, s.draft), e.instance); said != right {
				t.Errorf("assay %s, which is wrong", said)
			}
		})
	}
}

// TestWhyQriDoesNotDecide pins arguments that qri-io/jsonschema v0.2.1 lets
// through although the schema forbids them. A library that accepts them cannot
// be behind a policy, however convenient it is; here it is one opinion of three,
// heard where it is sound. google/jsonschema-go and assay refuse them all.
func TestWhyQriDoesNotDecide(t *testing.T) {
	for name, c := range map[string]struct{ schema, instance string }{
		"a closed object is open to any name used in a nested one": {
			`{"properties": {"percent": {"maximum": 30}, "meta": {"additionalProperties": true}}, "additionalProperties": false}`,
			`{"percent": 10, "meta": {"force": 0}, "force": 90}`},
		"a closed object is open to what a branch of not describes": {
			`{"not": {"properties": {"a": {"type": "string"}}, "required": ["a"]}, "additionalProperties": false}`, `{"a": 1}`},
		"a closed object is open to what a condition describes": {
			`{"if": {"properties": {"a": {"const": 1}}}, "then": {"properties": {"a": true}}, "additionalProperties": false}`, `{"a": 1}`},
		"a closed object is open to what a reference describes": {
			`{"$ref": "#/$defs/x", "additionalProperties": false, "$defs": {"x": {"properties": {"a": true}}}}`, `{"a": 1}`},
		"unevaluatedProperties false lets a name of a nested object pass": {
			`{"anyOf": [{"properties": {"b": {"properties": {"a": true}}}}], "unevaluatedProperties": false}`, `{"b": {"a": 1}, "a": 1}`},
		"unevaluatedItems false counts from the array around": {
			`{"items": {"unevaluatedItems": false}}`, `[[], [1]]`},
		"a string is a boolean": {`{"type": "boolean"}`, `"true"`},
		"a digit is a boolean":  {`{"type": "boolean"}`, `"1"`},
		"prefixItems is ignored": {
			`{"prefixItems": [{"type": "string"}]}`, `[1]`},
		"dependencies is ignored": {
			`{"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": ["b"]}}`, `{"a": 1}`},
		"a dependency of a null member is ignored": {
			`{"dependentRequired": {"a": ["b"]}}`, `{"a": null}`},
		"$dynamicRef is ignored": {
			`{"$dynamicRef": "#n", "$defs": {"x": {"$dynamicAnchor": "n", "type": "string"}}}`, `1`},
	} {
		t.Run(name, func(t *testing.T) {
			v := decode(t, c.instance)
			qri, err := askQriText([]byte(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			if said := qri(v); said != accepts {
				t.Errorf("qri %s: it may decide one day", said)
			}
			google, err := askGoogleText([]byte(c.schema))
			if err != nil {
				t.Fatal(err)
			}
			if said := google(v); said != refuses {
				t.Errorf("google %s", said)
			}
			if said := ask(t, decode(t, c.schema), c.instance); said != refuses {
				t.Errorf("assay %s", said)
			}
		})
	}
}
