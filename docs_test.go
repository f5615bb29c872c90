package assay_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/assay"
	"example.com/assay/assay/lint"
)

var (
	testName  = regexp.MustCompile(`\b(?:Test|Fuzz|Example|Benchmark)[A-Z][A-Za-z0-9_]*`)
	testFunc  = regexp.MustCompile(`(?m)^func (\w+)\(`)
	yamlBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")
	localLink = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
)

// documents are the pages whose claims name their tests.
func documents(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(pages, "README.md", "SECURITY.md", "CONTRIBUTING.md")
}

// A claim that names its test is worth what that test is worth; a test that is
// not there is worth nothing.
func TestEveryTestThatADocumentNamesExists(t *testing.T) {
	have := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "venv" || entry.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, match := range testFunc.FindAllSubmatch(source, -1) {
			have[string(match[1])] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range testName.FindAllString(string(text), -1) {
			named++
			if !have[name] {
				t.Errorf("%s names %s, which is no test of this repository", page, name)
			}
		}
	}
	if named == 0 {
		t.Error("no document names a test")
	}
}

func TestEveryLocalLinkOfADocumentLeadsSomewhere(t *testing.T) {
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range localLink.FindAllSubmatch(text, -1) {
			target := filepath.Join(filepath.Dir(page), string(match[1]))
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", page, match[1])
			}
		}
	}
}

// What a reader copies from the documents must be a policy.
func TestEveryPolicyInADocumentCompiles(t *testing.T) {
	found := 0
	for _, page := range documents(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range yamlBlock.FindAllSubmatch(text, -1) {
			found++
			if _, err := assay.Parse(match[1], &assay.Options{Strict: true}); err != nil {
				t.Errorf("%s: %v in\n%s", page, err, match[1])
			}
			if page != "README.md" {
				continue // a page about the language shows its parts
			}
			for _, f := range lint.Lint(match[1], nil).Findings {
				t.Errorf("%s: %+v", page, f)
			}
		}
	}
	if found == 0 {
		t.Error("no document holds a policy")
	}
}

// The README shows what its command prints.
func TestTheREADMEShowsWhatItsCommandsPrint(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(readme), "# Assay\n") {
		t.Error("README does not start with what this is")
	}
	out, err := exec.Command("go", "run", "./examples/selfcorrect").Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := "```console\n$ go run ./examples/selfcorrect\n" + string(out) + "```\n"; !strings.Contains(string(readme), want) {
		t.Errorf("README does not show what go run ./examples/selfcorrect prints:\n%s", out)
	}
	cmd := exec.Command("go", "run", "./server/cmd/assay-mcp-server", "check", "args",
		"--policy", "examples/policies/discounts.yaml", "--tool", "apply_discount", "--args", `{"percent": 50}`)
	out, _ = cmd.Output() // a denial is no success
	if shown := strings.TrimRight(string(out), "\n"); shown == "" || !strings.Contains(string(readme), shown) {
		t.Errorf("README does not show what the check prints:\n%s", shown)
	}
}
