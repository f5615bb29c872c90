package server_test

import (
	"errors"
	"flag"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"example.com/assay/server"
)

func TestDefaultSettings(t *testing.T) {
	s, err := server.ParseSettings(nil, nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	concurrency := s.Limits.Concurrency
	if concurrency < 2 {
		t.Errorf("%d calls run at once", concurrency)
	}
	want := server.Settings{
		PolicyRoot: "policies",
		LogLevel:   slog.LevelInfo,
		Limits: server.Limits{TimeoutMS: 2000, MessageBytes: 1_000_000, FieldBytes: 64_000, History: 2000,
			PolicyBytes: 1_000_000, CacheEntries: 128, CacheBytes: 256_000_000, Concurrency: concurrency},
	}
	if s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
}

var limitSettings = []struct {
	variable, flag string
	field          func(*server.Settings) int
}{
	{"ASSAY_MCP_TIMEOUT_MS", "timeout", func(s *server.Settings) int { return s.Limits.TimeoutMS }},
	{"ASSAY_MCP_MAX_BYTES", "max-message-bytes", func(s *server.Settings) int { return s.Limits.MessageBytes }},
	{"ASSAY_MCP_MAX_FIELD_BYTES", "max-field-bytes", func(s *server.Settings) int { return s.Limits.FieldBytes }},
	{"ASSAY_MCP_MAX_TOOL_CALLS", "max-history", func(s *server.Settings) int { return s.Limits.History }},
	{"ASSAY_MCP_MAX_POLICY_BYTES", "max-policy-bytes", func(s *server.Settings) int { return s.Limits.PolicyBytes }},
	{"ASSAY_MCP_CACHE_ENTRIES", "cache-entries", func(s *server.Settings) int { return s.Limits.CacheEntries }},
	{"ASSAY_MCP_CACHE_BYTES", "cache-bytes", func(s *server.Settings) int { return s.Limits.CacheBytes }},
	{"ASSAY_MCP_MAX_CONCURRENCY", "max-concurrency", func(s *server.Settings) int { return s.Limits.Concurrency }},
}

func TestAFlagWinsOverAVariableAndAVariableOverTheDefault(t *testing.T) {
	for _, l := range limitSettings {
		environ := []string{"HOME=/", l.variable + "=17"}
		s, err := server.ParseSettings(nil, environ, io.Discard)
		if err != nil || l.field(&s) != 17 {
			t.Errorf("%s=17: %d, %v", l.variable, l.field(&s), err)
		}
		for _, args := range [][]string{{"--" + l.flag, "18"}, {"-" + l.flag + "=18"}} {
			s, err = server.ParseSettings(args, environ, io.Discard)
			if err != nil || l.field(&s) != 18 {
				t.Errorf("%s=17 and %v: %d, %v", l.variable, args, l.field(&s), err)
			}
		}
	}
	s, err := server.ParseSettings([]string{"--log-level=debug", "--policy-root", "dir", "--suggest-fixes"}, []string{"ASSAY_LOG=error"}, io.Discard)
	if err != nil || s.LogLevel != slog.LevelDebug || s.PolicyRoot != "dir" || !s.SuggestFixes {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestValuesThatAreNoPositiveNumberAreRefusedByName(t *testing.T) {
	for _, value := range []string{"", "0", "-1", "1.5", "1e3", "1_000", "0x10", " 1", "1 ", "ten", "99999999999999999999", strconv.Itoa(1 << 62)} {
		for _, l := range limitSettings {
			if _, err := server.ParseSettings(nil, []string{l.variable + "=" + value}, io.Discard); err == nil || !strings.Contains(err.Error(), l.variable) {
				t.Errorf("%s=%q: %v", l.variable, value, err)
			}
			if _, err := server.ParseSettings([]string{"--" + l.flag + "=" + value}, nil, io.Discard); err == nil || !strings.Contains(err.Error(), l.flag) {
				t.Errorf("--%s=%q: %v", l.flag, value, err)
			}
		}
	}
	for _, value := range []string{"", "INFO", "trace", "3"} {
		if _, err := server.ParseSettings(nil, []string{"ASSAY_LOG=" + value}, io.Discard); err == nil || !strings.Contains(err.Error(), "ASSAY_LOG") {
			t.Errorf("ASSAY_LOG=%q: %v", value, err)
		}
	}
}

func TestOtherArgumentsAreRefused(t *testing.T) {
	for _, args := range [][]string{{"--unknown"}, {"extra"}, {"--policy-root"}, {"--", "x"}} {
		if _, err := server.ParseSettings(args, nil, io.Discard); err == nil || !strings.HasPrefix(err.Error(), "assay:") {
			t.Errorf("%v: %v", args, err)
		}
	}
	var usage strings.Builder
	if _, err := server.ParseSettings([]string{"--help"}, nil, &usage); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("--help: %v", err)
	}
	for _, l := range limitSettings {
		if !strings.Contains(usage.String(), l.variable) || !strings.Contains(usage.String(), "-"+l.flag+" ") {
			t.Errorf("the help does not name %s and --%s", l.variable, l.flag)
		}
	}
}

func TestARefusedVariableStopsTheStart(t *testing.T) {
	p := newProcess(t, namesRoot(t), "ASSAY_MCP_MAX_BYTES=many")
	out, err := p.cmd.CombinedOutput()
	if err == nil || p.cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "ASSAY_MCP_MAX_BYTES") {
		t.Errorf("%v, %s", err, out)
	}
}

// Exactly the limit passes, one more does not; the message says which limit.
func TestFieldLimits(t *testing.T) {
	root := policyRoot(t, map[string]string{
		"args.yaml": allowAll, "names.yaml": "blocklist: [rm]\n", "seq.yaml": "sequences: [{type: max_calls, tool: rm, max: 0}]\n",
	})
	p := startServer(t, root, "--max-field-bytes", "20", "--max-history", "3")
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct{ name, tool, arguments, message string }{
		{"a tool of the limit", "assay_check_args", `{"tool":"` + x(20) + `","arguments":{},"policy":"args.yaml"}`, ""},
		{"a longer tool", "assay_check_args", `{"tool":"` + x(21) + `","arguments":{},"policy":"args.yaml"}`, "tool over 20 bytes"},
		{"a tool of ten two-byte characters", "assay_check_args", `{"tool":"` + strings.Repeat("é", 10) + `","arguments":{},"policy":"args.yaml"}`, ""},
		{"a tool of as many, escaped", "assay_check_args", `{"tool":"` + strings.Repeat(`\u00e9`, 10) + `","arguments":{},"policy":"args.yaml"}`, ""},
		{"a tool of one more", "assay_check_args", `{"tool":"` + strings.Repeat(`\u00e9`, 11) + `","arguments":{},"policy":"args.yaml"}`, "tool over 20 bytes"},
		{"arguments of the limit as sent", "assay_check_args", `{"tool":"t","arguments": { "a" :  "` + x(7) + `" } ,"policy":"args.yaml"}`, ""},
		{"longer arguments", "assay_check_args", `{"tool":"t","arguments":{ "a" :  "` + x(8) + `" },"policy":"args.yaml"}`, "arguments over 20 bytes"},
		{"a longer policy", "assay_check_args", `{"tool":"t","arguments":{},"policy":"` + x(21) + `"}`, "policy over 20 bytes"},
		{"a longer tool to decide", "assay_policy_decide", `{"tool":"` + x(21) + `","policy":"names.yaml"}`, "tool over 20 bytes"},
		{"a longer policy to decide by", "assay_policy_decide", `{"tool":"t","policy":"` + x(21) + `"}`, "policy over 20 bytes"},
		{"a history of the limit", "assay_check_sequence", `{"history":["a","b","c"],"next_tool":"t","policy":"seq.yaml"}`, ""},
		{"a longer history", "assay_check_sequence", `{"history":["a","b","c","d"],"next_tool":"t","policy":"seq.yaml"}`, "history over 3 calls"},
		{"a past tool of the limit", "assay_check_sequence", `{"history":["` + x(20) + `"],"next_tool":"t","policy":"seq.yaml"}`, ""},
		{"a longer past tool", "assay_check_sequence", `{"history":["` + x(21) + `"],"next_tool":"t","policy":"seq.yaml"}`, "a tool of history over 20 bytes"},
		{"past arguments of the limit", "assay_check_sequence", `{"history":[{"tool":"a","arguments":{"a":"` + x(12) + `"}}],"next_tool":"t","policy":"seq.yaml"}`, ""},
		{"longer past arguments", "assay_check_sequence", `{"history":[{"tool":"a","arguments":{"a":"` + x(13) + `"}}],"next_tool":"t","policy":"seq.yaml"}`, "arguments of history over 20 bytes"},
		{"a longer next tool", "assay_check_sequence", `{"history":[],"next_tool":"` + x(21) + `","policy":"seq.yaml"}`, "next_tool over 20 bytes"},
		{"longer next arguments", "assay_check_sequence", `{"history":[],"next_tool":"t","next_arguments":{"a":"` + x(13) + `"},"policy":"seq.yaml"}`, "next_arguments over 20 bytes"},
		{"a longer policy of an order", "assay_check_sequence", `{"history":[],"next_tool":"t","policy":"` + x(21) + `"}`, "policy over 20 bytes"},
	} {
		a := p.call(test.tool, test.arguments)
		switch {
		case test.message == "" && !a.allowed():
			t.Errorf("%s does not pass: %s", test.name, a.line)
		case test.message != "" && (a.failure() != "E_LIMIT_EXCEEDED" || a.payload.Error.Message != "Limit exceeded: "+test.message):
			t.Errorf("%s: %s", test.name, a.line)
		}
	}
}

const allowAll = "tools: {allow: [\"*\"]}\n"

// Where several things are wrong, the first in the order of the contract is
// answered.
func TestTheOrderOfFailures(t *testing.T) {
	p := startServer(t, policyRoot(t, map[string]string{"bad.yaml": "allow: 1\n", "names.yaml": "blocklist: [rm]\n"}), "--max-field-bytes", "20")
	long := strings.Repeat("x", 21)
	for _, test := range []struct{ name, arguments, code string }{
		{"shape before empty names", `{"tool":"","policy":3}`, "E_INTERNAL"},
		{"shape before field limits", `{"tool":"` + long + `"}`, "E_INTERNAL"},
		{"an empty policy before a field limit", `{"tool":"` + long + `","policy":""}`, "E_INVALID_REQUEST"},
		{"an empty tool before a field limit", `{"tool":"","policy":"` + long + `"}`, "E_INVALID_REQUEST"},
		{"an empty tool before the path", `{"tool":"","policy":"/etc"}`, "E_INVALID_REQUEST"},
		{"a field limit before the path", `{"tool":"` + long + `","policy":"/etc"}`, "E_LIMIT_EXCEEDED"},
		{"the path before the file", `{"tool":"rm","policy":"../missing"}`, "E_PERMISSION_DENIED"},
		{"the file before its text", `{"tool":"rm","policy":"bad.yam"}`, "E_POLICY_NOT_FOUND"},
		{"the text before the decision", `{"tool":"rm","policy":"bad.yaml"}`, "E_POLICY_PARSE"},
	} {
		if a := p.call("assay_policy_decide", test.arguments); a.failure() != test.code {
			t.Errorf("%s: %s", test.name, a.line)
		}
	}
}
