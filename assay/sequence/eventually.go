package sequence

// Eventually is violated when the first call that matches Tool stands at index
// Within or later, or when there is none and the trace has Within calls or more
// or is complete. Within is 0 to [MaxOperand]; with 0 it is always violated.
//
// Spanned: the first match; without one, every index.
type Eventually struct {
	Tool   Selector `json:"tool"`
	Within int      `json:"within"`
}

// ID returns "eventually:tool@within".
func (r Eventually) ID() string { return "eventually:" + r.Tool.String() + "@" + itoa(r.Within) }

// Type returns "eventually".
func (Eventually) Type() string { return "eventually" }

// MarshalJSON writes the rule as a policy does.
func (r Eventually) MarshalJSON() ([]byte, error) {
	type fields Eventually
	return marshal(struct {
		Type string `json:"type"`
		fields
	}{r.Type(), fields(r)})
}

func (r Eventually) compile(p *compiler, path string) rule {
	p.selector(r.Tool, path+"/tool")
	p.operand(r.Within, path+"/within")
	return rule{timed: true, tool: r.Tool.Tool, auto: eventually{tool: p.words(r.Tool), within: r.Within}}
}

// eventually keeps the first match in x, -1 for none.
type eventually struct {
	plain
	tool   string
	within int
}

func (eventually) start() run { return run{x: -1} }

func (a eventually) step(r run, j int, in operands) run {
	if in&first != 0 && r.x < 0 {
		r.x = j
		r.bad = j >= a.within
	}
	return r
}

func (eventually) rank(r run) int {
	switch {
	case r.bad:
		return 0
	case r.x < 0:
		return 1
	}
	return 2
}

func (a eventually) violated(r run, n int, extent Extent) bool {
	return r.bad || r.x < 0 && (n >= a.within || extent == Complete)
}

func (a eventually) limit(r run, in operands) int {
	switch {
	case r.bad:
		return none
	case r.x >= 0:
		return never
	case in&first != 0:
		return a.within
	}
	return a.within - 1
}

func (eventually) settled(r run) bool   { return r.x >= 0 }
func (eventually) exercised(r run) bool { return r.x >= 0 }

func (a eventually) valid(r run, n int) bool {
	return r.x < n && r.y == 0 && r.bad == (r.x >= a.within)
}

func (eventually) spanned(r run, n int, cut bool) []int {
	if r.x >= 0 {
		return []int{r.x}
	}
	return allIndices(n, cut)
}

func (a eventually) advice(r run, n int, extent Extent) (string, string) {
	message := a.tool + " was not called within the first " + count(a.within, "call")
	if r.x < 0 && n == a.within && extent == Prefix && n > 0 {
		return message, "call " + a.tool + " now"
	}
	return message, hopeless
}
