package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The tests of this package drive the built command with raw bytes, because
// the contract is about bytes.

// bareLoop makes the test binary a child that answers every line with a fixed
// one; see BenchmarkServer.
const bareLoop = "ASSAY_TEST_BARE_LOOP"

var buildDir string

func TestMain(m *testing.M) {
	if os.Getenv(bareLoop) != "" {
		answerLines(os.Stdin, os.Stdout)
		return
	}
	var err error
	if buildDir, err = os.MkdirTemp("", "assay-server-test-"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(buildDir)
	os.Exit(code)
}

// binary builds the command, once.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(buildDir, "assay-mcp-server")
	out, err := exec.Command("go", "build", "-o", path, "./cmd/assay-mcp-server").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the command: %w\n%s", err, out)
	}
	return path, nil
})

// patience is how long a test waits for something that comes at once.
const patience = 60 * time.Second

// process is a running server.
type process struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  *bufio.Reader
	stderr bytes.Buffer
	done   chan struct{}
	err    error
}

// startServer starts the command over root with more flags and variables
// (those with a '=' and no leading '-').
func startServer(t testing.TB, root string, more ...string) *process {
	t.Helper()
	p := newProcess(t, root, more...)
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewReaderSize(stdout, 1<<16)
	p.cmd.Stderr = &p.stderr
	p.start()
	return p
}

// newProcess prepares a server and does not start it.
func newProcess(t testing.TB, root string, more ...string) *process {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{t: t, done: make(chan struct{})}
	p.cmd = exec.Command(path, "--policy-root", root)
	p.cmd.Env = cleanEnviron()
	for _, m := range more {
		if strings.HasPrefix(m, "-") || !strings.Contains(m, "=") {
			p.cmd.Args = append(p.cmd.Args, m)
		} else {
			p.cmd.Env = append(p.cmd.Env, m)
		}
	}
	return p
}

// cleanEnviron is the environment without the server's own variables.
func cleanEnviron() []string {
	var clean []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "ASSAY_") {
			clean = append(clean, entry)
		}
	}
	return clean
}

func (p *process) start() {
	p.t.Helper()
	var err error
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		p.t.Fatal(err)
	}
	if err = p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() {
		p.stdin.Close()
		_ = p.cmd.Process.Kill()
		p.wait()
	})
}

// send writes lines as they are, each with a newline.
func (p *process) send(lines ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.stdin, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Fatalf("sending: %v", err)
	}
}

// receive reads the next line that the server writes.
func (p *process) receive() string {
	p.t.Helper()
	timer := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	line, err := p.lines.ReadString('\n')
	if err != nil {
		p.t.Fatalf("receiving after %q: %v\n%s", line, err, p.stderr.String())
	}
	return strings.TrimSuffix(line, "\n")
}

// call asks a tool and returns the line of the answer.
func (p *process) call(tool, arguments string) answer {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`)
	return parseAnswer(p.t, p.receive())
}

// rest closes stdin and returns all lines that still come, and the exit code.
func (p *process) rest() (lines []string, code int) {
	p.t.Helper()
	p.stdin.Close()
	timer := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	out, err := io.ReadAll(p.lines)
	if err != nil {
		p.t.Fatal(err)
	}
	if len(out) > 0 {
		lines = strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	}
	return lines, p.wait()
}

// wait waits for the end of the process and returns its exit code, -1 for a
// signal. All of its output must have been read.
func (p *process) wait() int {
	select {
	case <-p.done:
	default:
		p.err = p.cmd.Wait()
		close(p.done)
	}
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) {
		p.t.Errorf("waiting for the server: %v", p.err)
	}
	return p.cmd.ProcessState.ExitCode()
}

// answer is a response, decoded for a test.
type answer struct {
	line    string
	ID      json.RawMessage `json:"id"`
	Version string          `json:"jsonrpc"`
	Error   *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
	Result  json.RawMessage `json:"result"`
	isError *bool
	payload payload
	text    string // the payload as text
}

// payload is what the tests look at in any tool's payload.
type payload struct {
	Allowed    *bool           `json:"allowed"`
	Code       string          `json:"code"`
	Reason     string          `json:"reason"`
	Matches    []string        `json:"matches"`
	Violations json.RawMessage `json:"violations"`
	Warning    *struct {
		Code string `json:"code"`
	} `json:"warning"`
	Obligations  []map[string]any `json:"obligations"`
	SuggestedFix json.RawMessage  `json:"suggested_fix"`
	Truncated    bool             `json:"truncated"`
	Error        *struct {
		Code    string          `json:"code"`
		Message string          `json:"message"`
		Details json.RawMessage `json:"details"`
	} `json:"error"`
	Contract map[string]any `json:"contract"`
}

// parseAnswer decodes a response and fails the test where it is none, or where
// its parts do not agree.
func parseAnswer(t testing.TB, line string) answer {
	t.Helper()
	a, err := decodeAnswer(line)
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return a
}

func decodeAnswer(line string) (answer, error) {
	a := answer{line: line}
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		return a, err
	}
	if a.Version != "2.0" || (a.Error == nil) == (a.Result == nil) {
		return a, errors.New("the answer is no response")
	}
	var result struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    *bool           `json:"isError"`
	}
	if a.Result == nil || json.Unmarshal(a.Result, &result) != nil || len(result.Content) == 0 {
		return a, nil
	}
	if a.isError = result.IsError; a.isError == nil {
		return a, errors.New("isError is not on the wire")
	}
	a.text = result.Content[0].Text
	if result.Content[0].Type != "text" || a.text != string(result.Structured) {
		return a, errors.New("text and structuredContent differ")
	}
	if err := json.Unmarshal([]byte(a.text), &a.payload); err != nil {
		return a, err
	}
	if a.payload.Allowed == nil || *a.payload.Allowed == *a.isError {
		return a, errors.New("allowed and isError do not fit")
	}
	return a, nil
}

// failure returns the code of the failure that the payload holds, or "".
func (a answer) failure() string {
	if a.payload.Error == nil {
		return ""
	}
	return a.payload.Error.Code
}

func (a answer) allowed() bool { return a.payload.Allowed != nil && *a.payload.Allowed }

// policyRoot lays files out in a new directory.
func policyRoot(t testing.TB, files map[string]string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "root")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// answerLines answers every line with a fixed one and does nothing else.
func answerLines(in io.Reader, out io.Writer) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		io.WriteString(out, `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n")
	}
}
