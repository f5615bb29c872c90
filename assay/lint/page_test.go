package lint_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/assay/lint"
)

// The page that explains the language to authors of policies.
func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestThePageListsEveryRule(t *testing.T) {
	var want strings.Builder
	want.WriteString("| rule | severity | finds |\n| --- | --- | --- |\n")
	for _, r := range lint.Rules() {
		fmt.Fprintf(&want, "| `%s` | %s | %s |\n", r.ID, r.Severity, strings.ReplaceAll(r.Summary, "|", `\|`))
	}
	if !strings.Contains(page(t), want.String()) {
		t.Errorf("docs/policy.md does not hold this table:\n%s", want.String())
	}
}

// What an author copies should be what the page advises. The policies of single
// sections leave out what they are not about.
func TestTheWholePolicyOfThePageHasNoFindings(t *testing.T) {
	first := regexp.MustCompile("(?ms)^```yaml\n(.*?)^```").FindStringSubmatch(page(t))
	if first == nil {
		t.Fatal("docs/policy.md holds no policy")
	}
	if r := lint.Lint([]byte(first[1]), nil); len(r.Findings) > 0 {
		t.Errorf("found\n%s", lines(r.Findings))
	}
}

func TestNullMeansAbsentWhereItOpensNothingOnly(t *testing.T) {
	for _, test := range []struct {
		absent bool
		keys   []string
	}{
		{true, []string{"name", "description", "metadata", "deny", "tools.deny", "tools.deny_classes"}},
		{false, []string{"version", "allow", "tools", "tools.allow", "tools.allow_classes", "tools.require_args", "tools.arg_constraints",
			"tools.approval_required", "tools.restrict_scope", "tools.redact_args_classes", "tools.restrict_scope_contract", "tool_classes", "schemas",
			"constraints", "enforcement", "enforcement.formats", "limits", "limits.max_requests_total", "tool_pins", "sequences", "aliases",
			"on_error", "blocklist", "signatures", "discovery", "runtime_monitor", "kill_switch"}},
	} {
		for _, key := range test.keys {
			text := strings.Replace(key, ".", ": {", 1) + ": null" + strings.Repeat("}", strings.Count(key, ".")) + "\n"
			findings := lint.Lint([]byte(text), nil).Findings
			refused := len(findings) > 0 && findings[0].Rule == "structure"
			if refused == test.absent {
				t.Errorf("%s: refused %v\n%s", text, refused, lines(findings))
			}
		}
	}
}
