package args

import (
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"example.com/assay/assay/internal/nametable"
	"example.com/assay/assay/internal/schema"
	"example.com/assay/assay/internal/strictjson"
)

// Checker is the compiled form of [Rules]. It is immutable and safe for
// concurrent use. A nil *Checker denies everything.
type Checker struct {
	// The tools of which something is known by name.
	names nametable.Table
	tools []*tool // by the number of the name; the first is nil

	deny, allow               *patterns
	denyClasses, allowClasses classes
	blocked                   func(tool string) bool

	maxRequests, maxCalls *int64
	unconstrained         Unconstrained
	duties                duties

	maxSteps, maxViolations int
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

	tools := map[string]*tool{}
	named := func(name string) *tool {
		t := tools[name]
		if t == nil {
			t = &tool{}
			tools[name] = t
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
	for name, t := range tools {
		t.refusal = c.refuse(name, t.classes)
		t.hideTogether()
	}
	c.nameBare(tools, opts.Expect)
	// A name that is found here needs no other look.
	maps.DeleteFunc(tools, func(name string, _ *tool) bool { return !validName(name) })
	c.number(tools)
	return c, problems
}

// number makes the table of all tools.
func (c *Checker) number(tools map[string]*tool) {
	numbers := make(map[string]int32, len(tools))
	c.tools = make([]*tool, 1, 1+len(tools))
	for name, t := range tools {
		numbers[name] = int32(len(c.tools))
		c.tools = append(c.tools, t)
	}
	c.names = nametable.Make(numbers)
}

// nameBare adds tools of which a pattern alone says something, so that one look
// finds what it says: those that exact patterns name, which are no patterns then,
// and the names that are expected.
func (c *Checker) nameBare(tools map[string]*tool, expected []string) {
	bare := map[*ruling]*tool{nil: unnamed}
	add := func(name string) {
		if tools[name] != nil {
			return
		}
		refusal := c.refuse(name, nil)
		if bare[refusal] == nil {
			bare[refusal] = &tool{refusal: refusal}
		}
		tools[name] = bare[refusal]
	}
	for _, list := range []*patterns{c.deny, c.allow} {
		if list != nil {
			for name := range list.exact {
				add(name)
			}
		}
	}
	for _, name := range expected {
		add(name)
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
	all := sources(r)
	compiled, found := compileAll(all, commons(r, opts))
	for i := range all {
		s, compiled, found := &all[i], compiled[i], found[i]
		t := named(s.tool)
		if compiled == nil {
			t.broken = true
			// Every tool is told of, and no more than that once they are many.
			if len(problems)+len(found) > maxProblems {
				found = found[:1]
			}
			problems = append(problems, found...)
			continue
		}
		t.rules = append(t.rules, rule{s, compiled})
	}
	return problems
}

// hideTogether lets all schemas of a tool hide what they hold if one of them
// does: what one source calls writeOnly another one may judge.
func (t *tool) hideTogether() {
	if slices.ContainsFunc(t.rules, func(r rule) bool { return r.schema.WriteOnly() }) {
		for _, r := range t.rules {
			r.schema.Hide()
		}
	}
}

// compileAll compiles sources, several at a time where they share nothing that
// changes.
func compileAll(all []source, shared *schema.Commons) ([]*schema.Schema, [][]Problem) {
	compiled, found := make([]*schema.Schema, len(all)), make([][]Problem, len(all))
	workers := 1
	if shared.Independent() {
		workers = min(runtime.GOMAXPROCS(0), len(all)/minSources+1)
	}
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < len(all); i = int(next.Add(1)) - 1 {
			compiled[i], found[i] = all[i].compile(shared)
		}
	}
	var group sync.WaitGroup
	for range workers - 1 {
		group.Go(work)
	}
	work()
	group.Wait()
	return compiled, found
}

// minSources is how many sources are worth a goroutine.
const minSources = 32

// unnamed stands for every tool that the rules do not name exactly.
var unnamed = &tool{}

// Check decides about one call, in the order of docs/policy.md, "What is
// decided first": the first step that applies decides. It changes nothing, does
// no I/O, and allocates nothing where it allows a call without obligations that
// the fast program of each schema accepts.
func (c *Checker) Check(req *Request) Result {
	if c == nil {
		return denied(noPolicy)
	}
	t, refusal := c.find(req.Tool)
	switch {
	case t == nil:
		return denied(invalidName)
	// 1. Pin drift.
	case t.pin.drift(req.Identity):
		return denied(drifted)
	// 2. Limits.
	case over(c.maxRequests, req.Requests):
		return denied(overRequests)
	case over(c.maxCalls, req.Calls):
		return denied(overCalls)
	// 3. Deny, and 4. allow.
	case refusal != nil:
		return denied(refusal)
	}

	r := Result{Allowed: true}
	if t.constrained() {
		// 5. Reading, and 6. schema. The fast program does both in one pass and
		// only ever says yes; every denial is judge's.
		budget := schema.MakeBudget(c.maxSteps, req.Stop)
		if !t.accepts(req, &budget) {
			if denial := c.judge(t, req, budget); denial.by != nil {
				return denial
			}
		}
	} else {
		// 5. Reading, and 7. no schema.
		if req.HasValue || req.Arguments != nil {
			if denial := readObject(req); denial.by != nil {
				return denial
			}
		}
		switch c.unconstrained {
		case Allow:
		case Warn:
			r.by = unconstrained
		default:
			return denied(noSchema)
		}
	}

	if r.by == nil && t.pin.unverified(req.Identity) {
		r.by = unverifiedPin
	}
	if len(c.duties) > 0 {
		if obligations := c.duties.of(req.Tool, t.classes); len(obligations) > 0 {
			r.list = &lists{obligations: obligations}
		}
	}
	return r
}

// Admits reports whether Check would allow the call, with neither a warning nor an
// obligation, as far as the fast programs of the tool's schemas know. True is an
// answer, false is none. It takes any Go value, and true proves that the value is
// one that Check takes.
func (c *Checker) Admits(req *Request) bool {
	if c == nil || len(c.duties) > 0 {
		return false
	}
	t := c.tools[c.names.Lookup(req.Tool)]
	if t == nil || len(t.rules) == 0 || t.refusal != nil || t.pin != nil ||
		over(c.maxRequests, req.Requests) || over(c.maxCalls, req.Calls) {
		return false
	}
	budget := schema.MakeBudget(c.maxSteps, req.Stop)
	return t.accepts(req, &budget)
}

// find returns what the rules say of a tool by its name, and the denial of steps
// 3 and 4, if any; a nil tool is an invalid name.
func (c *Checker) find(name string) (*tool, *ruling) {
	if t := c.tools[c.names.Lookup(name)]; t != nil {
		return t, t.refusal
	}
	if !validName(name) {
		return nil, invalidName
	}
	return unnamed, c.refuse(name, nil)
}

// CheckName returns the code of the denial that the name alone brings about:
// that of an invalid name and of steps 3 and 4. It is empty where a call of the
// tool may be allowed, its arguments being right.
func (c *Checker) CheckName(name string) string {
	if c == nil {
		return CodeNoPolicy
	}
	if _, refusal := c.find(name); refusal != nil {
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
// an object. It returns the denial where they are not, else the zero Result.
func readObject(req *Request) Result {
	object := false
	if req.HasValue {
		_, object = req.Value.(map[string]any)
	} else {
		text := req.text()
		if err := strictjson.Check(text); err != nil {
			return denied(unreadable, misread(err))
		}
		object = text[strictjson.SkipSpace(text, 0)] == '{'
	}
	if !object {
		return denied(notAnObject, shapeless())
	}
	return Result{}
}

// accepts reports whether the fast program of every schema accepts the
// arguments. False decides nothing.
func (t *tool) accepts(req *Request, b *schema.Budget) bool {
	if t.broken {
		return false
	}
	for i := range t.rules {
		s := t.rules[i].schema
		if req.HasValue {
			if !s.AcceptsValue(req.Value, b) {
				return false
			}
		} else if !s.Accepts(req.text(), b) {
			return false
		}
	}
	return true
}

// judge decides steps 5 and 6: the arguments are read strictly, and then by
// every schema of the tool, within what is left of the budget. It returns the
// denial where they break one, else the zero Result.
func (c *Checker) judge(t *tool, req *Request, budget schema.Budget) Result {
	value := req.Value
	if !req.HasValue {
		var err error
		if value, err = strictjson.Decode(req.text()); err != nil {
			return denied(unreadable, misread(err))
		}
	} else if req.Plain != nil {
		value = req.Plain(value)
	}
	if t.broken {
		return denied(brokenSchema)
	}
	var found violations
	answered := true
	for _, rule := range t.rules {
		result := rule.schema.Validate(value, &budget)
		if result.Failure == schema.None {
			found.add(rule.source, result)
		} else {
			answered = false
		}
	}
	// An exhausted budget comes last: the call may have been denied already.
	switch {
	case len(found.list) > 0:
		list, truncated := found.merged(c.maxViolations)
		return Result{by: brokenArguments, list: &lists{violations: list, truncated: truncated}}
	case !answered:
		return denied(overBudget)
	}
	return Result{}
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
