package sequence

import (
	"slices"
	"strings"
)

// Sequence walks the trace with a cursor over Tools: a call that matches the
// member at the cursor advances it. Any other call
//
//   - if Strict, violates the rule when the cursor has advanced and is not past
//     the end;
//   - else violates it when it matches a member behind the cursor.
//
// A complete trace also violates it when it reached some members, but not all.
// Without Tools the rule is never violated.
//
// Spanned: the calls that advanced the cursor, then the offending call; in a
// complete trace that ended early, only the former.
type Sequence struct {
	Tools  []Selector `json:"tools"`
	Strict bool       `json:"strict,omitempty"`
}

// ID returns "sequence:a>b>c", or "sequence:strict:a>b>c".
func (r Sequence) ID() string {
	var b strings.Builder
	b.WriteString("sequence:")
	if r.Strict {
		b.WriteString("strict:")
	}
	for i, s := range r.Tools {
		if i > 0 {
			b.WriteByte('>')
		}
		b.WriteString(s.String())
	}
	return b.String()
}

// Type returns "sequence".
func (Sequence) Type() string { return "sequence" }

// MarshalJSON writes the rule as a policy does.
func (r Sequence) MarshalJSON() ([]byte, error) {
	type fields Sequence
	if r.Tools == nil {
		r.Tools = []Selector{}
	}
	return marshal(struct {
		Type string `json:"type"`
		fields
	}{r.Type(), fields(r)})
}

func (r Sequence) compile(p *compiler, path string) rule {
	o := &order{strict: r.Strict, at: make([]int32, len(r.Tools)), tools: make([]string, len(r.Tools))}
	known := map[string]int32{}
	for i, s := range r.Tools {
		key := s.key()
		operand, ok := known[key]
		if ok {
			p.check(s, path+"/tools/"+itoa(i))
		} else {
			operand = int32(len(known))
			known[key] = operand
			o.last = append(o.last, 0)
			p.selector(s, path+"/tools/"+itoa(i))
		}
		o.at[i], o.last[operand] = operand, int32(i)
		o.tools[i] = p.words(s)
	}
	constraint := OrderBroken
	if r.Strict {
		constraint = StrictOrderBroken
	}
	return rule{constraint: constraint, order: o}
}

// order decides a Sequence. It has as many operands as Tools has different
// selectors, and its runs are not ordered by rank: a cursor further on is
// better for one trace and worse for another. So its readings are followed as
// the set of cursors they lead to, which has at most one more member than Tools.
//
// The cursor is x of a run, and y the offending call, -1 for none.
type order struct {
	strict bool
	at     []int32  // the operand at each position
	last   []int32  // the last position of each operand
	tools  []string // in words, for advice
}

func (*order) start() run { return run{y: -1} }

// between reports whether a cursor has advanced and is not past the end.
func (o *order) between(cursor int) bool { return cursor > 0 && cursor < len(o.at) }

// step is the run after call j in the reading where no unknown matches.
func (o *order) step(r run, j int, m *mention, ev *event) run {
	if r.bad || r.x == len(o.at) {
		return r
	}
	here, later := o.look(r.x, m, ev)
	switch {
	case here == yes:
		r.x++
	case o.strict && r.x > 0, !o.strict && later == yes:
		r.y, r.bad = j, true
	}
	return r
}

// look says whether the call matches the member at the cursor, and whether it
// matches another one that stands behind it.
func (o *order) look(cursor int, m *mention, ev *event) (here, later truth) {
	for _, op := range m.uses {
		t := ev.truth(op.atom)
		if op.operand == o.at[cursor] {
			here = t
		} else if int(o.last[op.operand]) > cursor {
			later = max(later, t)
		}
	}
	return here, later
}

// spread is step for all readings at once: every cursor of from, which is
// ascending, goes wherever the call may lead it.
func (o *order) spread(from []int32, lost bool, m *mention, ev *event) (to []int32, _ bool) {
	to = make([]int32, 0, len(from)+1)
	add := func(c int32) {
		if len(to) == 0 || to[len(to)-1] < c {
			to = append(to, c)
		}
	}
	for _, c := range from {
		if int(c) == len(o.at) {
			add(c)
			continue
		}
		here, later := o.look(int(c), m, ev)
		if here != yes { // some reading does not advance
			switch {
			case o.strict && c > 0, !o.strict && later == yes:
				lost = true
			case !o.strict && later == unknown:
				lost = true
				add(c)
			default:
				add(c)
			}
		}
		if here != no {
			add(c + 1)
		}
	}
	return to, lost
}

// spans reports whether the call that led from one run to the next advanced the
// cursor or offended.
func (*order) spans(from, to run) bool { return from != to }

func (o *order) violated(r run, extent Extent) bool {
	return r.bad || extent == Complete && o.between(r.x)
}

func (o *order) owes(r run) bool { return r.bad || o.strict && o.between(r.x) }

// settled: past the end nothing can happen, and a violated run has its list.
func (o *order) settled(r run) bool { return r.bad || r.x == len(o.at) }

func (o *order) valid(r run, n int) bool {
	if r.x < 0 || r.x > min(n, len(o.at)) {
		return false
	}
	if r.bad {
		return r.x < len(o.at) && r.x <= r.y && r.y < n
	}
	return r.y == -1
}

func (o *order) advice(r run, n int, extent Extent) (string, string) {
	var message string
	switch {
	case !r.bad:
		return "the run ended after " + count(r.x, "call") + " of a sequence of " + itoa(len(o.at)), hopeless
	case o.strict:
		message = "another call than " + o.tools[r.x] + " came within a strict sequence"
	default:
		message = "a later call of a sequence came before " + o.tools[r.x]
	}
	if r.y == n-1 && extent == Prefix {
		return message, "call " + o.tools[r.x] + " next in the sequence"
	}
	return message, hopeless
}

// anyBetween reports whether some cursor has advanced and is not past the end.
func (o *order) anyBetween(cursors []int32) bool {
	return slices.ContainsFunc(cursors, func(c int32) bool { return o.between(int(c)) })
}

func (*order) exercised(r run) bool { return r.x > 0 || r.bad }
