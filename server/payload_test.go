package server_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// outputSchemas returns the output schema that tools/list publishes for each
// tool, compiled.
func outputSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	p := startServer(t, policyRoot(t, nil))
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var a struct {
		Result struct {
			Tools []struct {
				Name                      string
				InputSchema, OutputSchema any
			}
		}
	}
	if err := json.Unmarshal([]byte(p.receive()), &a); err != nil {
		t.Fatal(err)
	}
	schemas := make(map[string]*jsonschema.Schema)
	c := jsonschema.NewCompiler()
	for _, tool := range a.Result.Tools {
		for kind, doc := range map[string]any{"input": tool.InputSchema, "output": tool.OutputSchema} {
			url := "https://example.com/" + tool.Name + "/" + kind
			if err := c.AddResource(url, doc); err != nil {
				t.Fatal(err)
			}
			schema, err := c.Compile(url)
			if err != nil {
				t.Fatalf("the %s schema of %s: %v", kind, tool.Name, err)
			}
			if kind == "output" {
				schemas[tool.Name] = schema
			}
		}
	}
	return schemas
}

// conforms reports whether a payload satisfies its tool's output schema.
func conforms(schema *jsonschema.Schema, payload string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(payload))
	if err != nil {
		return err
	}
	return schema.Validate(v)
}

const payloadPolicy = `version: "2.0"
tools:
  allow: [pay, ls, pinned, broken]
  approval_required: [pay]
  restrict_scope: [pay]
  redact_args: [pay]
schemas:
  pay:
    type: object
    properties: {amount: {type: integer, maximum: 30}}
    additionalProperties: false
  broken: {maxium: 3}
tool_pins:
  pinned: {server_id: s, tool_name: t, schema_hash: ` + zeros + `, meta_hash: ` + zeros + `}
sequences:
  - {type: before, first: verify, then: pay}
  - {type: max_calls, tool: pay, max: 0}
  - {type: require, tool: verify}
  - {type: blocklist, pattern: rm}
`
const zeros = `"0000000000000000000000000000000000000000000000000000000000000000"`

// Every kind of payload: its members, in their order, and that it satisfies the
// published schema. DOTS in want stands for any text.
func TestPayloads(t *testing.T) {
	schemas := outputSchemas(t)
	many := strings.Repeat("    - {type: string}\n", 70)
	p := startServer(t, policyRoot(t, map[string]string{
		"policy.yaml": payloadPolicy,
		"names.yaml":  "blocklist: [rm]\n",
		"exact.yaml":  "[a, b]\n",
		"syntax.yaml": "tools: [\n",
		"many.yaml":   "schemas:\n  t:\n    prefixItems:\n" + many,
	}))
	args := func(rest string) string { return `{"policy":"policy.yaml",` + rest + `}` }
	const violation = `{"path":"/amount","constraint":"maximum","message":"DOTS","suggestion":"DOTS","schema_path":"/schemas/pay/properties/amount/maximum"}`
	for _, test := range []struct{ name, tool, arguments, want string }{
		{"an allow with obligations", "assay_check_args", args(`"tool":"pay","arguments":{"amount":30}`),
			`{"allowed":true,"violations":[],"suggested_fix":null,"obligations":[{"kind":"approval_required","source":"name"},` +
				`{"kind":"restrict_scope","source":"name","contract":{"scope_match_mode":"exact","scope_type":"resource","scope_value":"*"}},` +
				`{"kind":"redact_args","source":"name","contract":{"redaction_mode":"mask","redaction_scope":"request","redaction_target":"body"}}]}`},
		{"an allow with a warning", "assay_check_args", args(`"tool":"ls","arguments":{}`),
			`{"allowed":true,"violations":[],"suggested_fix":null,"warning":{"code":"E_TOOL_UNCONSTRAINED","reason":"DOTS"}}`},
		{"a denial for the arguments", "assay_check_args", args(`"tool":"pay","arguments":{"amount":31}`),
			`{"allowed":false,"code":"E_ARG_SCHEMA","reason":"DOTS","violations":[` + violation + `],"suggested_fix":null,` +
				`"contract":{"status":"deny","error_code":"E_ARG_SCHEMA","tool":"pay","violations":[` + violation + `]}}`},
		{"a denial for the name", "assay_check_args", args(`"tool":"rm","arguments":{}`),
			`{"allowed":false,"code":"E_TOOL_NOT_ALLOWED","reason":"DOTS","violations":[],"suggested_fix":null,` +
				`"contract":{"status":"deny","error_code":"E_TOOL_NOT_ALLOWED","tool":"rm","reason":"DOTS"}}`},
		{"a denial for the schema", "assay_check_args", args(`"tool":"broken","arguments":{}`),
			`{"allowed":false,"code":"E_SCHEMA_COMPILE","reason":"DOTS","violations":[DOTS],"suggested_fix":null,` +
				`"contract":{"status":"deny","error_code":"E_SCHEMA_COMPILE","tool":"broken","reason":"DOTS"}}`},
		{"a denial for the pin", "assay_check_args", args(`"tool":"pinned","arguments":{},"identity":{"server_id":"other"}`),
			`{"allowed":false,"code":"E_TOOL_DRIFT","reason":"DOTS","violations":[],"suggested_fix":null,` +
				`"contract":{"status":"deny","error_code":"E_TOOL_DRIFT","tool":"pinned","reason":"DOTS"}}`},
		{"more violations than are listed", "assay_check_args", `{"policy":"many.yaml","tool":"t","arguments":[` + strings.Repeat("1,", 69) + `1]}`,
			`{"allowed":false,"code":"E_ARG_SCHEMA","reason":"DOTS","violations":[DOTS],"truncated":true,"suggested_fix":null,"contract":{DOTS}}`},
		{"a failure", "assay_check_args", `{"policy":"missing.yaml","tool":"t","arguments":{}}`,
			`{"allowed":false,"error":{"code":"E_POLICY_NOT_FOUND","message":"Policy not found: missing.yaml"}}`},
		{"a failure with details", "assay_check_args", `{"policy":"syntax.yaml","tool":"t","arguments":{}}`,
			`{"allowed":false,"error":{"code":"E_POLICY_PARSE","message":"Policy YAML is invalid","details":{"line":DOTS,"column":DOTS}}}`},
		{"an order that is allowed", "assay_check_sequence", args(`"history":["verify"],"next_tool":"ls"`),
			`{"allowed":true,"violations":[],"suggested_fix":null}`},
		{"an order that is denied", "assay_check_sequence", args(`"history":[],"next_tool":"pay"`),
			`{"allowed":false,"violations":[` +
				`{"rule_id":"before:verify->pay","rule_type":"before","constraint":"before","message":"DOTS","suggestion":"DOTS","spanned":[0],"tool":"pay","event_index":0},` +
				`{"rule_id":"max_calls:pay<=0","rule_type":"max_calls","constraint":"max_calls","message":"DOTS","suggestion":"DOTS","spanned":[0],"tool":"pay","event_index":0,"context":{"actual":1,"max":0}},` +
				`{"rule_id":"require:verify","rule_type":"require","constraint":"sequence_rule","message":"DOTS","suggestion":"DOTS","spanned":[],"tool":"verify"}],"suggested_fix":null}`},
		{"a list of names that is not followed", "assay_check_sequence", `{"policy":"exact.yaml","history":["a"],"next_tool":"c"}`,
			`{"allowed":false,"violations":[{DOTS"constraint":"sequence_exact_match","message":"DOTS","suggestion":"DOTS"}],"suggested_fix":null}`},
		{"a failure of an order", "assay_check_sequence", `{"policy":"names.yaml","history":[],"next_tool":"c"}`,
			`{"allowed":false,"error":{"code":"E_POLICY_PARSE","message":"Invalid sequence policy format"}}`},
		{"a name that is allowed", "assay_policy_decide", `{"policy":"names.yaml","tool":"ls"}`,
			`{"allowed":true,"reason":"Allowed by policy"}`},
		{"a name that is blocked", "assay_policy_decide", `{"policy":"names.yaml","tool":"rm"}`,
			`{"allowed":false,"matches":["Tool 'rm' is blocked by policy"]}`},
		{"a failure of a name", "assay_policy_decide", `{"policy":"policy.yaml","tool":"rm"}`,
			`{"allowed":false,"error":{"code":"E_POLICY_PARSE","message":"Policy structure is invalid"}}`},
		{"a failure of the call", "assay_policy_decide", `{}`,
			`{"allowed":false,"error":{"code":"E_INTERNAL","message":"Tool execution failed"}}`},
	} {
		a := p.call(test.tool, test.arguments)
		if !matches(a.text, test.want) {
			t.Errorf("%s:\n got %s\nwant %s", test.name, a.text, test.want)
		}
		if err := conforms(schemas[test.tool], a.text); err != nil {
			t.Errorf("%s does not satisfy the output schema: %v\n%s", test.name, err, a.text)
		}
	}
}

// matches reports whether text is want, in which DOTS stands for any text.
func matches(text, want string) bool {
	parts := strings.Split(want, "DOTS")
	if !strings.HasPrefix(text, parts[0]) || len(parts) == 1 && text != want {
		return false
	}
	text = text[len(parts[0]):]
	for i, part := range parts[1:] {
		if i == len(parts)-2 {
			return strings.HasSuffix(text, part)
		}
		at := strings.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return true
}

func TestAFixIsSuggestedOnlyWhenAskedFor(t *testing.T) {
	schemas := outputSchemas(t)
	root := policyRoot(t, map[string]string{"policy.yaml": payloadPolicy})
	const call = `{"policy":"policy.yaml","tool":"pay","arguments":{"amount":31}}`
	if a := startServer(t, root).call("assay_check_args", call); string(a.payload.SuggestedFix) != "null" {
		t.Errorf("a fix that nobody asked for: %s", a.text)
	}
	p := startServer(t, root, "--suggest-fixes")
	a := p.call("assay_check_args", call)
	if string(a.payload.SuggestedFix) == "null" {
		t.Fatal("no fix is suggested")
	}
	var fix struct {
		Arguments json.RawMessage
		Changes   []map[string]string
	}
	if err := json.Unmarshal(a.payload.SuggestedFix, &fix); err != nil {
		t.Fatal(err)
	}
	if err := conforms(schemas["assay_check_args"], a.text); err != nil {
		t.Error(err)
	}
	if len(fix.Changes) == 0 || fix.Changes[0]["path"] != "/amount" || fix.Changes[0]["from_constraint"] != "maximum" {
		t.Errorf("the changes are %v", fix.Changes)
	}
	if again := p.call("assay_check_args", `{"policy":"policy.yaml","tool":"pay","arguments":`+string(fix.Arguments)+`}`); !again.allowed() {
		t.Errorf("the fix does not pass: %s", again.text)
	}
}

func TestMessagesAreCutOnACharacter(t *testing.T) {
	p := startServer(t, namesRoot(t))
	long := strings.Repeat("é", 10_000)
	a := p.call("assay_policy_decide", `{"policy":"`+long+`x","tool":"ls"}`)
	if a.failure() != "E_POLICY_READ" {
		t.Fatalf("%.200s", a.line)
	}
	path := strings.Repeat(strings.Repeat("é", 100)+"/", 30)
	a = p.call("assay_policy_decide", `{"policy":"`+path+`","tool":"ls"}`)
	if a.payload.Error.Code == "E_POLICY_NOT_FOUND" {
		if m := a.payload.Error.Message; len(m) > 4096 || len(m) < 4090 || !utf8.ValidString(m) {
			t.Errorf("the message has %d bytes", len(m))
		}
	}
	blocked := startServer(t, policyRoot(t, map[string]string{"names.yaml": "blocklist: [" + long + "]\n"}))
	a = blocked.call("assay_policy_decide", `{"policy":"names.yaml","tool":"`+long+`"}`)
	if m := a.payload.Matches; len(m) != 1 || len(m[0]) != 4096-(4096-len("Tool '"))%2 || !utf8.ValidString(m[0]) {
		t.Errorf("the match is %.100q", m)
	}
}
