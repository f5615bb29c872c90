package schema

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"unicode/utf8"

	"example.com/assay/assay/internal/ecma"
	"example.com/assay/assay/internal/strictjson"
)

// maxInPlace is how many clauses in a row may judge one and the same value. With
// the nesting of the instance it bounds the stack of a pass.
const maxInPlace = 64

// maxCrossed bounds the bytes of known names that are matched with patterns while
// a clause for objects is compiled, each counted with 16 more.
const maxCrossed = 1 << 18

// none is the program of a schema that has none: it never answers.
var none = &program{root: &clause{opaque: true}}

// fast returns the program of the schema, nil if the budget does not allow to
// compile it. The first call compiles it.
func (s *Schema) fast(b *Budget) (p *program) {
	if p = s.program.Load(); p == nil {
		p = s.compileProgram(b)
	}
	return
}

// compileProgram compiles the program and keeps it, and returns nil where the
// budget ended.
func (s *Schema) compileProgram(b *Budget) *program {
	p := s.makeProgram(b)
	if p != nil {
		s.program.Store(p)
	}
	return p
}

// makeProgram makes the program, none if there is none, and nil where the budget
// ended.
func (s *Schema) makeProgram(b *Budget) *program {
	reached := s.reached()
	if s.chain > maxInPlace {
		return none
	}
	linear, done := s.linear(s.nodes, b)
	switch {
	case !done:
		return nil
	case !linear:
		return none
	}
	if s.foundation != nil {
		// What becomes of shared definitions is shared too.
		s.foundation.mu.Lock()
		defer s.foundation.mu.Unlock()
		for _, d := range reached {
			if d.linear == nil {
				answer, done := s.linear(d.nodes, b)
				if !done {
					return nil
				}
				d.linear = &answer
			}
			if !*d.linear {
				return none
			}
		}
	} else {
		s.own.Lock()
		defer s.own.Unlock()
	}
	c := programCompiler{
		draft:    s.draft,
		annotate: s.options.AnnotateFormats,
		regexp:   s.regexp,
	}
	root := c.clause(s.root)
	if root.opaque {
		return none
	}
	return &program{root: root}
}

// programCompiler turns the gate's nodes into clauses.
type programCompiler struct {
	draft    draft
	annotate bool
	regexp   func(expression string) *ecma.Regexp
}

// clause returns the clause of a node; of one that is being compiled, further
// up in a recursive schema, the clause to be.
func (c *programCompiler) clause(n *node) *clause {
	if n.clause != nil {
		return n.clause
	}
	to := &clause{kinds: kindAny}
	n.clause = to
	switch {
	case n.never:
		to.kinds = 0
	case n.object != nil:
		*to = c.compile(n)
	}
	return to
}

// compile reads one schema object. A keyword that is not read here makes the
// clause opaque.
func (c *programCompiler) compile(n *node) clause {
	to := clause{kinds: kindAny}
	for name := range n.object {
		if !c.add(&to, n, name) {
			return clause{opaque: true}
		}
	}
	if to.object != nil && !c.addObject(to.object, n) {
		return clause{opaque: true}
	}
	return to
}

// add adds what one keyword of n says. False: it is outside the subset.
func (c *programCompiler) add(to *clause, n *node, name string) bool {
	if extension(name) {
		return true
	}
	switch v := n.object[name]; name {
	default:
		return slices.Contains(annotations, name)
	case "$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$defs", "definitions":
		// They name or hold schemas; what refers to them was resolved by the gate.
	case "$ref":
		to.join().all = append(to.join().all, c.clause(n.ref))
	case "$dynamicRef", "$recursiveRef":
		if len(n.dynamic) != 1 {
			return false
		}
		to.join().all = append(to.join().all, c.clause(n.dynamic[0]))
	case "allOf":
		to.join().all = append(to.join().all, c.below(n, name)...)
	case "anyOf":
		to.join().any = c.below(n, name)
	case "oneOf":
		to.join().one = c.below(n, name)
	case "not":
		to.join().not = c.below(n, name)[0]
	case "if":
		to.join().when = c.below(n, name)[0]
	case "then":
		to.join().then = c.below(n, name)[0]
	case "else":
		to.join().otherwise = c.below(n, name)[0]

	case "type":
		to.kinds = 0
		for _, name := range listOf(v) {
			to.kinds |= kindNamed[name.(string)]
		}
	case "enum":
		return to.restrict(v.([]any))
	case "const":
		return to.restrict([]any{v})

	case "minimum", "maximum":
		exclusive := "exclusiveM" + name[1:]
		value, ok := exact(v)
		return ok && to.numbers().limit(value, name == "maximum", n.object[exclusive] == true)
	case "exclusiveMinimum", "exclusiveMaximum":
		if c.draft == draft4 {
			return true // a flag of minimum and maximum
		}
		value, ok := exact(v)
		return ok && to.numbers().limit(value, name == "exclusiveMaximum", true)
	case "multipleOf":
		return to.numbers().multipleOf(v)

	case "minLength":
		return countOf(v, &to.texts().min)
	case "maxLength":
		return countOf(v, &to.texts().max)
	case "pattern":
		to.texts().patterns = append(to.texts().patterns, c.regexp(v.(string)))
	case "format":
		return c.annotate || to.format(v.(string))

	case "minItems":
		return countOf(v, &to.arrays().min)
	case "maxItems":
		return countOf(v, &to.arrays().max)
	case "uniqueItems":
		to.arrays().unique = v == true
	case "prefixItems":
		to.arrays().prefix = c.below(n, name)
	case "items":
		if _, isList := v.([]any); isList {
			to.arrays().prefix = c.below(n, name)
		} else {
			to.arrays().items = c.below(n, name)[0]
		}
	case "additionalItems":
		to.arrays().items = c.below(n, name)[0]
	case "contains":
		to.arrays().contains = c.below(n, name)[0]
	case "minContains":
		return countOf(v, &to.arrays().minContains)
	case "maxContains":
		return countOf(v, &to.arrays().maxContains)

	case "minProperties":
		return countOf(v, &to.objects().min)
	case "maxProperties":
		return countOf(v, &to.objects().max)
	case "propertyNames":
		to.objects().names = c.below(n, name)[0]
	case "properties", "patternProperties", "additionalProperties", "required",
		"dependentRequired", "dependentSchemas", "dependencies":
		to.objects() // addObject reads them together
	}
	return true
}

// below returns the clauses of the subschemas that a keyword of n holds, in
// their order.
func (c *programCompiler) below(n *node, keyword string) []*clause {
	var all []*clause
	for _, sub := range n.subs {
		if sub.holder == keyword {
			all = append(all, c.clause(sub))
		}
	}
	return all
}

// addObject adds the keywords that name members.
func (c *programCompiler) addObject(r *objectRules, n *node) bool {
	numbers := map[string]int{}
	var clauses [][]*clause // of each known name
	number := func(name string) int {
		i, ok := numbers[name]
		if !ok {
			i = len(r.known)
			numbers[name] = i
			r.known = append(r.known, property{name: name})
			clauses = append(clauses, nil)
		}
		return i
	}
	for _, sub := range n.subs {
		switch sub.holder {
		case "properties":
			i := number(sub.token)
			clauses[i] = append(clauses[i], c.clause(sub))
		case "patternProperties":
			r.patterns = append(r.patterns, patternProperty{c.regexp(sub.token), c.clause(sub)})
		case "additionalProperties":
			r.additional = c.clause(sub)
		case "dependentSchemas", "dependencies":
			r.dependent = append(r.dependent, dependency{trigger: number(sub.token), clause: c.clause(sub)})
		}
	}
	for _, name := range listOf(n.object["required"]) {
		if i := number(name.(string)); i < maxKnown {
			r.required.add(i)
		}
	}
	for _, keyword := range []string{"dependentRequired", "dependencies"} {
		triggers, _ := n.object[keyword].(map[string]any)
		for trigger, v := range triggers {
			required, isList := v.([]any)
			if !isList {
				continue
			}
			d := dependency{trigger: number(trigger)}
			for _, name := range required {
				if i := number(name.(string)); i < maxKnown {
					d.required.add(i)
				}
			}
			r.dependent = append(r.dependent, d)
		}
	}
	if len(r.known) > maxKnown {
		return false
	}
	for i := range r.known {
		r.steps += nameSteps(r.known[i].name)
	}
	crossed := 0
	for i := range r.known {
		if !utf8.ValidString(r.known[i].name) {
			return false // a member of that name has to be looked at to be refused
		}
		crossed += len(r.patterns) * (len(r.known[i].name) + 16)
	}
	if crossed > maxCrossed {
		return false
	}
	for i := range r.known {
		p := &r.known[i]
		for _, pattern := range r.patterns {
			if ok, err := pattern.re.MatchString(p.name, nil); err != nil {
				return false
			} else if ok {
				clauses[i] = append(clauses[i], pattern.clause)
			}
		}
		switch all := clauses[i]; len(all) {
		case 0:
			p.clause = r.additional
		case 1:
			p.clause = all[0]
		default:
			p.clause = &clause{kinds: kindAny, joint: &joint{all: all}}
		}
	}
	if len(r.known) > fewKnown {
		r.index = numbers
	}
	return true
}

// The parts of a clause, made when first asked for.

func (to *clause) join() *joint {
	if to.joint == nil {
		to.joint = &joint{}
	}
	return to.joint
}

func (to *clause) numbers() *numberRules {
	if to.number == nil {
		to.number = &numberRules{low: math.MinInt64, high: math.MaxInt64}
	}
	return to.number
}

func (to *clause) texts() *textRules {
	if to.text == nil {
		to.text = &textRules{max: math.MaxInt}
	}
	return to.text
}

func (to *clause) arrays() *arrayRules {
	if to.array == nil {
		to.array = &arrayRules{items: everything, max: math.MaxInt, minContains: 1, maxContains: math.MaxInt}
	}
	return to.array
}

func (to *clause) objects() *objectRules {
	if to.object == nil {
		to.object = &objectRules{additional: everything, max: math.MaxInt}
	}
	return to.object
}

var kindNamed = map[string]kinds{
	"null":    kindNull,
	"boolean": kindBool,
	"integer": kindInteger,
	"number":  kindNumber | kindInteger,
	"string":  kindText,
	"array":   kindArray,
	"object":  kindObject,
}

// listOf returns v if it is a list, a list of v if it is another value, and
// nothing for nil.
func listOf(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

// countOf reads a number of characters, items or members.
func countOf(v any, to *int) bool {
	n, ok := exact(v)
	if !ok {
		return false
	}
	count, fits := n.Int64()
	if !fits || count > math.MaxInt {
		count = math.MaxInt
	}
	*to = int(count)
	return true
}

// restrict permits the values only.
func (to *clause) restrict(values []any) bool {
	set := &memberSet{numbers: map[strictjson.Number]bool{}}
	for _, v := range values {
		switch v := v.(type) {
		case nil:
			set.null = true
		case bool:
			set.yes = set.yes || v
			set.no = set.no || !v
		case string:
			set.texts = append(set.texts, v)
		case json.Number:
			n, ok := strictjson.ParseNumber(v)
			if !ok {
				return false
			}
			set.numbers[n] = true
			if i, ok := n.Int64(); ok {
				set.integers = append(set.integers, i)
			}
		case []any, map[string]any:
			set.containers = append(set.containers, v)
		default:
			return false
		}
	}
	if len(set.texts) > fewKnown {
		set.index = map[string]bool{}
		for _, s := range set.texts {
			set.index[s] = true
		}
	}
	to.among = append(to.among, set)
	return true
}

// limit adds a bound.
func (r *numberRules) limit(n strictjson.Number, upper, exclusive bool) bool {
	r.limits = append(r.limits, limit{n, upper, exclusive})
	// The nearest integer within the bound.
	value, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return false
	}
	whole := new(big.Int).Div(value.Num(), value.Denom()) // rounded down
	one := big.NewInt(1)
	switch {
	case !upper && (exclusive || !value.IsInt()):
		whole.Add(whole, one)
	case upper && exclusive && value.IsInt():
		whole.Sub(whole, one)
	}
	switch {
	case upper && whole.IsInt64():
		r.high = min(r.high, whole.Int64())
	case upper && whole.Sign() < 0, !upper && !whole.IsInt64() && whole.Sign() > 0:
		r.low, r.high = 1, 0
	case !upper && whole.IsInt64():
		r.low = max(r.low, whole.Int64())
	}
	return true
}

// multipleOf adds a divisor.
func (r *numberRules) multipleOf(v any) bool {
	n, ok := exact(v)
	if !ok || n.Sign() <= 0 || numberSteps(v) > 0 {
		return false // dividing by so many digits is too much for a program
	}
	one, _ := strictjson.ParseNumber("1")
	d := divisor{value: n, unit: one.MultipleOf(n)}
	d.small, _ = n.Int64()
	r.divisors = append(r.divisors, d)
	return true
}

// format adds an asserted format.
func (to *clause) format(name string) bool {
	if valid := formats[name]; valid != nil {
		if name == "regex" {
			return false // it compiles, which is no work for a program
		}
		to.texts().formats = append(to.texts().formats, valid)
		return true
	}
	if limits, ok := integerFormats[name]; ok {
		r := to.numbers()
		r.integer = true
		return r.limit(limits[0], false, false) && r.limit(limits[1], true, false)
	}
	return slices.Contains(annotationFormats, name)
}
