package lint

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"example.com/assay/assay/internal/policydoc"
)

// contradiction finds keywords that are right each for itself and leave no
// value that both let pass.
func contradiction(p *policy, report reporter) {
	first := once()
	for _, s := range p.schemas {
		reportOnce := func(at place, message, fix string) {
			if first(at) {
				report(at, message, fix)
			}
		}
		emptyRange(s, reportOnce)
		valuesOfOtherType(s, reportOnce)
		p.requiredAndRefused(s, reportOnce)
	}
}

// requiredAndRefused finds properties that must be there and cannot.
func (p *policy) requiredAndRefused(s *subschema, report reporter) {
	if types, typed := typesOf(s.node); typed && !slices.Contains(types, "object") {
		return // keywords without effect
	}
	keyword, closed := closedBy(s)
	if !closed {
		return
	}
	for item := range p.undescribed(s) {
		report(item, fmt.Sprintf("the property %s is required, and %s refuses it, so no object passes", quote(item.text()), keyword), p.requiredFix(s, item.text()))
	}
}

// closedBy returns the keyword by which a schema takes no property that it does
// not describe itself, if there is one.
func closedBy(s *subschema) (keyword string, ok bool) {
	if additional, ok := s.node.Member("additionalProperties"); ok {
		return "additionalProperties", refusesAll(additional)
	}
	unevaluated, ok := s.node.Member("unevaluatedProperties")
	if !ok || !refusesAll(unevaluated) {
		return "", false
	}
	for _, m := range s.node.Members {
		a := applicators[m.Key]
		if a == toSame || a == toCondition || slices.Contains([]string{"$ref", "$dynamicRef", "$recursiveRef"}, m.Key) {
			return "", false // it may describe the property
		}
	}
	return "unevaluatedProperties", true
}

// ranges are the keywords that bound one thing from below and above, and the
// type whose values they are about (JSON Schema 2020-12, Validation, section 6).
var ranges = []struct{ least, most, about string }{
	{"minimum", "maximum", "number"},
	{"exclusiveMinimum", "maximum", "number"},
	{"minimum", "exclusiveMaximum", "number"},
	{"exclusiveMinimum", "exclusiveMaximum", "number"},
	{"minLength", "maxLength", "string"},
	{"minItems", "maxItems", "array"},
	{"minProperties", "maxProperties", "object"},
	{"minContains", "maxContains", "array"},
}

// bound is one end of a range.
type bound struct {
	place
	value    *big.Rat
	excluded bool // the value itself is out of the range
}

// boundAt returns the bound that a keyword writes. In draft 4 the exclusive
// keyword is a flag of the other; it is no bound then, and that one excludes.
func boundAt(s *subschema, keyword string) (b bound, ok bool) {
	at, ok := s.at(keyword)
	if !ok || at.node.Kind != policydoc.Number {
		return bound{}, false
	}
	value, ok := new(big.Rat).SetString(at.node.Text)
	flag, hasFlag := s.node.Member("exclusive" + strings.ToUpper(keyword[:1]) + keyword[1:])
	return bound{at, value, strings.HasPrefix(keyword, "exclusive") || hasFlag && flag.Bool}, ok
}

func (b bound) String() string {
	if b.excluded {
		return fmt.Sprintf("%s shuts out %s", quote(b.key), cut(b.node.Text, 64))
	}
	return fmt.Sprintf("%s is %s", quote(b.key), cut(b.node.Text, 64))
}

func emptyRange(s *subschema, report reporter) {
	types, typed := typesOf(s.node)
	for _, r := range ranges {
		if typed && !slices.Contains(types, r.about) && !(r.about == "number" && slices.Contains(types, "integer")) {
			continue // a keyword without effect
		}
		most, ok := boundAt(s, r.most)
		if !ok {
			continue
		}
		least, ok := boundAt(s, r.least)
		if _, written := s.node.Member(r.least); r.most == "maxContains" && !written && most.value.Sign() == 0 {
			report(most.place, `"maxContains" is 0, and "minContains" is 1 where it is not written, so no array satisfies both`,
				"write minContains: 0 beside it, or a maxContains of 1 or more")
			continue
		}
		if !ok {
			continue
		}
		switch order := least.value.Cmp(most.value); {
		case order > 0:
			report(most.place, fmt.Sprintf("%s and %s, so no %s satisfies both", least, most, r.about), "swap the two values, or correct one of them")
		case order == 0 && (least.excluded || most.excluded):
			report(most.place, fmt.Sprintf("%s and %s, so no %s satisfies both", least, most, r.about), "correct one of them, or write const where that one value is meant")
		}
	}
}

// valuesOfOtherType finds an enum or a const of which nothing has the type.
func valuesOfOtherType(s *subschema, report reporter) {
	types, ok := typesOf(s.node)
	if !ok {
		return
	}
	fix := "write values of that type, or correct type"
	if slices.Contains(types, "string") {
		fix = "put the values in quotation marks, or correct type"
	}
	hasType := func(n *policydoc.Node) bool { return isOf(n, types) }
	if enum, ok := s.at("enum"); ok && !slices.ContainsFunc(enum.node.Items, hasType) {
		report(enum, fmt.Sprintf(`no member of "enum" has the "type" %s, so no value satisfies both`, strings.Join(types, " or ")), fix)
	}
	if value, ok := s.at("const"); ok && !hasType(value.node) {
		report(value, fmt.Sprintf(`the value of "const" does not have the "type" %s, so no value satisfies both`, strings.Join(types, " or ")), fix)
	}
}

// isOf reports whether a value has one of the types. A number without a
// fraction is an integer, however it is written.
func isOf(n *policydoc.Node, types []string) bool {
	var names []string
	switch n.Kind {
	case policydoc.Null:
		names = []string{"null"}
	case policydoc.Bool:
		names = []string{"boolean"}
	case policydoc.String:
		names = []string{"string"}
	case policydoc.List:
		names = []string{"array"}
	case policydoc.Map:
		names = []string{"object"}
	case policydoc.Number:
		names = []string{"number"}
		if slices.Contains(types, "number") || !slices.Contains(types, "integer") {
			break // its digits do not matter
		}
		if value, ok := new(big.Rat).SetString(n.Text); ok && value.IsInt() {
			names = []string{"integer"}
		}
	}
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(types, name) })
}
