package sequence

import (
	"math"
	"slices"
	"strings"
)

// Bounds of the calls that a [Monitor] can still take back: those from the
// oldest pending one on, and the rule states that doing so would bring back.
const (
	MaxWindow = 1024
	maxSaved  = 1 << 14
)

// Call is one tool call. Arguments is the JSON text of its arguments, nil where
// they are not known.
type Call struct {
	Tool      string
	Arguments []byte
}

// Monitor is a checker that takes a trace one call at a time. What a call costs
// grows with the rules that mention its tool, and not with the calls before it;
// neither does what a Monitor holds (arguments that are unknown make it grow, up
// to [MaxReadings]).
//
// It answers as [Checker.Check] would for the whole trace, in Allowed, in the
// rules that are violated and in their constraints; spanned indices are cut to
// the first and last 16. It is not safe for concurrent use. A nil or zero
// Monitor allows nothing.
type Monitor struct {
	machine machine
	event   *event  // of the call that is looked at
	answer  answer  // to it, as Allows found it
	window  []*held // the calls from the oldest pending one on
	spare   *held   // one that is in the window no more; nil: none
	tickets int     // how many calls were held
	saved   int     // the states that the window holds
}

// Pending is a call that a [Monitor] allowed and that has not ended. It is part
// of the trace until it is cancelled. Pendings end in any order; a second end of
// the same one does nothing. Like its monitor, it is for one goroutine at a time.
// The zero Pending is one that may begin; it stands for one call only, and so
// does a copy of it.
type Pending struct {
	monitor *Monitor
	ticket  int // of the call in the window; 0: it never began
}

// held is a call in the window of a [Monitor].
type held struct {
	ticket int // ascending
	ended  bool
	event  *event
	before memento // what was before it
}

// NewMonitor returns a monitor of an empty trace.
func (c *Checker) NewMonitor() *Monitor {
	m := &Monitor{}
	if c.usable() {
		m.machine.start(c, true, true)
	}
	return m
}

// Len returns the number of calls in the trace, pending ones included.
func (m *Monitor) Len() int { return m.machine.n }

// Next answers whether the call may come next, and records nothing. A nil
// budget is one of Options.MaxSteps steps.
func (m *Monitor) Next(call Call, b *Budget) Result {
	if m.Allows(call.Tool, call.Arguments, b) {
		return Result{Allowed: true}
	}
	return m.Refusal()
}

// Allows reports whether Next would allow a call of the tool; if not, Refusal
// returns what Next would.
func (m *Monitor) Allows(tool string, arguments []byte, b *Budget) bool {
	if !m.usable() {
		return false
	}
	b = m.budget(b)
	m.answer = undecided
	ev, ok := m.machine.resolve(tool, m.machine.c.names.Lookup(tool), b)
	if ok && len(ev.atoms) > 0 {
		ev, ok = m.machine.judge(ev, arguments, b)
	}
	if m.event = ev; ok && !b.stopped() {
		m.answer = m.machine.peek(ev, false, b)
	}
	return m.answer == allowed
}

// AllowsName reports whether a call of the tool may come next by its name alone:
// true is what Allows says of it whatever its arguments are, if it may take as
// many steps and is not stopped. False decides nothing, and Allows is to be asked.
func (m *Monitor) AllowsName(tool string, steps int) bool {
	if !m.usable() {
		return false
	}
	w := &m.machine
	c := w.c
	ev := &c.events[c.names.Lookup(tool)]
	if steps -= 1 + ev.steps; steps < 0 || c.isExact || w.failed() || len(c.blocks) > 0 && !c.passesBlocks(tool, steps) {
		return false
	}
	n, debts, lapsed := w.n+1, w.debts, 0
	late := n > w.deadline
	if late {
		lapsed = w.lapsed(n)
	}
	for i := range ev.mentions {
		mn := &ev.mentions[i]
		r, s := &c.rules[mn.rule], &w.states[mn.rule]
		switch {
		case mn.args || s.split != nil:
			return false
		case s.settled && !s.owes:
			// No call changes that it is kept.
		case r.order == nil && n > r.auto.limit(s.base, mn.named),
			r.order != nil && r.order.step(s.base, w.n, mn, ev).bad:
			return false
		case s.owes:
			debts--
		case late && r.timed && n > r.limit(s):
			lapsed--
		}
	}
	if debts != 0 || lapsed != 0 {
		return false
	}
	m.event, m.answer = ev, allowed
	return true
}

// passesBlocks reports whether no blocklist rule matches the name, if that takes
// no more than the steps.
func (c *Checker) passesBlocks(tool string, steps int) bool {
	if len(c.blocks)*(1+len(tool)/64) > steps {
		return false
	}
	for _, i := range c.blocks {
		if strings.Contains(tool, c.rules[i].pattern) {
			return false
		}
	}
	return true
}

// Refusal returns why the call that Allows was last asked about was refused.
// Nothing else may have been asked of the monitor since.
func (m *Monitor) Refusal() Result {
	if !m.usable() {
		return Result{Failure: NoChecker}
	}
	if m.answer != denied {
		return Result{Failure: Limit}
	}
	var before memento
	m.machine.save(&before, m.event)
	m.machine.record(m.event)
	r := m.machine.result(true)
	m.machine.restore(before)
	r.Allowed = false
	return r
}

// Begin is Next, and appends the call to the trace as pending if it is allowed:
// p, which is to be zero, then stands for it. Otherwise p stays zero. A Pending
// that began before is refused, as [Limit].
func (m *Monitor) Begin(p *Pending, call Call, b *Budget) Result {
	if !m.usable() {
		return Result{Failure: NoChecker}
	}
	b = m.budget(b)
	if b.stop != nil || !m.AllowsName(call.Tool, b.steps) {
		if r := m.Next(call, b); !r.Allowed {
			return r
		}
	}
	if p.ticket != 0 || !m.hold(false) {
		return Result{Failure: Limit}
	}
	p.monitor, p.ticket = m, m.tickets
	return Result{Allowed: true}
}

// Record appends a call that ran to the trace, allowed or not. Arguments that
// the budget does not suffice to look at are unknown. Where the trace can no
// longer be followed, because of [MaxReadings] or [MaxWindow], the monitor
// fails with [Limit] from then on.
func (m *Monitor) Record(call Call, b *Budget) {
	if !m.usable() {
		return
	}
	b = m.budget(b)
	ev, ok := m.machine.resolve(call.Tool, m.machine.c.names.Lookup(call.Tool), b)
	if !ok {
		// The rules that look at every name may have been left out.
		m.machine.lost = true
	}
	if len(ev.atoms) > 0 {
		ev, _ = m.machine.judge(ev, call.Arguments, b)
	}
	m.event = ev
	if len(m.window) == 0 {
		m.machine.record(ev)
		return
	}
	if !m.hold(true) {
		m.machine.lost = true
	}
}

// Done says that the call ran. It stays in the trace.
func (p *Pending) Done() {
	m, at := p.find()
	if m == nil {
		return
	}
	m.window[at].ended = true
	m.trim()
}

// Cancel says that the call did not run. The trace becomes what it would be
// without it; calls behind it move up by one.
func (p *Pending) Cancel() {
	m, at := p.find()
	if m == nil {
		return
	}
	for i := len(m.window) - 1; i >= at; i-- {
		m.saved -= len(m.window[i].before.states)
		m.machine.restore(m.window[i].before)
	}
	m.release(m.window[at])
	m.window = slices.Delete(m.window, at, at+1)
	for _, h := range m.window[at:] {
		m.push(h)
	}
	m.trim()
}

// find returns the monitor that p is pending in, and where in its window; nil
// for one that never began or has ended.
func (p *Pending) find() (m *Monitor, at int) {
	if p == nil || p.ticket == 0 {
		return nil, 0
	}
	at, ok := slices.BinarySearchFunc(p.monitor.window, p.ticket, func(h *held, ticket int) int { return h.ticket - ticket })
	if !ok || p.monitor.window[at].ended {
		return nil, 0
	}
	return p.monitor, at
}

// trim lets go of the calls that no pending one stands before, and of what was
// before them.
func (m *Monitor) trim() {
	n := 0
	for n < len(m.window) && m.window[n].ended {
		m.saved -= len(m.window[n].before.states)
		m.release(m.window[n])
		n++
	}
	m.window = slices.Delete(m.window, 0, n)
}

// release keeps the space of a call that leaves the window, if it is an ordinary
// one, for the next.
func (m *Monitor) release(h *held) {
	if cap(h.before.states) > 64 {
		return
	}
	clear(h.before.states)
	*h = held{before: memento{states: h.before.states[:0]}}
	m.spare = h
}

// hold appends the event to the trace so that it can be taken back, as a call
// that is pending or has ended already. It returns false where the window is full.
func (m *Monitor) hold(ended bool) bool {
	ev := m.event
	if len(m.window) >= MaxWindow || len(m.window) > 0 && m.saved+m.machine.saves(ev) > maxSaved {
		return false
	}
	h := m.spare
	if m.spare = nil; h == nil {
		h = new(held)
	}
	if ev == &m.machine.event {
		ev = &event{class: ev.class, truths: slices.Clone(ev.truths), blocks: slices.Clone(ev.blocks)}
	}
	m.tickets++
	h.ticket, h.ended, h.event = m.tickets, ended, ev
	m.window = append(m.window, h)
	m.push(h)
	return true
}

// push appends a call of the window to the trace.
func (m *Monitor) push(h *held) {
	m.machine.save(&h.before, h.event)
	m.saved += len(h.before.states)
	m.machine.record(h.event)
}

func (m *Monitor) usable() bool { return m != nil && m.machine.c != nil }

func (m *Monitor) budget(b *Budget) *Budget {
	if b == nil {
		b = NewBudget(m.machine.c.opts.MaxSteps, 0, nil)
	}
	return b
}

// peek answers whether the trace with one more call keeps every rule. It looks
// at the rules that the call mentions; of the others it knows how many the call
// would violate.
func (m *machine) peek(ev *event, open bool, b *Budget) answer {
	n := m.n + 1
	switch {
	case m.failed():
		return undecided
	case m.c.isExact:
		if m.matching && n == len(m.c.exact) && m.c.exact[m.n] == ev.exact {
			return allowed
		}
		return denied
	case len(ev.blocks) > 0:
		return denied
	}
	late := n > m.deadline
	debts, lapsed := m.debts, 0
	if late {
		lapsed = m.lapsed(n)
	}
	if !b.spend(ev.steps) {
		return undecided
	}
	for i := range ev.mentions {
		mn := &ev.mentions[i]
		r, s := &m.c.rules[mn.rule], &m.states[mn.rule]
		if mn.args || s.split != nil {
			if verdict := m.passes(mn, ev, open, b); verdict != allowed {
				return verdict
			}
		} else if r.order == nil && n > r.auto.limit(s.base, mn.named) ||
			r.order != nil && r.order.step(s.base, m.n, mn, ev).bad {
			return denied // there is one reading, and the name alone decides
		}
		// It would be violated by another call, and not by this one.
		switch {
		case s.owes:
			debts--
		case late && r.timed && n > r.limit(s):
			lapsed--
		}
	}
	if debts != 0 || lapsed != 0 {
		return denied
	}
	return allowed
}

// passes answers whether the mentioned rule is kept by the trace with one more
// call, in all readings; with open, for some arguments of the call.
func (m *machine) passes(mn *mention, ev *event, open bool, b *Budget) answer {
	if open && mn.args {
		return m.mayPass(mn, ev, b)
	}
	r, s := &m.c.rules[mn.rule], m.states[mn.rule]
	s.spanned, s.unknown = nil, nil
	if !s.settled && !b.spend(r.advance(&s, m.n, mn, ev)) {
		return undecided
	}
	switch {
	case s.split != nil && len(s.split.cursors) > MaxReadings:
		return undecided
	case r.some(&s, m.n+1, Prefix):
		return denied
	}
	return allowed
}

// mayPass is passes for arguments that are still to be chosen. Either matching
// none of the rule's selectors is best for every rule, or matching all of them:
// the former where a match can only do harm, the latter where the rule waits.
func (m *machine) mayPass(mn *mention, ev *event, b *Budget) answer {
	for _, choice := range [...]truth{no, yes} {
		for _, u := range mn.uses {
			if u.atom != byName {
				ev.truths[u.atom] = choice
			}
		}
		if m.passes(mn, ev, false, b) == allowed {
			return allowed
		}
	}
	return denied
}

// lapsed counts the timed rules that a trace of n calls violates if no further
// call has mentioned them, and finds the deadline anew.
func (m *machine) lapsed(n int) (count int) {
	m.deadline = never
	for _, i := range m.c.timed {
		limit := m.c.rules[i].limit(&m.states[i])
		if limit < 0 {
			continue // it is among the debts
		}
		m.deadline = min(m.deadline, limit)
		if n > limit {
			count++
		}
	}
	return count
}

// memento is what a call changes in a machine, as it was before.
type memento struct {
	summary summary
	states  []savedState
}

type savedState struct {
	rule             int32
	state            state // its lists are those of the machine
	spanned, unknown mark
}

// save makes before what recording the event will change, in the space of its states.
func (m *machine) save(before *memento, ev *event) {
	before.summary, before.states = m.summary, before.states[:0]
	keep := func(i int32) {
		// A settled state stays as it is.
		if s := &m.states[i]; !s.settled {
			before.states = append(before.states, savedState{i, *s, s.spanned.mark(), s.unknown.mark()})
		}
	}
	for i := range ev.mentions {
		keep(ev.mentions[i].rule)
	}
	for _, i := range ev.blocks {
		keep(i)
	}
	if m.between > 0 {
		for _, i := range m.c.strict {
			if m.states[i].between {
				keep(i) // perhaps a second time, which is as good
			}
		}
	}
}

// saves is how many states save keeps at most.
func (m *machine) saves(ev *event) int { return len(ev.mentions) + len(ev.blocks) + m.between }

// restore undoes the call before which before was saved. Nothing else is to be
// recorded that is not undone.
func (m *machine) restore(before memento) {
	m.summary = before.summary
	for i := range before.states {
		s := &before.states[i]
		m.states[s.rule] = s.state
		s.state.spanned.undo(s.spanned)
		s.state.unknown.undo(s.unknown)
	}
}

// Available returns those of the names, in their order, that may come next as
// far as the rules' order goes. A tool whose arguments rules look at is among
// them if each of these rules lets some arguments pass; [Monitor.Next] is still
// to be asked about the ones that it gets.
func (m *Monitor) Available(names []string) []string {
	out := []string{}
	if !m.usable() {
		return out
	}
	unbounded := NewBudget(math.MaxInt, 0, nil)
	for _, name := range names {
		ev, _ := m.machine.resolve(name, m.machine.c.names.Lookup(name), unbounded)
		if len(ev.atoms) > 0 {
			ev = m.machine.guess(ev, no)
		}
		if m.machine.peek(ev, true, unbounded) == allowed {
			out = append(out, name)
		}
	}
	return out
}
