package schema

import (
	"slices"

	"example.com/assay/assay/internal/ecma"
	"example.com/assay/assay/internal/strictjson"
)

// rules are what one schema object says, in the form in which a judgement
// reads it: each keyword that constrains, and nothing of what it ignores.
// Keywords that judge only values of one type are under that type.
type rules struct {
	steps   int // of a visit: itself, its keywords, and the names that they list
	numeric int // how many keywords compute with a number
	digits  int // steps for the numbers that these keywords hold

	kinds          kinds
	enum, constant valueSet // nil: absent
	format         string   // "": none that is asserted

	bounds []bound // of numbers

	minLength, maxLength int // of strings, in characters
	pattern              *ecma.Regexp

	minItems, maxItems       int // of arrays
	unique                   bool
	prefix                   []*node // of the first items, one each
	items                    *node   // of those behind them, by items or additionalItems
	contains                 *node
	minContains, maxContains int
	unevaluatedItems         *node

	minProperties, maxProperties int // of objects
	required                     []string
	dependentRequired            []dependentRequired
	names                        []string // of properties, ascending
	properties                   map[string]*node
	patternProperties            []patternProperties
	additionalProperties         *node
	propertyNames                *node
	unevaluatedProperties        *node

	// Of any value: the schemas that judge it too.
	ref                        *node
	allOf                      []*node
	anyOf, oneOf               []*node
	not                        *node
	condition, then, otherwise *node
	dependentSchemas           []*node // each for the property that is its token
}

// bound is a keyword that limits numbers.
type bound struct {
	keyword string
	limit   strictjson.Number
}

// dependentRequired are the properties that an object needs if it has one.
type dependentRequired struct {
	keyword string // dependentRequired, or dependencies in older drafts
	trigger string
	names   []string
}

// patternProperties judges the properties whose names match.
type patternProperties struct {
	name  *ecma.Regexp
	value *node
}

// valueSet holds the values of enum or const, by their canonical text.
type valueSet map[string]struct{}

// unlimited is more than the length of any value.
const unlimited = 1 << 30

// rulesOf returns the rules of n, which is a schema object.
func (s *Schema) rulesOf(n *node) *rules {
	if r := n.rules.Load(); r != nil {
		return r
	}
	r := s.compileRules(n)
	n.rules.Store(r)
	return r
}

func (s *Schema) compileRules(n *node) *rules {
	r := &rules{
		steps: 1, kinds: kindAny,
		maxLength: unlimited, maxItems: unlimited, maxProperties: unlimited,
		minContains: 1, maxContains: unlimited,
	}
	for _, keyword := range sortedKeys(n.object) {
		if !extension(keyword) {
			r.steps++
			s.compileKeyword(r, n, keyword, n.object[keyword])
		}
	}
	// The subschemas come by keyword and then by place or name.
	for _, sub := range n.subs {
		s.compileSubschema(r, n, sub)
	}
	return r
}

// compileKeyword reads a keyword whose value is no schema.
func (s *Schema) compileKeyword(r *rules, n *node, keyword string, v any) {
	switch keyword {
	case "type":
		r.kinds = 0
		for _, name := range listOf(v) {
			r.kinds |= kindNamed[name.(string)]
		}
		r.numeric++
	case "enum":
		r.enum = valuesOf(v.([]any))
	case "const":
		r.constant = valuesOf([]any{v})
	case "format":
		if !s.options.AnnotateFormats {
			r.format = v.(string)
		}

	case "minimum", "maximum":
		if exclusive := "exclusiveM" + keyword[1:]; n.object[exclusive] == true {
			keyword = exclusive // in draft-04 a flag of the limit
		}
		r.limit(keyword, v)
	case "exclusiveMinimum", "exclusiveMaximum":
		if s.draft != draft4 {
			r.limit(keyword, v)
		}
	case "multipleOf":
		r.limit(keyword, v)

	case "minLength":
		r.minLength = countIn(v)
	case "maxLength":
		r.maxLength = countIn(v)
	case "pattern":
		r.pattern = s.regexp(v.(string))

	case "minItems":
		r.minItems = countIn(v)
	case "maxItems":
		r.maxItems = countIn(v)
	case "uniqueItems":
		r.unique = v == true
	case "minContains":
		r.minContains = countIn(v)
	case "maxContains":
		r.maxContains = countIn(v)

	case "minProperties":
		r.minProperties = countIn(v)
	case "maxProperties":
		r.maxProperties = countIn(v)
	case "required":
		r.required = textsOf(v)
		r.steps += namesSteps(r.required)
	case "dependentRequired", "dependencies":
		byName := v.(map[string]any)
		for _, trigger := range sortedKeys(byName) {
			if list, ok := byName[trigger].([]any); ok {
				d := dependentRequired{keyword, trigger, textsOf(list)}
				r.dependentRequired = append(r.dependentRequired, d)
				r.steps += nameSteps(trigger) + namesSteps(d.names)
			}
		}

	case "$ref":
		r.ref = n.ref
	}
}

// compileSubschema reads a subschema that a keyword of n holds.
func (s *Schema) compileSubschema(r *rules, n, sub *node) {
	switch sub.holder {
	case "prefixItems":
		r.prefix = append(r.prefix, sub)
	case "items":
		if _, list := n.object["items"].([]any); list {
			r.prefix = append(r.prefix, sub)
		} else {
			r.items = sub
		}
	case "additionalItems":
		r.items = sub
	case "contains":
		r.contains = sub
	case "unevaluatedItems":
		r.unevaluatedItems = sub

	case "properties":
		if r.properties == nil {
			r.properties = map[string]*node{}
		}
		r.properties[sub.token] = sub
		r.names = append(r.names, sub.token)
		r.steps += nameSteps(sub.token)
	case "patternProperties":
		r.patternProperties = append(r.patternProperties, patternProperties{s.regexp(sub.token), sub})
	case "additionalProperties":
		r.additionalProperties = sub
	case "propertyNames":
		r.propertyNames = sub
	case "unevaluatedProperties":
		r.unevaluatedProperties = sub

	case "allOf":
		r.allOf = append(r.allOf, sub)
	case "anyOf":
		r.anyOf = append(r.anyOf, sub)
	case "oneOf":
		r.oneOf = append(r.oneOf, sub)
	case "not":
		r.not = sub
	case "if":
		r.condition = sub
	case "then":
		r.then = sub
	case "else":
		r.otherwise = sub
	case "dependentSchemas", "dependencies":
		r.dependentSchemas = append(r.dependentSchemas, sub)
		r.steps += nameSteps(sub.token)
	}
}

func (r *rules) limit(keyword string, v any) {
	x, ok := exact(v)
	if !ok {
		panic(noAnswer{})
	}
	r.bounds = append(r.bounds, bound{keyword, x})
	r.numeric++
	r.digits += numberSteps(v)
}

// holds reports whether x is within the bound (JSON Schema 2020-12 validation,
// section 6.2).
func (b *bound) holds(x strictjson.Number) bool {
	switch b.keyword {
	case "minimum":
		return x.Cmp(b.limit) >= 0
	case "maximum":
		return x.Cmp(b.limit) <= 0
	case "exclusiveMinimum":
		return x.Cmp(b.limit) > 0
	case "exclusiveMaximum":
		return x.Cmp(b.limit) < 0
	case "multipleOf":
		return x.MultipleOf(b.limit)
	}
	panic(noAnswer{})
}

// speaksOf reports whether a keyword beside the others has something to say of a
// property. Each pattern is matched, so that the work does not depend on which
// of them match.
func (r *rules) speaksOf(name string, run *evaluation) bool {
	spoken := r.additionalProperties != nil || r.unevaluatedProperties != nil || r.properties[name] != nil
	for i := range r.patternProperties {
		spoken = run.matches(r.patternProperties[i].name, name) || spoken
	}
	return spoken
}

// nameSteps is what it costs to look at a property by its name.
func nameSteps(name string) int { return 1 + len(name)/bytesPerStep }

func namesSteps(names []string) (steps int) {
	for _, name := range names {
		steps += nameSteps(name)
	}
	return steps
}

// memberSteps is what it costs to look at every property of an object.
func memberSteps(object map[string]any) (steps int) {
	for name := range object {
		steps += nameSteps(name)
	}
	return steps
}

func valuesOf(values []any) valueSet {
	set := make(valueSet, len(values))
	for _, v := range values {
		set[string(appendCanonical(nil, v))] = struct{}{}
	}
	return set
}

// countIn reads a length, unlimited if it is more.
func countIn(v any) int {
	x, _ := exact(v)
	if n, ok := x.Int64(); ok && n < unlimited {
		return int(n)
	}
	return unlimited
}

func textsOf(v any) []string {
	items := v.([]any)
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = item.(string)
	}
	slices.Sort(texts)
	return texts
}
