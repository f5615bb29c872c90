package assay_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/assay/assay"
)

func TestNextRecordsNothing(t *testing.T) {
	s := assay.NewSession(mustParse(t, "limits: {max_requests_total: 1, max_tool_calls_total: 1}\nsequences: [{type: max_calls, tool: a, max: 1}]"))
	for range 3 {
		if d := s.Next(assay.Call{Tool: "a"}); !d.Allowed {
			t.Fatalf("Next denies: %v", d.Err())
		}
	}
}

func TestLimitsCount(t *testing.T) {
	call := assay.Call{Tool: "a"}
	t.Run("every Begin is a request", func(t *testing.T) {
		s := assay.NewSession(mustParse(t, "limits: {max_requests_total: 3}\ntools: {deny: [b]}"))
		if d, p := s.Begin(call); !d.Allowed {
			t.Errorf("the first: %v", d.Err())
		} else {
			p.Cancel() // the request was made all the same
		}
		if d, p := s.Begin(assay.Call{Tool: "b"}); d.Code != assay.CodeToolDenied || p != nil {
			t.Errorf("the second: %+v, %v", d, p)
		}
		if d, _ := s.Begin(call); !d.Allowed {
			t.Errorf("the third: %v", d.Err())
		}
		if d := s.Next(call); d.Code != assay.CodeRateLimit {
			t.Errorf("Next after three: %q", d.Code)
		}
		if d, p := s.Begin(call); d.Code != assay.CodeRateLimit || p != nil {
			t.Errorf("the fourth: %+v", d)
		}
	})
	t.Run("a call counts until it is cancelled", func(t *testing.T) {
		s := assay.NewSession(mustParse(t, "limits: {max_tool_calls_total: 1}"))
		_, p := s.Begin(call)
		if d, _ := s.Begin(call); d.Code != assay.CodeRateLimit {
			t.Errorf("while one is pending: %q", d.Code)
		}
		p.Cancel()
		p.Cancel()
		p.Done()
		_, p = s.Begin(call)
		if p == nil {
			t.Fatal("a cancelled call counts")
		}
		p.Done()
		p.Cancel()
		if d, _ := s.Begin(call); d.Code != assay.CodeRateLimit {
			t.Errorf("after one is done: %q", d.Code)
		}
	})
}

func TestAPendingCallIsPartOfTheTrace(t *testing.T) {
	s := assay.NewSession(mustParse(t, "[{type: before, first: verify, then: pay}, {type: max_calls, tool: pay, max: 1}]"))
	pay := assay.Call{Tool: "pay"}
	_, verify := s.Begin(assay.Call{Tool: "verify"})
	if d := s.Next(pay); !d.Allowed {
		t.Errorf("while verify is pending: %v", d.Err())
	}
	verify.Cancel()
	if d := s.Next(pay); d.Code != assay.CodeSequence || d.Violations[0].RuleID != "before:verify->pay" {
		t.Errorf("after verify is cancelled: %+v", d)
	}
	_, verify = s.Begin(assay.Call{Tool: "verify"})
	verify.Done()
	_, first := s.Begin(pay)
	if d, p := s.Begin(pay); d.Allowed || p != nil {
		t.Error("a second pay begins while one is pending")
	}
	first.Cancel()
	if _, p := s.Begin(pay); p == nil {
		t.Error("pay does not begin after the other is cancelled")
	}
}

func TestASessionDecidesByEveryPartOfTheFile(t *testing.T) {
	s := assay.NewSession(mustParse(t, support))
	begin := func(tool, arguments string) assay.Decision {
		d, p := s.Begin(assay.Call{Tool: tool, Arguments: []byte(arguments)})
		p.Done()
		return d
	}
	if d := begin("pay", `{"amount": 1}`); d.Code != assay.CodeSequence {
		t.Errorf("pay before verify: %q", d.Code)
	}
	if d := begin("read_secret", "{}"); d.Code != assay.CodeToolDenied {
		t.Errorf("a blocked name: %q", d.Code)
	}
	if d := begin("verify", "{}"); !d.Allowed || d.Warning.Code != assay.CodeToolUnconstrained {
		t.Errorf("verify: %+v", d)
	}
	if d := begin("pay", `{"amount": 900}`); d.Code != assay.CodeArgSchema {
		t.Errorf("too large a pay: %q", d.Code)
	}
	if d := begin("pay", `{"amount": 1}`); !d.Allowed || len(d.Obligations) != 2 {
		t.Errorf("pay: %+v", d)
	}
	if d := begin("pay", `{"amount": 1}`); d.Code != assay.CodeSequence {
		t.Errorf("a second pay: %q", d.Code)
	}
}

func TestAvailableListsWhatMayComeNext(t *testing.T) {
	s := assay.NewSession(mustParse(t, support))
	want := func(when string, tools ...string) {
		t.Helper()
		if got := s.Available(); !slices.Equal(got, tools) {
			t.Errorf("%s: %q, want %q", when, got, tools)
		}
	}
	want("at the start", "verify")
	_, verify := s.Begin(assay.Call{Tool: "verify"})
	want("after verify", "pay", "verify")
	_, pay := s.Begin(assay.Call{Tool: "pay", Arguments: []byte(`{"amount": 1}`)})
	want("after pay", "verify")
	pay.Cancel()
	want("after pay is cancelled", "pay", "verify")
	verify.Cancel()
	want("after verify is cancelled", "verify")
	if got := assay.NewSession(nil).Available(); len(got) != 0 {
		t.Errorf("without a policy: %q", got)
	}
	if got := assay.NewSession(mustParse(t, "tools: {allow: [b, 'x*', a], deny: [b, c]}\nschemas: {$defs: {}, d: true}")).Available(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("names without an order: %q", got)
	}
	if got := assay.NewSession(mustParse(t, "[b, a]")).Available(); len(got) != 0 {
		t.Errorf("the exact list of two has nothing that is allowed alone, but %q", got)
	}
}

func TestTheLastAllowedCallIsTakenOnce(t *testing.T) {
	const allowed, callers = 10, 64
	for name, text := range map[string]string{
		"limits":    "limits: {max_tool_calls_total: 10}",
		"max_calls": "sequences: [{type: max_calls, tool: a, max: 10}]",
	} {
		s := assay.NewSession(mustParse(t, text))
		var taken, cancelled atomic.Int64
		var all sync.WaitGroup
		start := make(chan struct{})
		for i := range callers {
			all.Go(func() {
				<-start
				_, p := s.Begin(assay.Call{Tool: "a"})
				switch {
				case p == nil:
				case i%2 == 0:
					taken.Add(1)
					p.Done()
				default:
					cancelled.Add(1)
					p.Cancel()
				}
			})
		}
		close(start)
		all.Wait()
		for {
			_, p := s.Begin(assay.Call{Tool: "a"})
			if p == nil {
				break
			}
			p.Done()
			taken.Add(1)
		}
		if taken.Load() != allowed {
			t.Errorf("%s: %d calls were taken (and %d cancelled), want %d", name, taken.Load(), cancelled.Load(), allowed)
		}
	}
}

// orderPolicy makes a random sequence policy over a few tools.
func orderPolicy(r *rand.Rand) string {
	tool := func() string { return string(rune('a' + r.IntN(4))) }
	kinds := []func() string{
		func() string { return fmt.Sprintf("{type: require, tool: %s}", tool()) },
		func() string { return fmt.Sprintf("{type: before, first: %s, then: %s}", tool(), tool()) },
		func() string {
			return fmt.Sprintf("{type: after, trigger: %s, then: %s, within: %d}", tool(), tool(), r.IntN(4))
		},
		func() string { return fmt.Sprintf("{type: never_after, trigger: %s, forbidden: %s}", tool(), tool()) },
		func() string { return fmt.Sprintf("{type: eventually, tool: %s, within: %d}", tool(), r.IntN(5)) },
		func() string { return fmt.Sprintf("{type: max_calls, tool: %s, max: %d}", tool(), r.IntN(4)) },
		func() string {
			return fmt.Sprintf("{type: sequence, tools: [%s, %s, %s], strict: %v}", tool(), tool(), tool(), r.IntN(2) == 0)
		},
		func() string {
			return fmt.Sprintf("{type: max_calls, tool: {tool: %s, args_match: {n: '^[12]$'}}, max: %d}", tool(), r.IntN(3))
		},
	}
	text := "sequences:\n"
	for range 1 + r.IntN(2) {
		text += "- " + kinds[r.IntN(len(kinds))]() + "\n"
	}
	return text
}

func TestASessionAnswersLikeTheOneShotCheck(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		text := orderPolicy(r)
		p := mustParse(t, text)
		s := assay.NewSession(p)
		var history []assay.Call
		for range 12 {
			call := assay.Call{Tool: string(rune('a' + r.IntN(4)))}
			if n := r.IntN(5); n > 0 {
				call.Arguments = fmt.Appendf(nil, `{"n": %d}`, n)
			}
			want := assay.CheckSequence(p, history, call)
			got, pending := s.Begin(call)
			if got.Allowed != want.Allowed || got.Code != want.Code || !slices.EqualFunc(got.Violations, want.Violations, func(a, b assay.Violation) bool {
				return a.RuleID == b.RuleID && a.Constraint == b.Constraint
			}) {
				t.Fatalf("after %v, %v is answered %+v, at once %+v\n%s", history, call, got, want, text)
			}
			switch {
			case !got.Allowed:
			case r.IntN(4) == 0:
				pending.Cancel()
			default:
				pending.Done()
				history = append(history, call)
			}
		}
	}
}

func TestACopyOfAPendingCallEndsNothing(t *testing.T) {
	s := assay.NewSession(mustParse(t, "{sequences: [{type: max_calls, tool: x, max: 1}], limits: {max_tool_calls_total: 3}}"))
	s.Begin(assay.Call{Tool: "x"})
	_, y := s.Begin(assay.Call{Tool: "y"})
	copied := *y
	copied.Cancel()
	copied.Done()
	new(assay.Pending).Cancel()
	if s.Next(assay.Call{Tool: "x"}).Allowed {
		t.Error("the copy took the pending call of x back")
	}
	s.Begin(assay.Call{Tool: "y"})
	if d := s.Next(assay.Call{Tool: "y"}); d.Code != assay.CodeRateLimit {
		t.Errorf("the copy took a call back: %s", d.Code)
	}
	y.Cancel()
	if d := s.Next(assay.Call{Tool: "y"}); !d.Allowed {
		t.Errorf("the original takes its call back no more: %v", d.Err())
	}
}
