package lint

import "strings"

// role is what a policy does with the names of a list.
type role uint8

const (
	allows   role = iota // lets tools through
	denies               // denies tools
	obliges              // puts an obligation on tools
	blocks               // denies whole names, in the blocklist
	governs              // gives a tool its schema, pin or other rule of its arguments
	sorts                // gives a tool its classes
	mentions             // speaks of a tool in a sequence rule
	groups               // is a member of an alias
	aliases              // is an alias's own name
)

// name is a name or pattern that the policy's text holds.
type name struct {
	place
	text string
	role role
	list string // what its list is called in a sentence
}

// isPattern reports whether the stars at the name's ends have a meaning.
func (n name) isPattern() bool { return n.role <= obliges }

// patternLists are the places of patterns.
var patternLists = []struct {
	keys []string
	role role
}{
	{[]string{"allow"}, allows},
	{[]string{"deny"}, denies},
	{[]string{"tools", "allow"}, allows},
	{[]string{"tools", "deny"}, denies},
	{[]string{"tools", "approval_required"}, obliges},
	{[]string{"tools", "restrict_scope"}, obliges},
	{[]string{"tools", "redact_args"}, obliges},
}

// nameMaps are the places of mappings whose keys are tools.
var nameMaps = []struct {
	keys []string
	role role
}{
	{[]string{"tool_classes"}, sorts},
	{[]string{"schemas"}, governs},
	{[]string{"tool_pins"}, governs},
	{[]string{"tools", "require_args"}, governs},
	{[]string{"tools", "arg_constraints"}, governs},
	{[]string{"constraints"}, governs},
}

// collectNames lists the names of a policy.
func collectNames(p *policy) []name {
	var all []name
	add := func(at place, text string, r role, list string) {
		all = append(all, name{at, text, r, list})
	}
	for _, l := range patternLists {
		if list, ok := p.root.at(l.keys...); ok {
			for item := range list.items() {
				add(item, item.text(), l.role, strings.Join(l.keys, "."))
			}
		}
	}
	for _, m := range nameMaps {
		if mapping, ok := p.root.at(m.keys...); ok {
			for member := range mapping.members() {
				if m.keys[0] != "schemas" || member.key != definitions {
					add(member, member.key, m.role, strings.Join(m.keys, "."))
				}
			}
		}
	}
	if list, ok := p.root.at("constraints"); ok {
		for item := range list.items() {
			if tool, ok := item.at("tool"); ok {
				add(tool, tool.text(), governs, "constraints")
			}
		}
	}
	if list, ok := p.root.at("blocklist"); ok {
		for item := range list.items() {
			add(item, item.text(), blocks, "blocklist")
		}
	}
	for s := range p.selectors() {
		add(s.tool, s.tool.text(), mentions, "sequences")
	}
	if mapping, ok := p.root.at("aliases"); ok {
		for member := range mapping.members() {
			add(member, member.key, aliases, "aliases")
			for item := range member.items() {
				add(item, item.text(), groups, "aliases."+cut(member.key, 64))
			}
		}
	}
	if p.spec.Exact != nil {
		for item := range p.root.items() {
			add(item, item.text(), mentions, "the list of calls")
		}
	}
	return all
}

// definitions is the key of schemas that is no tool.
const definitions = "$defs"
