package schema

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/assay/internal/ecma"
	"example.com/assay/assay/internal/strictjson"
	"example.com/assay/internal/jsonpointer"
)

const (
	// findingSteps is what it costs to write a finding down.
	findingSteps = 8
	// patternSteps is what a pattern costs more than other looks at a text.
	patternSteps = 4
	// maxOpen bounds the schemas that are open at one time, of which each waits
	// for one that it applies.
	maxOpen = 20_000
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
	path      []token     // from the whole value to the one that is judged
	open      int         // how many schemas wait for one that they apply
	scope     []*resource // of these schemas, the outermost first; only where a reference is dynamic
	muted     int         // how many of them want a mere yes or no, so that nobody reads the findings
	scratch   []byte
	findings  []finding
	places    map[place]int // of the findings
	truncated bool
}

// token is one step of a path: a property, or an item where list is set.
type token struct {
	name  string
	index int
	list  bool
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
	node     *node
	several  bool     // other schemas have it too
	names    []string // the properties that the keyword is about
	unwanted []string // those that the schema false depends on

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
	run := &evaluation{schema: s, budget: b}
	defer func() {
		// Whatever went wrong in there, it is no answer.
		if recover() != nil {
			result = Result{Failure: Limit}
		}
	}()
	run.spend(1 + survey(v))
	if run.holds(s.root, v, nil) != (len(run.findings) == 0) {
		panic(noAnswer{})
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

// numberSteps counts the digits of an unusual number, as computing with it may
// write them out: 1e1000 is as long as a thousand of them.
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

// record notes that the value at the path breaks a keyword of n, once for each
// place.
func (run *evaluation) record(n *node, keyword string, names []string) {
	at := place{run.pointer(), keyword}
	run.spend(findingSteps + (len(at.path)+n.pathLength())/bytesPerStep + namesSteps(names))
	i, known := run.places[at]
	if !known {
		if run.places == nil {
			run.places = map[place]int{}
		}
		i = len(run.findings)
		run.places[at] = i
		run.findings = append(run.findings, finding{place: at, node: n})
	}
	run.findings[i].add(n, names)
	if len(run.findings) >= 2*maxFindings {
		run.compact()
	}
}

// add adds what n says of the place.
func (f *finding) add(n *node, names []string) {
	if n != f.node {
		f.several = true
		first := n.before(f.node)
		if first {
			f.node = n
		}
		if f.keyword == "oneOf" {
			// How many branches hold is what one schema says; the first says it.
			if first {
				f.names = slices.Clone(names)
			}
			return
		}
	}
	if n.never && (n.holder == "dependentSchemas" || n.holder == "dependencies") {
		f.unwanted = append(f.unwanted, names...)
	} else {
		f.names = append(f.names, names...)
	}
}

// pointer writes the path as a JSON Pointer.
func (run *evaluation) pointer() string {
	if len(run.path) == 0 {
		return ""
	}
	var text []byte
	for _, t := range run.path {
		text = append(text, '/')
		if t.list {
			text = strconv.AppendInt(text, int64(t.index), 10)
		} else {
			text = append(text, jsonpointer.Escape(t.name)...)
		}
	}
	return string(text)
}

// shownPath is path with long names cut like everywhere. They are cut only here:
// two names that begin alike are two places.
func shownPath(path string) string {
	if len(path) <= maxName {
		return path
	}
	tokens := strings.Split(path, "/")
	for i, token := range tokens {
		if name, _ := jsonpointer.Unescape(token); len(name) > maxName {
			tokens[i] = jsonpointer.Escape(cut(name, maxName))
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
		// Only few stand at one path: where a schema stands is long to write.
		if order := strings.Compare(a.shown, b.shown); order != 0 {
			return order
		}
		return cmp.Or(strings.Compare(a.schemaPath(), b.schemaPath()),
			strings.Compare(a.path, b.path), strings.Compare(a.keyword, b.keyword))
	})
	if most := run.schema.options.MaxViolations; len(run.findings) > most {
		run.findings, run.truncated = run.findings[:most], true
	}
	r := Result{Truncated: run.truncated}
	for _, f := range run.findings {
		f.names, f.unwanted = sortedOnce(f.names), sortedOnce(f.unwanted)
		f.hidden = run.schema.hidden
		r.Violations = append(r.Violations, f.violation())
	}
	return r
}

func sortedOnce(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
