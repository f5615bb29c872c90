package assay_test

import (
	"bytes"
	"encoding/json"
	"errors"
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
	testName   = regexp.MustCompile(`\b(?:Test|Fuzz|Example|Benchmark)[A-Z][A-Za-z0-9_]*`)
	testFunc   = regexp.MustCompile(`(?m)^func (\w+)\(`)
	yamlBlock  = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")
	policyPath = regexp.MustCompile(`[\w./-]+\.yaml`)
	localLink  = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
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

// What somebody copies from the command's help must find its policy.
func TestEveryPolicyInAnExampleOfTheHelpExists(t *testing.T) {
	source, err := os.ReadFile("server/cmd/assay-mcp-server/help.go")
	if err != nil {
		t.Fatal(err)
	}
	paths := policyPath.FindAllString(string(source), -1)
	if len(paths) == 0 {
		t.Error("no example names a policy")
	}
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("the help names %s, which is not there", path)
		}
	}
}

// docs/server.md shows what the tools answer. The command prints the same
// payloads.
func TestTheServersPageShowsWhatItsToolsAnswer(t *testing.T) {
	page, err := os.ReadFile("docs/server.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, question := range [][]string{
		{"args", "--policy", "examples/policies/support-agent.yaml", "--tool", "delete_customer", "--args", `{"ticket": "T-1042"}`},
		{"args", "--policy", "examples/policies/sequence.yaml", "--tool", "delete_customer"},
		{"args", "--policy", "examples/policies/discounts.yaml", "--tool", "apply_discount", "--args", `{"percent": 50}`, "--suggest-fixes"},
		{"args", "--policy", "absent.yaml", "--tool", "x"},
		{"sequence", "--policy", "examples/policies/sequence.yaml", "--history", "[]", "--next", "delete_customer"},
	} {
		cmd := exec.Command("go", append([]string{"run", "./server/cmd/assay-mcp-server", "check"}, append(question, "--json")...)...)
		out, _ := cmd.Output() // a denial is no success
		var shown bytes.Buffer
		if err := json.Indent(&shown, bytes.TrimSpace(out), "", "  "); err != nil {
			t.Errorf("%q: %v", question, err)
			continue
		}
		if want := "```json\n" + shown.String() + "\n```\n"; !strings.Contains(string(page), want) {
			t.Errorf("the page does not show what %q answers:\n%s", question, want)
		}
	}
}

// docs/policy.md says how a pattern is written in YAML.
func TestPatternsInQuotesAreWhatThePageSays(t *testing.T) {
	page, err := os.ReadFile("docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	const digits, notDigits = `{"x": "12"}`, `{"x": "d"}`
	for _, pattern := range []string{`'^\d+$'`, `"^\\d+$"`} {
		if !strings.Contains(string(page), "`"+pattern+"`") {
			t.Errorf("the page does not show %s", pattern)
		}
		policy, err := assay.Parse([]byte("schemas:\n  a: {properties: {x: {type: string, pattern: "+pattern+"}}}\n"), &assay.Options{Strict: true})
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		for arguments, want := range map[string]bool{digits: true, notDigits: false} {
			if d := assay.CheckArgs(policy, assay.Call{Tool: "a", Arguments: json.RawMessage(arguments)}); d.Allowed != want {
				t.Errorf("%s: %s is allowed: %v", pattern, arguments, d.Allowed)
			}
		}
	}
	if _, err := assay.Parse([]byte(`schemas: {a: {properties: {x: {pattern: "\d"}}}}`), nil); err == nil {
		t.Error(`"\d" is no error`)
	}
	policy, err := assay.Parse([]byte(`schemas: {a: {properties: {x: {pattern: "\b"}}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]bool{`{"x": "a word"}`: false, `{"x": "\b"}`: true} {
		if d := assay.CheckArgs(policy, assay.Call{Tool: "a", Arguments: json.RawMessage(arguments)}); d.Allowed != want {
			t.Errorf(`"\b": %s is allowed: %v`, arguments, d.Allowed)
		}
	}
}

// docs/policy.md, "Order": which constraints are not named like their rule.
func TestTheConstraintsOfOrderAreThoseOfThePage(t *testing.T) {
	page, err := os.ReadFile("docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ policy, constraint string }{
		{"[{type: require, tool: a}]", "sequence_rule"},
		{"[{type: before, first: a, then: x}]", "before"},
		{"[{type: after, trigger: y, then: a}]", "after"},
		{"[{type: never_after, trigger: y, forbidden: x}]", "never_after"},
		{"[{type: eventually, tool: a, within: 1}]", "eventually"},
		{"[{type: max_calls, tool: x, max: 0}]", "max_calls"},
		{"[{type: sequence, tools: [a, x]}]", "sequence_order"},
		{"[{type: sequence, tools: [y, a], strict: true}]", "sequence_strict"},
		{"[{type: blocklist, pattern: x}]", "blocklist"},
		{"[a]", "sequence_exact_match"},
		{"[{type: max_calls, tool: {tool: x, args_match: {k: v}}, max: 0}]", "arguments_unknown"},
	} {
		policy, err := assay.Parse([]byte(test.policy), nil)
		if err != nil {
			t.Fatal(err)
		}
		d := assay.CheckSequence(policy, []assay.Call{{Tool: "y"}, {Tool: "z"}}, assay.Call{Tool: "x"})
		if len(d.Violations) != 1 || d.Violations[0].Constraint != test.constraint {
			t.Errorf("%s: %+v, want %s", test.policy, d, test.constraint)
			continue
		}
		v := d.Violations[0]
		if listed := strings.Contains(string(page), "`"+v.Constraint+"`"); v.Constraint != v.RuleType && !listed {
			t.Errorf("the page does not list %s", v.Constraint)
		}
		if unnamed := v.RuleID == "" && v.RuleType == ""; unnamed != (test.policy == "[a]") {
			t.Errorf("%s: the violation is of the rule %q, %q", test.policy, v.RuleType, v.RuleID)
		}
	}
}

// What the code of the README calls and leaves to its reader.
var (
	approved func(assay.Call, []assay.Obligation) bool
	run      func(assay.Call) error
)

// decided runs a call if the policy allows it after the calls that ran, and if
// a person approves where the policy asks for that.
func decided(session *assay.Session, call assay.Call) error {
	decision, pending := session.Begin(call)
	defer pending.Cancel() // what does not run does not count; after Done it does nothing

	var duties *assay.ObligationsError
	if err := decision.Err(); errors.As(err, &duties) {
		if !approved(call, duties.Decision.Obligations) { // every one of them is met
			return err
		}
	} else if err != nil {
		return err // a denial: decision.Violations says what would pass
	}
	defer pending.Done() // it ran, whatever came of it
	return run(call)
}

// readmePolicy is the policy that the README shows.
func readmePolicy(t *testing.T) *assay.Policy {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := yamlBlock.FindSubmatch(readme)
	if block == nil {
		t.Fatal("README shows no policy")
	}
	policy, err := assay.Parse(block[1], &assay.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	return policy
}

// The code that people copy must be the code that is tested below.
func TestTheREADMEShowsTheCodeThatIsTested(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("docs_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(source), "\n// decided runs ")
	code, _, ok := strings.Cut(code, "\n}\n")
	if want := "```go\n// decided runs " + code + "\n}\n```\n"; !ok || !strings.Contains(string(readme), want) {
		t.Errorf("README does not show\n%s", want)
	}
}

// An approval does not open the way around the order.
func TestTheREADMEsCodeRunsNothingThatItsPolicyForbids(t *testing.T) {
	verify := assay.Call{Tool: "verify_identity", Arguments: json.RawMessage(`{"id": 7}`)}
	refund := assay.Call{Tool: "refund", Arguments: json.RawMessage(`{"amount": 100}`)}
	tooMuch := assay.Call{Tool: "refund", Arguments: json.RawMessage(`{"amount": 450}`)}
	other := assay.Call{Tool: "wipe"}

	var ran []string
	run = func(call assay.Call) error {
		ran = append(ran, call.Tool)
		return nil
	}
	session := assay.NewSession(readmePolicy(t))
	for _, step := range []struct {
		name    string
		call    assay.Call
		approve bool
		want    string // the code of a denial, "obligations", or "" where it runs
	}{
		{"approved, and nobody was verified", refund, true, "E_SEQUENCE"},
		{"not on the list", other, true, "E_TOOL_NOT_ALLOWED"},
		{"the verification", verify, false, ""},
		{"too much, and approved", tooMuch, true, "E_ARG_SCHEMA"},
		{"not approved", refund, false, "obligations"},
		{"approved", refund, true, ""},
	} {
		asked := false
		approved = func(_ assay.Call, duties []assay.Obligation) bool {
			asked = len(duties) == 1 && duties[0].Kind == "approval_required"
			return step.approve
		}
		before := len(ran)
		err := decided(session, step.call)
		if got := outcome(err); got != step.want {
			t.Errorf("%s: %q (%v), want %q", step.name, got, err, step.want)
		}
		if runs := len(ran) > before; runs != (step.want == "") {
			t.Errorf("%s: it ran: %v", step.name, runs)
		}
		if needs := step.call.Tool == "refund" && (step.want == "" || step.want == "obligations"); asked != needs {
			t.Errorf("%s: a person was asked: %v", step.name, asked)
		}
	}
}

// The README says in which order a caller with a history of its own asks.
func TestOrderIsAskedBeforeArguments(t *testing.T) {
	policy := readmePolicy(t)
	refund := assay.Call{Tool: "refund", Arguments: json.RawMessage(`{"amount": 100}`)}
	ask := func(history ...assay.Call) error {
		if err := assay.CheckSequence(policy, history, refund).Err(); err != nil {
			return err
		}
		return assay.CheckArgs(policy, refund).Err()
	}
	if got := outcome(ask()); got != "E_SEQUENCE" {
		t.Errorf("nobody was verified: %q", got)
	}
	if got := outcome(ask(assay.Call{Tool: "verify_identity"})); got != "obligations" {
		t.Errorf("verified: %q", got)
	}
}

// outcome names what an error of a decision is; "" for none.
func outcome(err error) string {
	var denied *assay.DeniedError
	var duties *assay.ObligationsError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &denied):
		return string(denied.Decision.Code)
	case errors.As(err, &duties):
		return "obligations"
	}
	return "another error: " + err.Error()
}
