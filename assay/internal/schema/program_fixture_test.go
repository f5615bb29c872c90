package schema

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"example.com/assay/assay/internal/strictjson"
)

// fixture is a tool's schema as people write them, with calls of the tool.
type fixture struct {
	name           string
	schema         *Schema
	doc            any
	valid, invalid []string
}

// fixtures reads testdata/tools.
func fixtures(tb testing.TB) []fixture {
	tb.Helper()
	files, err := filepath.Glob("testdata/tools/*.json")
	if err != nil || len(files) == 0 {
		tb.Fatal("no fixtures: ", err)
	}
	var all []fixture
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		var tools []struct {
			Name           string
			Schema         json.RawMessage
			Valid, Invalid []json.RawMessage
		}
		if err := json.Unmarshal(text, &tools); err != nil {
			tb.Fatal(file, ": ", err)
		}
		for _, tool := range tools {
			f := fixture{name: tool.Name, schema: schemaFor(tb, string(tool.Schema))}
			if f.doc, err = strictjson.Decode(tool.Schema); err != nil {
				tb.Fatal(err)
			}
			f.valid, f.invalid = compact(tb, tool.Valid), compact(tb, tool.Invalid)
			all = append(all, f)
		}
	}
	return all
}

// compact writes the texts as a machine would.
func compact(tb testing.TB, texts []json.RawMessage) []string {
	var all []string
	for _, text := range texts {
		var b bytes.Buffer
		if err := json.Compact(&b, text); err != nil {
			tb.Fatal(err)
		}
		all = append(all, b.String())
	}
	return all
}

// Every valid call of a fixture is accepted, no invalid one, and the engine agrees.
func TestProgramAnswersForToolSchemas(t *testing.T) {
	for _, f := range fixtures(t) {
		for _, text := range f.valid {
			if !accepts(t, f.schema, text) {
				t.Errorf("%s: %s is not accepted", f.name, text)
			}
			if !f.schema.Validate(valueOf(t, text), nil).Valid() {
				t.Errorf("%s: the engine refuses %s", f.name, text)
			}
		}
		for _, text := range f.invalid {
			if accepts(t, f.schema, text) {
				t.Errorf("%s: %s is accepted", f.name, text)
			}
			if f.schema.Validate(valueOf(t, text), nil).Valid() {
				t.Errorf("%s: the engine takes %s", f.name, text)
			}
		}
	}
}
