package schema

import (
	"math"

	"example.com/assay/assay/internal/ecma"
	"example.com/assay/assay/internal/strictjson"
)

// arrayRules are the keywords for arrays (JSON Schema Core, section 10.3.1;
// Validation, section 6.4).
type arrayRules struct {
	prefix   []*clause
	items    *clause // behind the prefix
	min, max int
	unique   bool

	contains                 *clause // or nil
	minContains, maxContains int
}

// objectRules are the keywords for objects (Core, section 10.3.2; Validation,
// section 6.5). Names that the schema knows are numbered.
type objectRules struct {
	known      []property
	steps      int            // of looking for each of known
	index      map[string]int // of known, where they are many
	required   nameSet
	min, max   int
	patterns   []patternProperty
	additional *clause // for other names that no pattern matches
	names      *clause // propertyNames, or nil
	dependent  []dependency
}

// property is a name that the schema knows, with the clause that judges its
// value. That stands for all that do: its own, those of the patterns that match
// the name, or else the one for additional properties.
type property struct {
	name   string
	clause *clause
}

// patternProperty is a clause for the members whose name matches.
type patternProperty struct {
	re     *ecma.Regexp
	clause *clause
}

// dependency is what the presence of one member asks for.
type dependency struct {
	trigger  int // number of the member's name
	required nameSet
	clause   *clause // or nil
}

// maxKnown is how many names a clause for objects can know; with more it is
// opaque.
const maxKnown = 8192

// nameSet is a set of known names, a bit each, as long as its last one needs.
type nameSet []uint64

func (s *nameSet) add(i int) {
	for len(*s) <= i>>6 {
		*s = append(*s, 0)
	}
	(*s)[i>>6] |= 1 << (i & 63)
}

// fewKnown is how many names are compared one by one.
const fewKnown = 8

// lookup returns the number of a known name, else -1.
func (r *objectRules) lookup(name string) int {
	if r.index != nil {
		if i, ok := r.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range r.known {
		if r.known[i].name == name {
			return i
		}
	}
	return -1
}

// closed reports whether an unknown name alone breaks the rules.
func (r *objectRules) closed() bool {
	return r.additional.kinds == 0 && !r.additional.opaque && len(r.patterns) == 0
}

// openArray and openObject judge parts by nothing but the strict rules.
var (
	openArray  = &arrayRules{items: everything, max: math.MaxInt}
	openObject = &objectRules{additional: everything, max: math.MaxInt}
)

// array judges the items of x by r, which may be nil.
func (p *pass) array(r *arrayRules, x *instance) verdict {
	if r == nil {
		if x.walked || p.again > 0 && p.data == nil {
			return holds
		}
		r = openArray
	}
	again, mark := p.again, p.mark()
	if x.walked {
		p.again++
	}
	answer := unsure
	if p.depth++; p.depth <= strictjson.MaxDepth {
		w := arrayWalk{rules: r}
		if r.unique {
			w.first = len(p.room().items)
		}
		if p.data != nil {
			answer = p.rawItems(&w, x)
		} else {
			answer = p.decodedItems(&w, x)
		}
		if r.unique {
			clear(p.scratch.items[w.first:])
			p.scratch.items = p.scratch.items[:w.first]
		}
	}
	p.release(mark)
	p.depth--
	p.again = again
	x.walked = x.walked || answer == holds
	return answer
}

// arrayWalk is what is known of an array after some of its items.
type arrayWalk struct {
	rules      *arrayRules
	count      int
	found      int // items that hold contains
	doubts     int // items of which contains does not know
	first      int // of the array's items in scratch.items, for uniqueItems
	containers int // among those
}

// item judges the next item, and does not return holds before it was walked.
func (p *pass) item(w *arrayWalk, x *instance) verdict {
	r := w.rules
	c := r.items
	if w.count < len(r.prefix) {
		c = r.prefix[w.count]
	}
	p.steps--
	if w.count++; w.count > r.max {
		return breaks
	}
	if v := p.check(c, x); v != holds {
		return v
	}
	if r.contains != nil {
		switch p.check(r.contains, x) {
		case holds:
			w.found++
		case unsure:
			w.doubts++
		}
	}
	if r.unique {
		return p.isNew(w, x)
	}
	return holds
}

// maxUnique is how long an array may be for its items to be compared.
const maxUnique = 64

// isNew reports whether no item before x equals it. Of two arrays or objects
// it does not know.
func (p *pass) isNew(w *arrayWalk, x *instance) verdict {
	if x.kind&(kindArray|kindObject) != 0 {
		if w.containers++; w.containers > 1 {
			return unsure
		}
		return holds
	}
	if w.count > maxUnique {
		return unsure
	}
	s := p.room()
	p.steps -= w.count
	for i := w.first; i < len(s.items); i++ {
		if s.items[i].equal(x) {
			return breaks
		}
	}
	s.items = append(s.items, *x)
	return holds
}

// end judges the array as a whole.
func (w *arrayWalk) end() verdict {
	r := w.rules
	switch {
	case w.count < r.min:
		return breaks
	case r.contains == nil:
		return holds
	case w.found > r.maxContains || w.found+w.doubts < r.minContains:
		return breaks
	case w.found < r.minContains || w.found+w.doubts > r.maxContains:
		return unsure
	}
	return holds
}

// object judges the members of x by r, which may be nil.
func (p *pass) object(r *objectRules, x *instance) verdict {
	if r == nil {
		if x.walked || p.again > 0 && p.data == nil {
			return holds
		}
		r = openObject
	}
	w := objectWalk{rules: r}
	bits := 0
	if words := (len(r.known) + 63) / 64; words > len(w.few) {
		s := p.room()
		bits = len(s.bits)
		s.bits = append(s.bits, make([]uint64, words)...)
		w.many = s.bits[bits:]
		p.steps -= words / 8
	}
	again, mark := p.again, p.mark()
	if x.walked {
		p.again++
	}
	answer := unsure
	if p.depth++; p.depth <= strictjson.MaxDepth {
		if p.data != nil {
			answer = p.rawMembers(&w, x)
		} else {
			answer = p.decodedMembers(&w, x)
		}
	}
	p.release(mark)
	p.depth--
	p.again = again
	if answer == holds {
		x.walked = true
		switch {
		case w.count < r.min || !w.covers(r.required):
			answer = breaks
		case len(r.dependent) > 0:
			answer = p.dependents(&w, x)
		}
	}
	if w.many != nil {
		p.scratch.bits = p.scratch.bits[:bits]
	}
	return answer
}

// dependents judges x, whose members w has walked, by what depends on them.
func (p *pass) dependents(w *objectWalk, x *instance) verdict {
	r := w.rules
	p.steps -= len(r.dependent) / 8
	for i := range r.dependent {
		d := &r.dependent[i]
		if !w.has(d.trigger) {
			continue
		}
		p.steps -= len(d.required) / 8
		if !w.covers(d.required) {
			return breaks
		}
		if d.clause != nil {
			if v := p.check(d.clause, x); v != holds {
				return v
			}
		}
	}
	return holds
}

// objectWalk is what is known of an object after some of its members.
type objectWalk struct {
	rules *objectRules
	few   [2]uint64 // the known names seen, a bit each, where they are few
	many  []uint64  // the same, in scratch memory, where they are not
	count int
	other strictjson.Object // the unknown names of raw text
	open  bool              // other is
}

// see notes a known name, and reports whether it is new.
func (w *objectWalk) see(i int) bool {
	set := w.few[:]
	if w.many != nil {
		set = w.many
	}
	bit := uint64(1) << (i & 63)
	if set[i>>6]&bit != 0 {
		return false
	}
	set[i>>6] |= bit
	return true
}

func (w *objectWalk) has(i int) bool {
	if w.many != nil {
		return w.many[i>>6]&(1<<(i&63)) != 0
	}
	return w.few[i>>6]&(1<<(i&63)) != 0
}

// covers reports whether all of some names were seen.
func (w *objectWalk) covers(some nameSet) bool {
	set := w.few[:]
	if w.many != nil {
		set = w.many
	}
	for i, bits := range some {
		if bits&^set[i] != 0 {
			return false
		}
	}
	return true
}

// otherMember judges the value x of a member whose name is not known. It does not
// return holds before x was walked.
func (p *pass) otherMember(r *objectRules, name string, x *instance) verdict {
	matched := false
	for i := range r.patterns {
		pattern := &r.patterns[i]
		if p.matches(pattern.re, name) {
			matched = true
			if v := p.check(pattern.clause, x); v != holds {
				return v
			}
		}
	}
	if matched {
		return holds
	}
	return p.check(r.additional, x)
}
