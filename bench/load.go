package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/assay"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/util"
	"go.yaml.in/yaml/v4"
)

// loadRows read a policy of 1 MB, about 1,000 tools with their schemas, up to
// the point where it can decide.
func loadRows() []row {
	return []row{
		{"load 1 MB of policy, JSON", reach{ratio: 1.5}, loadJSON},
		{"load 1 MB of policy, YAML", reach{ratio: 1.5}, loadYAML},
		{"first call of a tool of 1,000", reach{}, firstCalls},
	}
}

// As many tools as 1 MB of either form holds.
const (
	loadToolsJSON = 1_200
	loadToolsYAML = 900
)

// largePolicy is a policy of about 1 MB as plain values: n tools, each with a
// schema like those that MCP servers publish.
func largePolicy(n int) map[string]any {
	schemas := map[string]any{}
	names := toolNames(n)
	for i, name := range names {
		schemas[name] = map[string]any{
			"type":        "object",
			"description": fmt.Sprintf("Arguments of %s. Times are in UTC, amounts in cents.", name),
			"properties": map[string]any{
				"id":     map[string]any{"type": "string", "description": "As the search returned it.", "pattern": "^[a-z]{2,4}-[0-9]+$", "maxLength": 64},
				"amount": map[string]any{"type": "number", "description": "Needs no approval.", "minimum": 0, "maximum": 100 + i},
				"reason": map[string]any{"type": "string", "description": "Shown to the customer.", "minLength": 3, "maxLength": 500},
				"status": map[string]any{"type": "string", "enum": []any{"open", "pending", "closed", fmt.Sprint("custom_", i)}},
				"tags":   map[string]any{"type": "array", "items": map[string]any{"type": "string", "maxLength": 40}, "maxItems": 10},
				"options": map[string]any{"type": "object", "properties": map[string]any{
					"notify": map[string]any{"type": "boolean"},
					"retry":  map[string]any{"type": "integer", "minimum": 0, "maximum": 5},
				}, "additionalProperties": false},
			},
			"required":             []any{"id", "reason"},
			"additionalProperties": false,
		}
	}
	return map[string]any{
		"version": "2.0",
		"tools":   map[string]any{"allow": anys(names), "deny": []any{"drop_*"}},
		"schemas": schemas,
	}
}

// The arguments of every tool of largePolicy: some that fit, some that do not.
const (
	largePolicyFits = `{"id": "or-1", "reason": "asked twice", "amount": 12.5, "options": {"retry": 2}}`
	largePolicyNot  = `{"id": "or-1", "reason": "asked twice", "amount": 12.5, "options": {"retry": 6}}`
)

func loadJSON() ([]contestant, error) {
	text, err := json.Marshal(largePolicy(loadToolsJSON))
	if err != nil {
		return nil, err
	}
	text = fill(text)
	return []contestant{
		loadAssay(text),
		loader(nameHand, text, func(text []byte) error {
			v, err := strictJSON(text)
			if err != nil {
				return err
			}
			return checkPolicy(v)
		}),
		loader(nameOPA+" (data store)", text, func(text []byte) error {
			var data map[string]any
			if err := util.UnmarshalJSON(text, &data); err != nil {
				return err
			}
			_, err := rego.New(rego.Query("data.bench.allow"), rego.Store(inmem.NewFromObject(data)),
				rego.Module("bench.rego", "package bench\nallow if data.schemas[input.tool]")).PrepareForEval(context.Background())
			return err
		}),
		loader(nameSanthosh+" (all schemas)", text, func(text []byte) error {
			var policy struct{ Schemas map[string]json.RawMessage }
			if err := json.Unmarshal(text, &policy); err != nil {
				return err
			}
			for _, schema := range policy.Schemas {
				if _, err := santhoshSchema(string(schema)); err != nil {
					return err
				}
			}
			return nil
		}),
	}, nil
}

func loadYAML() ([]contestant, error) {
	var text strings.Builder
	writeYAML(&text, largePolicy(loadToolsYAML), 0)
	yamlText := fill([]byte(text.String()))
	return []contestant{
		loadAssay(yamlText),
		loader(nameHand, yamlText, func(text []byte) error {
			var node yaml.Node
			if err := yaml.Load(text, &node); err != nil {
				return err
			}
			v, err := strictYAML(&node, 0)
			if err != nil {
				return err
			}
			return checkPolicy(v)
		}),
		// What a program pays that reads the file and checks nothing.
		loader("yaml.v4, no check", yamlText, func(text []byte) error {
			var v any
			return yaml.Load(text, &v)
		}),
	}, nil
}

// fill brings a text up to the policy limit with empty lines.
func fill(text []byte) []byte {
	room := assay.DefaultMaxPolicyBytes - len(text)
	if room < 0 {
		panic(fmt.Sprintf("bench: the policy has %d bytes", len(text)))
	}
	return append(text, strings.Repeat("\n", room)...)
}

// loader is a contestant whose work is to load text. It must refuse the text with
// something that is neither JSON nor YAML behind it.
func loader(name string, text []byte, load func([]byte) error) contestant {
	broken := append(bytes.TrimSpace(slices.Clone(text)), "\n]: {"...)
	return contestant{
		name:  name,
		allow: func() bool { return load(text) == nil },
		deny:  func() bool { return load(broken) == nil },
	}
}

// loadAssay also shows that the loaded policy decides, which the others leave to
// more work.
func loadAssay(text []byte) contestant {
	c := loader(nameAssay, text, func(text []byte) error {
		_, err := assay.Parse(text, nil)
		return err
	})
	refuses := c.deny
	c.deny = func() bool {
		p := must(assay.Parse(text, nil))
		call := assay.Call{Tool: toolNames(18)[17], Arguments: []byte(largePolicyFits)}
		if !assay.CheckArgs(p, call).Allowed {
			panic("bench: the loaded policy denies what it allows")
		}
		call.Arguments = []byte(largePolicyNot)
		return refuses() || assay.CheckArgs(p, call).Allowed
	}
	return c
}

// firstCalls times the first call of one tool after the other: what is compiled
// lazily is paid here.
func firstCalls() ([]contestant, error) {
	const tools = 1_000
	text := must(json.Marshal(largePolicy(tools)))
	names := toolNames(tools)
	var policy *assay.Policy
	next := 0
	check := func(arguments string) bool {
		next++
		return assay.CheckArgs(policy, assay.Call{Tool: names[next%len(names)], Arguments: []byte(arguments)}).Allowed
	}
	return []contestant{{
		name:  nameAssay,
		allow: func() bool { return check(largePolicyFits) },
		deny:  func() bool { return check(largePolicyNot) },
		fresh: func() { policy, next = must(assay.Parse(text, nil)), 0 },
		calls: tools,
	}}, nil
}

// strictJSON reads JSON as a policy file has to be read: exact numbers, no
// member twice, nothing behind the value, valid UTF-8, bounded depth.
func strictJSON(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := strictValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

func strictValue(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if depth > 128 {
		return nil, errors.New("too deep")
	}
	switch t {
	case json.Delim('{'):
		m := map[string]any{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			if _, twice := m[key.(string)]; twice {
				return nil, errors.New("a member twice")
			}
			if m[key.(string)], err = strictValue(d, depth+1); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return m, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := strictValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	return t, nil
}

// strictYAML turns nodes into values by the same rules.
func strictYAML(n *yaml.Node, depth int) (any, error) {
	if depth > 128 {
		return nil, errors.New("too deep")
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return strictYAML(n.Content[0], depth)
	case yaml.MappingNode:
		m := make(map[string]any, len(n.Content)/2)
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || key.Tag != "!!str" {
				return nil, errors.New("a key that is no string")
			}
			if _, twice := m[key.Value]; twice {
				return nil, errors.New("a key twice")
			}
			v, err := strictYAML(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			m[key.Value] = v
		}
		return m, nil
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			var err error
			if list[i], err = strictYAML(item, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case yaml.ScalarNode:
		switch n.Tag {
		case "!!str":
			return n.Value, nil
		case "!!int", "!!float":
			if !json.Valid([]byte(n.Value)) {
				return nil, errors.New("a number that is not JSON's")
			}
			return json.Number(n.Value), nil
		case "!!bool":
			return n.Value == "true", nil
		}
	}
	return nil, errors.New("an unexpected node")
}

// checkPolicy looks at the types of a policy's keys and at the keywords of its
// schemas, so that a misspelt one is refused.
func checkPolicy(v any) error {
	policy, ok := v.(map[string]any)
	if !ok {
		return errors.New("no mapping")
	}
	for key, value := range policy {
		switch key {
		case "version":
			if value != "2.0" {
				return errors.New("unknown version")
			}
		case "tools":
			tools, ok := value.(map[string]any)
			if !ok {
				return errors.New("tools is no mapping")
			}
			for key, value := range tools {
				names, ok := value.([]any)
				if key != "allow" && key != "deny" || !ok {
					return errors.New("tools." + key)
				}
				for _, name := range names {
					if _, ok := name.(string); !ok {
						return errors.New("a name that is no string")
					}
				}
			}
		case "schemas":
			schemas, ok := value.(map[string]any)
			if !ok {
				return errors.New("schemas is no mapping")
			}
			for _, schema := range schemas {
				if err := checkSchema(schema); err != nil {
					return err
				}
			}
		default:
			return errors.New("unknown key")
		}
	}
	return nil
}

func checkSchema(v any) error {
	if _, ok := v.(bool); ok {
		return nil
	}
	schema, ok := v.(map[string]any)
	if !ok {
		return errors.New("no schema")
	}
	for keyword, value := range schema {
		ok := false
		switch keyword {
		case "type", "description", "pattern":
			_, ok = value.(string)
		case "minimum", "maximum", "minLength", "maxLength", "maxItems":
			_, ok = value.(json.Number)
		case "enum", "required":
			_, ok = value.([]any)
		case "items", "additionalProperties":
			ok = checkSchema(value) == nil
		case "properties":
			var properties map[string]any
			properties, ok = value.(map[string]any)
			for _, p := range properties {
				if err := checkSchema(p); err != nil {
					return err
				}
			}
		}
		if !ok {
			return errors.New("keyword " + keyword)
		}
	}
	return nil
}

// writeYAML writes plain values in YAML's block style, as people write policies.
func writeYAML(w *strings.Builder, v any, indent int) {
	margin := strings.Repeat("  ", indent)
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			w.WriteString(margin + key + ":")
			writeYAMLBehind(w, v[key], indent)
		}
	case []any:
		for _, item := range v {
			w.WriteString(margin + "-")
			writeYAMLBehind(w, item, indent)
		}
	}
}

func writeYAMLBehind(w *strings.Builder, v any, indent int) {
	switch v := v.(type) {
	case map[string]any, []any:
		w.WriteByte('\n')
		writeYAML(w, v, indent+1)
	case string:
		if strings.ContainsAny(v, `:"'*[]{}#.`) {
			v = "'" + strings.ReplaceAll(v, "'", "''") + "'"
		}
		w.WriteString(" " + v + "\n")
	default:
		fmt.Fprintf(w, " %v\n", v)
	}
}
