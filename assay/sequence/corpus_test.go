package sequence_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"example.com/assay/assay/sequence"
	"go.yaml.in/yaml/v4"
)

// corpusCase is a line of the shared corpus, as far as sequences go.
type corpusCase struct {
	Name  string                     `json:"name"`
	Files map[string]json.RawMessage `json:"files"`
	Calls []struct {
		Tool      string `json:"tool"`
		Arguments struct {
			History       []json.RawMessage `json:"history"`
			NextTool      string            `json:"next_tool"`
			NextArguments json.RawMessage   `json:"next_arguments"`
		} `json:"arguments"`
		Want struct {
			Allowed    bool            `json:"allowed"`
			Error      string          `json:"error"`
			Violations json.RawMessage `json:"violations"`
		} `json:"want"`
	} `json:"calls"`
}

type corpusViolation struct {
	RuleType   string         `json:"rule_type,omitempty"`
	Constraint string         `json:"constraint,omitempty"`
	Tool       string         `json:"tool,omitempty"`
	Spanned    []int          `json:"spanned,omitzero"`
	EventIndex *int           `json:"event_index,omitempty"`
	Context    map[string]int `json:"context,omitempty"`
}

// TestCorpus runs the plain policies of the shared corpus: those that a simple
// reader understands, which leaves the dialect to the facade's tests.
func TestCorpus(t *testing.T) {
	least := map[string]int{"sequence-exhaustive.jsonl": 4560, "sequence.jsonl": 1000, "unified.jsonl": 20}
	for file, want := range least {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "corpus", file))
			if errors.Is(err, fs.ErrNotExist) {
				t.Skip("the shared corpus is not beside the repository")
			} else if err != nil {
				t.Fatal(err)
			}
			ran := 0
			lines := bufio.NewScanner(bytes.NewReader(data))
			lines.Buffer(nil, 1<<24)
			for lines.Scan() {
				ran += runCorpusCase(t, lines.Bytes())
			}
			if lines.Err() != nil || ran < want {
				t.Errorf("ran %d calls, want %d or more (%v)", ran, want, lines.Err())
			}
		})
	}
}

func runCorpusCase(t *testing.T, line []byte) (ran int) {
	t.Helper()
	var c corpusCase
	if err := json.Unmarshal(line, &c); err != nil {
		t.Fatal(err)
	}
	var text string
	if json.Unmarshal(c.Files["policy.yaml"], &text) != nil {
		return 0
	}
	checker, ok := corpusChecker(text)
	if !ok {
		return 0
	}
	for _, call := range c.Calls {
		if call.Tool != "assay_check_sequence" || call.Want.Error != "" {
			continue
		}
		var trace sequence.Trace
		var arguments [][]byte
		for _, raw := range append(call.Arguments.History, nil) {
			entry := struct {
				Tool      string
				Arguments json.RawMessage
			}{call.Arguments.NextTool, call.Arguments.NextArguments}
			if raw != nil && json.Unmarshal(raw, &entry.Tool) != nil {
				entry.Arguments = nil
				if err := json.Unmarshal(raw, &entry); err != nil {
					t.Fatal(err)
				}
			} else if raw != nil {
				entry.Arguments = nil
			}
			trace.Names = append(trace.Names, entry.Tool)
			arguments = append(arguments, entry.Arguments)
		}
		trace.Arguments = func(i int) []byte { return arguments[i] }
		r := checker.Check(trace, nil)
		ran++
		if r.Allowed != call.Want.Allowed {
			t.Errorf("%s: %v: got %s, want allowed %v", c.Name, trace.Names, show(r), call.Want.Allowed)
		}
		if call.Want.Violations == nil {
			continue
		}
		want, got := []corpusViolation{}, []corpusViolation{}
		if err := json.Unmarshal(call.Want.Violations, &want); err != nil {
			t.Fatal(err)
		}
		for _, v := range r.Violations {
			got = append(got, corpusViolation{v.RuleType, v.Constraint, v.Tool, v.Spanned, v.EventIndex, v.Context})
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v:\n got %+v\nwant %s", c.Name, trace.Names, got, call.Want.Violations)
		}
		// A monitor answers the same, but for long spans.
		m := checker.NewMonitor()
		last := len(trace.Names) - 1
		for i, name := range trace.Names[:last] {
			m.Record(sequence.Call{Tool: name, Arguments: arguments[i]}, nil)
		}
		if next := m.Next(sequence.Call{Tool: trace.Names[last], Arguments: arguments[last]}, nil); !reflect.DeepEqual(next, r) {
			t.Errorf("%s: %v:\nmonitor  %s\none-shot %s", c.Name, trace.Names, show(next), show(r))
		}
	}
	return ran
}

// corpusChecker compiles a policy if it is one of rules or an exact list.
func corpusChecker(text string) (*sequence.Checker, bool) {
	var doc any
	if yaml.Unmarshal([]byte(text), &doc) != nil {
		return nil, false
	}
	aliases := map[string][]string{}
	var list []any
	switch doc := doc.(type) {
	case map[string]any:
		var ok bool
		if list, ok = doc["sequences"].([]any); !ok && fmt.Sprint(doc["version"]) != "1.1" {
			return nil, false
		}
		if all, ok := doc["aliases"].(map[string]any); ok {
			for name, members := range all {
				aliases[name] = []string{}
				members, ok := members.([]any)
				if !ok {
					return nil, false
				}
				for _, m := range members {
					aliases[name] = append(aliases[name], fmt.Sprint(m))
				}
			}
		}
	case []any:
		var exact []string
		for _, v := range doc {
			if s, ok := v.(string); ok {
				exact = append(exact, s)
			}
		}
		if len(exact) == len(doc) && len(doc) > 0 {
			return sequence.CompileExact(exact), true
		}
		list = doc
	}
	rules := []sequence.Rule{}
	for _, v := range list {
		rule, ok := corpusRule(v)
		if !ok {
			return nil, false
		}
		rules = append(rules, rule)
	}
	c, problems := sequence.Compile(rules, aliases, sequence.Options{})
	return c, problems == nil
}

func corpusRule(v any) (rule sequence.Rule, ok bool) {
	m, _ := v.(map[string]any)
	ok = m != nil
	selector := func(v any) sequence.Selector {
		switch v := v.(type) {
		case string:
			return name(v)
		case map[string]any:
			s := sequence.Selector{Args: map[string]string{}}
			s.Tool, _ = v["tool"].(string)
			args, is := v["args_match"].(map[string]any)
			ok = ok && is
			for k, pattern := range args {
				s.Args[k], _ = pattern.(string)
			}
			return s
		}
		ok = false
		return sequence.Selector{}
	}
	number := func(key string, absent int) int {
		if m[key] == nil {
			return absent
		}
		if f, is := m[key].(float64); is && f == float64(int(f)) {
			return int(f)
		}
		n, is := m[key].(int)
		ok = ok && is
		return n
	}
	switch m["type"] {
	case "require":
		rule = sequence.Require{Tool: selector(m["tool"])}
	case "before":
		rule = sequence.Before{First: selector(m["first"]), Then: selector(m["then"])}
	case "after":
		rule = sequence.After{Trigger: selector(m["trigger"]), Then: selector(m["then"]), Within: number("within", 1)}
	case "never_after":
		rule = sequence.NeverAfter{Trigger: selector(m["trigger"]), Forbidden: selector(m["forbidden"])}
	case "eventually":
		rule = sequence.Eventually{Tool: selector(m["tool"]), Within: number("within", -1)}
	case "max_calls":
		rule = sequence.MaxCalls{Tool: selector(m["tool"]), Max: number("max", -1)}
	case "blocklist":
		pattern, is := m["pattern"].(string)
		ok = ok && is
		rule = sequence.Blocklist{Pattern: pattern}
	case "sequence":
		s := sequence.Sequence{Tools: []sequence.Selector{}}
		tools, is := m["tools"].([]any)
		ok = ok && is
		for _, tool := range tools {
			s.Tools = append(s.Tools, selector(tool))
		}
		s.Strict, _ = m["strict"].(bool)
		rule = s
	default:
		ok = false
	}
	return rule, ok
}
