package schema

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"example.com/assay/assay/internal/ecma"
	"example.com/assay/assay/internal/strictjson"
)

const (
	// branchSteps is what a look at a branch costs: choosing it, visiting it, and
	// the comparison of its type, behind which a visit may end uncounted.
	branchSteps = 4
	// findingSteps is what it costs to write a finding down.
	findingSteps = 8
	// patternSteps is what a pattern costs more than other looks at a text.
	patternSteps = 4
	// maxRecursion bounds the schemas in place that are open at one time.
	maxRecursion = 20_000
	// maxFindings is how many findings are kept, the first ones by path and
	// keyword.
	maxFindings = 4_096
)

// noAnswer unwinds an evaluation that cannot answer. It is never the failure of
// a subschema.
type noAnswer struct{}

// evaluation is the state of one Validate.
type evaluation struct {
	schema    *Schema
	budget    *Budget
	nodes     map[string]*node
	muted     int // how many branches, whose findings nobody reads, are open
	chain     int // how many schemas with applicators are open
	scratch   []byte
	collected *jsonschema.ValidationError
	findings  []finding
	places    map[place]int // of the findings
	truncated bool
}

// place is what no two violations share.
type place struct {
	path    string // JSON Pointer into the value
	keyword string
}

// finding is one keyword that the value at one place breaks; node is the first
// schema in the policy of which it does.
type finding struct {
	place
	node  *node
	names []string // the properties that the keyword is about

	shown  string // the path
	hidden bool   // see Schema.Hide
}

// Validate decides v: map[string]any, []any, string, json.Number, bool, nil; for
// any other value in it there is no answer (Limit). A nil budget is a fresh one
// of Options.MaxSteps.
func (s *Schema) Validate(v any, b *Budget) (result Result) {
	if b == nil {
		b = NewBudget(s.options.MaxSteps, nil)
	}
	run := &evaluation{schema: s, budget: b, collected: &jsonschema.ValidationError{ErrorKind: &collected{}}}
	defer func() {
		// Whatever went wrong in there, the library's own panics included, it is
		// no answer.
		if recover() != nil {
			result = Result{Failure: Limit}
		}
	}()
	run.spend(1 + survey(v))
	if s.root.object == nil {
		if s.root.never {
			run.record(s.root, place{keyword: "false"}, nil)
		}
		return run.result()
	}
	e, failure := s.acquire(b.stop)
	if e == nil {
		return Result{Failure: failure}
	}
	defer func() {
		e.run = nil
		s.release(e)
	}()
	e.run, run.nodes = run, e.nodes
	if err := e.schema.Validate(v); err != nil {
		run.collect(err)
		if len(run.findings) == 0 {
			panic(noAnswer{})
		}
	}
	return run.result()
}

// spend takes steps from the budget and unwinds when there are not enough.
func (run *evaluation) spend(steps int) {
	if !run.budget.spend(steps) {
		panic(noAnswer{})
	}
}

// matches matches a text under the budget, and unwinds when it cannot tell.
func (run *evaluation) matches(re *ecma.Regexp, text string) bool {
	run.spend(1 + patternSteps*len(text)/bytesPerStep + re.Prepare())
	matched, err := re.MatchString(text, run.budget.patterns())
	if err != nil {
		panic(noAnswer{})
	}
	return matched
}

// visit counts the visit of a schema, and each item, property and comparison
// that the library's keywords looked at in it.
func (run *evaluation) visit(n *node, v any, depth int) {
	a := run.schema.asserted(n)
	// The library looks through the open schemas for a loop, and copies the
	// path of what it finds.
	steps := a.steps + run.chain/bytesPerStep + depth/8
	passes := 1
	if run.schema.unevaluated {
		passes = 3
	}
	switch v := v.(type) {
	case map[string]any:
		steps += passes * len(v)
		for _, member := range v {
			steps += numberSteps(member)
		}
	case []any:
		steps += (passes + a.perItem) * len(v)
		for _, item := range v {
			steps += numberSteps(item)
		}
	case json.Number:
		steps += a.numeric * numberSteps(v)
	}
	run.spend(steps)
}

// lookSteps is what every schema costs that begins to look at v, whether or not
// it stops at the type: the library writes numbers out, and where something is
// unevaluated it copies the names of an object for each.
func (s *Schema) lookSteps(v any) int {
	steps := numberSteps(v)
	if s.unevaluated {
		switch v := v.(type) {
		case map[string]any:
			steps += 2 * len(v)
		case []any:
			steps += 2 * len(v)
		}
	}
	return steps
}

// survey counts the digits of all unusual numbers in v, and unwinds at what is
// none of the values that Validate takes.
func survey(v any) (steps int) {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			steps += survey(member)
		}
	case []any:
		for _, item := range v {
			steps += survey(item)
		}
	case json.Number:
		if _, ok := strictjson.ParseNumber(v); !ok {
			panic(noAnswer{})
		}
		steps = numberSteps(v)
	case string, bool, nil:
	default:
		panic(noAnswer{})
	}
	return steps
}

// numberSteps counts the digits of an unusual number, which the library writes
// out: 1e1000 is as long as a thousand of them.
func numberSteps(v any) int {
	literal, ok := v.(json.Number)
	if !ok || len(literal) < 20 && !strings.ContainsAny(string(literal), "eE") {
		return 0
	}
	size := len(literal)
	if i := strings.IndexAny(string(literal), "eE"); i >= 0 {
		exponent := 0
		for _, c := range literal[i+1:] {
			if c >= '0' && c <= '9' {
				exponent = min(exponent*10+int(c-'0'), 10_000)
			}
		}
		size += exponent
	}
	return size / 8
}

// sound reports whether a subschema holds. An error that is a doubt of the
// library's is no answer.
func (run *evaluation) sound(err error) bool {
	if err == nil {
		return true
	}
	refuseDoubt(err.(*jsonschema.ValidationError))
	return false
}

func refuseDoubt(err *jsonschema.ValidationError) {
	switch err.ErrorKind.(type) {
	case nil, *kind.RefCycle, *kind.InvalidJsonValue:
		panic(noAnswer{})
	}
	for _, cause := range err.Causes {
		refuseDoubt(cause)
	}
}

// collect adds the findings of the library's error tree.
func (run *evaluation) collect(err error) { run.add(err.(*jsonschema.ValidationError)) }

func (run *evaluation) add(err *jsonschema.ValidationError) {
	keyword, found := "", []string(nil)
	switch k := err.ErrorKind.(type) {
	case *collected:
		return
	case *kind.Schema, *kind.Group, *kind.Reference:
		for _, cause := range err.Causes {
			run.add(cause)
		}
		return
	case *broken:
		keyword, found = k.keyword, k.names
	case *kind.Required:
		keyword, found = "required", k.Missing
	case *kind.Dependency:
		keyword, found = "dependencies", k.Missing
	case *kind.DependentRequired:
		keyword, found = "dependentRequired", k.Missing
	case *kind.AdditionalProperties:
		keyword, found = "additionalProperties", k.Properties
	case *kind.Type, *kind.AdditionalItems, *kind.Minimum, *kind.Maximum, *kind.MultipleOf,
		*kind.ExclusiveMinimum, *kind.ExclusiveMaximum, *kind.MinLength, *kind.MaxLength, *kind.Pattern,
		*kind.MinItems, *kind.MaxItems, *kind.MinProperties, *kind.MaxProperties:
		keyword = k.KeywordPath()[0]
	default:
		panic(noAnswer{})
	}
	n := run.nodes[err.SchemaURL]
	if n == nil {
		panic(noAnswer{})
	}
	location := err.InstanceLocation
	if n.never {
		// These two look at the whole object or array; their false stands for
		// every part of it that is left.
		switch last := len(location) - 1; n.holder {
		case "unevaluatedProperties":
			location, found = location[:last], location[last:]
		case "unevaluatedItems":
			location = location[:last]
		}
	}
	run.record(n, place{path: pointerTo(location), keyword: keyword}, found)
}

// record notes a finding, once for each place.
func (run *evaluation) record(n *node, at place, names []string) {
	run.spend(findingSteps + len(at.path)/bytesPerStep)
	if i, known := run.places[at]; known {
		f := &run.findings[i]
		if n.before(f.node) {
			f.node = n
		}
		f.names = append(f.names, names...)
		return
	}
	if run.places == nil {
		run.places = map[place]int{}
	}
	run.places[at] = len(run.findings)
	run.findings = append(run.findings, finding{place: at, node: n, names: slices.Clone(names)})
	if len(run.findings) >= 2*maxFindings {
		run.compact()
	}
}

// pointerTo writes the tokens of a caller's value as a JSON Pointer.
func pointerTo(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(escapeToken(token))
	}
	return b.String()
}

// shownPath is path with long names cut like everywhere. They are cut only here:
// two names that begin alike are two places.
func shownPath(path string) string {
	if len(path) <= maxName {
		return path
	}
	tokens := strings.Split(path, "/")
	for i, token := range tokens {
		if name, _ := unescapeToken(token); len(name) > maxName {
			tokens[i] = escapeToken(cut(name, maxName))
		}
	}
	return strings.Join(tokens, "/")
}

// compact keeps the first maxFindings by path and keyword. What it drops is
// behind all of those and would be dropped again, so the ones kept do not
// depend on the order in which findings come.
func (run *evaluation) compact() {
	if len(run.findings) <= maxFindings {
		return
	}
	slices.SortFunc(run.findings, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.keyword, b.keyword))
	})
	run.findings, run.truncated = run.findings[:maxFindings], true
	clear(run.places)
	for i, f := range run.findings {
		run.places[f.place] = i
	}
}

func (run *evaluation) result() Result {
	run.compact()
	for i := range run.findings {
		run.findings[i].shown = shownPath(run.findings[i].path)
	}
	slices.SortFunc(run.findings, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.shown, b.shown), strings.Compare(a.schemaPath(), b.schemaPath()),
			strings.Compare(a.path, b.path), strings.Compare(a.keyword, b.keyword))
	})
	if most := run.schema.options.MaxViolations; len(run.findings) > most {
		run.findings, run.truncated = run.findings[:most], true
	}
	r := Result{Truncated: run.truncated}
	for _, f := range run.findings {
		slices.Sort(f.names)
		f.names = slices.Compact(f.names)
		f.hidden = run.schema.hidden
		r.Violations = append(r.Violations, f.violation())
	}
	return r
}
