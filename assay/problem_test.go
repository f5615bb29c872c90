package assay_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/assay/assay"
)

// refusal parses a text that is no policy and returns what is said about it.
func refusal(t *testing.T, text string) *assay.PolicyError {
	t.Helper()
	p, err := assay.Parse([]byte(text), nil)
	var e *assay.PolicyError
	if !errors.As(err, &e) {
		t.Fatalf("Parse returns %v, %v\n%s", p, err, text)
	}
	if p != nil {
		t.Errorf("Parse returns a policy and an error\n%s", text)
	}
	if len(e.Problems) == 0 {
		t.Fatalf("Parse names no problem\n%s", text)
	}
	return e
}

func TestEveryProblemIsNamedWithItsPlace(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		kind assay.ErrorKind
		want []string // "line:column path: message; hint", in order
	}{
		"a misspelt key": {
			"tools:\n  deney: [rm]\n", assay.KindStructure,
			[]string{`2:3 /tools/deney: unknown key "deney"; did you mean "deny"?`},
		},
		"a key in another case": {
			"Tools: {}\n", assay.KindStructure,
			[]string{`1:1 /Tools: unknown key "Tools"; did you mean "tools"?`},
		},
		"a key that was cut short": {
			"limits: {max_requests: 1}\n", assay.KindStructure,
			[]string{`1:10 /limits/max_requests: unknown key "max_requests"; did you mean "max_requests_total"?`},
		},
		"a key like no other": {
			"enforcement: {zzz: 1}\n", assay.KindStructure,
			[]string{`1:15 /enforcement/zzz: unknown key "zzz"; known here: unconstrained_tools, formats`},
		},
		"an extension below the root": {
			"tools: {x-a: 1}\n", assay.KindStructure,
			[]string{`1:9 /tools/x-a: unknown key "x-a"; known here: allow, allow_classes, deny, deny_classes, require_args, arg_constraints, approval_required, approval_required_classes, restrict_scope, restrict_scope_classes, restrict_scope_contract, redact_args, redact_args_classes, redact_args_contract`},
		},
		"two problems, in the order of the text": {
			"sequences: 3\nallow: rm\n", assay.KindStructure,
			[]string{`1:1 /sequences: must be a list of rules, not a number; write sequences: [{type: before, first: tool, then: tool}]`, `2:1 /allow: must be a list of text, not text; write a list: allow: [rm]`},
		},
		"null where it would open the policy": {
			"allow:\n#  - read\n", assay.KindStructure,
			[]string{`1:1 /allow: null says nothing here; leave the key out, or give it a value; an empty list is written []`},
		},
		"a number in a list of names": {
			"blocklist: [rm, 1]\n", assay.KindStructure,
			[]string{`1:17 /blocklist/1: must be text, not a number; put it in quotation marks`},
		},
		"an unknown version": {
			"version: 1.2\n", assay.KindStructure,
			[]string{`1:1 /version: must be "1.0", "1.1", "2.0", "1" or "2"; write version: "2.0"`},
		},
		"a version of the future": {
			"version: 3\n", assay.KindStructure,
			[]string{`1:1 /version: must be "1.0", "1.1", "2.0", "1" or "2"; write version: "2.0"`},
		},
		"a word that is none of those known": {
			"enforcement: {formats: no}\n", assay.KindStructure,
			[]string{`1:15 /enforcement/formats: must be "assert" or "annotate"`},
		},
		"lists where mappings belong, and the other way round": {
			"tools: [rm]\nschemas:\n- a\ndeny: {rm: true}\n", assay.KindStructure,
			[]string{
				`1:1 /tools: must be a mapping, not a list; write tools: {allow: [name], deny: [name]}`,
				`2:1 /schemas: must be a mapping, not a list; write schemas: {tool: {type: object}}`,
				`4:1 /deny: must be a list of text, not a mapping; write a list: deny: [name, name]`,
			},
		},
		"lists written as text": {
			"tools:\n  deny: rm -rf\n  allow: \"a, b\"\n  require_args: {'x y': to}\n", assay.KindStructure,
			[]string{
				`2:3 /tools/deny: must be a list of text, not text; write a list: deny: ["rm -rf"]`,
				`3:3 /tools/allow: must be a list of text, not text; write a list: allow: [name, name]`,
				`4:18 /tools/require_args/x y: must be a list of text, not text; write a list: "x y": [to]`,
			},
		},
		"items that are no text": {
			"deny: [null, {a: b}]\n", assay.KindStructure,
			[]string{
				`1:8 /deny/0: must be text, not null; leave it out, or put it in quotation marks if it is meant as text`,
				`1:14 /deny/1: must be text, not a mapping; write a list: deny: [name, name]`,
			},
		},
		"a number in quotation marks": {
			"limits: {max_requests_total: '5'}\n", assay.KindStructure,
			[]string{`1:10 /limits/max_requests_total: must be a number, not text; write it without quotation marks`},
		},
		"a flag in quotation marks": {
			"- {type: sequence, tools: [a, b], strict: 'yes'}\n", assay.KindRoot,
			[]string{`1:35 /0/strict: must be true or false, not text; YAML 1.2 knows only true and false; write true`},
		},
		"a pin": {
			"tool_pins: {t: {server_id: s, tool_name: t, schema_hash: AB, extra: 1}}\n", assay.KindStructure,
			[]string{
				`1:13 /tool_pins/t: the key "meta_hash" is missing`,
				`1:45 /tool_pins/t/schema_hash: must be 64 lowercase hexadecimal digits`,
				`1:62 /tool_pins/t/extra: unknown key "extra"; known here: server_id, tool_name, schema_hash, meta_hash`,
			},
		},
		"a limit": {
			"limits: {max_requests_total: -1, max_tool_calls_total: 1.5}\n", assay.KindStructure,
			[]string{
				`1:10 /limits/max_requests_total: must be an integer from 0 to 9223372036854775807`,
				`1:34 /limits/max_tool_calls_total: must be an integer from 0 to 9223372036854775807`,
			},
		},
		"a rule of an unknown kind": {
			"sequences: [{type: requires, tool: a}]\n", assay.KindStructure,
			[]string{`1:14 /sequences/0/type: must be "require", "before", "after", "never_after", "eventually", "max_calls", "sequence" or "blocklist"; did you mean "require"?`},
		},
		"operands of a rule": {
			"sequences:\n- {type: before, frist: a, then: b}\n- null\n", assay.KindStructure,
			[]string{
				`2:18 /sequences/0/frist: unknown key "frist"; did you mean "first"?`,
				`3:3 /sequences/1: must be a mapping, not null`,
			},
		},
		"a rule that lacks an operand": {
			"sequences:\n- {type: max_calls, tool: a}\n- {type: sequence}\n- {type: before, first: a, tool: b}\n", assay.KindStructure,
			[]string{
				`2:3 /sequences/0: the key "max" is missing; add max: 1`,
				`3:3 /sequences/1: the key "tools" is missing; add tools: [name, name]`,
				`4:3 /sequences/2: the key "then" is missing; add then: name`,
				`4:28 /sequences/2/tool: unknown key "tool"; known here: type, first, then`,
			},
		},
		"two misspelt operands": {
			"- {type: before, fist: a, thn: b}\n", assay.KindRoot,
			[]string{
				`1:18 /0/fist: unknown key "fist"; did you mean "first"?`,
				`1:27 /0/thn: unknown key "thn"; did you mean "then"?`,
			},
		},
		"rules without a type": {
			"sequences:\n- before: {first: a, then: b}\n- require: a\n- {first: a, then: b}\n- {tpye: before, first: a}\n- {max_calls: 1}\n- {type: null}\n- {}\n", assay.KindStructure,
			[]string{
				`2:3 /sequences/0: the key "type" is missing; write {type: before, first: name, then: name}`,
				`3:3 /sequences/1: the key "type" is missing; write {type: require, tool: name}`,
				`4:3 /sequences/2: the key "type" is missing; add type: one of require, before, after, never_after, eventually, max_calls, sequence, blocklist`,
				`5:4 /sequences/3/tpye: unknown key "tpye"; did you mean "type"?`,
				`6:3 /sequences/4: the key "type" is missing; write {type: max_calls, tool: name, max: 1}`,
				`7:4 /sequences/5/type: null says nothing here; leave the key out, or give it a value`,
				`8:3 /sequences/6: the key "type" is missing; add type: one of `,
			},
		},
		"numbers and flags written as words": {
			"- {type: max_calls, tool: a, max: three}\n- {type: max_calls, tool: a, max: '3'}\n- {type: sequence, tools: [a, b], strict: no}\n- {type: sequence, tools: [a, b], strict: 'true'}\n- {type: sequence, tools: [a, b], strict: hard}\n", assay.KindRoot,
			[]string{
				`1:30 /0/max: must be a number, not text; write a number, such as 3`,
				`2:30 /1/max: must be a number, not text; write it without quotation marks`,
				`3:35 /2/strict: must be true or false, not text; YAML 1.2 knows only true and false; write false`,
				`4:35 /3/strict: must be true or false, not text; write true without quotation marks`,
				`5:35 /4/strict: must be true or false, not text; write true or false`,
			},
		},
		"an item on a line of its own": {
			"deny:\n- a\n-\n  {b: c}\n", assay.KindStructure,
			[]string{`4:3 /deny/1: must be text, not a mapping; write a list: deny: [name, name]`},
		},
		"a value through an alias stands at its key": {
			"x-a: &a 3\ndeny: *a\n", assay.KindStructure,
			[]string{`2:1 /deny: must be a list of text, not a number`},
		},
		"legacy constraints": {
			"constraints:\n- {tool: t}\n- {tool: t, params: {a: x, b: {match: y}}}\n", assay.KindStructure,
			[]string{
				`2:3 /constraints/0: the key "params" is missing; add params: {argument: {matches: pattern}}`,
				`3:22 /constraints/1/params/a: must be a mapping, not text`,
				`3:32 /constraints/1/params/b/match: unknown key "match"; did you mean "matches"?`,
			},
		},
		"a pointer with escapes": {
			"tool_classes: {a/b~c: x}\n", assay.KindStructure,
			[]string{`1:16 /tool_classes/a~1b~0c: must be a list of text, not text; write a list: "a/b~c": [x]`},
		},
		"an alias in an alias": {
			"aliases:\n  A: [B]\n  B: [c]\n", assay.KindStructure, []string{`2:7 /aliases/A/0: `},
		},
		"a pattern of a rule": {
			"- {type: require, tool: {tool: a, args_match: {x: '('}}}\n", assay.KindRoot,
			[]string{`1:48 /0/tool/args_match/x: `},
		},
		"an empty list": {"[]\n", assay.KindRoot, []string{`1:1 : the document is an empty list`}},
		"rules and names in one list": {
			"- a\n- {type: require, tool: b}\n", assay.KindRoot,
			[]string{`2:3 /1: must be text, not a mapping`},
		},
		"no document":     {"", assay.KindRoot, []string{""}},
		"text":            {"hello", assay.KindRoot, []string{""}},
		"no YAML":         {"a: [\n", assay.KindSyntax, []string{""}},
		"a key twice":     {"name: a\nname: b\n", assay.KindSyntax, []string{`2:1 /name: the key "name" stands twice in one mapping, first on line 1; join both under one key`}},
		"an open quote":   {"tools:\n  deny: [\"*_admin]\n", assay.KindSyntax, []string{`2:10 : a quotation mark opens here and is not closed; close the quote`}},
		"a merge key":     {"tools: {<<: {}}\n", assay.KindStructure, []string{"1:9 "}},
		"a document type": {"tools: !x {}\n", assay.KindStructure, []string{"1:8 "}},
	} {
		e := refusal(t, test.text)
		if e.Kind != test.kind {
			t.Errorf("%s: the kind is %v, want %v", name, e.Kind, test.kind)
		}
		if len(e.Problems) != len(test.want) {
			t.Errorf("%s: %d problems, want %d: %v", name, len(e.Problems), len(test.want), e.Problems)
			continue
		}
		for i, p := range e.Problems {
			got := fmt.Sprintf("%d:%d %s: %s", p.Line, p.Column, p.Path, p.Message)
			if p.Hint != "" {
				got += "; " + p.Hint
			}
			if !strings.HasPrefix(got, test.want[i]) {
				t.Errorf("%s:\n got %s\nwant %s", name, got, test.want[i])
			}
		}
	}
}

func TestPolicyErrorSaysWhereAndHowManyMore(t *testing.T) {
	e := refusal(t, "tools:\n  deney: [rm]\n  alow: []\nname: 3\n")
	want := `assay: the policy is refused (structure): line 2, column 3: /tools/deney: unknown key "deney"; did you mean "deny"? (and 2 more)`
	if e.Error() != want {
		t.Errorf("the error reads\n%s\nwant\n%s", e, want)
	}
}

func TestPolicyErrorMessageHoldsNothingOfTheFile(t *testing.T) {
	for text, want := range map[string]struct {
		code    assay.Code
		message string
	}{
		"secret: 1":                    {assay.CodePolicyParse, "Policy structure is invalid"},
		"[secret, {}]":                 {assay.CodePolicyParse, "Policy root must be a mapping"},
		"secret: [":                    {assay.CodePolicyParse, "Policy YAML is invalid"},
		strings.Repeat("#", 1_000_001): {assay.CodeLimitExceeded, "Policy is over a size limit"},
	} {
		e := refusal(t, text)
		if e.Code() != want.code || e.Message() != want.message {
			t.Errorf("%.20q: %s %q, want %s %q", text, e.Code(), e.Message(), want.code, want.message)
		}
	}
}

func TestProblemsOfAHostileFileAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&b, "key%d: 1\n", i)
	}
	e := refusal(t, b.String())
	if len(e.Problems) != 1000 {
		t.Errorf("%d problems", len(e.Problems))
	}
	long := refusal(t, strings.Repeat("k", 10_000)+": 1\n")
	if n := len(long.Problems[0].Message); n > 200 {
		t.Errorf("a message of %d bytes", n)
	}
}

func TestSchemasThatDoNotCompileAreProblemsOfTheirTools(t *testing.T) {
	const text = "schemas:\n  zeta: {maxium: 3}\n  alpha:\n    properties:\n      a: {type: nope}\n  fine: {maximum: 3}\n"
	p := mustParse(t, text)
	problems := p.Problems()
	if len(problems) != 2 {
		t.Fatalf("the problems are %v", problems)
	}
	for i, want := range []assay.Problem{
		{Tool: "zeta", Path: "/schemas/zeta/maxium", Line: 2, Column: 10},
		{Tool: "alpha", Path: "/schemas/alpha/properties/a/type", Line: 5, Column: 11},
	} {
		got := problems[i]
		if got.Message == "" {
			t.Errorf("problem %d says nothing", i)
		}
		got.Message, got.Hint = "", ""
		if got != want {
			t.Errorf("problem %d is %+v, want %+v", i, got, want)
		}
	}
	problems[0] = assay.Problem{}
	if p.Problems()[0].Tool != "zeta" {
		t.Error("the problems are shared")
	}

	for tool, want := range map[string]assay.Code{"zeta": assay.CodeSchemaCompile, "alpha": assay.CodeSchemaCompile, "fine": ""} {
		if d := assay.CheckArgs(p, assay.Call{Tool: tool}); d.Code != want {
			t.Errorf("%s is answered %q, want %q", tool, d.Code, want)
		}
	}

	_, err := assay.Parse([]byte(text), &assay.Options{Strict: true})
	var e *assay.PolicyError
	if !errors.As(err, &e) || e.Kind != assay.KindStructure || len(e.Problems) != 2 {
		t.Errorf("with Strict the error is %v", err)
	}

	compiled := mustCompile(t, p.Spec())
	for _, problem := range compiled.Problems() {
		if problem.Line != 0 || problem.Column != 0 {
			t.Errorf("a problem of a Spec has a line: %+v", problem)
		}
	}
	tools := func(all []assay.Problem) (names []string) {
		for _, problem := range all {
			names = append(names, problem.Tool)
		}
		slices.Sort(names)
		return names
	}
	if got, want := tools(compiled.Problems()), tools(p.Problems()); !slices.Equal(got, want) {
		t.Errorf("a Spec has the problems of %v, its file of %v", got, want)
	}
}

func TestASharedDefinitionThatDoesNotCompileIsAProblemOfEachTool(t *testing.T) {
	p := mustParse(t, "schemas:\n  b: {$ref: '#/$defs/d'}\n  c: {type: str}\n  a: {$ref: '#/$defs/d'}\n  $defs:\n    d: {type: int}\n")
	var got []string
	for _, problem := range p.Problems() {
		got = append(got, fmt.Sprintf("%d:%d %s %s", problem.Line, problem.Column, problem.Tool, problem.Hint))
	}
	want := []string{"3:7 c did you mean string?", "6:9 a did you mean integer?", "6:9 b did you mean integer?"}
	if !slices.Equal(got, want) {
		t.Errorf("the problems are %q, want %q", got, want)
	}
}

func TestProblemsOfManySchemasAreInTheOrderOfTheText(t *testing.T) {
	var b strings.Builder
	b.WriteString("schemas:\n")
	const tools = 3000
	for i := range tools {
		fmt.Fprintf(&b, "  t%d: {type: str}\n", i)
	}
	problems := mustParse(t, b.String()).Problems()
	if len(problems) != tools {
		t.Fatalf("%d problems", len(problems))
	}
	for i, problem := range problems {
		if problem.Line != i+2 || problem.Tool != fmt.Sprintf("t%d", i) {
			t.Fatalf("problem %d is %+v", i, problem)
		}
	}
	// An error is bounded.
	_, err := assay.Parse([]byte(b.String()), &assay.Options{Strict: true})
	var e *assay.PolicyError
	if !errors.As(err, &e) || len(e.Problems) != 1000 {
		t.Errorf("with Strict the error is %v", err)
	}
}
