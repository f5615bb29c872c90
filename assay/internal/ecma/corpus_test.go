package ecma

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// shared is the directory of cases and suites beside the repository.
const shared = "../../../../shared"

// readShared returns a file below shared, or skips the test.
func readShared(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared, name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("../shared/%s is not there", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The corpus asks about patterns through policies. Read here are those whose
// tool "t" has one pattern on its property "x", and their calls that say whether
// a string x matches: an allow, a violation, or a schema that does not compile.
func TestCorpusPatternsHaveTheRightAnswer(t *testing.T) {
	lines := bufio.NewScanner(bytes.NewReader(readShared(t, "corpus/patterns.jsonl")))
	lines.Buffer(nil, 1<<20)
	checked, skipped := 0, 0
	for lines.Scan() {
		var group struct {
			Name  string            `json:"name"`
			Files map[string]string `json:"files"`
			Calls []struct {
				Arguments struct {
					Tool      string `json:"tool"`
					Policy    string `json:"policy"`
					Arguments struct {
						X any `json:"x"`
					} `json:"arguments"`
				} `json:"arguments"`
				Want struct {
					Allowed bool   `json:"allowed"`
					Code    string `json:"code"`
				} `json:"want"`
			} `json:"calls"`
		}
		if err := json.Unmarshal(lines.Bytes(), &group); err != nil {
			t.Fatal(err)
		}
		for _, call := range group.Calls {
			var policy struct {
				Schemas struct {
					T struct {
						Properties struct {
							X struct {
								Pattern *string `json:"pattern"`
							} `json:"x"`
						} `json:"properties"`
					} `json:"t"`
				} `json:"schemas"`
			}
			err := json.Unmarshal([]byte(group.Files[call.Arguments.Policy]), &policy)
			pattern := policy.Schemas.T.Properties.X.Pattern
			text, isText := call.Arguments.Arguments.X.(string)
			if err != nil || pattern == nil || call.Arguments.Tool != "t" || !isText && call.Want.Code != "E_SCHEMA_COMPILE" {
				skipped++
				continue
			}
			checked++
			re, err := Compile(*pattern)
			if compiles := call.Want.Code != "E_SCHEMA_COMPILE"; (err == nil) != compiles {
				t.Errorf("%s: %q: compiling gives %v", group.Name, *pattern, err)
			}
			if err != nil {
				continue
			}
			if got, err := re.MatchString(text, nil); got != call.Want.Allowed || err != nil {
				t.Errorf("%s: %q on %q: got %v, %v; want %v", group.Name, *pattern, text, got, err, call.Want.Allowed)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d calls checked, %d of another form skipped", checked, skipped)
	if checked < 1_700 {
		t.Errorf("only %d calls have the form that this test reads", checked)
	}
}

// The suite's tests of `pattern` and of ECMA-262 expressions. Their schemas use
// four keywords besides, which judge knows.
func TestSuitePatternsHaveTheRightAnswer(t *testing.T) {
	checked := 0
	for _, draft := range []string{"draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"} {
		for _, file := range []string{"pattern.json", "optional/ecmascript-regex.json", "optional/non-bmp-regex.json"} {
			name := "suites/json-schema/tests/" + draft + "/" + file
			var groups []struct {
				Description string         `json:"description"`
				Schema      map[string]any `json:"schema"`
				Tests       []struct {
					Description string `json:"description"`
					Data        any    `json:"data"`
					Valid       bool   `json:"valid"`
				} `json:"tests"`
			}
			if err := json.Unmarshal(readShared(t, name), &groups); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, group := range groups {
				for _, test := range group.Tests {
					checked++
					if got := judge(t, group.Schema, test.Data); got != test.Valid {
						t.Errorf("%s: %s: %s: got %v", name, group.Description, test.Description, got)
					}
				}
			}
		}
	}
	t.Logf("%d tests checked", checked)
	if checked < 450 {
		t.Errorf("only %d tests", checked)
	}
}

// judge validates data against a schema of the keywords that the suite's files
// about patterns use.
func judge(t *testing.T, schema map[string]any, data any) bool {
	t.Helper()
	matches := func(pattern, text string) bool {
		re, err := Compile(pattern)
		if err != nil {
			t.Errorf("%q: %v", pattern, err)
			return false
		}
		got, err := re.MatchString(text, nil)
		if err != nil {
			t.Errorf("%q: %v", pattern, err)
		}
		return got
	}
	for keyword, value := range schema {
		switch keyword {
		case "$schema", "additionalProperties":
		case "type":
			switch data := data.(type) {
			case string:
				if value != "string" {
					return false
				}
			case float64:
				if value != "integer" || data != math.Trunc(data) {
					return false
				}
			case map[string]any:
				if value != "object" {
					return false
				}
			default:
				t.Fatalf("type %v of %T is not known here", value, data)
			}
		case "pattern":
			if text, ok := data.(string); ok && !matches(value.(string), text) {
				return false
			}
		case "patternProperties":
			members, _ := data.(map[string]any)
			for name, member := range members {
				met := false
				for pattern, sub := range value.(map[string]any) {
					if matches(pattern, name) {
						met = true
						if sub, ok := sub.(map[string]any); ok && !judge(t, sub, member) {
							return false
						}
					}
				}
				if !met && schema["additionalProperties"] == false {
					return false
				}
			}
		default:
			t.Fatalf("the keyword %s is not known here", keyword)
		}
	}
	return true
}
