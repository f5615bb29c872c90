package lint

import (
	"net/url"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/assay/internal/policydoc"
	"example.com/assay/internal/jsonpointer"
)

// subschema is a schema where the arguments of a call may meet it.
type subschema struct {
	place
	// root is the schema that references of this one are relative to, nil
	// where that is written nowhere in the policy.
	root *place
	// condition says that it is asked and not demanded (not, if, contains,
	// propertyNames): what it lets through, the call need not.
	condition bool
	// held is what other schemas for the same value see to already.
	held facts
	// group are the schemas for the same value.
	group *group
}

// group is the schemas that judge one value together.
type group struct {
	top       *subschema // the one that holds all others
	described *described // nil until asked for
}

// facts are what a schema sees to, by itself or through the schemas that it
// applies to the same value. A schema that no such value meets sees to it too.
type facts struct {
	closed   bool // an object has no properties but those that are named
	bounded  bool // a string is not longer than some length, or of one of shortFormats
	anchored bool // a string is matched from end to end, or listed
}

func (f facts) or(g facts) facts {
	return facts{f.closed || g.closed, f.bounded || g.bounded, f.anchored || g.anchored}
}

func (f facts) and(g facts) facts {
	return facts{f.closed && g.closed, f.bounded && g.bounded, f.anchored && g.anchored}
}

var allFacts = facts{true, true, true}

// application is how a keyword applies the schemas it holds.
type application uint8

const (
	toSame      application = iota + 1 // to the same value
	toCondition                        // to the same value, without demanding it
	toPart                             // to parts of the value
	toAsked                            // to parts of the value, without demanding it of each
)

// applicators are the keywords that hold schemas, whatever the draft.
var applicators = map[string]application{
	"allOf": toSame, "anyOf": toSame, "oneOf": toSame, "then": toSame, "else": toSame, "dependentSchemas": toSame, "dependencies": toSame,
	"not": toCondition, "if": toCondition,
	"properties": toPart, "patternProperties": toPart, "additionalProperties": toPart, "unevaluatedProperties": toPart,
	"items": toPart, "prefixItems": toPart, "additionalItems": toPart, "unevaluatedItems": toPart,
	"contains": toAsked, "propertyNames": toAsked,
}

// namesSchemas are the applicators whose value is a mapping of names to schemas.
var namesSchemas = []string{"properties", "patternProperties", "dependentSchemas", "dependencies"}

// held are the schemas that an applicator's value holds.
func held(keyword place) []place {
	switch {
	case slices.Contains(namesSchemas, keyword.key):
		var all []place
		for member := range keyword.members() {
			if member.node.Kind != policydoc.List {
				all = append(all, member)
			}
		}
		return all
	case keyword.node.Kind == policydoc.List:
		return slices.Collect(keyword.items())
	}
	return []place{keyword}
}

// visit tells the visits of one schema apart that may find different things.
type visit struct {
	node      *policydoc.Node
	condition bool
	held      facts
}

// collector lists the schemas of a policy.
type collector struct {
	p       *policy
	visited map[visit]bool
	all     []*subschema
}

// collectSchemas lists every schema that a call may meet, definitions where
// they are referred to. Those of a tool whose schema does not compile no call
// meets, and what they say is not settled, so they are left out.
func collectSchemas(p *policy) []*subschema {
	c := &collector{p: p, visited: map[visit]bool{}}
	broken := map[string]bool{} // tools of which every call is denied, whatever their schemas say
	for _, problem := range p.compiled.Problems() {
		broken[problem.Tool] = true
	}
	start := func(at place, root *place) {
		s := &subschema{place: at, root: root}
		s.group = &group{top: s}
		c.walk(s)
	}
	if schemas, ok := p.root.at("schemas"); ok {
		for schema := range schemas.members() {
			if schema.key != definitions && !broken[schema.key] {
				start(schema, &schema)
			}
		}
	}
	if tools, ok := p.root.at("tools", "arg_constraints"); ok {
		for tool := range tools.members() {
			if broken[tool.key] {
				continue
			}
			for argument := range tool.members() {
				start(argument, nil)
			}
		}
	}
	return c.all
}

func (c *collector) walk(s *subschema) {
	key := visit{s.node, s.condition, s.held}
	if s.node.Kind != policydoc.Map || c.visited[key] || !c.p.spend(1) {
		return
	}
	c.visited[key] = true
	c.all = append(c.all, s)
	around := s.held.or(c.p.factsOf(s.node, s.root))
	for keyword := range s.members() {
		if keyword.key == "$ref" {
			if target, ok := c.p.resolve(keyword.text(), s.root); ok {
				c.walk(&subschema{target, s.root, s.condition, around, s.group})
			}
			continue
		}
		application, ok := applicators[keyword.key]
		if !ok {
			continue
		}
		for _, at := range held(keyword) {
			below := &subschema{place: at, root: s.root, condition: s.condition || application == toCondition || application == toAsked}
			if application == toSame || application == toCondition {
				below.held, below.group = around, s.group
			} else {
				below.group = &group{top: below}
			}
			c.walk(below)
		}
	}
}

// resolve finds what a reference of a schema means: a pointer into the schema
// itself, or a shared definition.
func (p *policy) resolve(ref string, root *place) (place, bool) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return place{}, false
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return place{}, false
	}
	if root != nil {
		if at, ok := p.lookup(*root, pointer); ok {
			return at, true
		}
	}
	for _, prefix := range []string{"/$defs", "/definitions"} {
		rest, ok := strings.CutPrefix(pointer, prefix+"/")
		if ok && p.shared.node != nil {
			return p.lookup(p.shared, "/"+rest)
		}
	}
	return place{}, false
}

// lookup follows a JSON Pointer (RFC 6901).
func (p *policy) lookup(at place, pointer string) (place, bool) {
	if pointer == "" {
		return at, true
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if !p.spend(1 + len(at.node.Members)) {
			return place{}, false
		}
		name, _ := jsonpointer.Unescape(token)
		next, ok := at.at(name)
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(at.node.Items) {
			item := at.node.Items[i]
			next, ok = place{node: item, line: item.Line, column: item.Column, in: &at, index: i}, true
		}
		if !ok {
			return place{}, false
		}
		at = next
	}
	return at, true
}

// factsOf returns what a schema sees to. Of a reference that leads nowhere it
// claims everything, so that nobody claims the contrary.
func (p *policy) factsOf(n *policydoc.Node, root *place) facts {
	switch n.Kind {
	case policydoc.Bool:
		if !n.Bool {
			return allFacts
		}
		return facts{}
	case policydoc.Map:
	default:
		return allFacts
	}
	if f, known := p.facts[n]; known {
		return f
	}
	p.facts[n] = facts{} // for a reference that comes back here
	f := ownFacts(n)
	if format, ok := n.Member("format"); ok && !p.annotatesFormats() && slices.Contains(shortFormats, format.Text) {
		f.bounded = true
	}
	for _, m := range n.Members {
		switch m.Key {
		case "$ref":
			if target, ok := p.resolve(m.Value.Text, root); ok {
				f = f.or(p.factsOf(target.node, root))
			} else {
				f = allFacts
			}
		case "$dynamicRef", "$recursiveRef":
			f = allFacts
		case "allOf":
			for _, item := range m.Value.Items {
				f = f.or(p.factsOf(item, root))
			}
		case "anyOf", "oneOf":
			all := allFacts
			for _, item := range m.Value.Items {
				all = all.and(p.factsOf(item, root))
			}
			if len(m.Value.Items) > 0 {
				f = f.or(all)
			}
		}
	}
	then, hasThen := n.Member("then")
	otherwise, hasElse := n.Member("else")
	if hasThen && hasElse {
		f = f.or(p.factsOf(then, root).and(p.factsOf(otherwise, root)))
	}
	p.facts[n] = f
	return f
}

// shortFormats are those whose strings have a greatest length, or none only
// because a number in them may have any count of digits (RFC 3339, section 5.6
// and appendix A).
var shortFormats = []string{"date-time", "time", "date", "duration", "ipv4", "ipv6", "uuid", "hostname"}

// ownFacts are what the keywords of one schema see to.
func ownFacts(n *policydoc.Node) facts {
	var f facts
	if types, ok := typesOf(n); ok {
		f.closed = !slices.Contains(types, "object")
		f.bounded = !slices.Contains(types, "string")
		f.anchored = f.bounded
	}
	for _, m := range n.Members {
		switch m.Key {
		case "enum", "const":
			f = allFacts
		case "additionalProperties", "unevaluatedProperties":
			f.closed = f.closed || refusesAll(m.Value)
		case "propertyNames":
			f.closed = f.closed || m.Value.Kind != policydoc.Map || len(m.Value.Members) > 0
		case "maxLength":
			f.bounded = true
		case "pattern":
			a := anchors(m.Value.Text)
			f.anchored = f.anchored || a.start && a.end
			f.bounded = f.bounded || a.start && a.end && boundedPattern(m.Value.Text)
		}
	}
	return f
}

// typesOf lists the types of a schema that names any.
func typesOf(n *policydoc.Node) (types []string, ok bool) {
	named, ok := n.Member("type")
	if !ok {
		return nil, false
	}
	if named.Kind == policydoc.String {
		return []string{named.Text}, true
	}
	for _, item := range named.Items {
		types = append(types, item.Text)
	}
	return types, true
}

// refusesAll reports whether a schema is false, or not: {} or not: true.
func refusesAll(n *policydoc.Node) bool {
	if n.Kind == policydoc.Bool {
		return !n.Bool
	}
	not, ok := n.Member("not")
	return ok && (not.Kind == policydoc.Bool && not.Bool || not.Kind == policydoc.Map && len(not.Members) == 0)
}

// boundedPattern reports whether what an expression matches from end to end has
// a greatest length. Where Go cannot read the expression it may have one too.
func boundedPattern(expression string) bool {
	re, err := syntax.Parse(expression, syntax.Perl)
	return err == nil && boundedLength(re)
}

func boundedLength(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpStar, syntax.OpPlus:
		return false
	case syntax.OpRepeat:
		if re.Max < 0 {
			return false
		}
	}
	for _, sub := range re.Sub {
		if !boundedLength(sub) {
			return false
		}
	}
	return true
}
