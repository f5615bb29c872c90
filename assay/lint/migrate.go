package lint

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"example.com/assay/assay"
	"example.com/assay/assay/internal/policydoc"
)

// Migrate writes a policy of the older form, which has allow, deny or
// constraints at its root, as a 2.0 policy in YAML, and the new text decides
// every call as the old one does. allow and deny go to tools; each constraint
// becomes a schema, or require_args and arg_constraints where the tool has a
// schema already.
//
// Where the text is YAML, the keys that stay keep their lines and comments;
// comments inside of what changes are lost. It is an error if the text is no
// policy (a [*assay.PolicyError]), is of another form, or constrains one
// argument in two places that only their author can join.
func Migrate(data []byte, opts *Options) ([]byte, error) {
	limit := &assay.Options{MaxPolicyBytes: opts.maxPolicyBytes()}
	compiled, err := assay.Parse(data, limit)
	if err != nil {
		return nil, err
	}
	root, err := policydoc.Parse(data, opts.maxPolicyBytes())
	if err != nil {
		return nil, err
	}
	spec := compiled.Spec()
	if spec.Allow == nil && spec.Deny == nil && spec.Constraints == nil {
		return nil, errors.New("assay: the policy is not of the older form; it has no allow, deny or constraints at its root, so there is nothing to migrate")
	}
	m := &migration{root: root}
	if err := m.run(spec); err != nil {
		return nil, err
	}
	whole := m.print(nil)
	want, err := assay.Parse(whole, limit)
	if err != nil {
		return nil, fmt.Errorf("assay: the migrated policy is refused: %w", err)
	}
	// The lines of the original are kept only where they still mean the same.
	if lines := memberLines(data, root); lines != nil {
		kept := m.print(lines)
		if got, err := assay.Parse(kept, limit); err == nil && got.Digest() == want.Digest() {
			return kept, nil
		}
	}
	return whole, nil
}

// migration is one policy on its way.
type migration struct {
	root           *policydoc.Node
	tools, schemas *policydoc.Node // new; nil where the policy needs none
	entries        []entry
}

// entry is one key of the migrated root.
type entry struct {
	key    string          // "" where a key was and only its comments stay
	value  *policydoc.Node // new, or nil: that of origin
	origin int             // the member of the old root at whose place it stands, or -1
}

func (m *migration) run(spec *assay.Spec) error {
	tools, hasTools := m.root.Member("tools")
	schemas, hasSchemas := m.root.Member("schemas")
	m.tools, m.schemas = copied(tools), copied(schemas)
	m.moveNames("allow")
	m.moveNames("deny")
	if err := m.moveConstraints(spec.Constraints); err != nil {
		return err
	}
	// A policy that held nothing but an empty list is still no blocklist file.
	placeTools := !hasTools && (len(m.tools.Members) > 0 || len(m.schemas.Members) == 0)
	placeSchemas := !hasSchemas && len(m.schemas.Members) > 0

	place := func(when *bool, key string, value *policydoc.Node, origin int) bool {
		placed := *when
		if placed {
			m.entries = append(m.entries, entry{key, value, origin})
		}
		*when = false
		return placed
	}
	version := true
	if _, ok := m.root.Member("version"); !ok {
		place(&version, "version", textNode("2.0"), -1)
	}
	for i, member := range m.root.Members {
		e := entry{member.Key, nil, i}
		switch member.Key {
		case "version":
			e.value = textNode("2.0")
		case "tools":
			if !sameMembers(m.tools, tools) {
				e.value = m.tools
			}
		case "schemas":
			if !sameMembers(m.schemas, schemas) {
				e.value = m.schemas
			}
		case "allow", "deny":
			if place(&placeTools, "tools", m.tools, i) {
				continue
			}
			e.key = ""
		case "constraints":
			if place(&placeSchemas, "schemas", m.schemas, i) {
				continue
			}
			e.key = ""
		}
		m.entries = append(m.entries, e)
	}
	place(&placeTools, "tools", m.tools, -1)
	return nil
}

// moveNames moves a list of names from the root to tools, before those that are
// there. Null is as good as absent.
func (m *migration) moveNames(key string) {
	old, ok := m.root.Member(key)
	if !ok || old.Kind == policydoc.Null {
		return
	}
	names := &policydoc.Node{Kind: policydoc.List, Items: slices.Clone(old.Items)}
	if there, ok := m.tools.Member(key); ok {
		names.Items = append(names.Items, there.Items...)
	}
	set(m.tools, key, names)
}

// moveConstraints writes each tool's constraints as a schema. A schema that is
// there stays as it is, since references inside of it may depend on its shape;
// its tool's constraints become sources of their own beside it, as they were.
func (m *migration) moveConstraints(constraints []assay.Constraint) error {
	patterns := map[string]map[string][]string{} // tool -> argument -> expressions
	var tools []string
	for _, c := range constraints {
		if len(c.Params) == 0 {
			continue
		}
		if patterns[c.Tool] == nil {
			patterns[c.Tool] = map[string][]string{}
			tools = append(tools, c.Tool)
		}
		for argument, matcher := range c.Params {
			if all := patterns[c.Tool][argument]; !slices.Contains(all, matcher.Matches) {
				patterns[c.Tool][argument] = append(all, matcher.Matches)
			}
		}
	}
	for _, tool := range tools {
		required := &policydoc.Node{Kind: policydoc.List}
		properties := &policydoc.Node{Kind: policydoc.Map}
		for _, argument := range slices.Sorted(maps.Keys(patterns[tool])) {
			required.Items = append(required.Items, textNode(argument))
			set(properties, argument, stringSchema(patterns[tool][argument]))
		}
		if _, exists := m.schemas.Member(tool); !exists && tool != definitions {
			schema := &policydoc.Node{Kind: policydoc.Map}
			set(schema, "type", textNode("object"))
			set(schema, "required", required)
			set(schema, "properties", properties)
			set(m.schemas, tool, schema)
			continue
		}
		if err := m.constrainBeside(tool, required, properties); err != nil {
			return err
		}
	}
	return nil
}

// constrainBeside adds to tools.require_args and tools.arg_constraints of a tool.
func (m *migration) constrainBeside(tool string, required, properties *policydoc.Node) error {
	section := func(key string) *policydoc.Node {
		old, _ := m.tools.Member(key)
		return copied(old)
	}
	requireArgs, argConstraints := section("require_args"), section("arg_constraints")
	if there, ok := requireArgs.Member(tool); ok {
		required.Items = append(slices.Clone(there.Items), required.Items...)
	}
	old, _ := argConstraints.Member(tool)
	joined := copied(old)
	for _, property := range properties.Members {
		if _, taken := joined.Member(property.Key); taken {
			return fmt.Errorf("assay: constraints and tools.arg_constraints both constrain the argument %s of %s; join the two by hand under tools.arg_constraints", quote(property.Key), quote(tool))
		}
		set(joined, property.Key, property.Value)
	}
	set(requireArgs, tool, required)
	set(argConstraints, tool, joined)
	set(m.tools, "require_args", requireArgs)
	set(m.tools, "arg_constraints", argConstraints)
	return nil
}

// stringSchema is what a constraint demands of an argument
// (docs/policy.md, "A whole file"): a string of at least one character that
// every expression matches.
func stringSchema(expressions []string) *policydoc.Node {
	schema := &policydoc.Node{Kind: policydoc.Map}
	set(schema, "type", textNode("string"))
	set(schema, "minLength", &policydoc.Node{Kind: policydoc.Number, Text: "1"})
	if len(expressions) == 1 {
		set(schema, "pattern", textNode(expressions[0]))
		return schema
	}
	all := &policydoc.Node{Kind: policydoc.List}
	for _, expression := range expressions {
		one := &policydoc.Node{Kind: policydoc.Map}
		set(one, "pattern", textNode(expression))
		all.Items = append(all.Items, one)
	}
	set(schema, "allOf", all)
	return schema
}

// copied is a mapping with the members of n, which may be nil.
func copied(n *policydoc.Node) *policydoc.Node {
	c := &policydoc.Node{Kind: policydoc.Map}
	if n != nil {
		c.Members = slices.Clone(n.Members)
	}
	return c
}

func sameMembers(a, b *policydoc.Node) bool {
	return slices.EqualFunc(a.Members, b.Members, func(x, y policydoc.Member) bool { return x.Key == y.Key && x.Value == y.Value })
}

// set gives a mapping's key its value, in the place where the key is.
func set(n *policydoc.Node, key string, value *policydoc.Node) {
	for i := range n.Members {
		if n.Members[i].Key == key {
			n.Members[i].Value = value
			return
		}
	}
	n.Members = append(n.Members, policydoc.Member{Key: key, Value: value})
}

func textNode(s string) *policydoc.Node { return &policydoc.Node{Kind: policydoc.String, Text: s} }

// print writes the entries as YAML, those that are not new by their lines where
// lines are given.
func (m *migration) print(lines *rootLines) []byte {
	var b bytes.Buffer
	if lines != nil {
		b.WriteString(lines.head)
	}
	for _, e := range m.entries {
		if lines != nil && e.origin >= 0 {
			b.WriteString(lines.members[e.origin].before)
			if e.key != "" && e.value == nil {
				b.WriteString(lines.members[e.origin].text)
				continue
			}
		}
		if e.key == "" {
			continue
		}
		value := e.value
		if value == nil {
			value = m.root.Members[e.origin].Value
		}
		writeMember(&b, e.key, value, 0)
	}
	return b.Bytes()
}
