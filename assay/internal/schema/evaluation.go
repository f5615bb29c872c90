package schema

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

const (
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
	truncated bool
}

// finding is one keyword of one node that one value breaks.
type finding struct {
	path    string
	node    *node
	keyword string
	names   []string
}

// Validate decides v: map[string]any, []any, string, json.Number, bool, nil. A nil
// budget is a fresh one of Options.MaxSteps.
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
	run.spend(1)
	if s.root.object == nil {
		if s.root.never {
			run.findings = []finding{{node: s.root, keyword: "false"}}
		}
		return run.result()
	}
	e := s.acquire()
	if e == nil {
		return Result{Failure: Broken}
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

// visit counts the visit of a schema, and each item, property and comparison
// that the library's keywords looked at in it.
func (run *evaluation) visit(n *node, v any) {
	a := &run.schema.assertions[n.index]
	// The library looks through the open schemas for a loop.
	steps := 1 + a.looks + run.chain/bytesPerStep
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
	case string:
		steps += len(v) / (4 * bytesPerStep)
	case json.Number:
		if a.numeric {
			steps += 1 + numberSteps(v)
		}
	}
	run.spend(steps)
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

// holds evaluates a subschema as a mere yes or no.
func (run *evaluation) holds(ctx *jsonschema.ValidatorContext, sub *jsonschema.Schema) bool {
	run.muted++
	defer func() { run.muted-- }()
	return run.sound(ctx.Validate(sub, nil, nil))
}

// holdsAt is holds for a part of the value.
func (run *evaluation) holdsAt(ctx *jsonschema.ValidatorContext, sub *jsonschema.Schema, v any, token string) bool {
	run.muted++
	defer func() { run.muted-- }()
	return run.sound(ctx.Validate(sub, v, []string{token}))
}

// require evaluates a subschema that has to hold; what breaks it is collected
// at once, so that the library does not keep it.
func (run *evaluation) require(ctx *jsonschema.ValidatorContext, sub *jsonschema.Schema) bool {
	err := ctx.Validate(sub, nil, nil)
	if run.muted > 0 && run.sound(err) || err == nil {
		return true
	}
	if run.muted == 0 {
		run.collect(err)
	}
	ctx.AddErr(run.collected)
	return false
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
	run.findings = append(run.findings, finding{path: pointerTo(location), node: n, keyword: keyword, names: found})
	if len(run.findings) >= 2*maxFindings {
		run.compact()
	}
}

// pointerTo writes the tokens of a caller's value as a JSON Pointer; long names
// are cut like everywhere.
func pointerTo(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		if len(token) > maxName {
			token = cut(token, maxName)
		}
		b.WriteString(escapeToken(token))
	}
	return b.String()
}

// compact merges the findings of one path and keyword into the one that stands
// first in the policy, with the names of all, and keeps the first maxFindings.
func (run *evaluation) compact() {
	slices.SortFunc(run.findings, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.keyword, b.keyword), strings.Compare(a.schemaPath(), b.schemaPath()))
	})
	kept := run.findings[:0]
	for _, f := range run.findings {
		if last := len(kept) - 1; last >= 0 && kept[last].path == f.path && kept[last].keyword == f.keyword {
			kept[last].names = append(kept[last].names[:len(kept[last].names):len(kept[last].names)], f.names...)
			continue
		}
		kept = append(kept, f)
	}
	if len(kept) > maxFindings {
		kept, run.truncated = kept[:maxFindings], true
	}
	for i := range kept {
		slices.Sort(kept[i].names)
		kept[i].names = slices.Compact(kept[i].names)
	}
	run.findings = kept
}

func (run *evaluation) result() Result {
	run.compact()
	slices.SortStableFunc(run.findings, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.schemaPath(), b.schemaPath()))
	})
	if most := run.schema.options.MaxViolations; len(run.findings) > most {
		run.findings, run.truncated = run.findings[:most], true
	}
	r := Result{Truncated: run.truncated}
	for _, f := range run.findings {
		r.Violations = append(r.Violations, f.violation())
	}
	return r
}
