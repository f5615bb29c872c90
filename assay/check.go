package assay

import (
	"sync"
	"sync/atomic"

	"example.com/assay/assay/args"
	"example.com/assay/assay/sequence"
)

// The reasons of E_POLICY_PARSE: the fixed messages of docs/policy.md, "How a
// file is read" and "A whole file".
const (
	reasonRoot      = "Policy root must be a mapping"
	reasonStructure = "Policy structure is invalid"
	reasonSequence  = "Invalid sequence policy format"
)

// CheckArgs answers whether the policy allows the call by its name and its
// arguments (docs/policy.md, "What is decided first"). Nil arguments are {}.
//
// The call is taken to be the first of its own, so of the policy's limits only
// a ceiling of 0 denies; a [Session] counts. It knows nothing of the calls
// before: see [CheckSequence]. A document that is a list denies with
// [CodePolicyParse].
func CheckArgs(p *Policy, call Call) (d Decision) {
	if p == nil || p.compiled == nil {
		return noPolicy.decision()
	}
	if p.compiled.args == nil && !validName(call.Tool) { // else the engine looks at the name
		return invalidName.decision()
	}
	p.compiled.checkArgs(&args.Request{
		Tool:      call.Tool,
		Arguments: call.Arguments,
		Identity:  (*args.Identity)(call.Identity),
		Stop:      p.stop.Watch(),
	}, &d)
	return d
}

// CheckArgsValue is [CheckArgs] of a decoded value. It takes what encoding/json
// makes of JSON (with json.Number or without) and Go's built-in integer types;
// a float64 is its shortest decimal, and nil, a nil map and a nil slice are
// null. NaN, infinities, text that is not valid UTF-8, a json.Number that is no
// JSON number, more than 128 levels and any other type deny with [CodeValue].
//
// It judges the value that it is given. Where the caller also holds the text,
// CheckArgs is the one to ask: a duplicate key is gone from the value.
func CheckArgsValue(p *Policy, tool string, arguments any) (d Decision) {
	if p == nil || p.compiled == nil {
		return noPolicy.decision()
	}
	r := args.Request{Tool: tool, Value: arguments, HasValue: true, Stop: p.stop.Watch()}
	switch {
	case p.compiled.args.Admits(&r): // so the name is valid and the value JSON
		d.Allowed = true
	case !validName(tool):
		return invalidName.decision()
	default:
		p.compiled.checkValue(&r, &d)
	}
	return d
}

// checkValue makes d, which is zero, the answer about a value of which nothing
// is known.
func (c *compiled) checkValue(r *args.Request, d *Decision) {
	look := valueCheck{steps: c.options.MaxSteps}
	switch {
	case look.ok(r.Value, 0):
	case look.steps < 0:
		*d = tooLarge.decision()
		return
	default:
		*d = notAValue.decision()
		d.Reason = whyNoValue(r.Value, c.options.MaxSteps)
		return
	}
	switch {
	case look.nils:
		r.Value = plainValue(r.Value)
	case look.numbers:
		r.Plain = plainValue
	}
	c.checkArgs(r, d)
}

// CheckSequence answers whether next may come after history by the policy's
// rules about order (docs/policy.md, "Order"). It looks at sequences and aliases
// only: whether the arguments are right is the question of [CheckArgs].
//
// A call with nil Arguments leaves the argument matches of its selectors
// unknown, and a rule that would depend on them is violated. Identities are not
// looked at. A document that is no sequence policy denies with
// [CodePolicyParse].
func CheckSequence(p *Policy, history []Call, next Call) (d Decision) {
	c, refused := p.ask(next.Tool)
	if refused != nil {
		return refused.decision()
	}
	stop := p.stop.Watch()
	// Where a scan of the names tells that the call may come, it does so in the
	// pass that looks whether they are valid.
	valid := 0 // how many names of the history are known to be
	kept := len(history) < c.options.MaxSteps && (stop == nil || !stop.Load()) &&
		c.sequence.Scan(len(history)+1, func(i int) string {
			if i == len(history) {
				return next.Tool
			}
			name := history[i].Tool
			// isPlain(name), of which a call would cost more than what it does.
			if n := len(name); n >= 8 && n <= 16 && (load8(name)|load8(name[n-8:]))&notASCII == 0 && i == valid {
				valid++
			}
			return name
		})
	switch {
	case !validNames(history[valid:]):
		return invalidHistory.decision()
	case c.sequence == nil:
		return notASequence.decision()
	case kept:
		d.Allowed = true
		return d
	}
	return c.follow(history, next, stop)
}

// follow is CheckSequence by the engine.
func (c *compiled) follow(history []Call, next Call, stop *atomic.Bool) Decision {
	t := traces.Get().(*trace)
	defer t.release()
	t.set(history, next)
	t.budget = *sequence.NewBudget(c.options.MaxSteps, 0, stop)
	return sequenceDecision(c.sequence.Check(t.Trace, &t.budget))
}

// PolicyDecide answers whether the name is on the policy's blocklist, where the
// policy is nothing but a blocklist: a mapping of version, name, description,
// metadata, blocklist and extensions. Any other document denies with
// [CodePolicyParse], because its other rules would be passed over; for those,
// [CheckArgs] denies what the blocklist holds.
func PolicyDecide(p *Policy, tool string) (d Decision) {
	c, refused := p.ask(tool)
	switch {
	case refused != nil:
	case !c.isMapping:
		refused = notAMapping
	case !c.decides:
		refused = notABlocklist
	case c.blocklist.Contains(tool):
		refused = blocked
	default:
		d.Allowed, d.Reason = true, "Allowed by policy"
		return d
	}
	d.Code, d.Reason = refused.code, refused.reason
	return d
}

// refusal is a denial that needs no more words than its code and reason.
type refusal struct {
	code   Code
	reason string
}

func (r *refusal) decision() Decision { return Decision{Code: r.code, Reason: r.reason} }

// Every denial that this package gives by itself.
var (
	noPolicy       = &refusal{CodeNoPolicy, "there is no policy"}
	invalidName    = &refusal{CodeInvalidRequest, "the tool name is empty or not valid UTF-8"}
	invalidHistory = &refusal{CodeInvalidRequest, "a tool name in the history is empty or not valid UTF-8"}
	notAMapping    = &refusal{CodePolicyParse, reasonRoot}
	notABlocklist  = &refusal{CodePolicyParse, reasonStructure}
	notASequence   = &refusal{CodePolicyParse, reasonSequence}
	notAValue      = &refusal{CodeValue, "the arguments are not a JSON value"}
	tooLarge       = &refusal{CodeLimitExceeded, "the arguments are too large to look through"}
	blocked        = &refusal{CodeToolBlocked, "the blocklist holds the tool's name"}
	outOfOrder     = &refusal{CodeSequence, "the call breaks the policy's rules about order"}
	overBudget     = &refusal{CodeLimitExceeded, "the check of the order used up its budget"}
)

// ask returns what p was compiled to, or why no question about the tool can be
// answered.
func (p *Policy) ask(tool string) (*compiled, *refusal) {
	if p == nil || p.compiled == nil {
		return nil, noPolicy
	}
	if !validName(tool) {
		return nil, invalidName
	}
	return p.compiled, nil
}

// checkArgs makes d, which is zero, the engine's answer in the words of this
// package. An allow is written once, where the caller of the check gets it.
func (c *compiled) checkArgs(request *args.Request, d *Decision) {
	if c.args == nil {
		*d = notAMapping.decision()
		return
	}
	r := c.args.Check(request)
	if r.Allowed {
		d.Allowed = true
		if code := r.WarningCode(); code != "" {
			d.Warning = Warning{Code(code), r.WarningReason()}
		}
		if obligations := r.Obligations(); len(obligations) > 0 {
			d.Obligations = make([]Obligation, len(obligations))
			for i, o := range obligations {
				d.Obligations[i] = Obligation(o)
			}
		}
		return
	}
	d.Code, d.Reason = Code(r.Code()), r.Reason()
	violations := r.Violations()
	if len(violations) == 0 {
		return
	}
	d.Truncated = r.Truncated()
	d.Violations = make([]Violation, len(violations))
	for i, v := range violations {
		d.Violations[i] = Violation{
			Path: v.Path, Constraint: v.Constraint, Message: v.Message,
			Suggestion: v.Suggestion, SchemaPath: v.SchemaPath,
		}
	}
	if c.options.SuggestFixes && d.Code == CodeArgSchema {
		d.SuggestedFix = c.fix(*request, d)
	}
}

// sequenceDecision is the engine's answer in the words of this package.
func sequenceDecision(r sequence.Result) Decision {
	switch {
	case r.Failure == sequence.Limit:
		return overBudget.decision()
	case r.Failure != sequence.OK:
		return notASequence.decision()
	case r.Allowed:
		return Decision{Allowed: true}
	}
	d := outOfOrder.decision()
	d.Truncated = r.Truncated
	d.Violations = make([]Violation, len(r.Violations))
	for i, v := range r.Violations {
		d.Violations[i] = Violation{
			Constraint: v.Constraint, Message: v.Message, Suggestion: v.Suggestion,
			RuleID: v.RuleID, RuleType: v.RuleType, Tool: v.Tool,
			Spanned: v.Spanned, EventIndex: v.EventIndex, Context: v.Context,
		}
	}
	return d
}

// trace is a history and the next call as package sequence reads them. Traces
// are used again, so that an allow costs no memory.
type trace struct {
	sequence.Trace
	budget  sequence.Budget
	history []Call
	next    Call
}

var traces = sync.Pool{New: func() any {
	t := new(trace)
	t.Arguments = t.arguments
	return t
}}

// maxPooled is how many calls a trace may have had to be worth keeping.
const maxPooled = 4096

func (t *trace) set(history []Call, next Call) {
	t.history, t.next = history, next
	t.Names = t.Names[:0]
	for i := range history {
		t.Names = append(t.Names, history[i].Tool)
	}
	t.Names = append(t.Names, next.Tool)
}

func (t *trace) arguments(i int) []byte {
	if i == len(t.history) {
		return t.next.Arguments
	}
	return t.history[i].Arguments
}

// release gives t back, holding on to nothing of the caller's.
func (t *trace) release() {
	if cap(t.Names) > maxPooled {
		return
	}
	clear(t.Names)
	t.history, t.next, t.budget = nil, Call{}, sequence.Budget{}
	traces.Put(t)
}
