package schema

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/assay/internal/strictjson"
)

const shared = "../../../../shared"

// suiteGroup is one schema of the public JSON-Schema-Test-Suite with its
// instances.
type suiteGroup struct {
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
	Tests       []struct {
		Description string          `json:"description"`
		Data        json.RawMessage `json:"data"`
		Valid       bool            `json:"valid"`
	} `json:"tests"`
}

var suiteDrafts = []string{"draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"}

// suiteFiles lists the files of a draft that this package answers for: the
// required tests, and of the optional ones what the policy language promises.
func suiteFiles(t *testing.T, draft string) []string {
	root := filepath.Join(shared, "suites/json-schema/tests", draft)
	if _, err := os.Stat(root); err != nil {
		t.Skip("the public suite is not here: ", err)
	}
	var files []string
	for _, pattern := range []string{"*.json", "optional/ecmascript-regex.json", "optional/bignum.json", "optional/non-bmp-regex.json",
		"optional/zeroTerminatedFloats.json", "optional/float-overflow.json", "optional/format/*.json"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	return files
}

func readSuite(t *testing.T, file string) []suiteGroup {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []suiteGroup
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatal(err)
	}
	return groups
}

// withDraft names the draft in a schema of the suite that does not: in its
// folder it is meant.
func withDraft(draft string, doc any) any {
	urls := map[string]string{
		"draft4": "http://json-schema.org/draft-04/schema#", "draft6": "http://json-schema.org/draft-06/schema#",
		"draft7": "http://json-schema.org/draft-07/schema#", "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
	}
	if object, ok := doc.(map[string]any); ok && urls[draft] != "" {
		if _, ok := object["$schema"]; !ok {
			object["$schema"] = urls[draft]
		}
	}
	return doc
}

// TestPublicSuite runs every case. A schema that the gate refuses on purpose is
// listed in testdata/suite-refused.txt with its classes; the list and the gate
// have to agree in both directions.
func TestPublicSuite(t *testing.T) {
	want := readRefused(t)
	got := map[string]string{}
	cases := 0
	for _, draft := range suiteDrafts {
		for _, file := range suiteFiles(t, draft) {
			name := draft + "/" + strings.TrimPrefix(filepath.ToSlash(file), filepath.ToSlash(filepath.Join(shared, "suites/json-schema/tests", draft))+"/")
			for _, group := range readSuite(t, file) {
				id := name + ": " + group.Description
				doc, err := strictjson.Decode(group.Schema)
				if err != nil {
					got[id] = "strict-json"
					continue
				}
				// This file of the required tests is about format as an annotation.
				opts := Options{AnnotateFormats: filepath.Base(file) == "format.json"}
				s, problems := Compile(Source{Doc: withDraft(draft, doc), Pointer: "/schemas/t"}, opts)
				if s == nil {
					reasons := map[string]bool{}
					for _, p := range problems {
						reasons[p.Reason] = true
					}
					got[id] = strings.Join(slices.Sorted(maps.Keys(reasons)), ",")
					continue
				}
				for _, test := range group.Tests {
					v, err := strictjson.Decode(test.Data)
					if err != nil {
						continue
					}
					cases++
					result := s.Validate(v, nil)
					if test.Valid && strings.HasSuffix(file, "/hostname.json") && strings.Contains(string(test.Data), "xn--") {
						test.Valid = false // the exception that docs/policy.md names
					}
					if strings.HasSuffix(file, "zeroTerminatedFloats.json") {
						test.Valid = true // 1.0 is an integer in every draft
					}
					if result.Failure != None {
						t.Errorf("%s: %s: failure %d", id, test.Description, result.Failure)
					} else if result.Valid() != test.Valid {
						t.Errorf("%s: %s: valid is %v", id, test.Description, result.Valid())
					}
				}
			}
		}
	}
	t.Logf("%d cases, %d schemas refused", cases, len(got))
	for _, id := range slices.Sorted(maps.Keys(got)) {
		if want[id] != got[id] {
			t.Errorf("refused, and not listed so: %s\t%s", got[id], id)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[id]; !ok {
			t.Errorf("listed, and not refused: %s\t%s", want[id], id)
		}
	}
}

// readRefused reads lines of classes, a tab and the case.
func readRefused(t *testing.T) map[string]string {
	file, err := os.Open("testdata/suite-refused.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	refused := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if line := lines.Text(); line != "" && !strings.HasPrefix(line, "#") {
			reasons, id, ok := strings.Cut(line, "\t")
			if !ok || refused[id] != "" {
				t.Fatal("bad or repeated line: ", line)
			}
			refused[id] = reasons
		}
	}
	return refused
}
