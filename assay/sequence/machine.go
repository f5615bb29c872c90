package sequence

import (
	"slices"
	"strings"
)

// MaxReadings bounds how many cursors of one [Sequence] are followed at once
// when arguments are unknown. A check that would exceed it fails with [Limit].
const MaxReadings = 1024

// machine follows the rules of a checker over a trace. It is the one engine:
// a check runs it from the first call to the last, a monitor keeps it.
//
// A call costs the rules that mention its name. What the other rules would say
// about one more call is kept in sums: debts and between count those that any
// call they do not mention violates, deadline is when the next timed one may lapse.
type machine struct {
	c      *Checker
	states []state
	all    bool // look at every call, also where the verdict is certain
	lost   bool // a call that ran could not be followed: no cancelled one undoes that
	scratch

	summary
}

// summary is the part of a machine that is small enough to copy for every call.
type summary struct {
	n        int  // the calls so far
	debts    int  // rules that a call which they do not mention violates at any length
	between  int  // of these, strict sequences that are under way
	open     int  // rules that are not settled
	deadline int  // no timed rule lapses at a length up to this; may be too low
	broken   bool // some reading violates some rule whatever follows
	tooMany  bool // a sequence had more than MaxReadings
	matching bool // an exact list: the trace is a prefix of it
}

// scratch is the space that resolving a call takes.
type scratch struct {
	args   arguments
	event  event // of a call of which more is known than its number
	truths []truth
	blocks []int32
}

// event is what a call means to the rules of a checker.
type event struct {
	class          // what the name alone says; zero: no rule names the tool
	truths []truth // of the atoms
	blocks []int32 // the blocklist rules that its name matches, ascending
	exact  int32   // its number in an exact list, 0 for none
}

func (ev *event) truth(atom int32) truth {
	if atom == byName {
		return yes
	}
	return ev.truths[atom]
}

// state is where one rule stands.
type state struct {
	base    run    // in the reading where no unknown matches
	split   *split // of all readings, nil while there is only one; never changed in place
	settled bool   // no further call changes the verdict or what a violation spans
	owes    bool   // counted in summary.debts
	between bool   // counted in summary.between
	last    int    // the index behind the last call that was looked at

	spanned *indices // nil: not collected
	unknown *indices // the calls with an unknown match; nil: not collected
}

// split is where all readings of the trace stand. There is one reading for each
// way in which the unknown matches may fall, on every call independently.
//
// An automaton keeps the order of runs, so its readings lie between the worst
// and the best, and each of these follows from itself: some reading is violated
// if and only if the worst is, and every reading if and only if the best is. A
// sequence has the set of its cursors instead.
type split struct {
	worst, best run
	cursors     []int32 // ascending; of the readings that are not violated
	lost        bool    // some reading is violated
}

var (
	nobody  = &mention{}             // of a rule by a call that it does not name
	blocked = &mention{named: first} // of a blocklist rule by a name with its pattern
)

// start makes the states of a machine that has seen no call. They collect
// indices if lists is set, in cut lists if cut is.
func (m *machine) start(c *Checker, lists, cut bool) {
	m.c, m.lost = c, false
	m.summary = summary{deadline: never, matching: true, open: len(c.rules)}
	m.states = slices.Grow(m.states[:0], len(c.rules))[:len(c.rules)]
	for i := range c.rules {
		r, s := &c.rules[i], &m.states[i]
		*s = state{}
		if r.order != nil {
			s.base = r.order.start()
			if s.settled = r.order.settled(s.base); s.settled {
				m.open--
			}
		} else {
			s.base = r.auto.start()
		}
		if lists && (r.order != nil || r.auto.lists()) {
			s.spanned = &indices{cut: cut}
		}
		if lists && r.args {
			s.unknown = &indices{cut: cut}
		}
		m.account(r, s)
	}
}

// account brings the summary up to date with a state that has changed.
func (m *machine) account(r *rule, s *state) {
	var owes bool
	if r.order != nil {
		owes = r.owes(s)
		if between := r.between(s); between != s.between {
			s.between = between
			m.between += one(between)
		}
	} else {
		limit := r.limit(s)
		if owes = limit < 0; !owes {
			m.deadline = min(m.deadline, limit)
		}
	}
	if owes != s.owes {
		s.owes = owes
		m.debts += one(owes)
	}
	m.broken = m.broken || r.broken(s)
}

// failed reports whether the trace can no longer be followed.
func (m *machine) failed() bool { return m.tooMany || m.lost }

func one(up bool) int {
	if up {
		return 1
	}
	return -1
}

// resolve returns what the name of a call means, whose number is given. The
// event is valid until the next one, and nobody changes it. If it has atoms,
// judge has to follow. It returns false when the budget is used up.
func (m *machine) resolve(tool string, number int32, b *Budget) (*event, bool) {
	ev := &m.c.events[number]
	if len(m.c.blocks) == 0 {
		return ev, b.spend(1)
	}
	return m.block(ev, tool, b)
}

// block is resolve for rules that look at every name.
func (m *machine) block(ev *event, tool string, b *Budget) (*event, bool) {
	if !b.spend(1 + len(m.c.blocks)*(1+len(tool)/64)) {
		return ev, false
	}
	m.blocks = m.blocks[:0]
	for _, i := range m.c.blocks {
		if strings.Contains(tool, m.c.rules[i].pattern) {
			m.blocks = append(m.blocks, i)
		}
	}
	if len(m.blocks) > 0 {
		m.event = event{class: ev.class, blocks: m.blocks}
		ev = &m.event
	}
	return ev, true
}

// judge returns the event with what the arguments say of its atoms. When the
// budget is used up it returns false, and those not looked at are unknown.
func (m *machine) judge(ev *event, arguments []byte, b *Budget) (*event, bool) {
	ev = m.guess(ev, unknown)
	if !m.args.read(arguments, b) {
		return ev, false
	}
	for i, at := range ev.atoms {
		t, ok := m.args.match(at, b)
		if !ok {
			return ev, false
		}
		ev.truths[i] = t
	}
	return ev, true
}

// guess returns the event with atoms that are all t.
func (m *machine) guess(ev *event, t truth) *event {
	n := len(ev.atoms)
	m.truths = slices.Grow(m.truths[:0], n)[:n]
	for i := range m.truths {
		m.truths[i] = t
	}
	m.event = event{class: ev.class, truths: m.truths, blocks: ev.blocks}
	return &m.event
}

// record appends the call to the trace, and returns how many steps that took.
func (m *machine) record(ev *event) (steps int) {
	j := m.n
	if m.c.isExact {
		m.matching = m.matching && j < len(m.c.exact) && m.c.exact[j] == ev.exact
		m.n++
		return 1
	}
	for i := range ev.mentions {
		mn := &ev.mentions[i]
		steps += m.change(mn.rule, j, mn, ev)
	}
	for _, i := range ev.blocks {
		steps += m.change(i, j, blocked, ev)
	}
	if m.between > 0 {
		for _, i := range m.c.strict {
			if s := &m.states[i]; s.between && s.last <= j {
				steps += m.change(i, j, nobody, ev)
			}
		}
		steps += len(m.c.strict)
	}
	m.n++
	return steps
}

// change lets one rule look at call j.
func (m *machine) change(i int32, j int, mn *mention, ev *event) (steps int) {
	s := &m.states[i]
	s.last = j + 1
	settled := s.settled
	if settled && !m.all {
		return 1
	}
	r := &m.c.rules[i]
	steps = r.advance(s, j, mn, ev)
	if s.settled && !settled {
		m.open--
	}
	if s.split != nil && len(s.split.cursors) > MaxReadings {
		m.tooMany = true
	}
	m.account(r, s)
	return steps
}

// advance is the state after call j. It changes s alone and the lists it holds.
func (r *rule) advance(s *state, j int, mn *mention, ev *event) (steps int) {
	if r.order != nil {
		return r.order.advance(s, j, mn, ev)
	}
	in, maybe, tied := mn.named, operands(0), false
	if mn.args {
		in, maybe, tied = mn.match(ev)
	}
	next := r.auto.step(s.base, j, in)
	if s.spanned != nil && r.auto.spans(s.base, next, in) {
		s.spanned.add(j)
	}
	steps = 1
	if maybe != 0 || s.split != nil {
		steps += r.divide(s, j, in, maybe, tied)
	}
	s.base = next
	s.settled = s.split == nil && r.auto.settled(next)
	return steps
}

// match says which operands the call matches, and which it may match; tied
// says that the latter match together or not at all.
func (mn *mention) match(ev *event) (in, maybe operands, tied bool) {
	in = mn.named
	for k, u := range mn.uses {
		switch ev.truth(u.atom) {
		case yes:
			in |= first << u.operand
		case unknown:
			maybe |= first << u.operand
			tied = k > 0 && mn.uses[0].atom == u.atom
		}
	}
	return in, maybe, tied
}

// divide steps the worst and the best reading of an automaton.
func (r *rule) divide(s *state, j int, in, maybe operands, tied bool) (steps int) {
	if maybe != 0 {
		s.unknown.add(j)
	}
	from := split{worst: s.base, best: s.base}
	if s.split != nil {
		from = *s.split
	}
	to := split{worst: r.auto.step(from.worst, j, in), best: r.auto.step(from.best, j, in)}
	steps = 2
	for _, more := range [...]operands{first, second, first | second} {
		if more&maybe != more || tied && more != maybe {
			continue
		}
		if w := r.auto.step(from.worst, j, in|more); r.auto.rank(w) < r.auto.rank(to.worst) {
			to.worst = w
		}
		if b := r.auto.step(from.best, j, in|more); r.auto.rank(b) > r.auto.rank(to.best) {
			to.best = b
		}
		steps += 2
	}
	s.split = &to
	return steps
}

// advance is rule.advance for a sequence.
func (o *order) advance(s *state, j int, mn *mention, ev *event) (steps int) {
	next := o.step(s.base, j, mn, ev)
	if o.spans(s.base, next) {
		s.spanned.add(j)
	}
	steps = len(mn.uses) + 1
	maybe := false
	if mn.args {
		for _, u := range mn.uses {
			maybe = maybe || ev.truth(u.atom) == unknown
		}
	}
	if maybe {
		s.unknown.add(j)
	}
	if maybe || s.split != nil {
		from := split{}
		if s.split != nil {
			from = *s.split
		} else if from.lost = s.base.bad; !from.lost {
			from.cursors = []int32{int32(s.base.x)}
		}
		steps += len(from.cursors) * (len(mn.uses) + 1)
		to, lost := o.spread(from.cursors, from.lost, mn, ev)
		s.split = &split{cursors: to, lost: lost}
	}
	s.base = next
	s.settled = s.split == nil && o.settled(next)
	return steps
}

// worst and best are the extreme readings of an automaton's state.
func (s *state) worst() run {
	if s.split != nil {
		return s.split.worst
	}
	return s.base
}

func (s *state) best() run {
	if s.split != nil {
		return s.split.best
	}
	return s.base
}

// limit is the greatest length of a trace that keeps the automaton's rule in all
// readings, if it goes on with calls that the rule does not mention.
func (r *rule) limit(s *state) int { return r.auto.limit(s.worst(), 0) }

// owes reports whether in some reading a call that the sequence does not mention
// violates it.
func (r *rule) owes(s *state) bool {
	if s.split == nil {
		return r.order.owes(s.base)
	}
	return s.split.lost || r.order.strict && r.order.anyBetween(s.split.cursors)
}

// between reports whether a call that a strict sequence does not mention
// changes its state.
func (r *rule) between(s *state) bool {
	switch {
	case !r.order.strict:
		return false
	case s.split == nil:
		return !s.base.bad && r.order.between(s.base.x)
	}
	return r.order.anyBetween(s.split.cursors)
}

// broken reports whether some reading is violated whatever follows.
func (r *rule) broken(s *state) bool {
	switch {
	case r.order == nil:
		return s.worst().bad
	case s.split == nil:
		return s.base.bad
	}
	return s.split.lost
}

// some and every report whether a trace of n calls violates the rule in some
// reading, and in every one.
func (r *rule) some(s *state, n int, extent Extent) bool {
	switch {
	case r.order == nil:
		return r.auto.violated(s.worst(), n, extent)
	case s.split == nil:
		return r.order.violated(s.base, extent)
	}
	return s.split.lost || extent == Complete && r.order.anyBetween(s.split.cursors)
}

func (r *rule) every(s *state, n int, extent Extent) bool {
	switch {
	case r.order == nil:
		return r.auto.violated(s.best(), n, extent)
	case s.split == nil:
		return r.order.violated(s.base, extent)
	case extent == Complete:
		for _, c := range s.split.cursors {
			if !r.order.between(int(c)) {
				return false
			}
		}
		return true
	}
	return len(s.split.cursors) == 0
}

// exercised reports whether the rule's antecedent fired, in the reading where
// no unknown matches.
func (r *rule) exercised(s *state) bool {
	if r.order != nil {
		return r.order.exercised(s.base)
	}
	return r.auto.exercised(s.base)
}

// violation describes a rule that is violated in some reading of n calls.
func (r *rule) violation(s *state, n int, extent Extent, cut bool) Violation {
	v := Violation{RuleID: r.id, RuleType: r.kind, Constraint: r.constraint, Tool: r.tool}
	if !r.every(s, n, extent) {
		v.Constraint = ArgumentsUnknown
		v.Message, v.Suggestion = onlyByGuess, sayWhatRan
		v.Spanned = s.unknown.list()
	} else {
		switch {
		case r.order != nil:
			v.Message, v.Suggestion = r.order.advice(s.base, n, extent)
			v.Spanned = s.spanned.list()
		case r.auto.lists():
			v.Message, v.Suggestion = r.auto.advice(s.base, n, extent)
			v.Spanned = s.spanned.list()
		default:
			v.Message, v.Suggestion = r.auto.advice(s.base, n, extent)
			v.Spanned = r.auto.spanned(s.base, n, cut)
		}
		if a, ok := r.auto.(maxCalls); ok {
			v.Context = a.context(s.base)
		}
	}
	if k := len(v.Spanned); k > 0 {
		last := v.Spanned[k-1]
		v.EventIndex = &last
	}
	return v
}

// result lists what the trace so far violates.
func (m *machine) result(cut bool) Result {
	if m.failed() {
		return Result{Failure: Limit}
	}
	if m.c.isExact {
		if m.matching && m.n == len(m.c.exact) {
			return Result{Allowed: true}
		}
		return Result{Violations: []Violation{m.c.mismatch()}}
	}
	var out Result
	for i := range m.c.rules {
		r, s := &m.c.rules[i], &m.states[i]
		if !r.some(s, m.n, Prefix) {
			continue
		}
		if limit := m.c.opts.MaxViolations; limit > 0 && len(out.Violations) == limit {
			out.Truncated = true
			break
		}
		out.Violations = append(out.Violations, r.violation(s, m.n, Prefix, cut))
	}
	out.Allowed = len(out.Violations) == 0
	return out
}
