package assay

import (
	"slices"
	"sync"

	"example.com/assay/assay/args"
	"example.com/assay/assay/sequence"
)

// Session decides about the calls of one run as they come. Unlike the checks it
// remembers: the policy's limits count, and what a call costs does not grow with
// the calls before it. It is safe for concurrent use; decisions of one session
// are made one after the other.
//
// A session says everything that the file says about a call: names, arguments
// and limits by the rules of [CheckArgs], where the document is a mapping, and
// then order by those of [CheckSequence], where it is a sequence policy. The
// answer about order equals the one-shot answer in Allowed, RuleID and
// Constraint; Spanned is cut to the first and the last 16 indices.
//
// What it remembers of sequences is bounded. A session that would have to keep
// more, because many calls had unknown arguments or are pending at once, denies
// with [CodeLimitExceeded].
type Session struct {
	policy *Policy

	mu       sync.Mutex
	requests int64             // Begin calls
	calls    int64             // allowed ones that were not cancelled
	monitor  *sequence.Monitor // nil: the document is no sequence policy
}

// NewSession starts a session of p. With a nil or zero policy it denies
// everything with [CodeNoPolicy].
func NewSession(p *Policy) *Session {
	s := &Session{policy: p}
	if p != nil && p.compiled != nil && p.compiled.sequence != nil {
		s.monitor = p.compiled.sequence.NewMonitor()
	}
	return s
}

// Next answers whether the call may run now. It records nothing, so two callers
// may get the same last call: to run one, use [Session.Begin].
func (s *Session) Next(call Call) (d Decision) {
	s.next(&call, &d) // a call inlines this, and nothing is copied
	return d
}

// next makes d, which is zero, the answer of Next.
func (s *Session) next(call *Call, d *Decision) {
	if refused := s.refuses(call.Tool); refused != nil {
		*d = refused.decision()
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.checkArgs(call, d); d.Allowed && !s.inOrder(call) {
		*d = sequenceDecision(s.monitor.Refusal())
	}
}

// Begin decides about the call and, if it is allowed, reserves it: from then on
// it counts and is part of the trace, until it is cancelled. Two goroutines
// cannot both get the last call that is allowed.
//
// Every Begin counts against max_requests_total, and every allowed one that is
// not cancelled against max_tool_calls_total. The Pending is nil where the call
// is denied. An allow with obligations is reserved too: cancel it if they are
// not met.
func (s *Session) Begin(call Call) (d Decision, p *Pending) {
	p = s.begin(&call, &d)
	return d, p
}

// begin makes d, which is zero, the decision of Begin.
func (s *Session) begin(call *Call, d *Decision) *Pending {
	refused := s.refuses(call.Tool)
	if s == nil {
		*d = refused.decision()
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if refused != nil {
		*d = refused.decision()
	} else {
		s.checkArgs(call, d)
	}
	s.requests++
	if !d.Allowed {
		return nil
	}
	p := &Pending{session: s}
	p.self = p
	if s.monitor != nil {
		order := s.monitor.Begin(&p.call, sequence.Call{Tool: call.Tool, Arguments: call.Arguments}, s.budget())
		if !order.Allowed {
			*d = sequenceDecision(order)
			return nil
		}
	}
	s.calls++
	return p
}

// Pending is a call that was allowed and has not ended yet. Exactly one of Done
// and Cancel is to be called; what is called after that does nothing, and so do
// both on a nil Pending and on a copy of one. They are safe for concurrent use.
type Pending struct {
	self    *Pending // itself: a copy must not end what the original stands for
	session *Session
	call    sequence.Pending // zero: the document is no sequence policy
	ended   bool             // guarded by session.mu
}

// Done says that the call ran.
func (p *Pending) Done() { p.end(false) }

// Cancel says that the call did not run: it no longer counts as a call, and
// the trace is what it would be without it.
func (p *Pending) Cancel() { p.end(true) }

func (p *Pending) end(cancelled bool) {
	if p == nil || p.self != p {
		return
	}
	s := p.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.ended {
		return
	}
	p.ended = true
	if cancelled {
		s.calls--
		p.call.Cancel()
	} else {
		p.call.Done()
	}
}

// Available lists, in ascending order, the tools that may come next as far as
// their names and the order of calls go: of those that the policy names
// exactly, the ones that [Session.Next] would not deny for the name or, with
// arguments that fit, for the order. Limits and arguments are not looked at.
func (s *Session) Available() []string {
	if s == nil || s.policy == nil || s.policy.compiled == nil {
		return nil
	}
	c := s.policy.compiled
	names := slices.DeleteFunc(slices.Clone(c.tools), func(tool string) bool {
		return !validName(tool) || c.args != nil && c.args.CheckName(tool) != ""
	})
	if s.monitor == nil {
		return names
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.monitor.Available(names)
}

// refuses returns why no question about the tool can be answered, nil if one can.
func (s *Session) refuses(tool string) *refusal {
	switch {
	case s == nil || s.policy == nil || s.policy.compiled == nil:
		return noPolicy
	case !validName(tool):
		return invalidName
	}
	return nil
}

// checkArgs makes d, which is zero, the decision about everything but the order.
func (s *Session) checkArgs(call *Call, d *Decision) {
	if s.policy.compiled.args == nil {
		d.Allowed = true
		return
	}
	s.checkMapping(call, d)
}

// checkMapping is checkArgs where the document is a mapping.
func (s *Session) checkMapping(call *Call, d *Decision) {
	c := s.policy.compiled
	if call.Arguments == nil {
		if ok, code, reason := c.args.AllowsName(call.Tool, s.requests+1, s.calls+1); ok {
			d.Allowed, d.Warning = true, Warning{Code(code), reason}
			return
		}
	}
	c.checkArgs(&args.Request{
		Tool:      call.Tool,
		Arguments: call.Arguments,
		Identity:  (*args.Identity)(call.Identity),
		Requests:  s.requests + 1,
		Calls:     s.calls + 1,
		Stop:      s.policy.stop.Watch(),
	}, d)
}

// inOrder reports whether the call may come next; if not, the monitor knows why.
func (s *Session) inOrder(call *Call) bool {
	if s.monitor == nil || s.policy.stop == nil && s.monitor.AllowsName(call.Tool, s.policy.compiled.options.MaxSteps) {
		return true
	}
	return s.monitor.Allows(call.Tool, call.Arguments, s.budget())
}

func (s *Session) budget() *sequence.Budget {
	return sequence.NewBudget(s.policy.compiled.options.MaxSteps, 0, s.policy.stop.Watch())
}
