package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/assay/assay"
	"example.com/assay/server"
)

func TestADecisionIsLaidOutForPeople(t *testing.T) {
	last := 2
	history := make([]assay.Call, 2)
	tests := []struct {
		name     string
		decision assay.Decision
		want     string
	}{
		{"the zero decision is none", assay.Decision{}, "NO DECISION  pay\n"},
		{"an allow", assay.Decision{Allowed: true}, "ALLOW  pay\n"},
		{
			"an allow with a warning and obligations",
			assay.Decision{
				Allowed: true,
				Warning: assay.Warning{Code: assay.CodeToolUnconstrained, Reason: "nothing constrains it"},
				Obligations: []assay.Obligation{
					{Kind: "approval_required", Source: "name"},
					{Kind: "redact_args", Source: "class", Contract: map[string]string{"b": "2", "a": "1"}},
				},
			},
			`ALLOW WITH OBLIGATIONS  pay
  warning: E_TOOL_UNCONSTRAINED  nothing constrains it
  Before the call may run:
    approval_required (by name)
    redact_args (by class) a=1 b=2
`,
		},
		{
			"broken arguments, cut",
			assay.Decision{
				Code: assay.CodeArgSchema, Reason: "a reason", Truncated: true,
				Violations: []assay.Violation{
					{Path: "", Constraint: "required", Message: "m", Suggestion: "s", SchemaPath: "/schemas/pay/required"},
					{Path: "/a", Constraint: "type", Message: "n"},
				},
				SuggestedFix: &assay.Fix{
					Arguments: json.RawMessage(`{"a":1}`),
					Changes:   []assay.Change{{Path: "/a", FromConstraint: "type", Action: "set"}},
				},
			},
			`DENY  pay  E_ARG_SCHEMA
  a reason

  (arguments)  required
    m
    try: s
    rule: /schemas/pay/required

  /a  type
    n
  There are more violations than are listed.
  These arguments would pass: {"a":1}
    /a type: set
`,
		},
		{
			"broken rules of order",
			assay.Decision{Code: assay.CodeSequence, Violations: []assay.Violation{
				{RuleID: "before:a->b", RuleType: "before", Constraint: "before", Message: "m", Suggestion: "s", Spanned: []int{0, 2}, EventIndex: &last},
				{Constraint: "sequence_exact_match", Message: "n"},
			}},
			`DENY  pay  E_SEQUENCE

  before:a->b  before
    m
    try: s
    calls: history[0], this one

  sequence_exact_match
    n
`,
		},
		{
			"text that would steer the terminal",
			assay.Decision{Code: assay.CodeArgSchema, Violations: []assay.Violation{
				{Path: "/\x1b[2J\u202e\xff\nALLOW", Constraint: "type", Message: "\r\u0085"},
			}},
			`DENY  pay  E_ARG_SCHEMA

  /\u001b[2J\u202e\xff\u000aALLOW  type
    \u000d\u0085
`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := layout(&question{tool: "pay", past: history}, test.decision, false)
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			coloured := layout(&question{tool: "pay", past: history}, test.decision, true)
			if uncoloured := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured, ""); uncoloured != got || coloured == got {
				t.Errorf("colours change more than colours: %q", coloured)
			}
		})
	}
}

func TestManyCallsAreCut(t *testing.T) {
	indices := make([]int, 1000)
	if got := callNames(indices, 1000); len(got) > 400 || !strings.HasSuffix(got, "and 984 more") {
		t.Errorf("got %q", got)
	}
}

func TestOnlyATerminalHasColours(t *testing.T) {
	if isColourful(io.Discard) {
		t.Error("a writer that is no file has colours")
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if isColourful(file) {
		t.Error("a file has colours")
	}
	// No terminal is sure to be at hand; this is a character device as well.
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	t.Setenv("TERM", "xterm")
	t.Setenv("NO_COLOR", "")
	if !isColourful(device) {
		t.Error("a character device has none")
	}
	t.Setenv("NO_COLOR", "1")
	if isColourful(device) {
		t.Error("NO_COLOR is ignored")
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "dumb")
	if isColourful(device) {
		t.Error("a dumb terminal has colours")
	}
}

// TestCheckPrintsWhatTheServerAnswers asks each question twice, at the command
// line and over the wire, and compares the bytes; what a terminal must not get as
// it is, TestJSONForATerminalIsPrintable compares by value.
func TestCheckPrintsWhatTheServerAnswers(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"args.yaml": `{"tools":{"allow":["pay","ask"],"approval_required":["ask"]},"schemas":{"pay":{"type":"object","properties":{"n":{"maximum":30}},"additionalProperties":false}},` +
			`"tool_pins":{"ask":{"server_id":"s","tool_name":"ask","schema_hash":"` + strings.Repeat("0", 64) + `","meta_hash":"` + strings.Repeat("1", 64) + `"}}}`,
		"order.yaml":  `{"version":"1.1","sequences":[{"type":"before","first":"a","then":"b"},{"type":"max_calls","tool":{"tool":"a","args_match":{"x":"^1$"}},"max":0}]}`,
		"list.yaml":   `["a","b"]`,
		"block.yaml":  `blocklist: [rm, "<&>"]`,
		"schema.yaml": `schemas: {pay: {maxium: 3}}`,
		"syntax.yaml": "a: 1\nb: [\n",
		"typo.yaml":   "toolz: {}\n",
		"empty.yaml":  "",
		"large.yaml":  "# " + strings.Repeat("x", 5000) + "\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	const limit = 4096
	s, err := server.New(".", &server.Options{Limits: server.Limits{PolicyBytes: limit}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	type asked struct {
		flags     []string
		arguments map[string]any // what the wire has beside the policy
		code      int
	}
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	args := func(tool, arguments, identity string, code int) asked {
		a := asked{[]string{"args", "--tool", tool, "--args", arguments}, map[string]any{"tool": tool, "arguments": raw(arguments)}, code}
		if identity != "" {
			a.flags = append(a.flags, "--identity", identity)
			a.arguments["identity"] = raw(identity)
		}
		return a
	}
	sequence := func(history, next, arguments string, code int) asked {
		a := asked{[]string{"sequence", "--history", history, "--next", next}, map[string]any{"history": raw(history), "next_tool": next}, code}
		if arguments != "" {
			a.flags = append(a.flags, "--next-args", arguments)
			a.arguments["next_arguments"] = raw(arguments)
		}
		return a
	}
	decide := func(tool string, code int) asked {
		return asked{[]string{"decide", "--tool", tool}, map[string]any{"tool": tool}, code}
	}
	tests := map[string][]asked{
		"args.yaml": {
			args("pay", `{"n":30}`, "", exitOK), args("pay", `{"n":31,"<b>":1}`, "", exitDenied), args("pay", `{"n":1,"n":1}`, "", exitDenied),
			args("ask", `{}`, "", exitDenied), args("ask", `{}`, `{"server_id":"t"}`, exitDenied), args("ask", `{}`, `[]`, exitFailed),
			args("ask", `{}`, `{"server_id":1}`, exitFailed), args("else", `null`, "", exitDenied),
			sequence(`[]`, "pay", "", exitFailed), decide("pay", exitFailed),
		},
		"order.yaml": {
			sequence(`["c"]`, "c", "", exitOK), sequence(`["c"]`, "b", "", exitDenied), sequence(`["a",{"tool":"a","arguments":{"x":2}}]`, "b", "", exitDenied),
			sequence(`[{"tool":"a","arguments":{"x":2}}]`, "b", "", exitOK), sequence(`[]`, "a", `{"x":1}`, exitDenied), sequence(`[]`, "a", `{"x":2}`, exitOK),
			sequence(`[1]`, "a", "", exitFailed), sequence(`{}`, "a", "", exitFailed), sequence(`[{"tool":"a","tool":"a"}]`, "a", "", exitFailed),
			sequence(`[{"tool":"a","arguments":null}]`, "a", "", exitFailed), sequence(`[]`, "a", `[]`, exitFailed), sequence(`[""]`, "a", "", exitFailed),
			sequence(`["\ud800"]`, "a", "", exitFailed),
			sequence(`[]`, "a", ` {"x" : 2} `, exitOK), sequence(`[]`, "a", `{"x":2,"\u0078":2}`, exitFailed), sequence(`[]`, "a", `{"x":"\udc00"}`, exitFailed),
			sequence(`[]`, "a", `{"x":1e1001}`, exitFailed), sequence(`[{"tool":"c","arguments":{"x":2,"x":2}}]`, "a", "", exitFailed),
		},
		"list.yaml":   {sequence(`["a"]`, "b", "", exitOK), sequence(`["b"]`, "b", "", exitDenied), args("a", `{}`, "", exitFailed), decide("a", exitFailed)},
		"block.yaml":  {decide("ls", exitOK), decide("rm", exitDenied), decide("<&>", exitDenied)},
		"schema.yaml": {args("pay", `{}`, "", exitFailed), args("else", `{}`, "", exitOK)},
		"syntax.yaml": {args("pay", `{}`, "", exitFailed), sequence(`[]`, "a", "", exitFailed), decide("a", exitFailed)},
		"typo.yaml":   {args("pay", `{}`, "", exitFailed), sequence(`[]`, "a", "", exitFailed), decide("a", exitFailed)},
		"empty.yaml":  {args("pay", `{}`, "", exitFailed), sequence(`[]`, "a", "", exitFailed), decide("a", exitFailed)},
		"large.yaml":  {args("pay", `{}`, "", exitFailed), sequence(`[]`, "a", "", exitFailed)},
		"absent.yaml": {args("pay", `{}`, "", exitFailed), sequence(`[]`, "a", "", exitFailed), sequence(`[1]`, "a", "", exitFailed)},
		".":           {decide("a", exitFailed)},
	}
	for policy, questions := range tests {
		for _, q := range questions {
			t.Run(policy+" "+strings.Join(q.flags, " "), func(t *testing.T) {
				var stdout, stderr bytes.Buffer
				command := append([]string{"check"}, q.flags...)
				command = append(command, "--policy", policy, "--max-policy-bytes", strconv.Itoa(limit), "--json")
				if code := run(command, strings.NewReader(""), &stdout, &stderr); code != q.code {
					t.Errorf("exit code %d, want %d", code, q.code)
				}
				if (q.code == exitFailed) != (stderr.Len() > 0) {
					t.Errorf("stderr: %q", stderr.String())
				}
				q.arguments["policy"] = policy
				kind := map[string]string{"args": "assay_check_args", "sequence": "assay_check_sequence", "decide": "assay_policy_decide"}[q.flags[0]]
				if want := overTheWire(t, s, kind, q.arguments) + "\n"; stdout.String() != want {
					t.Errorf("got  %swire %s", stdout.String(), want)
				}
			})
		}
	}
}

// overTheWire returns the payload of a tool's answer.
func overTheWire(t *testing.T, s *server.Server, tool string, arguments map[string]any) string {
	t.Helper()
	// An encoder of the library's would rewrite raw JSON.
	var text strings.Builder
	for name, value := range arguments {
		if text.Len() > 0 {
			text.WriteByte(',')
		}
		if raw, ok := value.(json.RawMessage); ok {
			text.WriteString(strconv.Quote(name) + ":" + string(raw))
		} else {
			text.WriteString(strconv.Quote(name) + ":" + strconv.Quote(value.(string)))
		}
	}
	var out bytes.Buffer
	line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{` + text.String() + "}}}\n"
	if err := s.Serve(t.Context(), strings.NewReader(line), &out); err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result struct {
			StructuredContent json.RawMessage `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatalf("%v: %s", err, out.String())
	}
	return string(answer.Result.StructuredContent)
}

// failingWriter cannot be written.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestAnAllowThatCannotBePrintedIsAFailure(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(policy, []byte(`version: "2.0"`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, more := range [][]string{nil, {"--json"}} {
		var stderr bytes.Buffer
		code := run(append([]string{"check", "args", "--policy", policy, "--tool", "a"}, more...), strings.NewReader(""), failingWriter{}, &stderr)
		if code != exitFailed || !strings.HasPrefix(stderr.String(), "error: cannot write to stdout: ") {
			t.Errorf("exit code %d, stderr %q", code, stderr.String())
		}
	}
}

func TestAnEndlessInputIsRefused(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(policy, []byte(`version: "2.0"`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{"args", "--tool", "a", "--args", "-"},
		{"args", "--tool", "a", "--identity", "-"},
		{"sequence", "--next", "a", "--history", "-"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(slices.Concat([]string{"check"}, command, []string{"--policy", policy, "--json"}), spaces{}, &stdout, &stderr)
		if code != exitFailed || !strings.Contains(stdout.String(), `"E_LIMIT_EXCEEDED"`) {
			t.Errorf("%v: exit code %d, stdout %q", command, code, stdout.String())
		}
	}
}

// spaces never ends.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// A check that is asked again and again is denied only by the flag that its time
// is over.
func TestAQuestionThatTakesTooLongIsStoppedWithoutADecision(t *testing.T) {
	policy := "schemas: {t: {type: array, items: {type: integer, not: {const: -1}}}}\n"
	call := assay.Call{Tool: "t", Arguments: json.RawMessage("[" + strings.Repeat("1,", 20_000) + "1]")}
	stopped := make(chan struct{})
	k := &kind{ask: func(p *assay.Policy, q *question) assay.Decision {
		defer close(stopped)
		for {
			if d := assay.CheckArgs(p, call); !d.Allowed {
				return d
			}
		}
	}}
	q := &question{timeout: time.Millisecond}
	p, d, err := k.decide([]byte(policy), q)
	if p != nil || d.Allowed || !errors.Is(err, server.ErrTimeout) {
		t.Errorf("got %v, %+v, %v", p, d, err)
	}
	<-stopped
	const want = `{"allowed":false,"error":{"code":"E_TIMEOUT","message":"Tool execution timed out"}}`
	for _, sequence := range []bool{false, true} {
		if got := string(server.FailurePayload(err, sequence)); got != want {
			t.Errorf("the payload is %s", got)
		}
	}
	var stderr strings.Builder
	if explain(&stderr, q, err); !strings.HasPrefix(stderr.String(), "error: there is no decision after 1ms\nhint: ") {
		t.Errorf("stderr is %q", stderr.String())
	}
}

func TestATimeoutHasACodeOfItsOwnAtTheCommandLine(t *testing.T) {
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(policy, []byte("blocklist:\n"+strings.Repeat("- some_tool\n", 60_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := []string{"check", "decide", "--policy", policy, "--tool", "rm", "--json", "--timeout"}
	var stdout, stderr bytes.Buffer
	if code := run(append(ask, "1"), strings.NewReader(""), &stdout, &stderr); code != exitFailed || !strings.Contains(stdout.String(), "E_TIMEOUT") {
		t.Errorf("exit code %d, stdout %s", code, stdout.String())
	}
	for _, wrong := range []string{"0", "-1", "1.5", "", "10s"} {
		if code := run(append(ask, wrong), strings.NewReader(""), io.Discard, io.Discard); code != exitUsage {
			t.Errorf("--timeout %q: exit code %d", wrong, code)
		}
	}
}

// What a model or a file wrote cannot steer the terminal that JSON is printed on,
// and the JSON means the same.
func TestJSONForATerminalIsPrintable(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":"b"}`:                             `{"a":"b"}`,
		"{\n\t\"é\": \"\u4e16\U0001f600\"\r}\n": "{\n\t\"é\": \"\u4e16\U0001f600\"\r}\n",
		"[\"\u0085\u009b2J\u007f\"]":            `["\u0085\u009b2J\u007f"]`,
		"[\"\u202e\u2066\u200b\ufeff\u2028\"]":  `["\u202e\u2066\u200b\ufeff\u2028"]`,
		"[\"\U000e0041\"]":                      `["\udb40\udc41"]`,
		"[\"\\\\\u202e\"]":                      `["\\\u202e"]`,
		"[\"\ufffd\"]":                          "[\"\ufffd\"]",
		"[\"\x9b\"]":                            "[\"\ufffd\"]",
	} {
		got := printableJSON([]byte(in))
		if got != want {
			t.Errorf("%q is printed as %q, want %q", in, got, want)
		}
		var before, after any
		if err := errors.Join(json.Unmarshal([]byte(in), &before), json.Unmarshal([]byte(got), &after)); err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("%q means %v, %q means %v: %v", in, before, got, after, err)
		}
	}
}

func TestNoJSONOutputSteersTheTerminal(t *testing.T) {
	const evil = "\u009b31m\u202e\u2066"
	dir := t.TempDir()
	policy := filepath.Join(dir, "policy.yaml")
	if err := os.WriteFile(policy, []byte("schemas: {t: {additionalProperties: false}}\ndeny: [\"a"+`\u009b31m\u202e`+"\", \"a"+`\u009b31m\u202e`+"\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{"check", "args", "--json", "--policy", policy, "--tool", "t", "--args", `{"` + evil + `":1}`},
		{"check", "args", "--json", "--policy", policy, "--tool", "a" + evil},
		{"check", "args", "--json", "--policy", filepath.Join(dir, evil), "--tool", "t"},
		{"lint", "--format", "json", policy},
		{"lint", "--format", "sarif", policy},
		{"lint", "--format", "json", filepath.Join(dir, evil)},
		{"lint", "--format", "sarif", filepath.Join(dir, evil)},
	} {
		var stdout bytes.Buffer
		run(command, strings.NewReader(""), &stdout, io.Discard)
		if !json.Valid(stdout.Bytes()) || strings.ContainsAny(stdout.String(), "\u009b\u202e\u2066") {
			t.Errorf("%v prints %q", command[:3], stdout.String())
		}
	}
}

// TestTheHelpNamesEveryFlag compares the help with the flags that there are,
// and with the defaults and variables of the server's; so is docs/server.md.
func TestTheHelpNamesEveryFlag(t *testing.T) {
	compare := func(t *testing.T, helpText string, real []string) {
		t.Helper()
		real = append(real, "--help")
		named := flagsOf(helpText)
		slices.Sort(real)
		slices.Sort(named)
		if !slices.Equal(named, real) {
			t.Errorf("the help has %v, the command %v", named, real)
		}
	}
	for name, k := range kinds {
		t.Run(name, func(t *testing.T) {
			flags, q := flag.NewFlagSet("", flag.ContinueOnError), &question{}
			q.define(flags, k)
			var real []string
			flags.VisitAll(func(f *flag.Flag) { real = append(real, "--"+f.Name) })
			compare(t, k.help, real)
		})
	}
	t.Run("server", func(t *testing.T) {
		var usage bytes.Buffer
		if _, err := server.ParseSettings([]string{"--help"}, nil, &usage); !errors.Is(err, flag.ErrHelp) {
			t.Fatal(err)
		}
		page, err := os.ReadFile("../../../docs/server.md")
		if err != nil {
			t.Fatal(err)
		}
		var real []string
		entry := regexp.MustCompile(`(?m)^  -([a-z-]+).*\n[^(\n]*(?:\(variable ([A-Z_]+), default ([^)]+)\))?`)
		for _, match := range entry.FindAllStringSubmatch(usage.String(), -1) {
			real = append(real, "--"+match[1])
			variable, standard := match[2], match[3]
			if variable == "ASSAY_MCP_MAX_CONCURRENCY" {
				standard = "CPUs"
			}
			line := regexp.MustCompile(`(?m)^  --` + match[1] + `\b.*\b` + variable + `\b.*\b` + standard + `\b`)
			if variable != "" && !line.MatchString(helpRoot) {
				t.Errorf("the help has no line of --%s with %s and %s", match[1], variable, standard)
			}
			row := "| `--" + match[1] + "` | `" + variable + "` | " + standard
			if variable != "" && variable != "ASSAY_LOG" && !strings.Contains(string(page), row) {
				t.Errorf("docs/server.md has no row %q", row)
			}
			if !strings.Contains(string(page), "`--"+match[1]) && match[1] != "version" {
				t.Errorf("docs/server.md does not name --%s", match[1])
			}
		}
		compare(t, helpRoot, real)
	})
}

func TestASlipOfTheFingerIsRecognized(t *testing.T) {
	tests := []struct {
		word  string
		known []string
		want  string
	}{
		{"chekc", []string{"serve", "check"}, "check"},
		{"--tol", []string{"--tool", "--json"}, "--tool"},
		{"--policy", []string{"--policy-root", "--help"}, "--policy-root"},
		{"rm", []string{"serve", "check"}, ""},
		{"", []string{"serve", "check"}, ""},
		{strings.Repeat("x", 1<<20), []string{"serve"}, ""},
	}
	for _, test := range tests {
		if got := nearest(test.word, test.known); got != test.want {
			t.Errorf("nearest(%.20q) = %q, want %q", test.word, got, test.want)
		}
	}
}
