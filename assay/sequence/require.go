package sequence

// Require is violated while no call in the trace matches Tool. As a check is
// made before each call, that forbids every other call until Tool was called.
type Require struct {
	Tool Selector `json:"tool"`
}

// ID returns "require:tool".
func (r Require) ID() string { return "require:" + r.Tool.String() }

// Type returns "require".
func (Require) Type() string { return "require" }

// MarshalJSON writes the rule as a policy does.
func (r Require) MarshalJSON() ([]byte, error) {
	type fields Require
	return marshal(struct {
		Type string `json:"type"`
		fields
	}{r.Type(), fields(r)})
}

func (r Require) compile(p *compiler, path string) rule {
	p.selector(r.Tool, path+"/tool")
	return rule{constraint: RuleMissing, tool: r.Tool.Tool, auto: require{tool: p.words(r.Tool)}}
}

// require counts up to one in x. Nothing decides a violation, so nothing spans.
type require struct {
	plain
	tool string
}

func (require) start() run { return run{} }

func (require) step(r run, _ int, in operands) run {
	if in&first != 0 {
		r.x = 1
	}
	return r
}

func (require) rank(r run) int                       { return r.x }
func (require) violated(r run, _ int, _ Extent) bool { return r.x == 0 }
func (require) settled(r run) bool                   { return r.x == 1 }
func (require) valid(r run, n int) bool {
	return 0 <= r.x && r.x <= min(n, 1) && r.y == 0 && !r.bad
}

func (require) limit(r run, in operands) int {
	if r.x == 0 && in&first == 0 {
		return none
	}
	return never
}

func (a require) advice(run, int, Extent) (string, string) {
	return "no call of " + a.tool + " is in the trace", "call " + a.tool + " first"
}
