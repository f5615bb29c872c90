package assay_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"example.com/assay/assay"
	"example.com/assay/assay/sequence"
)

func mustParse(t testing.TB, text string) *assay.Policy {
	t.Helper()
	p, err := assay.Parse([]byte(text), nil)
	if err != nil {
		t.Fatalf("Parse: %v\n%s", err, text)
	}
	return p
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// full holds every key of the language.
const full = `
version: "2.0"
name: n
description: d
metadata: {k: [1, 2.50, null]}
tools:
  allow: ["*"]
  deny: [rm]
  allow_classes: [c]
  deny_classes: [d]
  require_args: {pay: [a]}
  arg_constraints: {pay: {a: {type: integer, maximum: 9007199254740993}}}
  approval_required: [pay]
  approval_required_classes: [c]
  restrict_scope: [pay]
  restrict_scope_classes: [c]
  restrict_scope_contract: {scope_type: t, scope_value: v, scope_match_mode: m}
  redact_args: [pay]
  redact_args_classes: [c]
  redact_args_contract: {redaction_target: t, redaction_mode: m, redaction_scope: s}
allow: [pay]
deny: [dd]
tool_classes: {pay: [c]}
schemas:
  $defs: {n: {maximum: 3}}
  pay: {properties: {a: {$ref: "#/$defs/n"}}}
  off: false
constraints:
  - {tool: pay, params: {b: {matches: "^x"}}}
enforcement: {unconstrained_tools: deny, formats: annotate}
limits: {max_requests_total: 5, max_tool_calls_total: 4}
tool_pins:
  pay: {server_id: s, tool_name: t,
    schema_hash: "0000000000000000000000000000000000000000000000000000000000000000",
    meta_hash: "1111111111111111111111111111111111111111111111111111111111111111"}
sequences:
  - {type: require, tool: a}
  - {type: before, first: {tool: a, args_match: {x: "^1$"}}, then: b}
  - {type: after, trigger: a, then: b}
  - {type: never_after, trigger: a, forbidden: b}
  - {type: eventually, tool: a, within: 3}
  - {type: max_calls, tool: a, max: 0}
  - {type: sequence, tools: [a, b], strict: true}
  - {type: blocklist, pattern: x}
aliases: {g: [a, b]}
on_error: deny
blocklist: [wipe]
signatures: {a: 1}
discovery: {}
runtime_monitor: {b: 2}
kill_switch: {c: 3}
x-mine: {d: 4}
x-null: null
`

func TestSpecHoldsEveryKeyOfTheFile(t *testing.T) {
	spec := mustParse(t, full).Spec()
	v := reflect.ValueOf(*spec)
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if isRootList := name == "List" || name == "Exact"; v.Field(i).IsZero() != isRootList {
			t.Errorf("Spec.%s is %v", name, v.Field(i))
		}
	}
	v = reflect.ValueOf(*spec.Tools)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("Tools.%s is absent", v.Type().Field(i).Name)
		}
	}
	want := []sequence.Rule{
		sequence.Require{Tool: sequence.Selector{Tool: "a"}},
		sequence.Before{First: sequence.Selector{Tool: "a", Args: map[string]string{"x": "^1$"}}, Then: sequence.Selector{Tool: "b"}},
		sequence.After{Trigger: sequence.Selector{Tool: "a"}, Then: sequence.Selector{Tool: "b"}, Within: 1},
		sequence.NeverAfter{Trigger: sequence.Selector{Tool: "a"}, Forbidden: sequence.Selector{Tool: "b"}},
		sequence.Eventually{Tool: sequence.Selector{Tool: "a"}, Within: 3},
		sequence.MaxCalls{Tool: sequence.Selector{Tool: "a"}, Max: 0},
		sequence.Sequence{Tools: []sequence.Selector{{Tool: "a"}, {Tool: "b"}}, Strict: true},
		sequence.Blocklist{Pattern: "x"},
	}
	if !reflect.DeepEqual(spec.Sequences, want) {
		t.Errorf("Sequences are %v", spec.Sequences)
	}
	number := spec.Tools.ArgConstraints["pay"]["a"].(map[string]any)["maximum"]
	if number != json.Number("9007199254740993") {
		t.Errorf("the number reads as %v", number)
	}
}

func TestSpecRoundTripsThroughJSON(t *testing.T) {
	for name, text := range map[string]string{
		"every key":        full,
		"nothing":          "{}",
		"empty everything": `{"tools": {}, "allow": [], "deny": [], "schemas": {}, "constraints": [], "sequences": [], "limits": {}, "on_error": "", "description": "", "blocklist": []}`,
		"rules":            "- {type: max_calls, tool: a, max: 2}",
		"names":            "[a, b, a]",
		"markup":           `{"tools": {"deny": ["<a&b>\u2028"]}}`,
		"only extensions":  "x-a: 1",
	} {
		p := mustParse(t, text)
		spec := p.Spec()
		var again assay.Spec
		if err := json.Unmarshal(mustJSON(t, spec), &again); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(*spec, again) {
			t.Errorf("%s: reads back as\n%+v\nwant\n%+v", name, again, *spec)
		}
		compiled, err := assay.Compile(&again, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if compiled.Digest() != p.Digest() {
			t.Errorf("%s: the digest changes", name)
		}
	}
}

// What a file says twice is said apart in a Spec: its owner may change one place.
func TestSpecSharesNoValueWithinItself(t *testing.T) {
	const text = `{"schemas": {"a": {"properties": {"x": {"type": "string"}}}, "b": {"properties": {"x": {"type": "string"}}}}, "x-a": [["y"], ["y"]]}`
	var read assay.Spec
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	for name, spec := range map[string]*assay.Spec{
		"of a policy":         mustParse(t, text).Spec(),
		"of a file's aliases": mustParse(t, "schemas: {a: &a {properties: {x: {type: string}}}, b: *a}\nx-a: [&y [y], *y]").Spec(),
		"read from JSON":      &read,
	} {
		want := mustJSON(t, spec.Schemas["b"])
		x := spec.Schemas["a"].(map[string]any)["properties"].(map[string]any)["x"].(map[string]any)
		x["type"] = "integer"
		list := spec.Extensions["x-a"].([]any)
		list[0].([]any)[0] = "z"
		if got := mustJSON(t, spec.Schemas["b"]); string(got) != string(want) {
			t.Errorf("%s: the other schema became %s", name, got)
		}
		if got := list[1].([]any)[0]; got != "y" {
			t.Errorf("%s: the other list became %v", name, got)
		}
	}
}

func TestSpecKeepsAbsentApartFromEmpty(t *testing.T) {
	absent := mustParse(t, "name: x").Spec()
	empty := mustParse(t, "allow: []\ntools: {allow: [], require_args: {}}\nschemas: {}\nlimits: {}\nblocklist: []\non_error: ''").Spec()
	if absent.Allow != nil || absent.Tools != nil || absent.Schemas != nil || absent.Limits != nil || absent.Blocklist != nil || absent.OnError != nil {
		t.Errorf("absent keys are there: %+v", absent)
	}
	if empty.Allow == nil || empty.Tools == nil || empty.Tools.Allow == nil || empty.Tools.RequireArgs == nil ||
		empty.Tools.Deny != nil || empty.Schemas == nil || empty.Limits == nil || empty.Blocklist == nil || empty.OnError == nil {
		t.Errorf("empty keys are not there: %+v", empty)
	}
	call := assay.Call{Tool: "x"}
	if d := assay.CheckArgs(mustCompile(t, absent), call); !d.Allowed {
		t.Errorf("a silent policy denies: %v", d.Code)
	}
	if d := assay.CheckArgs(mustCompile(t, empty), call); d.Code != assay.CodeToolNotAllowed {
		t.Errorf("an empty allow list answers %q", d.Code)
	}
}

func mustCompile(t testing.TB, spec *assay.Spec) *assay.Policy {
	t.Helper()
	p, err := assay.Compile(spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSpecIsADeepCopy(t *testing.T) {
	p := mustParse(t, full)
	digest := p.Digest()
	scribble(reflect.ValueOf(p.Spec()))
	if got := mustCompile(t, p.Spec()).Digest(); got != digest {
		t.Error("a change of a Spec reached its policy")
	}

	spec := p.Spec()
	compiled := mustCompile(t, spec)
	scribble(reflect.ValueOf(spec))
	if compiled.Digest() != digest || !reflect.DeepEqual(compiled.Spec(), p.Spec()) {
		t.Error("Compile kept a part of its Spec")
	}
	if d := assay.CheckArgs(compiled, assay.Call{Tool: "rm"}); d.Code != assay.CodeToolDenied {
		t.Errorf("after the change rm is answered %q", d.Code)
	}
}

// scribble changes everything that is reachable from v.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			scribble(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			scribble(v.Index(i))
			if v.Index(i).CanSet() && v.Index(i).Kind() == reflect.Interface {
				v.Index(i).SetZero()
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			scribble(v.MapIndex(key))
			v.SetMapIndex(key, reflect.Value{})
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString("scribbled")
		}
	case reflect.Int, reflect.Int64:
		if v.CanSet() {
			v.SetInt(v.Int() + 1)
		}
	case reflect.Bool:
		if v.CanSet() {
			v.SetBool(!v.Bool())
		}
	}
}

func TestCompileRefusesWhatIsNoPolicy(t *testing.T) {
	bad := "\xff"
	cyclic := map[string]any{}
	cyclic["properties"] = cyclic
	for name, spec := range map[string]*assay.Spec{
		"nil":                         nil,
		"invalid UTF-8 in a name":     {Deny: []string{bad}},
		"invalid UTF-8 in a key":      {Schemas: map[string]any{bad: true}},
		"invalid UTF-8 in a schema":   {Schemas: map[string]any{"t": map[string]any{"title": bad}}},
		"invalid UTF-8 in a rule":     {Sequences: []sequence.Rule{sequence.Blocklist{Pattern: bad}}},
		"invalid UTF-8 in a pointer":  {OnError: &bad},
		"invalid UTF-8 in an x- key":  {Extensions: map[string]any{"x-" + bad: 1}},
		"NaN":                         {Metadata: math.NaN()},
		"a channel":                   {Metadata: make(chan int)},
		"a schema that holds itself":  {Schemas: map[string]any{"t": cyclic}},
		"an unknown version":          {Version: "3"},
		"an unknown word":             {Enforcement: &assay.Enforcement{Formats: "no"}},
		"an extension without x-":     {Extensions: map[string]any{"deny": []string{"a"}}},
		"an extension that is a key":  {Extensions: map[string]any{"tools": map[string]any{}}},
		"a nil rule":                  {Sequences: []sequence.Rule{nil}},
		"a rule out of bounds":        {Sequences: []sequence.Rule{sequence.MaxCalls{Tool: sequence.Selector{Tool: "a"}, Max: -1}}},
		"an empty args_match":         {Sequences: []sequence.Rule{sequence.Require{Tool: sequence.Selector{Tool: "a", Args: map[string]string{}}}}},
		"an alias in an alias":        {Aliases: map[string][]string{"A": {"B"}, "B": {"c"}}},
		"an empty list":               {List: []sequence.Rule{}},
		"an empty list of names":      {Exact: []string{}},
		"a list and another field":    {Exact: []string{"a"}, Name: new("x")},
		"two lists":                   {Exact: []string{"a"}, List: []sequence.Rule{sequence.Blocklist{Pattern: "a"}}},
		"a pin without hashes":        {ToolPins: map[string]assay.Identity{"t": {ServerID: "s", ToolName: "t"}}},
		"a negative limit":            {Limits: &assay.Limits{MaxRequestsTotal: new(int64(-1))}},
		"a nil list within":           {ToolClasses: map[string][]string{"t": nil}},
		"a constraint without params": {Constraints: []assay.Constraint{{Tool: "t"}}},
	} {
		p, err := assay.Compile(spec, nil)
		if err == nil || p != nil {
			t.Errorf("%s: compiles to %+v", name, p.Spec())
			continue
		}
		if !strings.HasPrefix(err.Error(), "assay:") || reflect.TypeOf(err) != reflect.TypeFor[*assay.PolicyError]() {
			t.Errorf("%s: the error is %T %v", name, err, err)
		}
	}
}

func TestCompileReadsGoValuesAsJSON(t *testing.T) {
	p := mustCompile(t, &assay.Spec{Schemas: map[string]any{
		"go":   map[string]any{"maximum": 3, "type": []string{"integer"}},
		"text": json.RawMessage(`{"maximum": 3, "type": "integer"}`),
	}})
	for tool := range p.Spec().Schemas {
		if d := assay.CheckArgs(p, assay.Call{Tool: tool, Arguments: []byte("3")}); !d.Allowed {
			t.Errorf("%s: 3 is denied: %v", tool, d.Err())
		}
		if d := assay.CheckArgs(p, assay.Call{Tool: tool, Arguments: []byte("4")}); d.Code != assay.CodeArgSchema {
			t.Errorf("%s: 4 is answered %q", tool, d.Code)
		}
	}
}

func TestDigestFollowsWhatAFileSaysAndNotItsLayout(t *testing.T) {
	base := mustParse(t, "tools:\n  deny: [rm]\nschemas: {a: {maximum: 1, minimum: 0}, b: true}\n").Digest()
	if got := mustParse(t, `{"schemas": {"b": true, "a": {"minimum": 0, "maximum": 1}}, "tools": {"deny": ["rm"]}}`).Digest(); got != base {
		t.Error("another layout has another digest")
	}
	for _, text := range []string{
		"tools:\n  deny: [rm2]\nschemas: {a: {maximum: 1, minimum: 0}, b: true}\n",
		"tools:\n  deny: [rm]\nschemas: {a: {maximum: 2, minimum: 0}, b: true}\n",
		"tools:\n  deny: [rm]\nschemas: {a: {maximum: 1, minimum: 0}, b: true}\nallow: []\n",
	} {
		if mustParse(t, text).Digest() == base {
			t.Errorf("the digest stays: %s", text)
		}
	}
	if len(base) != 64 || strings.Trim(base, "0123456789abcdef") != "" {
		t.Errorf("the digest is %q", base)
	}
}

func TestCorpusPoliciesRoundTripThroughSpec(t *testing.T) {
	policies, calls := 0, 0
	eachCorpusGroup(t, func(file string, g corpusGroup) {
		again := map[string]*assay.Policy{}
		first := map[string]*assay.Policy{}
		for name := range g.Files {
			text, ok := g.policyText(t, name)
			if !ok {
				continue
			}
			p, err := assay.Parse(text, nil)
			if err != nil {
				continue
			}
			policies++
			spec := mustJSON(t, p.Spec())
			q, err := assay.Parse(spec, nil)
			if err != nil {
				t.Errorf("%s: %s: %v\n%.300s", file, g.Name, err, spec)
				continue
			}
			if p.Digest() != q.Digest() {
				t.Errorf("%s: %s: the digest changes", file, g.Name)
			}
			if !bytes.Equal(spec, mustJSON(t, q.Spec())) {
				t.Errorf("%s: %s: the document changes", file, g.Name)
			}
			first[name], again[name] = p, q
		}
		for _, c := range g.Calls {
			if c.serverOnly() != "" {
				continue
			}
			r, err := readRequest(expand(t, c.Arguments))
			if err != nil || again[r.Policy] == nil {
				continue
			}
			calls++
			if p, q := c.answer(t, first[r.Policy], nil), c.answer(t, again[r.Policy], nil); !reflect.DeepEqual(p, q) {
				t.Errorf("%s: %s: %v, by its Spec %v", file, g.Name, p, q)
			}
		}
	})
	t.Logf("%d policies, %d calls", policies, calls)
}
