// Package schema decides one tool's arguments by one JSON Schema, as
// docs/policy.md, "Arguments", says.
//
// A schema passes three stages, each with files of its own:
//   - the gate (gate.go, keyword.go, reference.go) refuses at compile time every
//     schema that does not say what it seems to say, as a [Problem];
//   - a judgement (judgement.go, unevaluated.go) evaluates a value by the rules of
//     a schema (rules.go) and finds everything that is wrong with it. A budget
//     ends it, and then there is no answer, as a [Failure]: that is never the
//     failure of a subschema, which not or if could turn into an allow;
//   - a program (program.go) is the fast form of a schema, which may only accept.
package schema

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"example.com/assay/assay/internal/ecma"
)

// Schema is one tool's compiled schema. It is immutable to its callers and safe
// for concurrent use.
type Schema struct {
	options     Options
	draft       draft
	root        *node
	nodes       []*node // its own, without those of shared definitions
	chain       int     // the most schemas in a row that judge one value
	dynamic     bool    // there are references whose target depends on the way
	unevaluated bool    // there is an unevaluatedProperties or unevaluatedItems
	writeOnly   bool    // something is called so
	hidden      bool    // members of enum and const, and patterns, are not to be shown
	commons     *Commons
	foundation  *foundation // of the shared definitions that it reaches, nil: none
	reaches     []*definition
	program     atomic.Pointer[program] // made when first asked for
	own         sync.Mutex              // of the clauses of its own nodes
}

// newSchema makes the schema that a gate let through.
func newSchema(g *gate) *Schema {
	s := &Schema{
		options: g.options,
		draft:   g.draft,
		root:    g.nodes[0],
		nodes:   g.nodes,
		commons: g.commons,
	}
	for _, n := range s.nodes {
		s.chain = max(s.chain, n.height)
		s.unevaluated = s.unevaluated || n.has("unevaluatedProperties", "unevaluatedItems")
		s.dynamic = s.dynamic || len(n.dynamic) > 0
		s.writeOnly = s.writeOnly || n.object["writeOnly"] == true
	}
	if len(g.reached) > 0 {
		s.foundation, s.reaches = g.foundation, g.named
	}
	for _, d := range g.reached {
		s.chain = max(s.chain, d.chain)
		s.unevaluated = s.unevaluated || d.unevaluated
		s.writeOnly = s.writeOnly || d.writeOnly
	}
	s.hidden = s.writeOnly
	return s
}

// reached returns the shared definitions that the schema reaches, by name.
func (s *Schema) reached() []*definition {
	var all []*definition
	seen := map[*definition]bool{}
	var add func(some []*definition)
	add = func(some []*definition) {
		for _, d := range some {
			if !seen[d] {
				seen[d] = true
				all = append(all, d)
				add(d.refs)
			}
		}
	}
	add(s.reaches)
	slices.SortFunc(all, func(a, b *definition) int { return strings.Compare(a.name, b.name) })
	return all
}

// regexp returns a pattern that the gate accepted.
func (s *Schema) regexp(expression string) *ecma.Regexp {
	re, err := s.commons.patterns.Compile(expression)
	if err != nil {
		panic(noAnswer{})
	}
	return re
}

// linear reports whether all patterns of nodes are linear, which it makes ready;
// done is false if the budget does not allow that.
func (s *Schema) linear(nodes []*node, b *Budget) (linear, done bool) {
	check := func(expression string) bool {
		re := s.regexp(expression)
		done = b.spend(re.Prepare())
		linear = done && re.Linear()
		return linear
	}
	linear, done = true, true
	for _, n := range nodes {
		if expression, ok := n.object["pattern"].(string); ok && !check(expression) {
			return linear, done
		}
		byPattern, _ := n.object["patternProperties"].(map[string]any)
		for _, expression := range slices.Sorted(maps.Keys(byPattern)) {
			if !check(expression) {
				return linear, done
			}
		}
	}
	return linear, done
}

// WriteOnly reports whether the schema, or a shared definition that it reaches,
// calls anything writeOnly.
func (s *Schema) WriteOnly() bool { return s.writeOnly }

// Hide keeps what enum, const and pattern hold out of every text of a violation.
// A schema that is writeOnly somewhere does so anyway: which keyword judges the
// same value may be decided far from the word. For others that judge the same
// arguments it is called before their first use.
func (s *Schema) Hide() { s.hidden = true }

// Options bound a schema. The zero value of a limit means its default.
type Options struct {
	// AnnotateFormats makes format an annotation. By default it constrains,
	// and a format that is not asserted does not compile.
	AnnotateFormats bool
	// MaxBytes bounds the merged schema: its own text and the shared
	// definitions that it reaches. Default 4,000,000.
	MaxBytes int
	// MaxSteps is the budget that Validate uses when it is given none.
	// Default 1,000,000.
	MaxSteps int
	// MaxViolations bounds Result.Violations. Default 64.
	MaxViolations int
	// MaxMerging bounds the bytes of definitions that all schemas of one policy
	// merge together, which only those do that cannot be shared (see Commons);
	// each array and object counts 64 bytes more. It keeps a policy in which many
	// small schemas reach one large definition from costing their product.
	// Default 4 * MaxBytes.
	MaxMerging int
}

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 4_000_000
	}
	if o.MaxSteps <= 0 {
		o.MaxSteps = 1_000_000
	}
	if o.MaxViolations <= 0 {
		o.MaxViolations = 64
	}
	if o.MaxMerging <= 0 {
		o.MaxMerging = 4 * o.MaxBytes
	}
	return o
}

// Problem is one reason why a schema does not compile.
type Problem struct {
	Path    string // JSON Pointer into the policy
	Message string // what is wrong, one sentence
	Hint    string // what to do, "" where there is nothing to say
	Reason  string // the class of the problem, one of the Reason constants
}

// Failure says that an evaluation reached no answer. Whatever it is, the call
// is to be denied.
type Failure uint8

const (
	// None: the violations are the answer.
	None Failure = iota
	// Limit: the step budget, the time for patterns or the stop flag ended the
	// evaluation, or it panicked (E_LIMIT_EXCEEDED).
	Limit
)

// Result is the answer of one evaluation: valid only if it has no violations
// and no failure.
type Result struct {
	// Violations are sorted by Path, then SchemaPath, both bytewise.
	Violations []Violation
	// Truncated: there were more than Options.MaxViolations.
	Truncated bool
	Failure   Failure
}

// Valid reports whether the value satisfies the schema for sure.
func (r Result) Valid() bool { return len(r.Violations) == 0 && r.Failure == None }

// Violation is one keyword that the value breaks. No text in it repeats an
// argument's value.
type Violation struct {
	// Path is a JSON Pointer into the arguments, "" for the whole. A name of more
	// than 128 bytes is cut in it, and ends with "…": such a path leads nowhere,
	// and those of two violations may look the same.
	Path       string
	Constraint string // the schema keyword
	Message    string // one sentence that names the limit
	Suggestion string // one sentence that says what would pass
	SchemaPath string // JSON Pointer to the keyword in the policy, never cut
}
