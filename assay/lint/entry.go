package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/assay"
	"example.com/assay/assay/args"
)

// The rules about names and the lists that allow and deny them
// (docs/policy.md, "What is decided first").

// innerStar finds patterns that mean less than they seem to: of the five forms
// none has a star inside.
func innerStar(p *policy, report reporter) {
	effect := map[role]string{allows: "allows", denies: "blocks", obliges: "concerns"}
	for _, n := range p.names {
		if !n.isPattern() || !hasInnerStar(n.text) {
			continue
		}
		report(n.place, fmt.Sprintf("the star inside %s is a literal star, so the entry %s nothing it seems to name", quote(n.text), effect[n.role]),
			"write "+starForms(n.text))
	}
}

// starForms lists the patterns of the language that hold what stands between
// the stars of a pattern that is none.
func starForms(pattern string) string {
	parts := strings.FieldsFunc(pattern, func(r rune) bool { return r == '*' })
	first, last := parts[0], parts[len(parts)-1]
	head, tail := quote(first+"*"), quote("*"+last)
	if strings.HasPrefix(pattern, "*") {
		head = quote("*" + first + "*")
	}
	if strings.HasSuffix(pattern, "*") {
		tail = quote("*" + last + "*")
	}
	return head + " or " + tail + ", which match more, or list the names"
}

// literalStar finds stars in places of whole names.
func literalStar(p *policy, report reporter) {
	for _, n := range p.names {
		if n.isPattern() || !strings.Contains(n.text, "*") {
			continue
		}
		fix := "list the names one by one"
		if n.role == blocks {
			fix = "list the names one by one, or write the pattern under tools.deny"
		}
		report(n.place, fmt.Sprintf("%s is a whole name in %s, so its star stands for nothing but a star", quote(n.text), n.list), fix)
	}
	for r := range p.sequenceRules() {
		pattern, ok := r.at("pattern")
		if ok && r.kind == "blocklist" && strings.Contains(pattern.text(), "*") {
			report(pattern, fmt.Sprintf("the pattern %s is a part of a name, so its star stands for nothing but a star", quote(pattern.text())),
				"write the part without stars")
		}
	}
}

// denying are the roles whose names, where they match nothing, let more through
// than was meant, with what they do to the names that they match.
var denying = map[role]string{
	denies:       "blocks",
	blocks:       "blocks",
	blocksPart:   "blocks",
	deniesClass:  "blocks",
	obliges:      "concerns",
	obligesClass: "concerns",
}

// spaceInDenied finds entries that a reader takes for several. YAML makes them:
// it joins lines, and a hyphen that is indented deeper begins no entry.
func spaceInDenied(p *policy, report reporter) {
	for _, n := range p.identifiers() {
		if effect, ok := denying[n.role]; ok && strings.ContainsAny(n.text, space) {
			report(n.place, fmt.Sprintf("%s is one entry, white space included, so it %s none of its words alone", quote(n.text), effect), spaceFix(n.text))
		}
	}
}

// spaceInName finds the same in other places.
func spaceInName(p *policy, report reporter) {
	for _, n := range p.identifiers() {
		if _, ok := denying[n.role]; !ok && strings.ContainsAny(n.text, space) {
			report(n.place, fmt.Sprintf("%s is one name, white space included, and none of its words alone", quote(n.text)), spaceFix(n.text))
		}
	}
}

// space is the white space of ASCII; any other is an invisible character.
const space = " \t\n\v\f\r"

func spaceFix(text string) string {
	switch {
	case strings.HasPrefix(text, "- ") || strings.Contains(text, " - "):
		return "begin each name with a hyphen of the same indentation"
	case len(strings.Fields(text)) < 2:
		return "write the name without the white space"
	}
	return "write each name as an entry of its own"
}

// neverMatches finds entries that cannot match any tool: the empty name, which
// no call has, and classes that no tool has.
func neverMatches(p *policy, report reporter) {
	for _, n := range p.names {
		if n.text == "" {
			report(n.place, "the entry is empty, and no tool has an empty name", "remove it, or write the name")
		}
	}
	known := p.classes()
	sorted := slices.Sorted(maps.Keys(known))
	for _, l := range classLists {
		list, ok := p.root.at("tools", l.key)
		if !ok {
			continue
		}
		for item := range list.items() {
			if !known[item.text()] {
				report(item, fmt.Sprintf("no tool under tool_classes has the class %s, so the entry matches nothing", quote(item.text())),
					p.classFix(item.text(), sorted))
			}
		}
	}
}

// classes are those that tools have.
func (p *policy) classes() map[string]bool {
	known := map[string]bool{}
	for _, classes := range p.spec.ToolClasses {
		for _, class := range classes {
			known[class] = true
		}
	}
	return known
}

func (p *policy) classFix(class string, known []string) string {
	if meant := p.nearest(class, slices.Values(known)); meant != "" {
		return didYouMean(meant)
	}
	return "give the class to its tools under tool_classes, or remove the entry"
}

// denyShadowsAllow finds allow entries of which every match is denied. One
// name stands for all that a pattern matches; see probe.
func denyShadowsAllow(p *policy, report reporter) {
	for _, n := range p.names {
		if n.role != allows || n.text == "" {
			continue
		}
		if probe := p.probe(n.text); p.byName.CheckName(probe) == args.CodeToolDenied {
			report(n.place, fmt.Sprintf("%s allows nothing: %s", quote(n.text), p.denier(n.text, probe)),
				"remove it here, or what denies it")
		}
	}
	list, ok := p.root.at("tools", "allow_classes")
	if !ok || p.spec.Tools == nil {
		return
	}
	denied := map[string]bool{}
	for _, class := range p.spec.Tools.DenyClasses {
		denied[class] = true
	}
	for item := range list.items() {
		if denied[item.text()] {
			report(item, fmt.Sprintf("the class %s allows nothing: tools.deny_classes denies it", quote(item.text())), "remove it here or there")
		}
	}
}

// denier says what denies all that a pattern matches.
func (p *policy) denier(pattern, probe string) string {
	for _, n := range p.names {
		if !p.spend(1) {
			break
		}
		var matches bool
		switch n.role {
		case denies:
			matches = args.ParsePattern(n.text).Match(probe)
		case blocks:
			matches = n.text == pattern && isExact(pattern)
		}
		if matches {
			return fmt.Sprintf("%s of %s (line %d) denies all that it matches", quote(n.text), n.list, n.line)
		}
	}
	return "tools.deny_classes denies a class of the tool"
}

// noSchema finds tools that may be called with any arguments, or with none at
// all where unconstrained tools are denied.
func noSchema(p *policy, report reporter) {
	constrained := constrainedTools(p.spec)
	mode := p.unconstrained()
	seen := map[string]bool{}
	tool := func(at place, name string) {
		if name == "" || seen[name] || constrained[name] || p.byName.CheckName(name) != "" {
			return
		}
		seen[name] = true
		effect := map[string]string{
			"warn":  "so a call passes with any arguments, and a warning",
			"allow": "so a call passes with any arguments",
			"deny":  "so every call of it is denied",
		}[mode]
		report(at, fmt.Sprintf("%s is allowed and has no schema, %s", quote(name), effect), "write its schema under schemas")
	}
	for _, n := range p.names {
		switch {
		case n.role != allows || hasInnerStar(n.text):
		case isExact(n.text):
			tool(n.place, n.text)
		case mode != "deny" && p.byName.CheckName(p.probe(n.text)) == "":
			report(n.place, fmt.Sprintf("%s also allows tools that have no schema, with any arguments", quote(n.text)),
				"set enforcement.unconstrained_tools to deny, or list the tools")
		}
	}
	if p.spec.Tools == nil {
		return
	}
	allowed := map[string]bool{}
	for _, class := range p.spec.Tools.AllowClasses {
		allowed[class] = true
	}
	for _, n := range p.names {
		if n.role == sorts && slices.ContainsFunc(p.spec.ToolClasses[n.text], func(c string) bool { return allowed[c] }) {
			tool(n.place, n.text)
		}
	}
}

// argumentKeys are the keys of a document that decide about tools by their names
// and arguments. A blocklist alone is none: such a file is there to deny a few
// names.
var argumentKeys = []string{"allow", "deny", "tools", "tool_classes", "schemas", "constraints", "enforcement", "limits", "tool_pins"}

// noAllowList finds documents without a list of what may be called.
func noAllowList(p *policy, report reporter) {
	_, atRoot := p.root.at("allow")
	_, names := p.root.at("tools", "allow")
	_, classes := p.root.at("tools", "allow_classes")
	if atRoot || names || classes || p.unconstrained() == "deny" || p.byName.CheckName(p.fresh) != "" {
		return
	}
	for at := range p.root.members() {
		if slices.Contains(argumentKeys, at.key) {
			report(at, "there is no list of allowed tools, so every name passes that nothing denies",
				"list the tools under tools.allow, or deny those without a schema with enforcement.unconstrained_tools")
			return
		}
	}
}

// constrainedTools are the tools with a schema of any source
// (docs/policy.md, "A whole file").
func constrainedTools(s *assay.Spec) map[string]bool {
	all := map[string]bool{}
	for tool := range s.Schemas {
		all[tool] = tool != definitions
	}
	for _, c := range s.Constraints {
		if len(c.Params) > 0 {
			all[c.Tool] = true
		}
	}
	if s.Tools == nil {
		return all
	}
	for tool, names := range s.Tools.RequireArgs {
		if len(names) > 0 {
			all[tool] = true
		}
	}
	for tool, properties := range s.Tools.ArgConstraints {
		if len(properties) > 0 {
			all[tool] = true
		}
	}
	return all
}
