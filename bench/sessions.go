package main

import (
	"errors"
	"fmt"
	"sync"

	"example.com/assay/assay"
)

// sessionRows ask a session, which keeps state instead of a history.
func sessionRows() []row {
	// The aim is 50 ns on a machine on which the program by hand takes 17 ns.
	inTime := reach{ratio: 2.9, allocs: true}
	var rows []row
	for _, k := range sessionKinds {
		rows = append(rows, row{
			name:  fmt.Sprintf("session, %s, history 100,000", k.rule["type"]),
			reach: inTime,
			make:  func() ([]contestant, error) { return kindContestants(k, 100_000) },
		})
	}
	rows = append(rows, row{"session, before, history 10", inTime, func() ([]contestant, error) {
		return kindContestants(sessionKinds[1], 10)
	}})
	for _, mentions := range []int{0, 1, 50} {
		r := row{
			name: fmt.Sprintf("session, 50 rules, history 2,000, tool in %d", mentions),
			make: func() ([]contestant, error) { return fiftySession(mentions) },
		}
		if mentions < 50 {
			r.reach = inTime
		}
		rows = append(rows, r)
	}
	return append(rows, row{"session, begin and done, before rule", reach{}, beginContestants})
}

// sessionKind is one rule of each kind: a run in which next may come and one in
// which it may not, and the same state and decision by hand.
type sessionKind struct {
	rule    map[string]any
	start   string   // the first call of the run that allows
	end     string   // its last call; the others are searches
	denying []string // the run that denies
	next    string
	denied  string // the call that is denied, if it is not next
	hand    func(s *handState, tool string) bool
	yes, no handState
}

// handState is what a program by hand remembers for any of the rules.
type handState struct {
	calls    int  // how many there were
	seen     bool // the call that a rule waits for, or starts with
	count    int
	deadline int // the number of calls after which an answer is late; 0: none is due
}

var sessionKinds = []sessionKind{
	{
		rule:  map[string]any{"type": "require", "tool": first},
		start: first, next: "search_orders",
		hand: func(s *handState, tool string) bool { return s.seen || tool == first },
		yes:  handState{seen: true},
	},
	{
		rule:  beforeRule(first, then),
		start: first, next: then,
		hand: func(s *handState, tool string) bool { return s.seen || tool != then },
		yes:  handState{seen: true},
	},
	{
		rule: map[string]any{"type": "after", "trigger": "open_ticket", "then": "close_ticket", "within": 5},
		end:  "open_ticket", next: "close_ticket",
		denying: []string{"open_ticket", "search_orders", "search_orders", "search_orders", "search_orders"},
		denied:  "search_orders",
		hand: func(s *handState, tool string) bool {
			return s.deadline == 0 || tool == "close_ticket" || s.calls+1 < s.deadline
		},
		yes: handState{calls: 100_000, deadline: 100_005},
		no:  handState{calls: 5, deadline: 6},
	},
	{
		rule:    map[string]any{"type": "never_after", "trigger": first, "forbidden": then},
		next:    then,
		denying: []string{first},
		hand:    func(s *handState, tool string) bool { return !s.seen || tool != then },
		no:      handState{seen: true},
	},
	{
		rule:  map[string]any{"type": "eventually", "tool": first, "within": 2},
		start: first, next: "search_orders",
		denying: []string{"search_orders"},
		hand: func(s *handState, tool string) bool {
			return s.seen || tool == first && s.calls < 2 || s.calls+1 < 2
		},
		yes: handState{calls: 100_000, seen: true},
		no:  handState{calls: 1},
	},
	{
		rule: map[string]any{"type": "max_calls", "tool": then, "max": 1},
		next: then, denying: []string{then},
		hand: func(s *handState, tool string) bool { return tool != then || s.count < 1 },
		no:   handState{count: 1},
	},
	{
		rule:  map[string]any{"type": "sequence", "tools": []string{first, then}},
		start: first, next: then,
		hand: func(s *handState, tool string) bool { return s.count > 0 || tool != then },
		yes:  handState{count: 1},
	},
	{
		rule: map[string]any{"type": "blocklist", "pattern": "drop_"},
		next: then, denied: "drop_table",
		hand: func(s *handState, tool string) bool { return !containsDrop(tool) },
	},
}

// containsDrop is strings.Contains for the one pattern.
func containsDrop(tool string) bool {
	for i := 0; i+5 <= len(tool); i++ {
		if tool[i:i+5] == "drop_" {
			return true
		}
	}
	return false
}

// handSession is the state behind a lock, as a program with several callers
// needs it.
type handSession struct {
	mu     sync.Mutex
	state  handState
	decide func(s *handState, tool string) bool
}

func (s *handSession) next(tool string) bool {
	if !validName(tool) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.decide(&s.state, tool)
}

// sessionAfter returns a session in which the calls have run.
func sessionAfter(p *assay.Policy, calls []string) (*assay.Session, error) {
	s := assay.NewSession(p)
	for _, tool := range calls {
		d, pending := s.Begin(assay.Call{Tool: tool})
		if pending == nil {
			// Rules such as require deny until their call has come; the history
			// of a denied call is its own.
			return nil, errors.New("a call of the history is denied: " + d.Reason)
		}
		pending.Done()
	}
	return s, nil
}

// namesOf is n names: searches, but for the first and the last where they are given.
func namesOf(n int, start, end string) []string {
	names := make([]string, n)
	for i, c := range history(n, "search_orders") {
		names[i] = c.Tool
	}
	if start != "" {
		names[0] = start
	}
	if end != "" {
		names[n-1] = end
	}
	return names
}

func kindContestants(k sessionKind, n int) ([]contestant, error) {
	policy, err := policyOf(k.rule)
	if err != nil {
		return nil, err
	}
	yes, err := sessionAfter(policy, namesOf(n, k.start, k.end))
	if err != nil {
		return nil, err
	}
	no, err := sessionAfter(policy, k.denying)
	if err != nil {
		return nil, err
	}
	denied := k.denied
	if denied == "" {
		denied = k.next
	}
	handYes, handNo := handSession{state: k.yes, decide: k.hand}, handSession{state: k.no, decide: k.hand}
	return []contestant{
		{
			name:  nameAssay,
			allow: func() bool { return yes.Next(assay.Call{Tool: k.next}).Allowed },
			deny:  func() bool { return no.Next(assay.Call{Tool: denied}).Allowed },
		},
		{
			name:  nameHand,
			allow: func() bool { return handYes.next(k.next) },
			deny:  func() bool { return handNo.next(denied) },
		},
	}, nil
}

// fiftySession has 50 before rules, of which the given number is about the tool
// that is asked for.
func fiftySession(mentions int) ([]contestant, error) {
	var rules []map[string]any
	var all []string
	required := map[string][]string{}
	for i := range 50 {
		before, after := fmt.Sprintf("verify_step_%d", i), fmt.Sprintf("run_step_%d", i)
		if i < mentions {
			after = then
		}
		rules, all = append(rules, beforeRule(before, after)), append(all, before)
		required[after] = append(required[after], before)
	}
	policy, err := policyOf(rules...)
	if err != nil {
		return nil, err
	}
	yes, err := sessionAfter(policy, append(all, namesOf(1_950, "", "")...))
	if err != nil {
		return nil, err
	}
	no, err := sessionAfter(policy, nil)
	if err != nil {
		return nil, err
	}
	denied := then
	if mentions == 0 {
		denied = "run_step_0"
	}
	hand := func(calls []string) *handSession {
		seen := map[string]bool{}
		for _, c := range calls {
			seen[c] = true
		}
		return &handSession{decide: func(_ *handState, tool string) bool {
			for _, r := range required[tool] {
				if !seen[r] {
					return false
				}
			}
			return true
		}}
	}
	handYes, handNo := hand(all), hand(nil)
	return []contestant{
		{
			name:  nameAssay,
			allow: func() bool { return yes.Next(assay.Call{Tool: then}).Allowed },
			deny:  func() bool { return no.Next(assay.Call{Tool: denied}).Allowed },
		},
		{
			name:  nameHand,
			allow: func() bool { return handYes.next(then) },
			deny:  func() bool { return handNo.next(denied) },
		},
	}, nil
}

// beginContestants decide and record, as a program that runs the call does.
func beginContestants() ([]contestant, error) {
	policy, err := policyOf(beforeRule(first, then))
	if err != nil {
		return nil, err
	}
	yes, err := sessionAfter(policy, []string{first})
	if err != nil {
		return nil, err
	}
	no := assay.NewSession(policy)
	return []contestant{{
		name: nameAssay,
		allow: func() bool {
			d, pending := yes.Begin(assay.Call{Tool: then})
			pending.Done()
			return d.Allowed
		},
		deny: func() bool {
			d, _ := no.Begin(assay.Call{Tool: then})
			return d.Allowed
		},
	}}, nil
}
