package sequence_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/assay/assay/sequence"
)

// everyKind is one rule of each kind, over the tools a, b and c.
func everyKind() []sequence.Rule {
	a, b, c := name("a"), name("b"), name("c")
	one := with("a", "^1$")
	return []sequence.Rule{
		sequence.Require{Tool: a},
		sequence.Before{First: a, Then: b},
		sequence.After{Trigger: c, Then: a, Within: 3},
		sequence.NeverAfter{Trigger: name("A"), Forbidden: c},
		sequence.Eventually{Tool: c, Within: 6},
		sequence.MaxCalls{Tool: b, Max: 2},
		sequence.Sequence{Tools: []sequence.Selector{a, b, c}},
		sequence.Sequence{Tools: []sequence.Selector{c, one, b}, Strict: true},
		sequence.Blocklist{Pattern: "z"},
		sequence.MaxCalls{Tool: one, Max: 3},
		sequence.After{Trigger: one, Then: b, Within: 4},
		sequence.Sequence{Tools: []sequence.Selector{one, b, a, one}},
	}
}

// TestPendingCallsEndInAnyOrder compares a monitor, after every step of random
// sessions, with the trace of the calls that were not cancelled: its state, and
// its answer about every call.
func TestPendingCallsEndInAnyOrder(t *testing.T) {
	letters := []letter{{tool: "a"}, {tool: "a", args: `{"k":"1"}`}, {tool: "a", args: `{"k":"2"}`},
		{tool: "b"}, {tool: "c"}, {tool: "other"}, {tool: "z"}}
	aliases := map[string][]string{"A": {"b", "other"}}
	type entry struct {
		letter
		pending *sequence.Pending
	}
	began, cancelled := 0, 0
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		var rules []sequence.Rule
		for _, r := range everyKind() {
			if random.IntN(4) == 0 {
				rules = append(rules, r)
			}
		}
		checker := compile(t, aliases, rules...)
		m := checker.NewMonitor()
		var trace []entry
		pick := func() int { // a pending call, or -1
			var all []int
			for i, e := range trace {
				if e.pending != nil {
					all = append(all, i)
				}
			}
			if len(all) == 0 {
				return -1
			}
			return all[random.IntN(len(all))]
		}
		for range 25 {
			l := letters[random.IntN(len(letters)-random.IntN(2))]
			switch k := pick(); {
			case random.IntN(4) == 0 && k >= 0:
				trace[k].pending.Cancel()
				trace[k].pending.Cancel()
				trace = append(trace[:k], trace[k+1:]...)
				cancelled++
			case random.IntN(4) == 0 && k >= 0:
				p := trace[k].pending
				p.Done()
				p.Cancel() // too late
				trace[k].pending = nil
			case random.IntN(5) == 0:
				m.Record(l.call(), nil)
				trace = append(trace, entry{letter: l})
			default:
				r, p := begin(m, l.call(), nil)
				if r.Allowed != (p != nil) {
					t.Fatalf("Begin: allowed %v, pending %v", r.Allowed, p)
				}
				if p != nil {
					trace = append(trace, entry{l, p})
					began++
				}
			}
			fresh := checker.NewMonitor()
			var calls []letter
			for _, e := range trace {
				fresh.Record(e.call(), nil)
				calls = append(calls, e.letter)
			}
			if got, want := string(m.State()), string(fresh.State()); got != want || m.Len() != len(trace) {
				t.Fatalf("seed %d, %v:\n got %s\nwant %s", seed, calls, got, want)
			}
			for _, l := range letters {
				trace, _ := traceOf(append(calls[:len(calls):len(calls)], l))
				want := checker.Check(trace, nil)
				if got := m.Next(l.call(), nil); !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d, %v then %v:\nmonitor  %s\none-shot %s", seed, calls, l, show(got), show(want))
				}
			}
		}
	}
	if began < 1000 || cancelled < 200 {
		t.Errorf("only %d calls began and %d were cancelled", began, cancelled)
	}
}

func TestExactListIsMonitoredThroughCancels(t *testing.T) {
	c := sequence.CompileExact([]string{"a", "b", "a"})
	m := c.NewMonitor()
	for _, name := range []string{"x", "a", "b"} {
		m.Record(sequence.Call{Tool: name}, nil)
	}
	if m.Next(sequence.Call{Tool: "a"}, nil).Allowed {
		t.Error("a call too many is allowed")
	}
	m = c.NewMonitor()
	m.Record(sequence.Call{Tool: "a"}, nil)
	m.Record(sequence.Call{Tool: "b"}, nil)
	r, p := begin(m, sequence.Call{Tool: "a"}, nil)
	if !r.Allowed {
		t.Fatal("the list itself is denied")
	}
	if r := m.Next(sequence.Call{Tool: "a"}, nil); r.Allowed || r.Violations[0].Constraint != sequence.ExactMatch {
		t.Errorf("behind the list: %s", show(r))
	}
	p.Cancel()
	restored, err := c.RestoreMonitor(m.State())
	if err != nil {
		t.Fatal(err)
	}
	if !restored.Next(sequence.Call{Tool: "a"}, nil).Allowed || restored.Next(sequence.Call{Tool: "b"}, nil).Allowed {
		t.Error("after the cancel the last call of the list has to be allowed, and no other")
	}
}

// TestLongSessionsKeepBothEnds: the answer about the last of many calls names
// the first and last 16, where the one-shot check names all.
func TestLongSessionsKeepBothEnds(t *testing.T) {
	cut := func(all []int) []int {
		if len(all) <= 32 {
			return all
		}
		return append(append([]int{}, all[:16]...), all[len(all)-16:]...)
	}
	for _, rule := range []sequence.Rule{
		sequence.MaxCalls{Tool: name("b"), Max: 1},
		sequence.Blocklist{Pattern: "b"},
		sequence.After{Trigger: name("b"), Then: name("a"), Within: 2},
		sequence.Eventually{Tool: name("never"), Within: 3},
		sequence.MaxCalls{Tool: with("b", "^1$"), Max: 1},
		sequence.Sequence{Tools: manyTools(60), Strict: true},
	} {
		c := compile(t, nil, rule)
		m := c.NewMonitor()
		var names []string
		for i := range 60 {
			name := []string{"a", "b", "b", "c", "c"}[i%5]
			if rule.Type() == "sequence" {
				name = fmt.Sprintf("t%d", i)
				if i == 59 {
					name = "elsewhere"
				}
			}
			names = append(names, name)
			want := c.Check(sequence.Trace{Names: names}, nil)
			for i := range want.Violations {
				want.Violations[i].Spanned = cut(want.Violations[i].Spanned)
			}
			call := sequence.Call{Tool: name}
			if got := m.Next(call, nil); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, call %d:\nmonitor  %s\none-shot %s", rule.ID(), i, show(got), show(want))
			}
			m.Record(call, nil)
			restored, err := c.RestoreMonitor(m.State())
			if err != nil {
				t.Fatalf("%s, call %d: %v", rule.ID(), i, err)
			}
			if string(restored.State()) != string(m.State()) {
				t.Fatalf("%s, call %d: restored %s, was %s", rule.ID(), i, restored.State(), m.State())
			}
			m = restored
		}
	}
}

func manyTools(n int) (tools []sequence.Selector) {
	for i := range n {
		tools = append(tools, name(fmt.Sprintf("t%d", i)))
	}
	return tools
}

func TestStateStaysSmall(t *testing.T) {
	var rules []sequence.Rule
	for i := range 2 {
		a, b := name(fmt.Sprintf("a%d", i)), name(fmt.Sprintf("b%d", i))
		rules = append(rules, sequence.MaxCalls{Tool: a, Max: 1_000_000},
			sequence.After{Trigger: a, Then: b, Within: 1_000_000},
			sequence.Blocklist{Pattern: fmt.Sprintf("a%d", i)},
			sequence.MaxCalls{Tool: b, Max: 0}, sequence.Sequence{Tools: manyTools(40)})
	}
	c := compile(t, nil, rules...)
	m := c.NewMonitor()
	largest := 0
	for i := range 1_000_000 {
		// Far apart at first, so that the distances are long numbers.
		tool := "search"
		if i%50_000 < 4 {
			tool = []string{"a0", "b0", "a1", "b1"}[i%50_000]
		} else if i%30_000 == 29_999 {
			tool = fmt.Sprintf("t%d", i/30_000)
		}
		m.Record(sequence.Call{Tool: tool}, nil)
		if i%50_000 == 0 {
			largest = max(largest, len(m.State()))
		}
	}
	if largest = max(largest, len(m.State())); largest >= 4096 {
		t.Errorf("the state of ten rules took %d bytes", largest)
	}
	if _, err := c.RestoreMonitor(m.State()); err != nil {
		t.Error(err)
	}
}

func TestRestoreRefusesWhatTheRulesCannotHaveComeTo(t *testing.T) {
	c := compile(t, nil, sequence.MaxCalls{Tool: name("a"), Max: 5},
		sequence.Sequence{Tools: []sequence.Selector{with("a", "1"), name("b")}})
	m := c.NewMonitor()
	for _, tool := range []string{"x", "a", "a"} {
		m.Record(sequence.Call{Tool: tool}, nil)
	}
	const good = `[1,3,0,1,[[2,2,0],[],[2,1,1],[]],[[0,-1,0],[0,0,1],[0],[2,1,1]]]`
	if got := string(m.State()); got != good {
		t.Fatalf("the state is %s; the table below is about %s", got, good)
	}
	if _, err := c.RestoreMonitor([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string][2]string{
		"another version":                   {`[1,3,0,1,`, `[2,3,0,1,`},
		"fewer calls than the indices":      {`[1,3,0,1,`, `[1,2,0,1,`},
		"a negative length":                 {`[1,3,0,1,`, `[1,-3,0,1,`},
		"a length beyond all traces":        {`[1,3,0,1,`, `[1,9223372036854775807,0,1,`},
		"a number written otherwise":        {`[1,3,0,1,`, `[1,3.0,0,1,`},
		"no exact list to differ from":      {`[1,3,0,1,`, `[1,3,0,0,`},
		"a count without its calls":         {`[[2,2,0],`, `[[3,2,0],`},
		"a violation that is none":          {`[[2,2,0],`, `[[2,2,1],`},
		"a count below none":                {`[[2,2,0],`, `[[-1,2,0],`},
		"readings without arguments":        {`[[2,2,0],[],`, `[[2,2,0],[[2,2,0],[2,2,0]],`},
		"a list that does not ascend":       {`[2,1,1],[]]`, `[2,1,0],[]]`},
		"a list shorter than its count":     {`[2,1,1],[]]`, `[2,1],[]]`},
		"a list where the rule has none":    {`[2,1,1],[]]`, `[2,1,1],[0]]`},
		"no list where the rule has one":    {`[2,1,1],[]]`, `[],[]]`},
		"an index beyond the trace":         {`[0],[2,1,1]]`, `[0],[2,1,2]]`},
		"a cursor beyond the end":           {`[0,0,1]`, `[0,0,3]`},
		"cursors that do not ascend":        {`[0,0,1]`, `[0,0,0]`},
		"cursors without the ordinary one":  {`[0,0,1]`, `[0,1]`},
		"a rule too few":                    {`,[[0,-1,0],[0,0,1],[0],[2,1,1]]`, ``},
		"a rule too many":                   {`[2,1,1]]]`, `[2,1,1]],[]]`},
		"trailing data":                     {`[2,1,1]]]`, `[2,1,1]]] 1`},
		"an object":                         {`[0],[2,1,1]]`, `[0],{"a":1}]`},
		"a string for a number":             {`[1,3,0,1,`, `[1,"3",0,1,`},
		"another kind of truth":             {`[1,3,0,1,`, `[1,3,false,1,`},
		"an offender that is not violated":  {`[[0,-1,0],`, `[[0,1,0],`},
		"a violation without its reading":   {`[[0,-1,0],[0,0,1],[0]`, `[[0,1,1],[0,0,1],[1,1]`},
		"nothing":                           {good, ``},
		"the null of a monitor without use": {good, `null`},
	} {
		if !strings.Contains(good, bad[0]) {
			t.Fatalf("%s: %s is not in the state", what, bad[0])
		}
		state := strings.Replace(good, bad[0], bad[1], 1)
		if m, err := c.RestoreMonitor([]byte(state)); err == nil {
			t.Errorf("%s: %s became %s", what, state, m.State())
		}
	}
}

func TestWindowIsBounded(t *testing.T) {
	c := compile(t, nil, sequence.MaxCalls{Tool: name("a"), Max: 1_000_000})
	m := c.NewMonitor()
	call := sequence.Call{Tool: "a"}
	_, oldest := begin(m, call, nil)
	var last *sequence.Pending
	for range sequence.MaxWindow - 1 {
		var r sequence.Result
		if r, last = begin(m, call, nil); !r.Allowed {
			t.Fatal(show(r))
		}
	}
	if r, p := begin(m, call, nil); r.Allowed || r.Failure != sequence.Limit || p != nil {
		t.Errorf("one pending call too many: %s", show(r))
	}
	last.Cancel()
	if r, _ := begin(m, call, nil); !r.Allowed {
		t.Errorf("after a cancel: %s", show(r))
	}
	oldest.Done()
	if r, _ := begin(m, call, nil); !r.Allowed {
		t.Errorf("after the oldest ended: %s", show(r))
	}
	// A call that ran cannot be refused, and cannot be forgotten either.
	m.Record(call, nil)
	if r := m.Next(call, nil); r.Allowed || r.Failure != sequence.Limit {
		t.Errorf("a monitor that lost a call: %s", show(r))
	}
	if restored, err := c.RestoreMonitor(m.State()); err != nil || restored.Next(call, nil).Failure != sequence.Limit {
		t.Errorf("a monitor that lost a call is restored: %v", err)
	}
}

func TestReadingsAreBounded(t *testing.T) {
	tools := make([]sequence.Selector, 2000)
	for i := range tools {
		tools[i] = with("a", fmt.Sprint(i))
	}
	// Each call may advance the cursor, and need not: a reading more each time.
	c := compile(t, nil, sequence.Sequence{Tools: tools[:3]}, sequence.Sequence{Tools: append(tools[:1:1], same(tools[0], 1999)...)})
	names := make([]string, sequence.MaxReadings-1)
	for i := range names {
		names[i] = "a"
	}
	big := sequence.NewBudget(1<<40, 0, nil)
	m := c.NewMonitor()
	for range names {
		m.Record(sequence.Call{Tool: "a"}, big)
	}
	if r := m.Next(sequence.Call{Tool: "x"}, big); r.Failure != sequence.OK {
		t.Errorf("at the bound: %s", show(r))
	}
	names = append(names, "a")
	if r := m.Next(sequence.Call{Tool: "a"}, big); r.Allowed {
		t.Errorf("beyond the bound: %s", show(r))
	}
	m.Record(sequence.Call{Tool: "a"}, big)
	if r := m.Next(sequence.Call{Tool: "x"}, big); r.Allowed || r.Failure != sequence.Limit {
		t.Errorf("beyond the bound: %s", show(r))
	}
	if r := c.Check(sequence.Trace{Names: names}, big); r.Allowed {
		t.Errorf("one-shot, beyond the bound: %s", show(r))
	}
}

func same(s sequence.Selector, n int) (all []sequence.Selector) {
	for range n {
		all = append(all, s)
	}
	return all
}

func TestNilAndZeroAllowNothing(t *testing.T) {
	trace := sequence.Trace{Names: []string{"a"}}
	call := sequence.Call{Tool: "a"}
	var none *sequence.Checker
	for what, r := range map[string]sequence.Result{
		"nil checker":                  none.Check(trace, nil),
		"zero checker":                 new(sequence.Checker).Check(trace, nil),
		"monitor of a nil checker":     none.NewMonitor().Next(call, nil),
		"monitor of a zero checker":    new(sequence.Checker).NewMonitor().Next(call, nil),
		"nil monitor":                  (*sequence.Monitor)(nil).Next(call, nil),
		"zero monitor":                 new(sequence.Monitor).Next(call, nil),
		"zero result":                  {Failure: sequence.NoChecker},
		"zero monitor, after a Record": recorded(new(sequence.Monitor), call).Next(call, nil),
	} {
		if r.Allowed || r.Failure != sequence.NoChecker {
			t.Errorf("%s: %s", what, show(r))
		}
	}
	if (sequence.Result{}).Allowed {
		t.Error("the zero result allows")
	}
	if r, p := begin(new(sequence.Monitor), call, nil); r.Allowed || p != nil {
		t.Error("a zero monitor begins calls")
	}
	if got := new(sequence.Monitor).Available([]string{"a"}); len(got) != 0 {
		t.Errorf("a zero monitor has %v available", got)
	}
	if r := sequence.Evaluate(nil, trace, sequence.Prefix, nil); r.Failure != sequence.NoChecker {
		t.Error("a nil checker reports")
	}
	if _, err := none.RestoreMonitor([]byte("[1,0,0,1]")); err == nil {
		t.Error("a nil checker restores")
	}
}

func recorded(m *sequence.Monitor, call sequence.Call) *sequence.Monitor {
	m.Record(call, nil)
	return m
}

func TestBudgetEndsACheck(t *testing.T) {
	var stop atomic.Bool
	stop.Store(true)
	c := compile(t, nil, everyKind()...)
	small := compile(t, nil, sequence.Before{First: name("a"), Then: name("b")})
	args := compile(t, nil, sequence.MaxCalls{Tool: with("a", "x"), Max: 3})
	names := []string{"a", "a", "a"}
	arguments := func(int) []byte { return []byte(`{"k":"` + strings.Repeat("y", 1000) + `"}`) }
	for what, r := range map[string]sequence.Result{
		"too few steps":                      c.Check(sequence.Trace{Names: names}, sequence.NewBudget(2, 0, nil)),
		"too few steps for a scan":           small.Check(sequence.Trace{Names: names}, sequence.NewBudget(2, 0, nil)),
		"stopped":                            c.Check(sequence.Trace{Names: names}, sequence.NewBudget(0, 0, &stop)),
		"stopped before a scan":              small.Check(sequence.Trace{Names: names}, sequence.NewBudget(0, 0, &stop)),
		"too few steps for the arguments":    args.Check(sequence.Trace{Names: names, Arguments: arguments}, sequence.NewBudget(20, 0, nil)),
		"a monitor that is stopped":          c.NewMonitor().Next(sequence.Call{Tool: "a"}, sequence.NewBudget(0, 0, &stop)),
		"a monitor with too few for a block": c.NewMonitor().Next(sequence.Call{Tool: strings.Repeat("a", 1000)}, sequence.NewBudget(3, 0, nil)),
	} {
		if r.Allowed || r.Failure != sequence.Limit || r.Violations != nil {
			t.Errorf("%s: %s", what, show(r))
		}
	}
	if r := sequence.Evaluate(c, sequence.Trace{Names: names}, sequence.Prefix, sequence.NewBudget(0, 0, &stop)); r.Failure != sequence.Limit || r.Outcomes != nil {
		t.Errorf("Evaluate: %+v", r)
	}
	// Arguments that a Record had no steps to look at are unknown.
	m := args.NewMonitor()
	for range 4 {
		m.Record(sequence.Call{Tool: "a", Arguments: arguments(0)}, sequence.NewBudget(5, 0, nil))
	}
	if r := m.Next(sequence.Call{Tool: "b"}, nil); len(r.Violations) != 1 || r.Violations[0].Constraint != sequence.ArgumentsUnknown {
		t.Errorf("after records without steps: %s", show(r))
	}
}

func TestAvailable(t *testing.T) {
	names := []string{"verify", "delete", "drop_all", "pay", "read", "send"}
	for _, row := range []struct {
		what  string
		rules []sequence.Rule
		calls []sequence.Call
		want  []string
	}{
		{"no rules", nil, nil, names},
		{"a prerequisite hides what needs it", []sequence.Rule{sequence.Before{First: name("verify"), Then: name("delete")}},
			nil, []string{"verify", "drop_all", "pay", "read", "send"}},
		{"and shows it afterwards", []sequence.Rule{sequence.Before{First: name("verify"), Then: name("delete")}},
			[]sequence.Call{{Tool: "verify"}}, names},
		{"a required call comes first", []sequence.Rule{sequence.Require{Tool: name("verify")}}, nil, []string{"verify"}},
		{"a blocked name never comes", []sequence.Rule{sequence.Blocklist{Pattern: "drop"}}, nil,
			[]string{"verify", "delete", "pay", "read", "send"}},
		{"an answer that is due", []sequence.Rule{sequence.After{Trigger: name("pay"), Then: name("send"), Within: 1}},
			[]sequence.Call{{Tool: "pay"}}, []string{"send"}},
		{"two answers cannot come at once", []sequence.Rule{sequence.Require{Tool: name("pay")}, sequence.Require{Tool: name("read")}},
			nil, []string{}},
		{"some arguments would pass", []sequence.Rule{sequence.MaxCalls{Tool: with("pay", "big"), Max: 0}}, nil, names},
		{"some arguments are asked for", []sequence.Rule{sequence.Require{Tool: with("pay", "big")}}, nil, []string{"pay"}},
		{"no arguments would pass", []sequence.Rule{sequence.NeverAfter{Trigger: with("read", "secret"), Forbidden: name("send")}},
			[]sequence.Call{{Tool: "read"}}, []string{"verify", "delete", "drop_all", "pay", "read"}},
		{"an argument that is due", []sequence.Rule{sequence.Sequence{Tools: []sequence.Selector{name("read"), with("pay", "1"), with("pay", "2")}, Strict: true}},
			[]sequence.Call{{Tool: "read"}}, []string{"pay"}},
		{"a strict sequence goes on", []sequence.Rule{sequence.Sequence{Tools: []sequence.Selector{name("read"), name("pay")}, Strict: true}},
			[]sequence.Call{{Tool: "read"}}, []string{"pay"}},
	} {
		m := compile(t, nil, row.rules...).NewMonitor()
		for _, call := range row.calls {
			m.Record(call, nil)
		}
		if got := m.Available(names); !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %v, want %v", row.what, got, row.want)
		}
	}
}

// begin is Begin of a new Pending, which is nil where it did not begin.
func begin(m *sequence.Monitor, call sequence.Call, b *sequence.Budget) (sequence.Result, *sequence.Pending) {
	p := new(sequence.Pending)
	r := m.Begin(p, call, b)
	if !r.Allowed {
		return r, nil
	}
	return r, p
}

// What ran and could not be followed is not undone by cancelling another call.
func TestACancelledCallBringsNoLostOneBack(t *testing.T) {
	t.Run("the window was full", func(t *testing.T) {
		c := compile(t, nil, sequence.MaxCalls{Tool: name("x"), Max: 1})
		m := c.NewMonitor()
		var pending [sequence.MaxWindow]sequence.Pending
		for i := range pending {
			if r := m.Begin(&pending[i], sequence.Call{Tool: "a"}, nil); !r.Allowed {
				t.Fatal(i, r)
			}
		}
		m.Record(sequence.Call{Tool: "x"}, nil)
		for _, i := range []int{5, 0, len(pending) - 1} {
			pending[i].Cancel()
			if r := m.Next(sequence.Call{Tool: "x"}, nil); r.Allowed || r.Failure != sequence.Limit {
				t.Errorf("%d is cancelled, and the monitor answers %+v", i, r)
			}
		}
		restored, err := c.RestoreMonitor(m.State())
		if err != nil {
			t.Fatal(err)
		}
		if r := restored.Next(sequence.Call{Tool: "a"}, nil); r.Failure != sequence.Limit {
			t.Errorf("restored, it answers %+v", r)
		}
	})
	t.Run("the budget was used up", func(t *testing.T) {
		m := compile(t, nil, sequence.Blocklist{Pattern: "rm"}).NewMonitor()
		var p sequence.Pending
		m.Begin(&p, sequence.Call{Tool: "a"}, nil)
		m.Record(sequence.Call{Tool: "rm"}, sequence.NewBudget(1, 0, nil))
		p.Cancel()
		if r := m.Next(sequence.Call{Tool: "b"}, nil); r.Allowed || r.Failure != sequence.Limit {
			t.Errorf("the monitor answers %+v", r)
		}
	})
}
