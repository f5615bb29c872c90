package schema

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/assay/assay/internal/policydoc"
	"example.com/assay/assay/internal/strictjson"
)

// corpusGroup is a line of the corpus (its README has the format).
type corpusGroup struct {
	Name  string            `json:"name"`
	Files map[string]string `json:"files"`
	Calls []struct {
		Arguments struct {
			Tool      string          `json:"tool"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"arguments"`
		Want struct {
			Allowed *bool    `json:"allowed"`
			Code    string   `json:"code"`
			Paths   []string `json:"paths"`
		} `json:"want"`
	} `json:"calls"`
}

// TestCorpus decides the corpus groups in which a policy is nothing but
// schemas.
func TestCorpus(t *testing.T) {
	for _, name := range []string{"schema", "schema-generated", "numbers", "formats"} {
		t.Run(name, func(t *testing.T) {
			file, err := os.Open(filepath.Join(shared, "corpus", name+".jsonl"))
			if err != nil {
				t.Skip("the corpus is not here: ", err)
			}
			defer file.Close()
			lines := bufio.NewScanner(file)
			lines.Buffer(nil, 1<<24)
			decided := 0
			for lines.Scan() {
				var group corpusGroup
				if err := json.Unmarshal(lines.Bytes(), &group); err != nil {
					t.Fatal(err)
				}
				decided += runGroup(t, group)
			}
			t.Log(decided, "calls")
			if decided == 0 {
				t.Error("no call of the corpus was decided")
			}
		})
	}
}

func runGroup(t *testing.T, group corpusGroup) (decided int) {
	for _, text := range group.Files {
		policy, err := policydoc.Parse([]byte(text), 1_000_000)
		if err != nil {
			continue
		}
		document, _ := policy.Value().(map[string]any)
		schemas, _ := document["schemas"].(map[string]any)
		for tool, doc := range schemas {
			annotate := policy.Lookup("/enforcement/formats")
			s, problems := Compile(Source{Doc: doc, Pointer: "/schemas/" + tool}, Options{AnnotateFormats: annotate != nil && annotate.Text == "annotate"})
			for _, call := range group.Calls {
				if call.Arguments.Tool != tool || call.Want.Allowed == nil {
					continue
				}
				decided++
				if s == nil {
					if call.Want.Code != "E_SCHEMA_COMPILE" {
						t.Errorf("%s: does not compile: %+v", group.Name, problems)
					}
					continue
				}
				v, err := strictjson.Decode(call.Arguments.Arguments)
				if err != nil {
					if *call.Want.Allowed {
						t.Errorf("%s: %s: %v", group.Name, call.Arguments.Arguments, err)
					}
					continue
				}
				result := s.Validate(v, nil)
				if result.Valid() != *call.Want.Allowed || result.Failure != None {
					t.Errorf("%s: %.200s: valid is %v, failure %d", group.Name, call.Arguments.Arguments, result.Valid(), result.Failure)
				}
				if call.Want.Paths != nil {
					var paths []string
					for _, violation := range result.Violations {
						paths = append(paths, violation.Path)
					}
					slices.Sort(paths)
					if paths = slices.Compact(paths); !slices.Equal(paths, call.Want.Paths) {
						t.Errorf("%s: %.200s: paths %q, want %q", group.Name, call.Arguments.Arguments, paths, call.Want.Paths)
					}
				}
			}
		}
	}
	return decided
}
