package schema

import (
	"errors"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/assay/assay/internal/ecma"
)

// engine is one compiled form of a Schema for the library that decides. It
// serves one evaluation at a time, because the library offers no other way to
// hand an evaluation's state to its extensions.
type engine struct {
	schema     *jsonschema.Schema
	all        []*node          // every node, shared definitions included
	nodes      map[string]*node // by the library's location
	run        *evaluation      // the evaluation in flight
	generation int              // of engines
}

// engines are the compiled forms of one Schema: at most one for each processor,
// made when they are needed.
type engines struct {
	mu         sync.Mutex
	freed      chan struct{} // one is idle, perhaps
	idle       []*engine
	made       int
	making     bool
	broken     bool
	generation int // engines of an earlier one were given up
}

const (
	// maxEngineNodes bounds the schemas in all engines of a policy. One takes
	// about 1,200 bytes in an engine.
	maxEngineNodes = 40_000
	// look is how often who waits for an engine looks at the stop flag.
	look = 5 * time.Millisecond
)

// acquire returns an engine that nobody else uses, waiting for one if need be.
// It returns none with Broken if the library refuses the schema, and with Limit
// if the stop flag is set meanwhile.
func (s *Schema) acquire(stop *atomic.Bool) (*engine, Failure) {
	e := &s.engines
	for {
		e.mu.Lock()
		last := len(e.idle) - 1
		switch {
		case e.broken:
			e.mu.Unlock()
			return nil, Broken
		case last >= 0:
			found := e.idle[last]
			e.idle = e.idle[:last]
			e.mu.Unlock()
			return found, None
		case !e.making && e.made < runtime.GOMAXPROCS(0):
			// One at a time keeps two first calls from doing the same work.
			e.making = true
			e.made++
			e.mu.Unlock()
			return s.make()
		}
		e.mu.Unlock()
		select {
		case <-e.freed:
		case <-time.After(look):
		}
		if stop != nil && stop.Load() {
			return nil, Limit
		}
	}
}

// make builds one more engine.
func (s *Schema) make() (*engine, Failure) {
	built := s.build()
	e := &s.engines
	e.mu.Lock()
	e.making = false
	if built == nil {
		e.broken = true
	} else {
		built.generation = e.generation
	}
	e.mu.Unlock()
	e.wake()
	if built == nil {
		return nil, Broken
	}
	s.commons.engines.admit(s, len(built.all))
	return built, None
}

func (s *Schema) release(used *engine) {
	e := &s.engines
	e.mu.Lock()
	if used.generation == e.generation {
		e.idle = append(e.idle, used)
	}
	e.mu.Unlock()
	e.wake()
}

// wake lets one who waits look again.
func (e *engines) wake() {
	select {
	case e.freed <- struct{}{}:
	default:
	}
}

// giveUp lets go of all engines; those in use are not kept when they are released.
func (e *engines) giveUp() {
	e.mu.Lock()
	e.idle, e.made = nil, 0
	e.generation++
	e.mu.Unlock()
	e.wake()
}

// fleet counts the engines of all schemas of a policy, and gives up those that
// were made first when they are too many.
type fleet struct {
	limit int // of total
	mu    sync.Mutex
	order []*Schema
	sizes map[*Schema]int // in nodes
	total int
}

// admit counts an engine of that many nodes that was just made for s.
func (f *fleet) admit(s *Schema, nodes int) {
	var left []*Schema
	f.mu.Lock()
	if f.sizes == nil {
		f.sizes = map[*Schema]int{}
	}
	if f.sizes[s] == 0 {
		f.order = append(f.order, s)
	}
	f.sizes[s] += nodes
	f.total += nodes
	for f.total > f.limit && f.order[0] != s {
		first := f.order[0]
		f.order = f.order[1:]
		f.total -= f.sizes[first]
		delete(f.sizes, first)
		left = append(left, first)
	}
	f.mu.Unlock()
	for _, s := range left {
		s.engines.giveUp()
	}
}

// nothing is the loader of a policy: it has no documents.
type nothing struct{}

func (nothing) Load(string) (any, error) {
	return nil, errors.New("a schema refers to nothing outside itself")
}

// build compiles the schema with the library, nil if it refuses.
func (s *Schema) build() (built *engine) {
	defer func() {
		if recover() != nil {
			built = nil
		}
	}()
	e := &engine{nodes: make(map[string]*node, len(s.nodes))}
	document := s.libraryDocument(e)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(s.libraryDraft())
	compiler.UseLoader(nothing{})
	compiler.UseRegexpEngine(func(expression string) (jsonschema.Regexp, error) {
		// The metaschemas bring patterns of their own.
		re, err := s.commons.patterns.Compile(expression)
		if err != nil {
			return nil, err
		}
		return &matcher{engine: e, re: re}, nil
	})
	compiler.RegisterVocabulary(s.vocabulary(e))
	compiler.AssertVocabs()
	if err := compiler.AddResource(base, document); err != nil {
		return nil
	}
	var err error
	if e.schema, err = compiler.Compile(base); err != nil {
		return nil
	}
	return e
}

func (s *Schema) libraryDraft() *jsonschema.Draft {
	switch s.draft {
	case draft4:
		return jsonschema.Draft4
	case draft6:
		return jsonschema.Draft6
	case draft7:
		return jsonschema.Draft7
	case draft2019:
		return jsonschema.Draft2019
	}
	return jsonschema.Draft2020
}

// matcher is a regular expression for the library, whose interface has no
// place for an error: a match without an answer unwinds the evaluation.
type matcher struct {
	engine *engine
	re     *ecma.Regexp
}

func (m *matcher) String() string { return m.re.String() }

func (m *matcher) MatchString(s string) bool {
	run := m.engine.run
	if run == nil {
		// The library matches while it compiles, against metaschemas.
		matched, err := m.re.MatchString(s, nil)
		return matched && err == nil
	}
	return run.matches(m.re, s)
}

// own is the keyword under which the library's document holds what the package
// evaluates itself.
const own = "assay"

// moved reports whether a keyword's subschemas stand under own. Everything that
// judges the same value in several ways is there: in the library a branch that
// fails keeps its errors, and one under not or if is evaluated in a mode that
// skips extensions, so that its work could not be counted.
func moved(keyword string) bool {
	switch keyword {
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies", "contains", "propertyNames":
		return true
	}
	return false
}

// location is where n stands in the library's document.
func (n *node) location() string {
	if n.parent == nil {
		return ""
	}
	at := n.parent.location()
	if moved(n.holder) {
		at += "/" + own
	}
	at += "/" + escapeToken(n.holder)
	if rest := n.at[len(n.parent.at)+1+len(escapeToken(n.holder)):]; rest != "" {
		at += rest
	}
	return at
}

// libraryDocument writes the schema for the library: the keywords that it
// evaluates, as they stand, and under own the number of the node, from which
// the extension finds the rest.
func (s *Schema) libraryDocument(e *engine) any {
	document := s.libraryNode(e, s.root)
	if reached := s.reached(); len(reached) > 0 {
		whole := document.(map[string]any)
		home, _ := whole[s.draft.home()].(map[string]any)
		if home == nil {
			home = map[string]any{}
			whole[s.draft.home()] = home
		}
		for _, d := range reached {
			home[d.name] = s.libraryNode(e, d.root)
		}
	}
	return document
}

func (s *Schema) libraryNode(e *engine, n *node) any {
	number := len(e.all)
	e.all = append(e.all, n)
	if n.object == nil && !n.never {
		return true
	}
	if n.never && (n.holder == "additionalProperties" || n.holder == "additionalItems") {
		return false
	}
	mine := map[string]any{"node": number}
	out := map[string]any{own: mine}
	for name, v := range n.object {
		shape, known := shapeOf(name, s.draft)
		if !known {
			continue
		}
		switch name {
		case "$schema", "type", "required", "dependentRequired", "$recursiveAnchor", "$recursiveRef",
			"maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum", "multipleOf", "pattern":
			out[name] = v
		case "$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef":
			// Without dynamic references no address is looked up: $ref is
			// resolved by the gate.
			if s.dynamic {
				out[name] = v
			}
		case "dependencies":
			lists := map[string]any{}
			for key, member := range v.(map[string]any) {
				if _, ok := member.([]any); ok {
					lists[key] = member
				}
			}
			out[name] = lists
		case "minLength", "maxLength":
		default:
			switch shape {
			case count:
				out[name] = clamp(v)
			case byName, byPattern:
				if !moved(name) {
					out[name] = map[string]any{}
				}
			}
		}
	}
	for _, sub := range n.subs {
		to := out
		if moved(sub.holder) {
			to = mine
		}
		v := s.libraryNode(e, sub)
		switch _, several := n.object[sub.holder].([]any); {
		case several:
			items, _ := to[sub.holder].([]any)
			to[sub.holder] = append(items, v)
		case holdsMap(sub.holder):
			inner, _ := to[sub.holder].(map[string]any)
			if inner == nil {
				inner = map[string]any{}
				to[sub.holder] = inner
			}
			inner[sub.token] = v
		default:
			to[sub.holder] = v
		}
	}
	return out
}

// unlimited is a length that no value has; the library keeps lengths in an int
// and takes what does not fit modulo 2^64.
const unlimited = 1 << 30

func clamp(v any) any {
	x, _ := exact(v)
	if n, ok := x.Int64(); ok && n < unlimited {
		return int(n)
	}
	return unlimited
}

// vocabulary is the package's part in the library's evaluation: one keyword,
// own, in every schema that is not true or false.
func (s *Schema) vocabulary(e *engine) *jsonschema.Vocabulary {
	below := func(keyword string, rest ...jsonschema.Position) jsonschema.SchemaPath {
		return append(jsonschema.SchemaPath{jsonschema.Prop(own), jsonschema.Prop(keyword)}, rest...)
	}
	return &jsonschema.Vocabulary{
		URL: "assay:///vocabulary",
		Subschemas: []jsonschema.SchemaPath{
			below("allOf", jsonschema.AllItem{}), below("anyOf", jsonschema.AllItem{}), below("oneOf", jsonschema.AllItem{}),
			below("dependentSchemas", jsonschema.AllProp{}), below("dependencies", jsonschema.AllProp{}),
			below("not"), below("if"), below("then"), below("else"), below("contains"), below("propertyNames"),
		},
		Compile: func(ctx *jsonschema.CompilerContext, object map[string]any) (jsonschema.SchemaExt, error) {
			mine, ok := object[own].(map[string]any)
			if !ok {
				return nil, nil
			}
			return s.compileApplicators(e, ctx, e.all[mine["node"].(int)])
		},
	}
}

func (s *Schema) compileApplicators(e *engine, ctx *jsonschema.CompilerContext, n *node) (jsonschema.SchemaExt, error) {
	e.nodes[ctx.Enqueue(nil).Location] = n
	a := &applicators{schema: s, engine: e, node: n, assertion: s.asserted(n)}
	one := func(keyword string) *jsonschema.Schema {
		if _, ok := n.object[keyword]; !ok {
			return nil
		}
		return ctx.Enqueue([]string{own, keyword})
	}
	several := func(keyword string) (all []*jsonschema.Schema) {
		items, _ := n.object[keyword].([]any)
		for i := range items {
			all = append(all, ctx.Enqueue([]string{own, keyword, strconv.Itoa(i)}))
		}
		return all
	}
	if n.ref != nil {
		target, err := ctx.EnqueueRef(base + "#" + fragment(n.ref.location()))
		if err != nil {
			return nil, err
		}
		a.allOf = append(a.allOf, target)
	}
	a.allOf = append(a.allOf, several("allOf")...)
	for _, sub := range n.subs {
		if sub.holder == "dependentSchemas" || sub.holder == "dependencies" {
			a.dependent = append(a.dependent, dependent{sub.token, ctx.Enqueue([]string{own, sub.holder, sub.token})})
		}
	}
	a.anyOf, a.oneOf = several("anyOf"), several("oneOf")
	a.not = one("not")
	a.condition, a.then, a.otherwise = one("if"), one("then"), one("else")
	a.contains, a.propertyNames = one("contains"), one("propertyNames")
	return a, nil
}
