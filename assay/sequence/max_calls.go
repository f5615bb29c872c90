package sequence

// MaxCalls is violated when more than Max calls match Tool. Max is 0 to
// [MaxOperand]; 0 forbids the tool.
//
// Spanned: every match. Context: max, and actual, how many calls match.
type MaxCalls struct {
	Tool Selector `json:"tool"`
	Max  int      `json:"max"`
}

// ID returns "max_calls:tool<=max".
func (r MaxCalls) ID() string { return "max_calls:" + r.Tool.String() + "<=" + itoa(r.Max) }

// Type returns "max_calls".
func (MaxCalls) Type() string { return "max_calls" }

// MarshalJSON writes the rule as a policy does.
func (r MaxCalls) MarshalJSON() ([]byte, error) {
	type fields MaxCalls
	return marshal(struct {
		Type string `json:"type"`
		fields
	}{r.Type(), fields(r)})
}

func (r MaxCalls) compile(p *compiler, path string) rule {
	p.selector(r.Tool, path+"/tool")
	p.operand(r.Max, path+"/max")
	return rule{tool: r.Tool.Tool, auto: maxCalls{tool: p.words(r.Tool), max: r.Max}}
}

// maxCalls counts the matches in x, and keeps the last one in y.
type maxCalls struct {
	plain
	tool string
	max  int
}

func (maxCalls) start() run { return run{y: -1} }

func (a maxCalls) step(r run, j int, in operands) run {
	if in&first != 0 {
		r.x++
		r.y = j
		r.bad = r.x > a.max
	}
	return r
}

func (a maxCalls) limit(r run, in operands) int {
	if r.bad || r.x == a.max && in&first != 0 {
		return none
	}
	return never
}

func (maxCalls) rank(r run) int                       { return -r.x }
func (maxCalls) violated(r run, _ int, _ Extent) bool { return r.bad }
func (maxCalls) settled(run) bool                     { return false } // it still counts
func (maxCalls) lists() bool                          { return true }
func (maxCalls) spans(_, _ run, in operands) bool     { return in&first != 0 }

func (a maxCalls) context(r run) map[string]int {
	return map[string]int{"max": a.max, "actual": r.x}
}

func (a maxCalls) valid(r run, n int) bool {
	return validCount(r, n) && r.bad == (r.x > a.max)
}

func (a maxCalls) advice(r run, n int, extent Extent) (string, string) {
	message := a.tool + " was called " + count(r.x, "time") + "; at most " +
		itoa(a.max) + " allowed"
	if r.y == n-1 && r.x == a.max+1 && extent == Prefix {
		return message, "do not call " + a.tool + " any more"
	}
	return message, hopeless
}
