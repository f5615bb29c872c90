package args

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"example.com/assay/assay/internal/schema"
	"example.com/assay/assay/internal/strictjson"
)

// Checker is the compiled form of [Rules]. It is immutable and safe for
// concurrent use. A nil *Checker denies everything.
type Checker struct {
	tools map[string]*tool // the tools that the rules say something of by name

	deny, allow               *patterns
	denyClasses, allowClasses classes
	blocked                   func(tool string) bool

	maxRequests, maxCalls *int64
	unconstrained         Unconstrained
	duties                duties

	maxSteps, maxViolations int
	budgets                 sync.Pool // of *schema.Budget
}

// tool is what the rules say of one tool by its exact name.
type tool struct {
	classes []string
	pin     *pin
	refusal *ruling // steps 3 and 4, which the name alone decides
	rules   []rule
	broken  bool // a source of its rules does not compile
}

// rule is a source of argument rules, compiled.
type rule struct {
	source *source
	schema *schema.Schema
}

// The defaults of [Options].
const (
	defaultMaxSteps       = 1_000_000
	defaultMaxViolations  = 64
	defaultMaxSchemaBytes = 4_000_000
)

// maxProblems is how many problems are listed before each further tool adds only
// its first one: many tools may reach one definition with many faults.
const maxProblems = 2_000

// Compile compiles rules. It keeps no map and no slice of r but the schemas
// themselves, which nobody may change afterwards. The problems are the schemas
// that do not compile, in the order of the tools' names for each source; the
// checker is good all the same, and denies the calls of those tools.
func Compile(r *Rules, opts Options) (*Checker, []Problem) {
	if r == nil {
		r = &Rules{}
	}
	if opts.MaxSteps <= 0 {
		opts.MaxSteps = defaultMaxSteps
	}
	if opts.MaxViolations <= 0 {
		opts.MaxViolations = defaultMaxViolations
	}
	if opts.MaxSchemaBytes <= 0 {
		opts.MaxSchemaBytes = defaultMaxSchemaBytes
	}
	c := &Checker{
		tools:         map[string]*tool{},
		deny:          compilePatterns(r.Deny),
		allow:         compilePatterns(r.Allow),
		denyClasses:   compileClasses(r.DenyClasses),
		allowClasses:  compileClasses(r.AllowClasses),
		blocked:       r.Blocked,
		maxRequests:   copied(r.MaxRequests),
		maxCalls:      copied(r.MaxCalls),
		unconstrained: r.Unconstrained,
		duties:        compileDuties(r),
		maxSteps:      opts.MaxSteps,
		maxViolations: opts.MaxViolations,
	}
	c.budgets.New = func() any { return new(schema.Budget) }

	named := func(name string) *tool {
		t := c.tools[name]
		if t == nil {
			t = &tool{}
			c.tools[name] = t
		}
		return t
	}
	for name, classes := range r.Classes {
		named(name).classes = slices.Clone(classes)
	}
	for name, identity := range r.Pins {
		named(name).pin = &pin{identity}
	}
	problems := c.compileSources(r, opts, named)
	for name, t := range c.tools {
		t.refusal = c.refuse(name, t.classes)
	}
	c.nameExact()
	return c, problems
}

// nameExact moves the exact patterns of both lists to tools, so that one look
// there says what they say.
func (c *Checker) nameExact() {
	bare := map[*ruling]*tool{nil: unnamed} // tools of which nothing else is said
	for _, list := range []*patterns{c.deny, c.allow} {
		if list == nil {
			continue
		}
		for name := range list.exact {
			if c.tools[name] != nil {
				continue
			}
			refusal := c.refuse(name, nil)
			if bare[refusal] == nil {
				bare[refusal] = &tool{refusal: refusal}
			}
			c.tools[name] = bare[refusal]
		}
	}
	for _, list := range []*patterns{c.deny, c.allow} {
		if list != nil {
			list.exact = nil
		}
	}
}

// compileSources compiles every source of argument rules into its tool.
func (c *Checker) compileSources(r *Rules, opts Options, named func(string) *tool) []Problem {
	var problems []Problem
	shared := commons(r, opts)
	for _, s := range sources(r) {
		t := named(s.tool)
		compiled, found := s.compile(shared)
		if compiled == nil {
			t.broken = true
			// Every tool is told of, and no more than that once they are many.
			if len(problems)+len(found) > maxProblems {
				found = found[:1]
			}
			problems = append(problems, found...)
			continue
		}
		t.rules = append(t.rules, rule{&s, compiled})
	}
	for _, t := range c.tools {
		// What one source calls writeOnly another one may judge.
		if slices.ContainsFunc(t.rules, func(r rule) bool { return r.schema.WriteOnly() }) {
			for _, r := range t.rules {
				r.schema.Hide()
			}
		}
	}
	return problems
}

// unnamed stands for every tool that the rules do not name exactly.
var unnamed = &tool{}

// Check decides about one call, in the order of policy-language.md, section 3:
// the first step that applies decides. It changes nothing, does no I/O, and
// allocates nothing where it allows a call without obligations that the fast
// program of each schema accepts.
func (c *Checker) Check(req *Request) Result {
	if c == nil {
		return deny(noPolicy)
	}
	if !validName(req.Tool) {
		return deny(invalidName)
	}
	t, named := c.tools[req.Tool]
	if !named {
		t = unnamed
	}

	// 1. Pin drift.
	if t.pin.drift(req.Identity) {
		return deny(drifted)
	}

	// 2. Limits.
	if over(c.maxRequests, req.Requests) {
		return deny(overRequests)
	}
	if over(c.maxCalls, req.Calls) {
		return deny(overCalls)
	}

	// 3. Deny, and 4. allow.
	refusal := t.refusal
	if !named {
		refusal = c.refuse(req.Tool, nil)
	}
	if refusal != nil {
		return deny(refusal)
	}

	var warning *ruling
	if t.constrained() {
		// 5. Reading, and 6. schema. The fast program does both in one pass and
		// only ever says yes; every denial is judge's.
		if !c.accepts(t, req) {
			if denial := c.judge(t, req); !denial.Allowed {
				return denial
			}
		}
	} else {
		// 5. Reading, and 7. no schema.
		if denial := readObject(req); !denial.Allowed {
			return denial
		}
		switch c.unconstrained {
		case Allow:
		case Warn:
			warning = unconstrained
		default:
			return deny(noSchema)
		}
	}

	if warning == nil && t.pin.unverified(req.Identity) {
		warning = unverifiedPin
	}
	result := Result{Allowed: true, Obligations: c.duties.of(req.Tool, t.classes)}
	if warning != nil {
		result.WarningCode, result.WarningReason = warning.code, warning.reason
	}
	return result
}

// CheckName returns the code of the denial that the name alone brings about:
// that of an invalid name and of steps 3 and 4. It is empty where a call of the
// tool may be allowed, its arguments being right.
func (c *Checker) CheckName(name string) string {
	if c == nil {
		return CodeNoPolicy
	}
	if !validName(name) {
		return CodeInvalidRequest
	}
	refusal := (*ruling)(nil)
	if t, named := c.tools[name]; named {
		refusal = t.refusal
	} else {
		refusal = c.refuse(name, nil)
	}
	if refusal != nil {
		return refusal.code
	}
	return ""
}

func validName(name string) bool { return name != "" && utf8.ValidString(name) }

// over reports whether a count is over a ceiling, which is nil when there is
// none. A count includes the call that is asked about, so it is at least 1.
func over(ceiling *int64, count int64) bool {
	return ceiling != nil && max(count, 1) > *ceiling
}

// refuse decides steps 3 and 4 for a tool of the classes; nil refuses nothing.
func (c *Checker) refuse(name string, classes []string) *ruling {
	switch {
	case c.deny.match(name):
		return deniedByPattern
	case c.denyClasses.match(classes):
		return deniedByClass
	case c.blocked != nil && c.blocked(name):
		return deniedByList
	case c.allow == nil && c.allowClasses == nil:
		return nil
	case c.allow.match(name) || c.allowClasses.match(classes):
		return nil
	}
	return notAllowed
}

// constrained reports whether the tool has a schema, be it one that does not compile.
func (t *tool) constrained() bool { return t.broken || len(t.rules) > 0 }

// readObject reads the arguments of a tool without a schema: strictly, and as
// an object.
func readObject(req *Request) Result {
	object := false
	if req.HasValue {
		_, object = req.Value.(map[string]any)
	} else {
		text := req.text()
		if err := strictjson.Check(text); err != nil {
			return denyWith(unreadable, misread(err))
		}
		object = text[strictjson.SkipSpace(text, 0)] == '{'
	}
	if !object {
		return denyWith(notAnObject, shapeless())
	}
	return Result{Allowed: true}
}

// accepts reports whether the fast program of every schema accepts the
// arguments. False decides nothing.
func (c *Checker) accepts(t *tool, req *Request) bool {
	if t.broken {
		return false
	}
	b := c.budget(req.Stop)
	defer c.release(b)
	for _, rule := range t.rules {
		if req.HasValue {
			if !rule.schema.AcceptsValue(req.Value, b) {
				return false
			}
		} else if !rule.schema.Accepts(req.text(), b) {
			return false
		}
	}
	return true
}

// judge decides steps 5 and 6: the arguments are read strictly, and then by
// every schema of the tool.
func (c *Checker) judge(t *tool, req *Request) Result {
	value := req.Value
	if !req.HasValue {
		var err error
		if value, err = strictjson.Decode(req.text()); err != nil {
			return denyWith(unreadable, misread(err))
		}
	} else if req.Plain != nil {
		value = req.Plain(value)
	}
	if t.broken {
		return deny(brokenSchema)
	}
	b := c.budget(req.Stop)
	defer c.release(b)
	var found violations
	failure := schema.None
	for _, rule := range t.rules {
		result := rule.schema.Validate(value, b)
		if result.Failure == schema.None {
			found.add(rule.source, result)
		}
		failure = max(failure, result.Failure)
	}
	// A schema that does not compile comes before what the others say. An
	// exhausted budget comes last: the call may have been denied already.
	switch {
	case failure == schema.Broken:
		return deny(brokenSchema)
	case len(found.list) > 0:
		denial := deny(brokenArguments)
		denial.Violations, denial.Truncated = found.merged(c.maxViolations)
		return denial
	case failure != schema.None:
		return deny(overBudget)
	}
	return Result{Allowed: true}
}

func denyWith(r *ruling, v Violation) Result {
	denial := deny(r)
	denial.Violations = []Violation{v}
	return denial
}

// budget returns the fresh budget of one evaluation; release takes it back.
func (c *Checker) budget(stop *atomic.Bool) *schema.Budget {
	b := c.budgets.Get().(*schema.Budget)
	*b = *schema.NewBudget(c.maxSteps, stop)
	return b
}

func (c *Checker) release(b *schema.Budget) {
	*b = schema.Budget{} // holds on to nothing of the caller's
	c.budgets.Put(b)
}

func copied(n *int64) *int64 {
	if n == nil {
		return nil
	}
	m := *n
	return &m
}

// sorted returns the keys of m in bytewise order: no output depends on the
// order of a map.
func sorted[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}
