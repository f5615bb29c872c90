package assay_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"

	"example.com/assay/assay"
)

// corpusDir holds cases with right answers; its README says what they mean.
const corpusDir = "../../shared/corpus"

// corpusGroup is one line of the corpus.
type corpusGroup struct {
	Name  string                     `json:"name"`
	Files map[string]json.RawMessage `json:"files"`
	Calls []corpusCall               `json:"calls"`
}

type corpusCall struct {
	Tool      string                     `json:"tool"`
	Arguments json.RawMessage            `json:"arguments"`
	Want      map[string]json.RawMessage `json:"want"`
}

// eachCorpusGroup calls f with every group of every file of the corpus.
func eachCorpusGroup(t *testing.T, f func(file string, g corpusGroup)) {
	t.Helper()
	files, err := filepath.Glob(corpusDir + "/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Skip("the corpus of right answers is not here: " + corpusDir)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, len(data)+1)
		for lines.Scan() {
			var g corpusGroup
			if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			f(strings.TrimSuffix(filepath.Base(file), ".jsonl"), g)
		}
	}
}

// expand replaces the directives that keep long inputs short. Text without one
// stays byte for byte what it was: number literals are cases.
func expand(t *testing.T, raw json.RawMessage) json.RawMessage {
	t.Helper()
	if !bytes.Contains(raw, []byte(`"$`)) {
		return raw
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(expandValue(v))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func expandValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 1 {
			if d, ok := v["$repeat"].([]any); ok {
				n, _ := d[1].(json.Number).Int64()
				text, _ := d[0].(string)
				if parts, ok := d[0].([]any); ok {
					text = expandValue(parts[0]).(string)
				}
				return strings.Repeat(text, int(n))
			}
			if d, ok := v["$items"].([]any); ok {
				n, _ := d[1].(json.Number).Int64()
				return slices.Repeat([]any{expandValue(d[0])}, int(n))
			}
			if parts, ok := v["$concat"].([]any); ok {
				var b strings.Builder
				for _, part := range parts {
					b.WriteString(expandValue(part).(string))
				}
				return b.String()
			}
		}
		for key := range v {
			v[key] = expandValue(v[key])
		}
	case []any:
		for i := range v {
			v[i] = expandValue(v[i])
		}
	}
	return v
}

// policyText returns a file's bytes, following a link that stays among the
// files; false when only a file system can answer.
func (g *corpusGroup) policyText(t *testing.T, name string) ([]byte, bool) {
	t.Helper()
	if path.IsAbs(name) {
		return nil, false
	}
	raw, ok := g.Files[path.Clean(name)]
	if !ok {
		return nil, false
	}
	var directive struct {
		Hex  *string `json:"$hex"`
		Link *string `json:"$link"`
		Dir  *bool   `json:"$dir"`
	}
	if json.Unmarshal(raw, &directive) == nil {
		switch {
		case directive.Hex != nil:
			data, err := hex.DecodeString(*directive.Hex)
			if err != nil {
				t.Fatal(err)
			}
			return data, true
		case directive.Link != nil, directive.Dir != nil:
			return nil, false
		}
	}
	var text string
	if err := json.Unmarshal(expand(t, raw), &text); err != nil {
		return nil, false
	}
	return []byte(text), true
}

// request is a corpus call's arguments.
type request struct {
	Tool, Policy, NextTool string
	Arguments, Next        json.RawMessage
	Identity               *assay.Identity
	History                []json.RawMessage
}

// readRequest reads a call's arguments by their exact member names, as the
// server does: encoding/json would also take "TOOL" for "tool".
func readRequest(raw json.RawMessage) (r request, err error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return r, err
	}
	for name, target := range map[string]any{
		"tool": &r.Tool, "policy": &r.Policy, "next_tool": &r.NextTool,
		"identity": &r.Identity, "history": &r.History,
	} {
		if value, ok := members[name]; ok {
			if err := json.Unmarshal(value, target); err != nil {
				return r, err
			}
		}
	}
	r.Arguments, r.Next = members["arguments"], members["next_arguments"]
	return r, nil
}

// serverOnly says why a call is not the library's to answer, or "".
func (c *corpusCall) serverOnly() string {
	switch c.Tool {
	case "assay_check_args", "assay_check_sequence", "assay_policy_decide":
	default:
		return "unknown tool"
	}
	var code string
	json.Unmarshal(c.Want["error"], &code)
	switch code {
	case "E_INTERNAL", "E_POLICY_NOT_FOUND", "E_POLICY_READ", "E_PERMISSION_DENIED":
		return code
	}
	return ""
}

// answer asks the library and returns what the corpus compares.
func (c *corpusCall) answer(t *testing.T, p *assay.Policy, refused error) map[string]any {
	t.Helper()
	r, err := readRequest(expand(t, c.Arguments))
	if err != nil {
		t.Fatalf("a call that the library cannot answer: %v", err)
	}
	var d assay.Decision
	var e *assay.PolicyError
	switch {
	case errors.As(refused, &e):
		d = assay.Decision{Code: e.Code(), Reason: e.Message()}
		if c.Tool == "assay_check_sequence" && e.Kind != assay.KindLimit {
			d.Reason = "Invalid sequence policy format"
		}
	case c.Tool == "assay_check_args":
		d = assay.CheckArgs(p, assay.Call{Tool: r.Tool, Arguments: r.Arguments, Identity: r.Identity})
	case c.Tool == "assay_policy_decide":
		d = assay.PolicyDecide(p, r.Tool)
	default:
		history := make([]assay.Call, len(r.History))
		for i, raw := range r.History {
			if json.Unmarshal(raw, &history[i].Tool) != nil {
				if err := json.Unmarshal(raw, &history[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
		d = assay.CheckSequence(p, history, assay.Call{Tool: r.NextTool, Arguments: r.Next})
	}

	got := map[string]any{"isError": !d.Allowed, "allowed": d.Allowed}
	if d.Failed() && d.Code != assay.CodeSchemaCompile {
		got["error"], got["message"] = d.Code, d.Reason
		return got
	}
	switch c.Tool {
	case "assay_check_args":
		if d.Code != "" {
			got["code"] = d.Code
		}
		if d.Warning.Code != "" {
			got["warning"] = d.Warning.Code
		}
		obligations := []any{}
		for _, o := range d.Obligations {
			obligations = append(obligations, map[string]any{"kind": o.Kind, "source": o.Source})
		}
		got["obligations"] = obligations
		paths := []string{}
		for _, v := range d.Violations {
			paths = append(paths, v.Path)
		}
		sort.Strings(paths)
		got["paths"] = slices.Compact(paths)
	case "assay_policy_decide":
		if d.Allowed {
			got["reason"] = d.Reason
		} else {
			got["matches"] = []string{"Tool '" + r.Tool + "' is blocked by policy"}
		}
	default:
		violations := []any{}
		for _, v := range d.Violations {
			m := map[string]any{"constraint": v.Constraint}
			if v.RuleType != "" {
				m["rule_type"] = v.RuleType
			}
			if v.Tool != "" {
				m["tool"] = v.Tool
			}
			if v.Spanned != nil {
				m["spanned"] = v.Spanned
			}
			if v.EventIndex != nil {
				m["event_index"] = *v.EventIndex
			}
			if v.Context != nil {
				m["context"] = v.Context
			}
			violations = append(violations, m)
		}
		got["violations"] = violations
	}
	return got
}

// wrong returns the members of want that got does not have.
func (c *corpusCall) wrong(t *testing.T, got map[string]any) []string {
	t.Helper()
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var plain map[string]any
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	var all []string
	for key, raw := range c.Want {
		var want any
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(want, plain[key]) {
			have, _ := json.Marshal(plain[key])
			all = append(all, key+" is "+string(have)+", want "+string(raw))
		}
	}
	slices.Sort(all)
	return all
}

// The longest texts that the server takes in a call are its own limits.
const fieldLimit = 64_000

func TestCorpusIsAnsweredRight(t *testing.T) {
	run, wrong := 0, 0
	skipped := map[string]int{}
	eachCorpusGroup(t, func(file string, g corpusGroup) {
		type parsed struct {
			policy *assay.Policy
			err    error
		}
		policies := map[string]*parsed{}
		for _, c := range g.Calls {
			if reason := c.serverOnly(); reason != "" {
				skipped[reason]++
				continue
			}
			arguments := expand(t, c.Arguments)
			r, err := readRequest(arguments)
			if err != nil {
				skipped["malformed call"]++
				continue
			}
			text, ok := g.policyText(t, r.Policy)
			if !ok {
				skipped["needs a file system"]++
				continue
			}
			var code string
			json.Unmarshal(c.Want["error"], &code)
			if code == "E_LIMIT_EXCEEDED" && len(arguments) > fieldLimit/8 && len(text) <= assay.DefaultMaxPolicyBytes {
				skipped["length limit of calls"]++
				continue
			}
			p := policies[r.Policy]
			if p == nil {
				p = &parsed{}
				p.policy, p.err = assay.Parse(text, nil)
				policies[r.Policy] = p
			}
			run++
			if all := c.wrong(t, c.answer(t, p.policy, p.err)); len(all) > 0 {
				if wrong++; wrong <= 50 {
					shown := c.Arguments
					if len(shown) > 300 {
						shown = shown[:300]
					}
					t.Errorf("%s: %s\n\t%s %s\n\t%s", file, g.Name, c.Tool, shown, strings.Join(all, "\n\t"))
				}
			}
		}
	})
	t.Logf("%d calls run, %d wrong, skipped %v", run, wrong, skipped)
}
