package sequence

// NeverAfter is violated when a call that matches Forbidden stands behind the
// first call that matches Trigger. One call that matches both does not stand
// behind itself.
//
// Spanned: the first trigger, and the first forbidden call behind it.
type NeverAfter struct {
	Trigger   Selector `json:"trigger"`
	Forbidden Selector `json:"forbidden"`
}

// ID returns "never_after:trigger->forbidden".
func (r NeverAfter) ID() string {
	return "never_after:" + r.Trigger.String() + "->" + r.Forbidden.String()
}

// Type returns "never_after".
func (NeverAfter) Type() string { return "never_after" }

// MarshalJSON writes the rule as a policy does.
func (r NeverAfter) MarshalJSON() ([]byte, error) {
	type fields NeverAfter
	return marshal(struct {
		Type string `json:"type"`
		fields
	}{r.Type(), fields(r)})
}

func (r NeverAfter) compile(p *compiler, path string) rule {
	p.selector(r.Trigger, path+"/trigger")
	p.selector(r.Forbidden, path+"/forbidden")
	return rule{tool: r.Forbidden.Tool, auto: neverAfter{
		trigger: p.words(r.Trigger), forbidden: p.words(r.Forbidden),
	}}
}

// neverAfter keeps the first trigger in x and the first forbidden call behind
// it in y, -1 for none.
type neverAfter struct {
	plain
	trigger, forbidden string
}

func (neverAfter) start() run { return run{x: -1, y: -1} }

func (neverAfter) step(r run, j int, in operands) run {
	if in&second != 0 && r.x >= 0 && r.y < 0 {
		r.y, r.bad = j, true
	}
	if in&first != 0 && r.x < 0 {
		r.x = j
	}
	return r
}

func (neverAfter) limit(r run, in operands) int {
	if r.bad || r.x >= 0 && in&second != 0 {
		return none
	}
	return never
}

func (neverAfter) rank(r run) int {
	switch {
	case r.bad:
		return 0
	case r.x >= 0:
		return 1
	}
	return 2
}

func (neverAfter) violated(r run, _ int, _ Extent) bool { return r.bad }
func (neverAfter) exercised(r run) bool                 { return r.x >= 0 }
func (neverAfter) spanned(r run, _ int, _ bool) []int   { return []int{r.x, r.y} }

func (neverAfter) valid(r run, n int) bool {
	return r.x < n && r.y < n && r.bad == (r.y >= 0) && (!r.bad || 0 <= r.x && r.x < r.y)
}

func (a neverAfter) advice(r run, n int, extent Extent) (string, string) {
	message := a.forbidden + " was called after " + a.trigger
	if r.y == n-1 && extent == Prefix {
		return message, "do not call " + a.forbidden + " any more"
	}
	return message, hopeless
}
