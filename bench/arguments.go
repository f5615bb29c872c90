package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math/big"
	"unicode/utf8"

	"example.com/assay/assay"
	"github.com/cedar-policy/cedar-go"
	"github.com/open-policy-agent/opa/v1/ast"
	santhosh "github.com/santhosh-tekuri/jsonschema/v6"
)

// discountSchema is the small schema: one number within bounds, nothing else.
const discountSchema = `{
	"type": "object",
	"properties": {"percent": {"type": "number", "minimum": 0, "maximum": 30}},
	"required": ["percent"],
	"additionalProperties": false
}`

var (
	discountAllowed = []byte(`{"percent": 15}`)
	discountDenied  = []byte(`{"percent": 31}`)
)

// argumentRows ask whether a call's arguments fit its tool's schema.
func argumentRows() []row {
	return []row{
		{"small arguments, raw", reach{ratio: 3, allocs: true}, smallRaw},
		{"small arguments, raw, denied", reach{}, smallDenied},
		{"small arguments, decoded", reach{ratio: 6, allocs: true}, smallDecoded},
		{"12 properties, nested, raw", reach{ns: 5_000, allocs: true}, large},
	}
}

func schemaPolicy(tool, schema string) (*assay.Policy, error) {
	return assay.Parse([]byte(`{"version": "2.0", "schemas": {"`+tool+`": `+schema+`}}`), &assay.Options{Strict: true})
}

// raw is a contestant that reads the text of the arguments.
func raw(name string, decide func(text []byte) bool) contestant {
	return contestant{
		name:  name,
		allow: func() bool { return decide(discountAllowed) },
		deny:  func() bool { return decide(discountDenied) },
	}
}

func smallRaw() ([]contestant, error) {
	policy, err := schemaPolicy("apply_discount", discountSchema)
	if err != nil {
		return nil, err
	}
	rego, err := opa(discountRego, nil)
	if err != nil {
		return nil, err
	}
	program, err := celProgram(discountCEL, "arguments")
	if err != nil {
		return nil, err
	}
	schema, err := santhoshSchema(discountSchema)
	if err != nil {
		return nil, err
	}
	resolved, err := googleSchema(discountSchema)
	if err != nil {
		return nil, err
	}
	cedars, err := cedarPolicies(`permit(principal, action, resource == Tool::"apply_discount")
		when { context has percent && context.percent >= 0 && context.percent <= 30 };`, nil)
	if err != nil {
		return nil, err
	}
	return []contestant{
		raw(nameAssay, func(text []byte) bool {
			return assay.CheckArgs(policy, assay.Call{Tool: "apply_discount", Arguments: text}).Allowed
		}),
		raw(nameHand, func(text []byte) bool { return handDecision("apply_discount", text) }),
		raw("encoding/json tokens", discountByTokens),
		raw(nameOPA, func(text []byte) bool { return rego(must(ast.ValueFromReader(bytes.NewReader(text)))) }),
		raw(nameCEL, func(text []byte) bool {
			var arguments map[string]any
			return json.Unmarshal(text, &arguments) == nil && program(map[string]any{"arguments": arguments})
		}),
		raw(nameSanthosh, func(text []byte) bool {
			v, err := santhosh.UnmarshalJSON(bytes.NewReader(text))
			return err == nil && schema.Validate(v) == nil
		}),
		raw(nameGoogle, func(text []byte) bool {
			var v any
			return json.Unmarshal(text, &v) == nil && resolved.Validate(v) == nil
		}),
		// Integers only, and open: a record cannot be closed without a schema.
		raw(nameCedar+" (integers, open)", func(text []byte) bool {
			var context cedar.Record
			return json.Unmarshal(text, &context) == nil && cedars("apply_discount", context)
		}),
	}, nil
}

// smallDenied times the way to a denial with its violation, which an agent that
// tries again pays for.
func smallDenied() ([]contestant, error) {
	contestants, err := smallRaw()
	if err != nil {
		return nil, err
	}
	for i, c := range contestants {
		contestants[i].allow = func() bool { return !c.deny() }
		contestants[i].deny = func() bool { return !c.allow() }
	}
	return contestants, nil
}

func smallDecoded() ([]contestant, error) {
	policy, err := schemaPolicy("apply_discount", discountSchema)
	if err != nil {
		return nil, err
	}
	rego, err := opa(discountRego, nil)
	if err != nil {
		return nil, err
	}
	program, err := celProgram(discountCEL, "arguments")
	if err != nil {
		return nil, err
	}
	schema, err := santhoshSchema(discountSchema)
	if err != nil {
		return nil, err
	}
	resolved, err := googleSchema(discountSchema)
	if err != nil {
		return nil, err
	}
	allowed, denied := map[string]any{"percent": 15.0}, map[string]any{"percent": 31.0}
	regoAllowed, regoDenied := must(ast.InterfaceToValue(allowed)), must(ast.InterfaceToValue(denied))
	decoded := func(name string, decide func(map[string]any) bool) contestant {
		return contestant{
			name:  name,
			allow: func() bool { return decide(allowed) },
			deny:  func() bool { return decide(denied) },
		}
	}
	return []contestant{
		decoded(nameAssay, func(v map[string]any) bool {
			return assay.CheckArgsValue(policy, "apply_discount", v).Allowed
		}),
		decoded(nameHand, func(v map[string]any) bool { return handDecoded("apply_discount", v) }),
		{nameOPA, func() bool { return rego(regoAllowed) }, func() bool { return rego(regoDenied) }, nil, 0},
		decoded(nameCEL, func(v map[string]any) bool { return program(map[string]any{"arguments": v}) }),
		decoded(nameSanthosh, func(v map[string]any) bool { return schema.Validate(v) == nil }),
		decoded(nameGoogle, func(v map[string]any) bool { return resolved.Validate(v) == nil }),
	}, nil
}

// The small schema in the languages of the policy engines.
const (
	discountRego = `
default allow := false
allow if {
	is_number(input.percent)
	input.percent >= 0
	input.percent <= 30
	object.keys(input) == {"percent"}
}`
	discountCEL = `"percent" in arguments && type(arguments.percent) == double &&
		arguments.percent >= 0.0 && arguments.percent <= 30.0 && size(arguments) == 1`
)

// handDecision is the small schema as a strict program for it: a valid name, a
// text in valid UTF-8, one object with this one member, an exact number. What
// it sees seldom, escapes and numbers with a fraction, it leaves to the slow way.
func handDecision(tool string, text []byte) bool {
	if !validName(tool) || tool != "apply_discount" || !utf8.Valid(text) {
		return false
	}
	const key = `"percent"`
	i := skipSpace(text, 0)
	if i == len(text) || text[i] != '{' {
		return false
	}
	i = skipSpace(text, i+1)
	if len(text)-i < len(key) || string(text[i:i+len(key)]) != key {
		return discountByTokens(text)
	}
	i = skipSpace(text, i+len(key))
	if i == len(text) || text[i] != ':' {
		return false
	}
	i = skipSpace(text, i+1)
	start, percent := i, 0
	for i < len(text) && '0' <= text[i] && text[i] <= '9' && i-start < 9 {
		percent = percent*10 + int(text[i]-'0')
		i++
	}
	if i == start || text[start] == '0' && i-start > 1 {
		return discountByTokens(text)
	}
	end := skipSpace(text, i)
	if end == len(text) || text[end] != '}' || skipSpace(text, end+1) != len(text) {
		return discountByTokens(text)
	}
	return percent <= 30
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// discountByTokens is the small schema by the token reader of encoding/json,
// which shows a repeated member where decoding into a map hides it.
func discountByTokens(text []byte) bool {
	if !utf8.Valid(text) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	if t, err := d.Token(); err != nil || t != "percent" {
		return false
	}
	t, err := d.Token()
	literal, ok := t.(json.Number)
	if err != nil || !ok || !withinPercent(string(literal)) {
		return false
	}
	if t, err := d.Token(); err != nil || t != json.Delim('}') {
		return false
	}
	_, err = d.Token()
	return err == io.EOF
}

// withinPercent compares exactly; an exponent may not make the number huge.
func withinPercent(literal string) bool {
	if len(literal) > 30 || bytes.ContainsAny([]byte(literal), "eE") {
		return false
	}
	r, ok := new(big.Rat).SetString(literal)
	return ok && r.Sign() >= 0 && r.Cmp(big.NewRat(30, 1)) <= 0
}

func handDecoded(tool string, arguments any) bool {
	if !validName(tool) || tool != "apply_discount" {
		return false
	}
	m, ok := arguments.(map[string]any)
	if !ok || len(m) != 1 {
		return false
	}
	switch percent := m["percent"].(type) {
	case float64: // NaN fails both comparisons
		return percent >= 0 && percent <= 30
	case int:
		return percent >= 0 && percent <= 30
	case json.Number:
		return withinPercent(string(percent))
	}
	return false
}

// largeSchema is a tool of a code host: 12 properties, some of them nested.
const largeSchema = `{
	"type": "object",
	"properties": {
		"owner": {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9-]*$", "maxLength": 39},
		"repository": {"type": "string", "pattern": "^[A-Za-z0-9._-]+$", "maxLength": 100},
		"title": {"type": "string", "minLength": 1, "maxLength": 256},
		"body": {"type": "string", "maxLength": 65536},
		"source": {"type": "object", "properties": {
			"branch": {"type": "string", "minLength": 1, "maxLength": 255},
			"commit": {"type": "string", "pattern": "^[0-9a-f]{40}$"}
		}, "required": ["branch"], "additionalProperties": false},
		"target": {"type": "object", "properties": {
			"branch": {"type": "string", "minLength": 1, "maxLength": 255}
		}, "required": ["branch"], "additionalProperties": false},
		"draft": {"type": "boolean"},
		"priority": {"type": "string", "enum": ["low", "normal", "high", "urgent"]},
		"milestone": {"type": ["integer", "null"], "minimum": 1},
		"labels": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 50}, "maxItems": 20, "uniqueItems": true},
		"reviewers": {"type": "array", "maxItems": 15, "items": {
			"type": "object", "properties": {
				"login": {"type": "string", "minLength": 1, "maxLength": 39},
				"role": {"enum": ["code", "design", "security"]},
				"required": {"type": "boolean"}
			}, "required": ["login", "role"], "additionalProperties": false}},
		"merge": {"type": "object", "properties": {
			"method": {"type": "string", "enum": ["merge", "squash", "rebase"]},
			"delete_source": {"type": "boolean"},
			"checks": {"type": "object", "properties": {
				"minimum_approvals": {"type": "integer", "minimum": 0, "maximum": 10},
				"timeout_minutes": {"type": "number", "exclusiveMinimum": 0, "maximum": 1440}
			}, "additionalProperties": false}
		}, "required": ["method"], "additionalProperties": false}
	},
	"required": ["owner", "repository", "title", "source", "target"],
	"additionalProperties": false
}`

const largeArguments = `{
	"owner": "northwind-labs", "repository": "billing.service",
	"title": "Round invoice totals once, after tax",
	"body": "Totals were rounded per line and again per invoice.\nThis rounds once; three fixtures change.",
	"source": {"branch": "fix/invoice-rounding", "commit": "3f786850e387550fdab836ed7e6dc881de23001b"},
	"target": {"branch": "main"},
	"draft": false, "priority": "high", "milestone": 12,
	"labels": ["bug", "billing", "needs-release-note"],
	"reviewers": [
		{"login": "mira", "role": "code", "required": true},
		{"login": "tomas", "role": "security"}
	],
	"merge": {"method": "squash", "delete_source": true,
		"checks": {"minimum_approvals": 2, "timeout_minutes": 45.5}}
}`

func large() ([]contestant, error) {
	policy, err := schemaPolicy("open_change", largeSchema)
	if err != nil {
		return nil, err
	}
	schema, err := santhoshSchema(largeSchema)
	if err != nil {
		return nil, err
	}
	resolved, err := googleSchema(largeSchema)
	if err != nil {
		return nil, err
	}
	allowed := []byte(largeArguments)
	denied := bytes.Replace(allowed, []byte(`"minimum_approvals": 2`), []byte(`"minimum_approvals": 11`), 1)
	text := func(name string, decide func([]byte) bool) contestant {
		return contestant{name: name, allow: func() bool { return decide(allowed) }, deny: func() bool { return decide(denied) }}
	}
	return []contestant{
		text(nameAssay, func(text []byte) bool {
			return assay.CheckArgs(policy, assay.Call{Tool: "open_change", Arguments: text}).Allowed
		}),
		text(nameSanthosh, func(text []byte) bool {
			v, err := santhosh.UnmarshalJSON(bytes.NewReader(text))
			return err == nil && schema.Validate(v) == nil
		}),
		text(nameGoogle, func(text []byte) bool {
			var v any
			return json.Unmarshal(text, &v) == nil && resolved.Validate(v) == nil
		}),
		// What reading the text costs a program that checks nothing.
		{
			name:  "encoding/json, no check",
			allow: func() bool { var v any; return json.Unmarshal(allowed, &v) == nil },
			deny:  func() bool { var v any; return json.Unmarshal(allowed[1:], &v) == nil },
		},
	}, nil
}
