package policies_test

import (
	"encoding/json"
	"io/fs"
	"testing"

	"example.com/assay/assay"
	"example.com/assay/examples/policies"
)

func TestEveryExampleCompilesStrictly(t *testing.T) {
	names, err := fs.Glob(policies.FS, "*.yaml")
	if err != nil || len(names) < 6 {
		t.Fatalf("found %v, %v", names, err)
	}
	for _, name := range names {
		if _, err := assay.ParseFS(policies.FS, name, &assay.Options{Strict: true}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatTheExamplesAllow(t *testing.T) {
	const allow = assay.Code("")
	tests := []struct {
		policy, tool, arguments string
		want                    assay.Code
	}{
		{"discounts.yaml", "apply_discount", `{"percent": 30}`, allow},
		{"discounts.yaml", "apply_discount", `{"percent": 30.000000000000001}`, assay.CodeArgSchema},
		{"discounts.yaml", "apply_discount", `{"percent": 10, "force": true}`, assay.CodeArgSchema},
		{"discounts.yaml", "apply_discounts", `{"percent": 10}`, assay.CodeToolNotAllowed},

		{"support-agent.yaml", "refund", `{"ticket": "T-1", "amount": 19.99, "currency": "EUR"}`, allow},
		{"support-agent.yaml", "refund", `{"ticket": "T-1", "amount": 19.999, "currency": "EUR"}`, assay.CodeArgSchema},
		{"support-agent.yaml", "search_customers", `{"query": "ab"}`, allow},
		{"support-agent.yaml", "delete_all_customers", `{}`, assay.CodeToolDenied},

		{"filesystem.yaml", "read_text_file", `{"path": "/workspace/notes/a.md"}`, allow},
		{"filesystem.yaml", "read_text_file", `{"path": "/workspace/.env", "head": 10}`, allow},
		{"filesystem.yaml", "read_text_file", `{"path": "/workspace/../etc/passwd"}`, assay.CodeArgSchema},
		{"filesystem.yaml", "read_text_file", `{"path": "/workspace/a/.."}`, assay.CodeArgSchema},
		{"filesystem.yaml", "read_text_file", `{"path": "/workspacex/a"}`, assay.CodeArgSchema},
		{"filesystem.yaml", "read_text_file", `{"path": "/workspace/a", "head": 1, "tail": 1}`, assay.CodeArgSchema},
		{"filesystem.yaml", "write_file", `{"path": "/workspace/a.md", "content": ""}`, allow},
		{"filesystem.yaml", "write_file", `{"path": "/workspace/a.sh", "content": ""}`, assay.CodeArgSchema},
		{"filesystem.yaml", "write_file", `{"path": "/workspace/../a.md", "content": ""}`, assay.CodeArgSchema},

		{"github.yaml", "get_issue", `{"owner": "example-org", "repo": "site", "issue_number": 7}`, allow},
		{"github.yaml", "get_issue", `{"owner": "other-org", "repo": "site", "issue_number": 7}`, assay.CodeArgSchema},
		{"github.yaml", "get_commit", `{"owner": "example-org"}`, assay.CodeToolUnconstrained},
		{"github.yaml", "get_repo_secret", `{}`, assay.CodeToolDenied},
		{"github.yaml", "delete_file", `{}`, assay.CodeToolDenied},
		{"github.yaml", "merge_pull_request", `{}`, assay.CodeToolDenied},
		{"github.yaml", "create_branch", `{"owner": "example-org", "repo": "site", "branch": "fix/typo"}`, allow},
		{"github.yaml", "create_branch", `{"owner": "example-org", "repo": "site", "branch": "main"}`, assay.CodeArgSchema},
		{"github.yaml", "search_code", `{"q": "org:example-org handler"}`, allow},
		{"github.yaml", "search_code", `{"q": "org:example-org org:other-org"}`, assay.CodeArgSchema},
		{"github.yaml", "search_code", `{"q": "handler"}`, assay.CodeArgSchema},
	}
	for _, test := range tests {
		policy, err := assay.ParseFS(policies.FS, test.policy, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := assay.CheckArgs(policy, assay.Call{Tool: test.tool, Arguments: json.RawMessage(test.arguments)})
		if d.Code != test.want || d.Allowed != (test.want == allow) {
			t.Errorf("%s: %s %s: code %q, allowed %v; want %q", test.policy, test.tool, test.arguments, d.Code, d.Allowed, test.want)
		}
	}
}
