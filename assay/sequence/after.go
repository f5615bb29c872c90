package sequence

// After is violated when a call at index i matches Trigger, none of the calls
// i+1 … i+Within matches Then, and the trace is longer than i+Within or
// complete. Each trigger is its own obligation; one call may answer several,
// and nothing that comes later clears one that was missed. A Then is never the
// answer to a trigger that it is itself.
//
// Within is 0 to [MaxOperand]; 0 leaves no room for an answer. (A policy file
// that does not give it means 1.)
//
// Spanned: every trigger, and the first answer of each one before the first
// that has none; ascending, each once.
type After struct {
	Trigger Selector `json:"trigger"`
	Then    Selector `json:"then"`
	Within  int      `json:"within"`
}

// ID returns "after:trigger->then@within".
func (r After) ID() string {
	return "after:" + r.Trigger.String() + "->" + r.Then.String() + "@" + itoa(r.Within)
}

// Type returns "after".
func (After) Type() string { return "after" }

// MarshalJSON writes the rule as a policy does.
func (r After) MarshalJSON() ([]byte, error) {
	type fields After
	return marshal(struct {
		Type string `json:"type"`
		fields
	}{r.Type(), fields(r)})
}

func (r After) compile(p *compiler, path string) rule {
	p.selector(r.Trigger, path+"/trigger")
	p.selector(r.Then, path+"/then")
	p.operand(r.Within, path+"/within")
	return rule{timed: true, tool: r.Then.Tool, auto: after{
		trigger: p.words(r.Trigger), then: p.words(r.Then), within: r.Within,
	}}
}

// after keeps the earliest trigger without an answer in x, -1 for none, and
// whether any trigger was answered in y. The earliest is enough: all windows
// are equally long, and an answer to it answers all of them.
type after struct {
	plain
	trigger, then string
	within        int
}

func (after) start() run { return run{x: -1} }

func (a after) step(r run, j int, in operands) run {
	if r.bad {
		return r
	}
	if r.x >= 0 && j > r.x+a.within {
		r.bad = true
		return r
	}
	if in&second != 0 && r.x >= 0 {
		r.x, r.y = -1, 1
	}
	if in&first != 0 && r.x < 0 {
		r.x = j
	}
	return r
}

func (after) rank(r run) int {
	switch {
	case r.bad:
		return -1
	case r.x < 0:
		return never
	}
	return r.x
}

func (a after) violated(r run, n int, extent Extent) bool {
	return r.bad || r.x >= 0 && (n > r.x+a.within || extent == Complete)
}

func (a after) limit(r run, in operands) int {
	switch {
	case r.bad:
		return none
	case r.x >= 0 && in&second != 0:
		return r.x + a.within + 1
	case r.x >= 0:
		return r.x + a.within
	case in&first != 0 && a.within == 0:
		return none
	}
	return never
}

// A violated run still lists its triggers.
func (after) settled(run) bool     { return false }
func (after) exercised(r run) bool { return r.y > 0 }
func (after) lists() bool          { return true }

func (a after) valid(r run, n int) bool {
	return r.x < n && 0 <= r.y && r.y <= 1 && (!r.bad || r.x >= 0 && n > r.x+a.within+1)
}

func (after) spans(from, to run, in operands) bool {
	answers := in&second != 0 && from.x >= 0 && !to.bad
	return in&first != 0 || answers
}

func (a after) advice(r run, n int, extent Extent) (string, string) {
	message := a.trigger + " was not followed by " + a.then +
		" within " + count(a.within, "call")
	switch {
	case extent == Complete || r.bad || n != r.x+a.within+1:
		return message, hopeless
	case a.within == 0:
		return message, "do not call " + a.trigger
	}
	return message, "call " + a.then + " now"
}
