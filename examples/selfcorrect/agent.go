package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"example.com/assay/assay"
)

// maxTries bounds how often one task may ask.
const maxTries = 6

// agent is the loop that every agent has: propose, decide, and only then run.
type agent struct {
	policy  *assay.Policy
	history []assay.Call // the calls that ran, for the rules about order
	out     io.Writer

	// What was refused and what ran are two logs: an allow is a decision about
	// an input, not an outcome.
	denials  []string
	outcomes []string
}

// cleared is a call that the policy allowed. Only decide makes one, and it
// holds its own copy of the bytes that were decided, so an allow is never spent
// on other arguments.
type cleared struct{ call assay.Call }

// decide asks both questions about one call. It returns a cleared call, or the
// decision that stands in the way.
func (a *agent) decide(call assay.Call) (*cleared, assay.Decision) {
	call.Arguments = bytes.Clone(call.Arguments)
	args := assay.CheckArgs(a.policy, call)
	if !args.Allowed {
		return nil, args
	}
	if order := assay.CheckSequence(a.policy, a.history, call); order.Err() != nil {
		return nil, order
	}
	if args.Err() != nil { // allowed, but with a duty that nobody has met
		return nil, args
	}
	return &cleared{call}, args
}

// run executes a cleared call. Here a tool is a line of text.
func (a *agent) run(c *cleared) {
	a.history = append(a.history, c.call)
	a.outcomes = append(a.outcomes, fmt.Sprintf("%s %s", c.call.Tool, c.call.Arguments))
	fmt.Fprintln(a.out, "      allowed, and it ran")
}

// work pursues one task until the model has nothing more to do, a person has to
// decide, or the tries are used up.
func (a *agent) work(m *model) {
	for try := 1; try <= maxTries; try++ {
		call, ok := m.propose()
		if !ok {
			return
		}
		fmt.Fprintf(a.out, "  %d.  %s %s\n", try, call.Tool, call.Arguments)

		c, d := a.decide(call)
		if c != nil {
			a.run(c)
			m.ran(call)
			continue
		}
		var duties *assay.ObligationsError
		if errors.As(d.Err(), &duties) {
			fmt.Fprintf(a.out, "      allowed, but not yet: %s\n", d.Obligations[0].Kind)
			fmt.Fprintln(a.out, "      the agent stops here; a person has to decide")
			return
		}

		a.denials = append(a.denials, fmt.Sprintf("%s: %s", call.Tool, d.Code))
		fmt.Fprintf(a.out, "      denied, %s\n", d.Code)
		for _, v := range d.Violations {
			fmt.Fprintf(a.out, "        %s %s\n          -> %s\n", where(v), v.Message, v.Suggestion)
		}
		if !m.denied(call, d) {
			fmt.Fprintln(a.out, "      the agent gives up: it knows no other call that serves the task")
			return
		}
	}
	fmt.Fprintln(a.out, "      the agent gives up: out of tries")
}

// where names the place that a violation is about.
func where(v assay.Violation) string {
	if v.RuleType != "" {
		return "rule " + v.RuleID + ":"
	}
	if v.Path == "" {
		return "arguments:"
	}
	return v.Path + ":"
}
