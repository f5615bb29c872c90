package lint_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/assay"
	"example.com/assay/assay/lint"
)

var migrations = []struct{ name, old, migrated string }{
	{"names move, and comments of what stays are kept", `# Who may.
version: "1.0" # old
allow: [pay]

# Never.
deny: ["*_secret"]
metadata: {owner: ops} # a person
`, `# Who may.
version: "2.0"
tools:
  allow: [pay]
  deny: ["*_secret"]

# Never.
metadata: {owner: ops} # a person
`},
	{"names are joined", "allow: []\ntools:\n  allow: [a]\n  deny: null\ndeny: [b]\n", `version: "2.0"
tools:
  allow: [a]
  deny: [b]
`},
	{"a constraint becomes a schema", "allow: [pay]\nconstraints:\n  - tool: pay\n    params:\n      to: {matches: \"^[a-z]+$\"}\n", `version: "2.0"
tools:
  allow: [pay]
schemas:
  pay:
    type: object
    required: [to]
    properties:
      to:
        type: string
        minLength: 1
        pattern: "^[a-z]+$"
`},
	{"several constraints of one argument", "constraints:\n  - {tool: t, params: {x: {matches: a}}}\n  - {tool: t, params: {x: {matches: b}, \"no\": {matches: c}}}\n  - {tool: u, params: {}}\n", `version: "2.0"
schemas:
  t:
    type: object
    required: ["no", x]
    properties:
      "no":
        type: string
        minLength: 1
        pattern: c
      x:
        type: string
        minLength: 1
        allOf:
          - pattern: a
          - pattern: b
`},
	{"a schema that is there stays as it is", "schemas:\n  t: {properties: {x: {$ref: \"#\"}}} # kept\nconstraints: {t: {x: a}}\n", `version: "2.0"
schemas:
  t: {properties: {x: {$ref: "#"}}} # kept
tools:
  require_args:
    t: [x]
  arg_constraints:
    t:
      x:
        type: string
        minLength: 1
        pattern: a
`},
	{"the definitions are no tool", "constraints: {$defs: {x: a}}\n", `version: "2.0"
tools:
  require_args:
    $defs: [x]
  arg_constraints:
    $defs:
      x:
        type: string
        minLength: 1
        pattern: a
`},
	{"nothing left is still no blocklist file", "constraints: []\nblocklist: [a]\n", `version: "2.0"
blocklist: [a]
tools: {}
`},
	{"JSON becomes YAML", `{"allow": ["yes", "0o17", "a b"], "metadata": [1.50, null, true, {"k": []}]}`, `version: "2.0"
tools:
  allow: ["yes", "0o17", "a b"]
metadata:
  - 1.50
  - null
  - true
  - k: []
`},
}

func TestMigrate(t *testing.T) {
	for _, test := range migrations {
		t.Run(test.name, func(t *testing.T) {
			got, err := lint.Migrate([]byte(test.old), nil)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.migrated {
				t.Errorf("got\n%s\nwant\n%s", got, test.migrated)
			}
		})
	}
}

func TestMigrateRefuses(t *testing.T) {
	for _, test := range []struct{ name, policy, message string }{
		{"the current form", "version: \"2.0\"\ntools: {allow: [a]}\n", "assay: the policy is not of the older form; "},
		{"a list of rules", "- {type: require, tool: a}\n", "assay: the policy is not of the older form; "},
		{"an argument constrained twice", "tools: {arg_constraints: {t: {x: true}}}\nschemas: {t: true}\nconstraints: {t: {x: a}}\n", `both constrain the argument "x" of "t"`},
	} {
		if _, err := lint.Migrate([]byte(test.policy), nil); err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	var refused *assay.PolicyError
	if _, err := lint.Migrate([]byte("alow: [a]\n"), nil); !errors.As(err, &refused) || refused.Kind != assay.KindStructure {
		t.Errorf("a policy that is refused: %v", err)
	}
}

// decides describes everything that a policy answers about a call, but where in
// the policy a violated keyword stands.
func decides(p *assay.Policy, call assay.Call) string {
	d := assay.CheckArgs(p, call)
	var violations []string
	for _, v := range d.Violations {
		violations = append(violations, v.Path+" "+v.Constraint)
	}
	slices.Sort(violations)
	return fmt.Sprint(d.Allowed, d.Code, d.Reason, d.Warning, slices.Compact(violations), d.Obligations,
		assay.CheckSequence(p, nil, call).Code, assay.PolicyDecide(p, call.Tool).Code)
}

// migratesEqually checks that a policy and its migrated form decide alike, and
// returns whether there is one.
func migratesEqually(t *testing.T, old []byte, calls []assay.Call) bool {
	t.Helper()
	before, err := assay.Parse(old, nil)
	if err != nil {
		return false
	}
	text, err := lint.Migrate(old, nil)
	if err != nil {
		if !strings.Contains(err.Error(), "both constrain") && !strings.Contains(err.Error(), "older form") {
			t.Errorf("%v\n%s", err, old)
		}
		return false
	}
	after, err := assay.Parse(text, nil)
	if err != nil {
		t.Errorf("the migrated policy is refused: %v\n%s", err, text)
		return false
	}
	for _, call := range calls {
		if b, a := decides(before, call), decides(after, call); a != b {
			t.Errorf("%s %s: before %s, after %s\n%s\n%s", call.Tool, call.Arguments, b, a, old, text)
			return true
		}
	}
	return true
}

func TestGeneratedPoliciesDecideEquallyAfterMigration(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	maybe := func(f func() any) any {
		if r.IntN(2) == 0 {
			return nil
		}
		return f()
	}
	names := func() any {
		list := []string{}
		for range r.IntN(4) {
			list = append(list, pick("a", "b", "a*", "*b", "*", "ab", "$defs"))
		}
		return list
	}
	tool := func() string { return pick("a", "b", "ab", "$defs", "") }
	matcher := func() any {
		return map[string]any{"matches": pick("^x", "y$", "", "^.{2}$", "(", "yes")}
	}
	params := func() any {
		all := map[string]any{}
		for range r.IntN(3) {
			all[pick("p", "q", "")] = matcher()
		}
		return all
	}
	constraints := func() any {
		if r.IntN(3) == 0 {
			all := map[string]any{}
			for range r.IntN(3) {
				all[tool()] = params()
			}
			return all
		}
		all := []any{}
		for range r.IntN(4) {
			all = append(all, map[string]any{"tool": tool(), "params": params()})
		}
		return all
	}
	schemas := func() any {
		all := map[string]any{}
		for range r.IntN(3) {
			all[tool()] = []any{true, false, map[string]any{"required": []string{"p"}}, map[string]any{"$ref": "#/$defs/d"}, map[string]any{"maxium": 1}}[r.IntN(5)]
		}
		all["$defs"] = []any{map[string]any{"d": map[string]any{"additionalProperties": false}}, "broken"}[r.IntN(2)]
		return all
	}
	sections := map[string]func() any{
		"version":     func() any { return pick("1.0", "1.1", "2.0", "1") },
		"allow":       names,
		"deny":        names,
		"constraints": constraints,
		"schemas":     schemas,
		"blocklist":   names,
		"sequences":   func() any { return []any{map[string]any{"type": "require", "tool": tool()}} },
		"enforcement": func() any { return map[string]any{"unconstrained_tools": pick("warn", "deny", "allow")} },
		"tools": func() any {
			all := map[string]any{}
			for key, f := range map[string]func() any{
				"allow": names, "deny": names, "approval_required": names,
				"require_args":    func() any { return map[string]any{tool(): []string{"q"}} },
				"arg_constraints": func() any { return map[string]any{tool(): map[string]any{"q": map[string]any{"maxLength": 1}}} },
			} {
				if v := maybe(f); v != nil {
					all[key] = v
				}
			}
			return all
		},
	}
	keys := []string{"version", "allow", "deny", "constraints", "schemas", "blocklist", "sequences", "enforcement", "tools"}
	var calls []assay.Call
	for _, name := range []string{"a", "b", "ab", "c", "$defs"} {
		for _, arguments := range []string{`{}`, `{"p":"x"}`, `{"p":"xy","q":"yes"}`, `{"p":"","q":"x","":"y"}`, `{"p":1,"q":"xy"}`, `null`} {
			calls = append(calls, assay.Call{Tool: name, Arguments: json.RawMessage(arguments)})
		}
	}
	migrated := 0
	for range 1000 {
		document := map[string]any{}
		for _, key := range keys {
			if v := maybe(sections[key]); v != nil {
				document[key] = v
			}
		}
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		if migratesEqually(t, text, calls) {
			migrated++
		}
		if t.Failed() {
			return
		}
	}
	if migrated < 500 {
		t.Errorf("only %d of the policies were migrated", migrated)
	}
}

func TestPoliciesOfTheCorpusDecideEquallyAfterMigration(t *testing.T) {
	const corpus = "../../../shared/corpus"
	files, err := filepath.Glob(filepath.Join(corpus, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skipf("the corpus is not at %s", corpus)
	}
	migrated := 0
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		scanner := bufio.NewScanner(f)
		scanner.Buffer(nil, 1<<26)
		for scanner.Scan() {
			var group struct {
				Files map[string]any
				Calls []struct {
					Arguments struct {
						Tool      any
						Arguments json.RawMessage
						Policy    any
					}
				}
			}
			if !strings.Contains(scanner.Text(), "allow") && !strings.Contains(scanner.Text(), "deny") && !strings.Contains(scanner.Text(), "constraints") {
				continue
			}
			if json.Unmarshal(scanner.Bytes(), &group) != nil {
				continue // calls of another shape
			}
			calls := map[string][]assay.Call{}
			for _, c := range group.Calls {
				tool, _ := c.Arguments.Tool.(string)
				policy, _ := c.Arguments.Policy.(string)
				calls[policy] = append(calls[policy], assay.Call{Tool: tool, Arguments: c.Arguments.Arguments})
			}
			for policy, content := range group.Files {
				if text, ok := content.(string); ok && migratesEqually(t, []byte(text), calls[policy]) {
					migrated++
				}
			}
		}
		if err := scanner.Err(); err != nil {
			t.Fatal(err)
		}
	}
	if migrated < 20 {
		t.Errorf("only %d policies of the corpus were migrated", migrated)
	}
	t.Logf("%d policies", migrated)
}
