package lint

import (
	"slices"
	"strings"
)

// role is what a policy does with the names of a list.
type role uint8

const (
	allows       role = iota // lets tools through
	denies                   // denies tools
	obliges                  // puts an obligation on tools
	blocks                   // denies whole names, in the blocklist
	governs                  // gives a tool its schema, pin or other rule of its arguments
	sorts                    // gives a tool its classes
	mentions                 // speaks of a tool in a sequence rule
	groups                   // is a member of an alias
	aliases                  // is an alias's own name
	deniesClass              // denies the tools of a class
	obligesClass             // puts an obligation on the tools of a class
	namesClass               // speaks of a class otherwise
	blocksPart               // is the part of a name that a sequence rule blocks
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

// classLists are the places of classes.
var classLists = []struct {
	key  string
	role role
}{
	{"allow_classes", namesClass},
	{"deny_classes", deniesClass},
	{"approval_required_classes", obligesClass},
	{"restrict_scope_classes", obligesClass},
	{"redact_args_classes", obligesClass},
}

// identifiers are the names of tools, and beside them those of classes and the
// parts of names that sequence rules block.
func (p *policy) identifiers() []name {
	all := slices.Clone(p.names)
	for _, l := range classLists {
		if list, ok := p.root.at("tools", l.key); ok {
			for item := range list.items() {
				all = append(all, name{item, item.text(), l.role, "tools." + l.key})
			}
		}
	}
	if mapping, ok := p.root.at("tool_classes"); ok {
		for member := range mapping.members() {
			for item := range member.items() {
				all = append(all, name{item, item.text(), namesClass, "tool_classes"})
			}
		}
	}
	for r := range p.sequenceRules() {
		if pattern, ok := r.at("pattern"); ok && r.kind == "blocklist" {
			all = append(all, name{pattern, pattern.text(), blocksPart, "sequences"})
		}
	}
	return all
}

// definitions is the key of schemas that is no tool.
const definitions = "$defs"
