package lint

import (
	"fmt"
	"iter"
	"slices"

	"example.com/assay/assay/internal/policydoc"
)

// The rules about sequences and aliases (docs/policy.md, "Order").

// sequenceRule is one entry of the list of rules.
type sequenceRule struct {
	place
	kind string
}

// sequenceRules are those of the document, in either form.
func (p *policy) sequenceRules() iter.Seq[sequenceRule] {
	list := p.root
	if p.root.node.Kind == policydoc.Map {
		var ok bool
		if list, ok = p.root.at("sequences"); !ok {
			return func(func(sequenceRule) bool) {}
		}
	}
	return func(yield func(sequenceRule) bool) {
		for item := range list.items() {
			kind, _ := item.node.Member("type")
			if kind != nil && !yield(sequenceRule{item, kind.Text}) {
				return
			}
		}
	}
}

// selector is an operand of a rule: which calls it is about.
type selector struct {
	operand place // the name itself, or the mapping {tool, args_match}
	tool    place
	byArgs  bool
}

// operand returns the selector at an operand's place.
func (r sequenceRule) operand(key string) (selector, bool) {
	at, ok := r.at(key)
	if !ok {
		return selector{}, false
	}
	return selectorAt(at)
}

func selectorAt(at place) (selector, bool) {
	if at.node.Kind == policydoc.Map {
		tool, ok := at.at("tool")
		return selector{at, tool, true}, ok
	}
	return selector{at, at, false}, at.node.Kind == policydoc.String
}

// selectors are those of every rule.
func (p *policy) selectors() iter.Seq[selector] {
	return func(yield func(selector) bool) {
		for r := range p.sequenceRules() {
			for member := range r.members() {
				switch member.key {
				case "tool", "first", "then", "trigger", "forbidden":
					if s, ok := selectorAt(member); ok && !yield(s) {
						return
					}
				case "tools":
					for item := range member.items() {
						if s, ok := selectorAt(item); ok && !yield(s) {
							return
						}
					}
				}
			}
		}
	}
}

// tools are the names that a selector may stand for.
func (p *policy) tools(s selector) []string {
	if members, ok := p.spec.Aliases[s.tool.text()]; ok {
		return members
	}
	return []string{s.tool.text()}
}

// within reports whether every call that a matches is matched by b too,
// whatever is known of its arguments.
func (p *policy) within(a, b selector) bool {
	if b.byArgs && !(a.byArgs && a.operand.node.Kind == b.operand.node.Kind && p.equal(a.operand.node, b.operand.node)) {
		return false
	}
	if a.tool.text() == b.tool.text() {
		return true
	}
	if b.byArgs {
		return false
	}
	pair := [2]string{a.tool.text(), b.tool.text()}
	answer, known := p.subsets[pair]
	if !known {
		answer = p.isSubset(p.tools(a), p.tools(b))
		p.subsets[pair] = answer
	}
	return answer
}

// isSubset reports whether inner is not empty and all of it stands in outer.
func (p *policy) isSubset(inner, outer []string) bool {
	if len(inner) == 0 || !p.spend(len(inner)+len(outer)) {
		return false
	}
	set := make(map[string]bool, len(outer))
	for _, tool := range outer {
		set[tool] = true
	}
	return !slices.ContainsFunc(inner, func(tool string) bool { return !set[tool] })
}

// equal reports whether two selectors are written alike.
func (p *policy) equal(a, b *policydoc.Node) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Members) != len(b.Members) {
		return false
	}
	for _, m := range a.Members {
		other, ok := b.Member(m.Key)
		if !p.spend(len(b.Members)) || !ok || !p.equal(m.Value, other) {
			return false
		}
	}
	return true
}

// alwaysHeld finds rules that no trace violates.
func alwaysHeld(p *policy, report reporter) {
	for r := range p.sequenceRules() {
		switch r.kind {
		case "before":
			first, _ := r.operand("first")
			then, ok := r.operand("then")
			if ok && p.within(then, first) {
				report(r.place, "every call of then is a call of first too, so nothing can violate the rule",
					"name two different tools, or remove the rule")
			}
		case "sequence":
			tools, ok := r.at("tools")
			if n := len(tools.node.Items); ok && n < 2 {
				report(tools, fmt.Sprintf("a sequence of %s has no order, so nothing can violate the rule", []string{"no tools", "one tool"}[n]),
					"list at least two tools, or remove the rule")
			}
		}
	}
}

// alwaysViolated finds rules that are violated as soon as they concern a trace.
func alwaysViolated(p *policy, report reporter) {
	for r := range p.sequenceRules() {
		switch r.kind {
		case "after":
			if within, ok := r.at("within"); ok && isZero(within) {
				report(within, "within: 0 leaves no call in which then could follow, so every trigger violates the rule",
					"write within: 1 or more, or forbid the trigger with max_calls 0")
			}
		case "eventually":
			if within, ok := r.at("within"); ok && isZero(within) {
				report(within, "within: 0 leaves no call in which the tool could come, so every call violates the rule",
					"write within: 1 or more")
			}
		case "blocklist":
			if pattern, ok := r.at("pattern"); ok && pattern.text() == "" {
				report(pattern, "every name contains the empty pattern, so every call violates the rule",
					"write a part of the names to block, or remove the rule")
			}
		}
	}
}

// isZero reports whether a place holds the number 0. Whole documents that
// compile hold no other number that starts so.
func isZero(at place) bool {
	for _, c := range at.node.Text {
		switch c {
		case 'e', 'E':
			return true
		case '0', '.', '-':
		default:
			return false
		}
	}
	return at.node.Kind == policydoc.Number
}

func emptyAlias(p *policy, report reporter) {
	mapping, ok := p.root.at("aliases")
	if !ok {
		return
	}
	for alias := range mapping.members() {
		if len(alias.node.Items) == 0 {
			report(alias, fmt.Sprintf("the alias %s has no members, so a rule that names it matches nothing", quote(alias.key)),
				"list its tools, or remove it")
		}
	}
}

// aliasHidesTool finds aliases that stand between a rule and the tool of their
// name. An alias that is a member of itself means the tool too.
func aliasHidesTool(p *policy, report reporter) {
	at := map[string]name{}
	for _, n := range p.names {
		if n.role >= mentions || n.isPattern() && !isExact(n.text) {
			continue
		}
		if _, known := at[n.text]; !known {
			at[n.text] = n
		}
	}
	mapping, ok := p.root.at("aliases")
	if !ok {
		return
	}
	for alias := range mapping.members() {
		tool, real := at[alias.key]
		for item := range alias.items() {
			real = real && item.text() != alias.key
		}
		if real {
			report(alias, fmt.Sprintf("the alias %s has the name of a tool in %s (line %d), so rules that name it do not mean that tool", quote(alias.key), tool.list, tool.line),
				"give the alias another name, or list the tool among its members")
		}
	}
}
