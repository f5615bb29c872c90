package assay

import (
	"strings"

	"example.com/assay/assay/internal/policydoc"
	"example.com/assay/assay/sequence"
)

// rules reads a list of sequence rules; nil when it is absent.
func (f field) rules() []sequence.Rule {
	if !f.is(policydoc.List, "a list of rules") {
		return nil
	}
	rules := make([]sequence.Rule, 0, len(f.node.Items))
	for i := range f.node.Items {
		if rule := f.item(i).rule(); rule != nil {
			rules = append(rules, rule)
		}
	}
	return rules
}

// ruleReaders has, for each kind of rule, its operands. What an operand means is
// the doc comment of the rule's type in package sequence.
var ruleReaders = map[string]func(m *mapping) sequence.Rule{
	"require": func(m *mapping) sequence.Rule {
		return sequence.Require{Tool: m.required("tool").selector()}
	},
	"before": func(m *mapping) sequence.Rule {
		return sequence.Before{First: m.required("first").selector(), Then: m.required("then").selector()}
	},
	"after": func(m *mapping) sequence.Rule {
		rule := sequence.After{Trigger: m.required("trigger").selector(), Then: m.required("then").selector(), Within: 1}
		if within := m.key("within"); within.node != nil {
			rule.Within = within.operand()
		}
		return rule
	},
	"never_after": func(m *mapping) sequence.Rule {
		return sequence.NeverAfter{Trigger: m.required("trigger").selector(), Forbidden: m.required("forbidden").selector()}
	},
	"eventually": func(m *mapping) sequence.Rule {
		return sequence.Eventually{Tool: m.required("tool").selector(), Within: m.required("within").operand()}
	},
	"max_calls": func(m *mapping) sequence.Rule {
		return sequence.MaxCalls{Tool: m.required("tool").selector(), Max: m.required("max").operand()}
	},
	"sequence": func(m *mapping) sequence.Rule {
		return sequence.Sequence{Tools: m.required("tools").selectors(), Strict: m.key("strict").flag()}
	},
	"blocklist": func(m *mapping) sequence.Rule {
		return sequence.Blocklist{Pattern: deref(m.required("pattern").text())}
	},
}

// ruleKinds are the keys of ruleReaders in the order of docs/policy.md, "Order".
var ruleKinds = []string{"require", "before", "after", "never_after", "eventually", "max_calls", "sequence", "blocklist"}

// ruleForms shows how each kind of rule is written.
var ruleForms = map[string]string{
	"require":     "{type: require, tool: name}",
	"before":      "{type: before, first: name, then: name}",
	"after":       "{type: after, trigger: name, then: name}",
	"never_after": "{type: never_after, trigger: name, forbidden: name}",
	"eventually":  "{type: eventually, tool: name, within: 3}",
	"max_calls":   "{type: max_calls, tool: name, max: 1}",
	"sequence":    "{type: sequence, tools: [name, name]}",
	"blocklist":   "{type: blocklist, pattern: name}",
}

// rule reads one rule; nil when it is none.
func (f field) rule() sequence.Rule {
	m := f.mapping()
	read := ruleReaders[m.required("type").word(ruleKinds...)]
	if read == nil {
		m.reportUntyped()
		return nil
	}
	defer m.close()
	return read(m)
}

// reportUntyped reports that a rule has no type. What its other keys mean nobody
// knows, but one may be a misspelt type, or be the kind itself.
func (m *mapping) reportUntyped() {
	if _, typed := m.member("type"); typed || m.node == nil || len(m.r.problems) == maxProblems {
		return
	}
	for _, member := range m.node.Members {
		if nearest(member.Key, m.known) != "" {
			m.unknown(member.Key)
			return
		}
	}
	for _, member := range m.node.Members {
		if form, ok := ruleForms[member.Key]; ok {
			m.lacks("type", "write "+form)
			return
		}
	}
	m.lacks("type", "add type: one of "+strings.Join(ruleKinds, ", "))
}

// operand reads a number of calls.
func (f field) operand() int {
	n := f.count(sequence.MaxOperand)
	if n == nil {
		return 0
	}
	return int(*n)
}

// selector reads a tool's name, or {tool, args_match: {argument: pattern}}.
func (f field) selector() sequence.Selector {
	if f.node == nil {
		return sequence.Selector{}
	}
	switch f.node.Kind {
	case policydoc.String:
		return sequence.Selector{Tool: f.node.Text}
	case policydoc.Map:
		m := f.mapping()
		defer m.close()
		return sequence.Selector{
			Tool: deref(m.required("tool").text()),
			Args: members(m.required("args_match"), func(f field) string { return deref(f.text()) }),
		}
	}
	f.wrong("a tool's name or a mapping")
	return sequence.Selector{}
}

func (f field) selectors() []sequence.Selector {
	if !f.is(policydoc.List, "a list of tools") {
		return nil
	}
	tools := make([]sequence.Selector, len(f.node.Items))
	for i := range tools {
		tools[i] = f.item(i).selector()
	}
	return tools
}
