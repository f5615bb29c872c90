package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/assay/assay/lint"
)

// sarifSchema is the official schema of SARIF 2.1.0, as its registry package
// holds it. .ci/run installs it.
const sarifSchema = "../../../testdata/clients/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"

// sarifOf runs lint --format sarif over files that hold the texts, and one that
// is not there where absent says so.
func sarifOf(t *testing.T, absent bool, texts ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	arguments := []string{"lint", "--format", "sarif"}
	for i, text := range texts {
		name := filepath.Join(dir, "a file "+string(rune('0'+i))+".yaml")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, name)
	}
	if absent {
		arguments = append(arguments, filepath.Join(dir, "absent.yaml"))
	}
	var stdout, stderr bytes.Buffer
	code := run(arguments, strings.NewReader(""), &stdout, &stderr)
	if wrote := stderr.Len() > 0; wrote != absent || absent && code != exitUnreadable {
		t.Fatalf("exit code %d, stderr %s", code, stderr.Bytes())
	}
	return stdout.Bytes()
}

const policyWithFindings = `tools:
  allow: [pay, "é*"]
  deny: ["a*b"]
schemas:
  pay: {type: object, properties: {to: {type: string}}}
on_error: x
`

func TestSARIFIsValidByTheOfficialSchema(t *testing.T) {
	f, err := os.Open(sarifSchema)
	if errors.Is(err, os.ErrNotExist) {
		if os.Getenv("ASSAY_CLIENTS") == "require" {
			t.Fatal("the schema of SARIF is not installed")
		}
		t.Skip("the schema of SARIF is not installed; .ci/run installs it")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	document, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"nothing found":      sarifOf(t, false, "blocklist: [rm]\n"),
		"findings":           sarifOf(t, false, policyWithFindings, "blocklist: [\"\"]\n"),
		"no document":        sarifOf(t, false, "a: [\n", ""),
		"an unreadable file": sarifOf(t, true, policyWithFindings),
	} {
		log, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(log); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if schema.Validate(map[string]any{"version": "2.1.0"}) == nil {
		t.Error("the schema takes a log without runs")
	}
}

func TestSARIFHoldsEveryFindingWithItsPlace(t *testing.T) {
	var log struct {
		Version string
		Runs    []struct {
			ColumnKind string
			Tool       struct {
				Driver struct {
					Name  string
					Rules []struct {
						ID                   string
						DefaultConfiguration struct{ Level string }
					}
				}
			}
			Invocations []struct{ ExecutionSuccessful bool }
			Results     []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					LogicalLocations []struct{ FullyQualifiedName string }
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(sarifOf(t, false, policyWithFindings), &log); err != nil {
		t.Fatal(err)
	}
	want := lint.Lint([]byte(policyWithFindings), nil).Findings
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(want) == 0 || len(log.Runs[0].Results) != len(want) {
		t.Fatalf("version %q, %d runs", log.Version, len(log.Runs))
	}
	run := log.Runs[0]
	if len(run.Tool.Driver.Rules) != len(lint.Rules()) || run.ColumnKind != "unicodeCodePoints" || !run.Invocations[0].ExecutionSuccessful {
		t.Errorf("%d rules, columns by %s", len(run.Tool.Driver.Rules), run.ColumnKind)
	}
	for i, r := range run.Results {
		at := r.Locations[0]
		region := at.PhysicalLocation.Region
		f := want[i]
		if r.RuleID != f.Rule || run.Tool.Driver.Rules[r.RuleIndex].ID != f.Rule || r.Level != f.Severity.String() ||
			at.LogicalLocations[0].FullyQualifiedName != f.Path || region.StartLine != f.Line || region.StartColumn != f.Column ||
			!strings.HasPrefix(r.Message.Text, f.Message) || !strings.Contains(r.Message.Text, f.Fix) {
			t.Errorf("result %+v, finding %+v", r, f)
		}
		if uri := at.PhysicalLocation.ArtifactLocation.URI; !strings.HasPrefix(uri, "file:///") || !strings.HasSuffix(uri, "/a%20file%200.yaml") {
			t.Errorf("the file is at %s", uri)
		}
	}
}

func TestFileNamesAsURIs(t *testing.T) {
	for name, want := range map[string]string{
		"a.yaml":             "a.yaml",
		"policies/a b.yaml":  "policies/a%20b.yaml",
		"/etc/p#1.yaml":      "file:///etc/p%231.yaml",
		"c:d.yaml":           "./c:d.yaml",
		"100%.yaml":          "100%25.yaml",
		"../policies/é.yaml": "../policies/%C3%A9.yaml",
	} {
		if got := fileURI(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestExcerptsAreShortAndTheCaretStandsBelowItsCharacter(t *testing.T) {
	long := strings.Repeat("a", 5000)
	for _, test := range []struct {
		line   string
		column int
		want   string
	}{
		{"deny: x", 7, "    deny: x\n          ^\n"},
		{"", 1, "    \n    ^\n"},
		{"ab", 9, "    ab\n      ^\n"},
		{"\tx: y", 5, "     x: y\n        ^\n"},
		{"削 x", 3, "    削 x\n       ^\n"},
		{"\x1b[2Jx", 5, "    \\u001b[2Jx\n             ^\n"},
		{long + "X" + long, 5001, "    …" + long[:60] + "X" + long[:39] + "…\n    " + strings.Repeat(" ", 61) + "^\n"},
	} {
		var b strings.Builder
		writeExcerpt(&b, []rune(test.line), test.column)
		if b.String() != test.want {
			t.Errorf("%.20q, column %d:\n%s\nwant\n%s", test.line, test.column, b.String(), test.want)
		}
	}
}

func TestAReportThatCannotBeWrittenIsNoSuccess(t *testing.T) {
	for _, arguments := range [][]string{{"lint", "-"}, {"lint", "--rules"}, {"lint", "--format", "json", "-"}} {
		if code := run(arguments, strings.NewReader("tools: {}\n"), failingWriter{}, io.Discard); code != exitUnreadable {
			t.Errorf("%v: exit code %d", arguments, code)
		}
	}
}
