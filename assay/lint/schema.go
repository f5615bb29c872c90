package lint

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"

	"example.com/assay/assay/internal/ecma"
	"example.com/assay/assay/internal/policydoc"
)

// The rules about schemas (docs/policy.md, "Arguments").

// demanded calls f for every schema that the arguments must satisfy where they
// meet it, one time each.
func (p *policy) demanded(f func(s *subschema)) {
	for _, s := range p.schemas {
		if !s.condition {
			f(s)
		}
	}
}

// once lets every place through once: a schema may stand in several.
func once() func(at place) bool {
	seen := map[[2]int]bool{}
	return func(at place) bool {
		position := [2]int{at.line, at.column}
		first := !seen[position]
		seen[position] = true
		return first
	}
}

// openObject finds objects that take arguments nobody wrote down.
func openObject(p *policy, report reporter) {
	first := once()
	p.demanded(func(s *subschema) {
		properties, ok := s.at("properties")
		if !ok || len(properties.node.Members) == 0 || s.held.or(p.factsOf(s.node, s.root)).closed || !first(properties) {
			return
		}
		if additional, ok := s.at("additionalProperties"); ok && additional.node.Kind == policydoc.Map && len(additional.node.Members) > 0 {
			report(additional, "the object takes properties of any name that fit additionalProperties, beside those listed",
				"write additionalProperties: false, or describe their names with propertyNames")
			return
		}
		report(properties, "the object takes any property beside those listed", "write additionalProperties: false beside properties")
	})
}

// unboundedString finds strings that may be as long as a message.
func unboundedString(p *policy, report reporter) {
	first := once()
	p.demanded(func(s *subschema) {
		types, _ := typesOf(s.node)
		if !slices.Contains(types, "string") || s.held.or(p.factsOf(s.node, s.root)).bounded {
			return
		}
		if at, ok := s.at("type"); ok && first(at) {
			report(at, "the string has no maxLength", "write maxLength with the longest text that the tool needs")
		}
	})
}

func (p *policy) annotatesFormats() bool {
	return p.spec.Enforcement != nil && p.spec.Enforcement.Formats == "annotate"
}

// described are the properties that schemas for one value describe.
type described struct {
	names    []map[string]bool
	patterns []*ecma.Regexp
	all      bool // any name may be described
}

// describe returns what the schemas of a group describe together.
func (p *policy) describe(g *group) *described {
	if g.described != nil {
		return g.described
	}
	d := &described{}
	g.described = d
	seen := map[*policydoc.Node]bool{}
	var add func(n *policydoc.Node)
	add = func(n *policydoc.Node) {
		if n.Kind != policydoc.Map || seen[n] {
			return
		}
		seen[n] = true
		for _, m := range n.Members {
			if !p.spend(1) {
				d.all = true
				return
			}
			switch m.Key {
			case "properties":
				d.names = append(d.names, p.keys(m.Value))
			case "patternProperties":
				for _, property := range m.Value.Members {
					if !p.spend(1 + len(property.Key)) {
						d.all = true
						return
					}
					re, err := ecma.Compile(property.Key)
					if err != nil || !re.Linear() {
						d.all = true
						continue
					}
					d.patterns = append(d.patterns, re)
				}
			case "additionalProperties", "unevaluatedProperties":
				d.all = d.all || m.Value.Kind == policydoc.Map && len(m.Value.Members) > 0
			case "$ref":
				target, ok := p.resolve(m.Value.Text, g.top.root)
				if d.all = d.all || !ok; ok {
					add(target.node)
				}
			case "$dynamicRef", "$recursiveRef":
				d.all = true
			default:
				if application, ok := applicators[m.Key]; ok && application == toSame {
					for _, at := range held(place{node: m.Value, key: m.Key, index: -1}) {
						add(at.node)
					}
				}
			}
		}
	}
	add(g.top.node)
	return d
}

func (p *policy) describes(d *described, name string) bool {
	if d.all || !p.spend(1+len(d.names)) {
		return true
	}
	for _, set := range d.names {
		if set[name] {
			return true
		}
	}
	for _, re := range d.patterns {
		if !p.spend(8 + len(name)) {
			return true
		}
		if matched, err := re.MatchString(name, nil); matched || err != nil {
			return true
		}
	}
	return false
}

// requiredWithoutSchema finds properties that must be there and may be anything.
// Those that must be there and cannot are contradictions.
func requiredWithoutSchema(p *policy, report reporter) {
	first := once()
	p.demanded(func(s *subschema) {
		if _, closed := closedBy(s); closed {
			return
		}
		for item := range p.undescribed(s) {
			if !p.describes(p.describe(s.group), item.text()) && first(item) {
				report(item, fmt.Sprintf("the property %s is required and has no schema, so any value passes", quote(item.text())), p.requiredFix(s, item.text()))
			}
		}
	})
}

// undescribed are the required names that the schema's own properties and
// patternProperties do not describe.
func (p *policy) undescribed(s *subschema) iter.Seq[place] {
	return func(yield func(place) bool) {
		required, ok := s.at("required")
		if !ok {
			return
		}
		own := p.describe(&group{top: &subschema{place: onlyProperties(s.place), root: s.root}})
		for item := range required.items() {
			if item.node.Kind == policydoc.String && !p.describes(own, item.text()) && !yield(item) {
				return
			}
		}
	}
}

// requiredFix says what to do about a required name that nothing describes: most
// likely it is a slip for a property that is not required.
func (p *policy) requiredFix(s *subschema, name string) string {
	const describe = "describe it under properties"
	properties, ok := s.at("properties")
	if !ok {
		return describe
	}
	meant := p.nearest(name, func(yield func(string) bool) {
		for property := range properties.members() {
			if !yield(property.key) {
				return
			}
		}
	})
	required, _ := s.node.Member("required")
	isRequired := func(n *policydoc.Node) bool { return n.Text == meant }
	if meant == "" || !p.spend(len(required.Items)) || slices.ContainsFunc(required.Items, isRequired) {
		return describe
	}
	return didYouMean(meant)
}

// onlyProperties is a schema with its own properties and patternProperties alone.
func onlyProperties(s place) place {
	own := &policydoc.Node{Kind: policydoc.Map}
	for _, m := range s.node.Members {
		if m.Key == "properties" || m.Key == "patternProperties" {
			own.Members = append(own.Members, m)
		}
	}
	s.node = own
	return s
}

// freeFormats are annotations in every policy.
var freeFormats = []string{"float", "double", "password", "byte", "binary"}

func formatAnnotated(p *policy, report reporter) {
	if !p.annotatesFormats() {
		return
	}
	first := once()
	for _, s := range p.schemas {
		if format, ok := s.at("format"); ok && !slices.Contains(freeFormats, format.text()) && first(format) {
			report(format, fmt.Sprintf("format %s constrains nothing, because enforcement.formats is annotate", quote(format.text())),
				"set enforcement.formats to assert, or constrain the value with pattern")
		}
	}
}

func formatWithoutEffect(p *policy, report reporter) {
	first := once()
	for _, s := range p.schemas {
		if format, ok := s.at("format"); ok && slices.Contains(freeFormats, format.text()) && first(format) {
			report(format, fmt.Sprintf("format %s is an annotation and constrains nothing", quote(format.text())),
				"constrain the value with other keywords, or keep the format as a comment")
		}
	}
}

// constrained are the types whose values a keyword is about; it lets those of
// any other type pass (JSON Schema 2020-12, Validation, sections 6.2 to 6.5, and
// Core, sections 10 and 11).
var constrained = map[string]string{
	"maximum": "number", "minimum": "number", "exclusiveMaximum": "number", "exclusiveMinimum": "number", "multipleOf": "number",
	"maxLength": "string", "minLength": "string", "pattern": "string",
	"maxItems": "array", "minItems": "array", "uniqueItems": "array", "items": "array", "prefixItems": "array", "additionalItems": "array",
	"unevaluatedItems": "array", "contains": "array", "maxContains": "array", "minContains": "array",
	"maxProperties": "object", "minProperties": "object", "required": "object", "properties": "object", "patternProperties": "object",
	"additionalProperties": "object", "unevaluatedProperties": "object", "propertyNames": "object",
	"dependentRequired": "object", "dependentSchemas": "object", "dependencies": "object",
}

// keywordWithoutEffect finds keywords beside a type that has no value they are
// about.
func keywordWithoutEffect(p *policy, report reporter) {
	first := once()
	for _, s := range p.schemas {
		types, ok := typesOf(s.node)
		if !ok {
			continue
		}
		for keyword := range s.members() {
			about, ok := constrained[keyword.key]
			if !ok || slices.Contains(types, about) || about == "number" && slices.Contains(types, "integer") || !first(keyword) {
				continue
			}
			report(keyword, fmt.Sprintf("%s constrains %ss, and type is %s", quote(keyword.key), about, strings.Join(types, " or ")),
				"correct type, or put a keyword for that type in its place")
		}
	}
}

// unanchoredPattern finds expressions that match a part of a text where the
// whole was meant.
func unanchoredPattern(p *policy, report reporter) {
	first := once()
	p.demanded(func(s *subschema) {
		if pattern, ok := s.at("pattern"); ok && !s.held.or(p.factsOf(s.node, s.root)).anchored && first(pattern) {
			reportAnchors(pattern, pattern.text(), report)
		}
		if properties, ok := s.at("patternProperties"); ok {
			for property := range properties.members() {
				if first(property) {
					reportAnchors(property, property.key, report)
				}
			}
		}
	})
	for at, expression := range p.legacyPatterns() {
		reportAnchors(at, expression, report)
	}
	for s := range p.selectors() {
		if match, ok := s.operand.at("args_match"); ok {
			for at := range match.members() {
				reportAnchors(at, at.text(), report)
			}
		}
	}
}

func reportAnchors(at place, expression string, report reporter) {
	a := anchors(expression)
	switch {
	case a.start && a.end:
	case a.start:
		report(at, "other text may follow what the pattern matches, because it does not end with $", "end it with $")
	case a.end:
		report(at, "other text may stand before what the pattern matches, because it does not start with ^", "start it with ^")
	default:
		report(at, "other text may stand around what the pattern matches, because it has no ^ and $", "write ^(?:…)$ around it")
	}
}

// legacyPatterns are the expressions of the older constraints, in both forms.
func (p *policy) legacyPatterns() func(yield func(place, string) bool) {
	return func(yield func(place, string) bool) {
		list, ok := p.root.at("constraints")
		if !ok {
			return
		}
		var params []place
		for tool := range list.members() {
			params = append(params, tool)
		}
		for item := range list.items() {
			if tool, ok := item.at("params"); ok {
				params = append(params, tool)
			}
		}
		for _, tool := range params {
			for param := range tool.members() {
				at := param
				if matches, ok := param.at("matches"); ok {
					at = matches
				}
				if !yield(at, at.text()) {
					return
				}
			}
		}
	}
}

// propertyCase finds properties that a person takes for one.
func propertyCase(p *policy, report reporter) {
	first := once()
	for _, s := range p.schemas {
		properties, ok := s.at("properties")
		if !ok || !first(properties) {
			continue
		}
		seen := map[string]place{}
		for property := range properties.members() {
			folded := strings.Map(fold, property.key)
			if other, ok := seen[folded]; ok {
				report(property, fmt.Sprintf("the properties %s and %s (line %d) differ only by case", quote(property.key), quote(other.key), other.line),
					"keep the one that the tool reads")
				continue
			}
			seen[folded] = property
		}
	}
}

// fold returns one character for all that differ from it only by case.
func fold(r rune) rune {
	least := r
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		least = min(least, next)
	}
	return least
}
