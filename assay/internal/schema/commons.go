package schema

import (
	"sync"

	"example.com/assay/assay/internal/ecma"
	"example.com/assay/internal/jsonpointer"
)

// maxMachines is about how many bytes the patterns of one policy take to match
// with; see [ecma.Set].
const maxMachines = 48 << 20

// Commons is what the schemas of one policy have in common: the shared
// definitions, the patterns, and the bounds of what is made of them.
//
// A shared definition is checked once for all tools that reach it, in each
// draft, if what it says is the same for every tool: no identifier, anchor or
// dynamic reference stands in it, and every reference in it, and in the
// definitions that it leads to, names a shared definition. Any other is merged
// into each schema that reaches it and checked with that.
type Commons struct {
	source      Source // without a tool
	options     Options
	patterns    *ecma.Set
	foundations map[draft]*foundation
	merging     int // bytes that may still be merged
}

// NewCommons begins the schemas of a policy with the definitions of src.
func NewCommons(src Source, opts Options) *Commons {
	opts = opts.withDefaults()
	src.Doc, src.Pointer = nil, ""
	return &Commons{
		source:      src,
		options:     opts,
		patterns:    ecma.NewSet(maxMachines),
		foundations: map[draft]*foundation{},
		merging:     opts.MaxMerging,
	}
}

// Independent reports whether there are no shared definitions, so that several
// goroutines may Compile at the same time.
func (c *Commons) Independent() bool { return len(c.source.Defs) == 0 }

// foundation holds the shared definitions as one draft reads them, those that
// some schema has reached so far.
type foundation struct {
	gate        *gate
	stem        *node // stands for the root of whatever schema they are part of
	definitions map[string]*definition
	calls       int        // of reach
	mu          sync.Mutex // of the clauses of the definitions' nodes, and of linear
}

// definition is one shared definition.
type definition struct {
	name        string
	value       any
	size        int  // as compact JSON
	depth       int  // of nesting
	plain       bool // made of the values that Source.Doc names
	apart       bool // it does not say the same for every tool
	refs        []*definition
	root        *node
	nodes       []*node // those that are part of it, the root first
	walked      bool
	tooMany     bool      // they are more than a schema may have
	settled     bool      // its references and loops are looked at
	problems    []Problem // of its own parts
	chain       int       // the most schemas in a row that judge one value from it
	unevaluated bool
	writeOnly   bool
	linear      *bool // all patterns in it are, nil: not known
	call        int   // of reach, the last that came here
}

func (c *Commons) foundation(d draft) *foundation {
	f := c.foundations[d]
	if f == nil {
		f = &foundation{gate: newGate(c), definitions: map[string]*definition{}}
		f.gate.draft = d
		f.gate.source = c.source
		f.gate.merged.home = d.home()
		f.gate.foundation = f
		f.stem = &node{base: c.source.DefsPointer, index: -1}
		f.gate.identify(f.stem)
		c.foundations[d] = f
	}
	return f
}

// gather finds the shared definitions that the schema reaches. Where they cannot
// be shared it returns the schema with all of them in it.
func (g *gate) gather() (merged, []Problem) {
	m := merged{doc: g.source.Doc, home: g.draft.home()}
	object, ok := g.source.Doc.(map[string]any)
	if !ok || len(g.source.Defs) == 0 {
		if ok && jsonSize(object) > g.options.MaxBytes {
			return m, g.source.tooLarge(g.options.MaxBytes)
		}
		return m, nil
	}
	if problems := g.source.collisions(m.home); len(problems) > 0 {
		return m, problems
	}
	size := jsonSize(object)
	f := g.commons.foundation(g.draft)
	named, reached, shared := f.reach(definitionNames(object))
	if !shared {
		return g.source.merge(g.draft, g.options.MaxBytes, &g.commons.merging)
	}
	problem := func(reason, message, hint string) []Problem {
		return []Problem{{Path: g.source.Pointer, Message: message, Hint: hint, Reason: reason}}
	}
	for _, d := range reached {
		size += d.size + len(d.name) + 4
	}
	if size > g.options.MaxBytes {
		return m, g.source.tooLarge(g.options.MaxBytes)
	}
	subschemas := 0
	for _, d := range reached {
		switch {
		case d.depth+2 > maxDepth:
			return m, problem(TooDeep, tooDeepMerged, "")
		case !d.plain:
			return m, problem(NotSchema, notPlain, "")
		}
		f.walk(d)
		subschemas += len(d.nodes)
		if d.tooMany || subschemas >= maxSchemas {
			return m, problem(TooLarge, tooManySchemas, tooManyHint)
		}
	}
	f.settle(reached)
	if len(reached) > 0 {
		g.foundation, g.named, g.reached, g.call = f, named, reached, f.calls
		g.limit -= subschemas
	}
	return m, nil
}

// reach returns the definitions that names lead to, and among them those that
// names name; shared is false if one of them does not say the same for every
// tool. It stops where they are too many for one schema.
func (f *foundation) reach(names []string) (named, reached []*definition, shared bool) {
	f.calls++
	for _, name := range names {
		if d := f.definition(name); d != nil {
			named = append(named, d)
		}
	}
	shared = true
	queue := named
	for len(queue) > 0 && len(reached) <= maxSchemas {
		d := queue[len(queue)-1]
		queue = queue[: len(queue)-1 : len(queue)-1]
		if d.call == f.calls {
			continue
		}
		d.call = f.calls
		f.measure(d)
		shared = shared && !d.apart
		reached = append(reached, d)
		queue = append(queue, d.refs...)
	}
	return named, reached, shared
}

// definition returns the definition of a name, nil if there is none.
func (f *foundation) definition(name string) *definition {
	d := f.definitions[name]
	if d == nil {
		value, exists := f.gate.source.Defs[name]
		if !exists {
			return nil
		}
		d = &definition{name: name, value: value, size: -1}
		f.definitions[name] = d
	}
	return d
}

// measure looks at the definition as a value, once.
func (f *foundation) measure(d *definition) {
	if d.size >= 0 {
		return
	}
	d.size = jsonSize(d.value)
	d.depth = jsonDepth(d.value, maxDepth)
	d.plain = d.depth <= maxDepth && isPlain(d.value)
	d.apart = f.apart(d.value, maxDepth)
	for _, name := range definitionNames(d.value) {
		if target := f.definition(name); target != nil {
			d.refs = append(d.refs, target)
		}
	}
}

// apart reports whether something stands in v that may say different things in
// two schemas. It looks everywhere, also where no schema stands.
func (f *foundation) apart(v any, depth int) bool {
	if depth < 0 {
		return false // refused anyway
	}
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			switch key {
			case "$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef":
				if _, ok := member.(string); ok {
					return true
				}
			case "$recursiveAnchor":
				if _, ok := member.(bool); ok {
					return true
				}
			case "$ref":
				if ref, ok := member.(string); ok {
					name, _, ok := definitionName(ref)
					if _, exists := f.gate.source.Defs[name]; !ok || !exists {
						return true
					}
				}
			}
			if f.apart(member, depth-1) {
				return true
			}
		}
	case []any:
		for _, item := range v {
			if f.apart(item, depth-1) {
				return true
			}
		}
	}
	return false
}

// walk checks the definition as a schema, once.
func (f *foundation) walk(d *definition) {
	if d.walked {
		return
	}
	d.walked = true
	g := f.gate
	g.nodes, g.problems, g.paths = nil, nil, 0
	n := &node{
		parent: f.stem, holder: g.merged.home, token: d.name, definition: d,
		base: g.source.DefsPointer + "/" + jsonpointer.Escape(d.name),
	}
	d.tooMany = !g.walk(d.value, n)
	d.nodes = g.nodes
	if len(d.nodes) > 0 {
		d.root = n
	}
	d.problems = g.problems
	f.stem.subs = nil
	for _, n := range d.nodes {
		d.unevaluated = d.unevaluated || n.has("unevaluatedProperties", "unevaluatedItems")
		d.writeOnly = d.writeOnly || n.object["writeOnly"] == true
	}
}

// settle resolves the references in the definitions, of which none leads out of
// them, and looks for loops.
func (f *foundation) settle(reached []*definition) {
	g := f.gate
	g.call = f.calls
	for _, d := range reached {
		if d.settled {
			continue
		}
		g.problems, g.paths = nil, 0
		g.resolveAll(d.nodes)
		d.problems = append(d.problems, g.problems...)
		if len(d.problems) > maxProblems {
			d.problems = d.problems[:maxProblems:maxProblems]
		}
	}
	for _, d := range reached {
		if d.settled {
			continue
		}
		d.settled = true
		g.checkLoops(d.nodes)
		for _, n := range d.nodes {
			d.chain = max(d.chain, n.height)
		}
	}
}

// find returns the node at a pointer into the merged schema, if it is part of a
// definition that the call of reach reached.
func (f *foundation) find(tokens []string, call int) *node {
	if len(tokens) < 2 || tokens[0] != f.gate.merged.home {
		return nil
	}
	if d := f.definitions[tokens[1]]; d != nil && d.call == call && d.root != nil {
		return d.root.find(tokens[2:])
	}
	return nil
}
