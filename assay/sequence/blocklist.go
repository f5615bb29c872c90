package sequence

// Blocklist is violated when the name of some call contains Pattern, a plain
// text. Aliases do not apply. The empty pattern is in every name.
//
// Spanned: every match.
type Blocklist struct {
	Pattern string `json:"pattern"`
}

// ID returns "blocklist:pattern".
func (r Blocklist) ID() string { return "blocklist:" + r.Pattern }

// Type returns "blocklist".
func (Blocklist) Type() string { return "blocklist" }

// MarshalJSON writes the rule as a policy does.
func (r Blocklist) MarshalJSON() ([]byte, error) {
	type fields Blocklist
	return marshal(struct {
		Type string `json:"type"`
		fields
	}{r.Type(), fields(r)})
}

func (r Blocklist) compile(*compiler, string) rule {
	return rule{blocks: true, pattern: r.Pattern, auto: blocklist{pattern: r.Pattern}}
}

// blocklist counts the names in x and keeps the last one in y. Its operand is
// matched by name, before the automaton is asked.
type blocklist struct {
	plain
	pattern string
}

func (blocklist) start() run { return run{y: -1} }

func (blocklist) step(r run, j int, in operands) run {
	if in&first != 0 {
		r.x++
		r.y, r.bad = j, true
	}
	return r
}

func (blocklist) limit(r run, in operands) int {
	if r.bad || in&first != 0 {
		return none
	}
	return never
}

func (blocklist) rank(r run) int                       { return -r.x }
func (blocklist) violated(r run, _ int, _ Extent) bool { return r.bad }
func (blocklist) settled(run) bool                     { return false } // it still lists
func (blocklist) lists() bool                          { return true }
func (blocklist) spans(_, _ run, in operands) bool     { return in&first != 0 }

func (blocklist) valid(r run, n int) bool {
	return validCount(r, n) && r.bad == (r.x > 0)
}

func (a blocklist) advice(r run, n int, extent Extent) (string, string) {
	message := "a tool was called whose name contains " + quote(a.pattern)
	if r.x == 1 && r.y == n-1 && extent == Prefix {
		return message, "call a tool whose name does not contain it"
	}
	return message, hopeless
}
