package schema

import (
	"sync"
	"sync/atomic"

	"example.com/assay/assay/internal/strictjson"
)

// A program is the fast form of a schema. It runs over the raw bytes of an
// instance, or over its decoded form, once, and has two answers: the instance
// satisfies the schema for sure, or no answer. A refusal and its violations
// always come from a judgement, so a program can be wrong in one way only, by
// accepting, and the differential tests look for nothing else.
//
// The parts:
//
//	program.go            clauses, the three-valued verdict, how clauses combine
//	program_compile.go    from the gate's nodes to clauses
//	program_scalar.go     the rules for numbers, strings, enum and const
//	program_container.go  the rules for arrays and objects
//	program_raw.go        how raw text is walked, with the strict JSON rules
//	program_decoded.go    how Go values are walked
//
// A schema has no program if a pattern in it could exceed its bound (the bound
// is for a judgement to keep), or if its root is outside the subset. Deeper
// down, what is outside the subset is an opaque clause, which never answers.
//
// A program is immutable and safe for concurrent use.
type program struct {
	root *clause
}

// Accepts reports whether data is strict JSON (strictjson.Check) that satisfies
// the schema. True is an answer, and takes its steps from the budget; false is
// none, takes nothing but what making patterns ready took, and leaves the
// decision to Validate. It allocates nothing
// when it accepts unless an object has more than 16 members that the schema does
// not name. Nobody may write to data meanwhile.
func (s *Schema) Accepts(data []byte, b *Budget) bool {
	if b == nil {
		b = NewBudget(s.options.MaxSteps, nil)
	}
	program := s.fast(b)
	if program == nil || len(data) == 0 {
		return false
	}
	var p pass
	p.start(data, b)
	var x instance
	ok := p.read(&x, strictjson.SkipSpace(data, 0)) && p.check(program.root, &x) == holds &&
		strictjson.SkipSpace(data, x.end) == len(data)
	return p.end(ok) && b.spend(b.steps-p.steps)
}

// AcceptsValue is Accepts for a decoded value, which may be any Go value. True
// proves that it is JSON, whatever the schema asks of its parts: the pass looked
// at every value in it, and each is nil, a bool, a string of valid UTF-8, a
// json.Number that is a strict literal, a finite float64 (its shortest decimal),
// an integer of Go's kinds, or a []any or map[string]any that is not nil, with
// names of valid UTF-8 and no deeper than strictjson.MaxDepth. Of anything else
// it gives no answer. It takes at least a step for each value.
func (s *Schema) AcceptsValue(v any, b *Budget) bool {
	if b == nil {
		b = NewBudget(s.options.MaxSteps, nil)
	}
	program := s.fast(b)
	if program == nil {
		return false
	}
	var p pass
	p.start(nil, b)
	var x instance
	return p.end(p.load(&x, v) && p.check(program.root, &x) == holds) && b.spend(b.steps-p.steps)
}

// verdict is what a clause says of an instance. The zero value is no answer,
// and no combination of clauses makes an answer of it that the missing one
// could change.
type verdict uint8

const (
	unsure verdict = iota
	breaks
	holds
)

// kinds is a set of instance types (JSON Schema Core, section 4.2.1).
// kindInteger never stands for an instance, only for a type that a clause permits.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBool
	kindNumber
	kindInteger
	kindText
	kindArray
	kindObject

	kindAny = kindNull | kindBool | kindNumber | kindInteger | kindText | kindArray | kindObject
)

// clause is one schema object or boolean. Its parts must all hold. A clause
// that permits no kind is the schema false.
type clause struct {
	opaque bool // outside the subset
	kinds  kinds
	number *numberRules
	text   *textRules
	array  *arrayRules
	object *objectRules
	among  []*memberSet // enum and const
	joint  *joint
}

// everything is the schema true.
var everything = &clause{kinds: kindAny}

// joint holds the subschemas that apply to the same instance.
type joint struct {
	all             []*clause // allOf and $ref
	any, one        []*clause // nil: absent
	not             *clause
	when            *clause // if
	then, otherwise *clause
}

// instance is one value under judgement. It is small, as every member and item
// of what is judged becomes one.
type instance struct {
	kind   kinds
	truth  bool   // of a bool
	small  bool   // a number whose value is int
	walked bool   // an array or object whose parts were all seen once, strictly
	int    int64  // of a small number
	text   string // of a string, itself; of a number that is not small, its literal
	at     int    // in raw text, where the value starts
	end    int    // in raw text, behind a scalar, or an array or object once walked
	value  any    // of a decoded array or object, its Go value
}

// pass is one run of a program over one instance.
type pass struct {
	data    []byte       // the raw text; nil where the instance is decoded
	stop    *atomic.Bool // of the budget
	steps   int          // left of it, less than 0 when it is exhausted
	pause   int          // the steps at which the stop flag is read again
	depth   int          // arrays and objects that are open
	again   int          // > 0 while the parts of a walked value are walked again
	scratch *scratch
}

// scratch is the memory of a pass that needs more than its stack.
type scratch struct {
	names strictjson.Members
	text  []byte     // decoded strings; grows while their value is judged
	bits  []uint64   // of the known names of objects, where they are many
	items []instance // of the arrays that are searched for equal items
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// room returns the scratch memory of the pass.
func (p *pass) room() *scratch {
	if p.scratch == nil {
		p.scratch = scratches.Get().(*scratch)
	}
	return p.scratch
}

// start makes p, which is zero, ready. It writes where p stands: a copy of what
// was just written field by field makes the processor wait.
func (p *pass) start(data []byte, b *Budget) {
	p.data, p.stop = data, b.stop
	p.steps, p.pause = b.steps, max(0, b.steps-stopEvery)
}

// end ends the pass with its answer, which the budget can still withhold.
func (p *pass) end(ok bool) bool {
	if p.scratch != nil {
		p.leave()
	}
	return ok && p.steps >= 0
}

// maxScratch is how many bytes of text, and names in it, are kept for another pass.
const maxScratch = 1 << 16

// leave gives the scratch memory back unless it may have grown large.
func (p *pass) leave() {
	s := p.scratch
	if len(p.data) > maxScratch || cap(s.text) > maxScratch {
		return
	}
	s.names.Reset()
	s.text = s.text[:0]
	scratches.Put(s)
}

// mark and release bracket the life of texts in scratch memory.
func (p *pass) mark() int {
	if p.scratch == nil {
		return 0
	}
	return len(p.scratch.text)
}

func (p *pass) release(mark int) {
	if p.scratch != nil {
		p.scratch.text = p.scratch.text[:mark]
	}
}

// stopEvery is how many steps a pass goes on without reading the stop flag.
const stopEvery = 1 << 12

// exhausted reports whether the budget ends here, and if not, when to ask again.
func (p *pass) exhausted() bool {
	if p.stop != nil && p.stop.Load() {
		p.steps = -1
	}
	p.pause = max(0, p.steps-stopEvery)
	return p.steps < 0
}

// check judges x by c. After holds, the whole of x has been seen strictly.
func (p *pass) check(c *clause, x *instance) verdict {
	if p.steps--; p.steps < p.pause && p.exhausted() || c.opaque {
		return unsure
	}
	if x.kind == kindNumber {
		p.steps -= len(x.text) / digitsPerStep
	}
	if c.kinds&x.kind == 0 {
		if x.kind != kindNumber || c.kinds&kindInteger == 0 || !x.isInteger() {
			return breaks
		}
	}
	switch x.kind {
	case kindNumber:
		if r := c.number; r != nil && !r.holdSmall(x) && !r.hold(x) {
			return breaks
		}
	case kindText:
		if c.text != nil && !p.textHolds(c.text, x.text) {
			return breaks
		}
	case kindArray:
		if v := p.array(c.array, x); v != holds {
			return v
		}
	case kindObject:
		if v := p.object(c.object, x); v != holds {
			return v
		}
	}
	for _, set := range c.among {
		if v := p.isAmong(set, x); v != holds {
			return v
		}
	}
	if c.joint != nil {
		return p.join(c.joint, x)
	}
	return holds
}

// join judges x, which has been walked, by the subschemas that apply to it.
func (p *pass) join(j *joint, x *instance) verdict {
	doubt := false
	for _, c := range j.all {
		switch p.check(c, x) {
		case breaks:
			return breaks
		case unsure:
			doubt = true
		}
	}
	if j.any != nil {
		switch p.anyOf(j.any, x) {
		case breaks:
			return breaks
		case unsure:
			doubt = true
		}
	}
	if j.one != nil {
		switch p.oneOf(j.one, x) {
		case breaks:
			return breaks
		case unsure:
			doubt = true
		}
	}
	if j.not != nil {
		switch p.check(j.not, x) {
		case holds:
			return breaks
		case unsure:
			doubt = true
		}
	}
	if j.when != nil {
		switch p.conditional(j, x) {
		case breaks:
			return breaks
		case unsure:
			doubt = true
		}
	}
	if doubt {
		return unsure
	}
	return holds
}

func (p *pass) anyOf(branches []*clause, x *instance) verdict {
	answer := breaks
	for _, c := range branches {
		switch p.check(c, x) {
		case holds:
			return holds
		case unsure:
			answer = unsure
		}
	}
	return answer
}

func (p *pass) oneOf(branches []*clause, x *instance) verdict {
	held, doubts := 0, 0
	for _, c := range branches {
		switch p.check(c, x) {
		case holds:
			if held++; held > 1 {
				return breaks
			}
		case unsure:
			doubts++
		}
	}
	switch {
	case doubts > 0:
		return unsure
	case held == 1:
		return holds
	}
	return breaks
}

func (p *pass) conditional(j *joint, x *instance) verdict {
	branch := j.otherwise
	switch p.check(j.when, x) {
	case unsure:
		return unsure
	case holds:
		branch = j.then
	}
	if branch == nil {
		return holds
	}
	return p.check(branch, x)
}
