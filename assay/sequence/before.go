package sequence

// Before is violated when the trace has a call that matches Then, and the first
// call that matches First is absent or comes later than the first of those. One
// call that matches both is in time.
//
// Spanned: the first Then; where First came too late, the first First and then
// the first Then.
type Before struct {
	First Selector `json:"first"`
	Then  Selector `json:"then"`
}

// ID returns "before:first->then".
func (r Before) ID() string { return "before:" + r.First.String() + "->" + r.Then.String() }

// Type returns "before".
func (Before) Type() string { return "before" }

// MarshalJSON writes the rule as a policy does.
func (r Before) MarshalJSON() ([]byte, error) {
	type fields Before
	return marshal(struct {
		Type string `json:"type"`
		fields
	}{r.Type(), fields(r)})
}

func (r Before) compile(p *compiler, path string) rule {
	p.selector(r.First, path+"/first")
	p.selector(r.Then, path+"/then")
	return rule{tool: r.Then.Tool, auto: before{
		first: r.First.Tool, then: r.Then.Tool, words: [2]string{p.words(r.First), p.words(r.Then)},
	}}
}

// before keeps the index of the first First in x and of the first Then in y,
// -1 for none.
type before struct {
	plain
	first, then string
	words       [2]string // what advice calls them
}

func (before) start() run { return run{x: -1, y: -1} }

func (before) step(r run, j int, in operands) run {
	if in&first != 0 && r.x < 0 {
		r.x = j
	}
	if in&second != 0 && r.y < 0 {
		r.y = j
		r.bad = r.x < 0
	}
	return r
}

func (before) limit(r run, in operands) int {
	if r.bad || r.x < 0 && in == second {
		return none
	}
	return never
}

// scan is the whole automaton for operands that are plain names: it reports
// whether a prefix of n calls of these names keeps the rule.
func (a *before) scan(n int, name func(i int) string) bool {
	for i := range n {
		switch name(i) {
		case a.first:
			return true
		case a.then:
			return false
		}
	}
	return true
}

func (before) rank(r run) int {
	switch {
	case r.bad:
		return 0
	case r.x < 0:
		return 1
	}
	return 2
}

func (before) violated(r run, _ int, _ Extent) bool { return r.bad }

// A run with a late First goes on until it has seen it: it spans both.
func (before) settled(r run) bool   { return r.x >= 0 }
func (before) exercised(r run) bool { return r.y >= 0 }

func (before) valid(r run, n int) bool {
	return r.x < n && r.y < n && r.bad == (r.y >= 0 && (r.x < 0 || r.x > r.y))
}

func (before) spanned(r run, _ int, _ bool) []int {
	if r.x < 0 {
		return []int{r.y}
	}
	return []int{r.x, r.y}
}

func (a before) advice(r run, n int, extent Extent) (string, string) {
	message := a.words[1] + " was called without an earlier call of " + a.words[0]
	if r.y == n-1 && extent == Prefix {
		return message, "call " + a.words[0] + " before " + a.words[1]
	}
	return message, hopeless
}
