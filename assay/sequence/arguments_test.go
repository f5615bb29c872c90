package sequence_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/assay/assay/sequence"
	"example.com/assay/internal/race"
)

// TestArgumentsMatch: a max_calls of 0 is kept when the call does not match,
// violated when it does, and arguments_unknown when that is unknown.
func TestArgumentsMatch(t *testing.T) {
	const absent = "absent"
	sel := func(args ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(args); i += 2 {
			m[args[i]] = args[i+1]
		}
		return m
	}
	for _, row := range []struct {
		what      string
		args      map[string]string
		arguments string
		want      string
	}{
		{"a string by its text", sel("k", "^ab$"), `{"k":"ab"}`, "yes"},
		{"unanchored", sel("k", "b"), `{"k":"abc"}`, "yes"},
		{"a string that differs", sel("k", "^b"), `{"k":"abc"}`, "no"},
		{"escapes are decoded", sel("k", "^a\nb$"), `{"k":"a\u000ab"}`, "yes"},
		{"escapes in the name too", sel("k", "^1$"), `{"\u006b":"1"}`, "yes"},
		{"an empty string is present", sel("k", "^$"), `{"k":""}`, "yes"},
		{"a surrogate pair is one character", sel("k", "^.$"), `{"k":"\ud83d\ude00"}`, "yes"},
		{"an integer", sel("k", "^42$"), `{"k":42}`, "yes"},
		{"no exponent", sel("k", "^100000$"), `{"k":1e5}`, "yes"},
		{"no trailing zeros", sel("k", "^1.5$"), `{"k":1.50}`, "yes"},
		{"a whole number without its point", sel("k", "^1$"), `{"k":1.0}`, "yes"},
		{"minus zero is zero", sel("k", "^0$"), `{"k":-0}`, "yes"},
		{"beyond a double", sel("k", "^9007199254740993$"), `{"k":9007199254740993}`, "yes"},
		{"a negative number", sel("k", "^-7$"), `{"k":-7}`, "yes"},
		{"true", sel("k", "^true$"), `{"k":true}`, "yes"},
		{"false", sel("k", "^false$"), `{"k":false}`, "yes"},
		{"null by name", sel("k", "^null$"), `{"k":null}`, "yes"},
		{"a string is not its quotes", sel("k", `"`), `{"k":"a"}`, "no"},
		{"an absent argument", sel("k", ""), `{"j":"a"}`, "no"},
		{"names are exact", sel("k", ""), `{"K":"a"}`, "no"},
		{"an empty object", sel("k", ""), `{}`, "no"},
		{"white space", sel("k", "^1$"), " {\n\t\"j\" : [ 1 , {\"k\":\"]}\"} ] , \"k\" : 1 \r\n} ", "yes"},
		{"only the top level", sel("k", "1"), `{"j":{"k":1}}`, "no"},
		{"an array", sel("k", ""), `{"k":[1]}`, "unknown"},
		{"an object", sel("k", ""), `{"k":{}}`, "unknown"},
		{"absent arguments", sel("k", ""), absent, "unknown"},
		{"null arguments", sel("k", ""), `null`, "unknown"},
		{"arguments that are no object", sel("k", ""), `["k"]`, "unknown"},
		{"empty text", sel("k", ""), ``, "unknown"},
		{"a member twice", sel("k", "^1$"), `{"k":1,"k":2}`, "unknown"},
		{"a member twice, elsewhere", sel("k", "^1$"), `{"k":2,"j":{"a":1,"\u0061":2}}`, "unknown"},
		{"trailing data", sel("k", "^1$"), `{"k":2} 1`, "unknown"},
		{"a lone surrogate", sel("k", "^1$"), `{"k":"\ud800"}`, "unknown"},
		{"invalid UTF-8", sel("k", "^1$"), "{\"k\":\"\xff\"}", "unknown"},
		{"a byte-order mark", sel("k", "^1$"), "\ufeff{\"k\":2}", "unknown"},
		{"too deep", sel("k", "^1$"), `{"k":2,"j":` + strings.Repeat("[", 128) + strings.Repeat("]", 128) + `}`, "unknown"},
		{"a number out of bounds", sel("k", "^1$"), `{"k":2,"j":1e1001}`, "unknown"},
		{"every argument has to match", sel("a", "1", "b", "2"), `{"a":1,"b":2}`, "yes"},
		{"one does not", sel("a", "1", "b", "2"), `{"a":1,"b":3}`, "no"},
		{"one is absent, whatever is unknown", sel("a", "1", "b", "2"), `{"a":[1]}`, "no"},
		{"one does not, whatever is unknown", sel("a", "1", "b", "2"), `{"a":[1],"b":3}`, "no"},
		{"one is unknown", sel("a", "1", "b", "2"), `{"a":1,"b":[2]}`, "unknown"},
		{"a pattern that RE2 does not know", sel("k", "^(?!b)."), `{"k":"abc"}`, "yes"},
		{"a pattern beyond its time", sel("k", `^(?:(?=a)(?:a|aa))+$`), `{"k":"` + strings.Repeat("a", 60) + `!"}`, "unknown"},
	} {
		c := compile(t, nil, sequence.MaxCalls{Tool: sequence.Selector{Tool: "t", Args: row.args}, Max: 0})
		var arguments []byte
		if row.arguments != absent {
			arguments = []byte(row.arguments)
		}
		trace := sequence.Trace{Names: []string{"t"}, Arguments: func(int) []byte { return arguments }}
		b := func() *sequence.Budget { return sequence.NewBudget(0, 10*time.Millisecond, nil) }
		check := func(by string, r sequence.Result) {
			got := "no"
			if len(r.Violations) > 0 {
				got = map[string]string{"max_calls": "yes", "arguments_unknown": "unknown"}[r.Violations[0].Constraint]
			}
			if got != row.want || r.Failure != sequence.OK {
				t.Errorf("%s, by %s: %s, want %s (failure %d)", row.what, by, got, row.want, r.Failure)
			}
		}
		check("check", c.Check(trace, b()))
		check("monitor", c.NewMonitor().Next(sequence.Call{Tool: "t", Arguments: arguments}, b()))
	}
}

func TestArgumentsOfOtherToolsAreNotRead(t *testing.T) {
	c := compile(t, nil, sequence.MaxCalls{Tool: with("t", "1"), Max: 0}, sequence.Require{Tool: name("u")})
	trace := sequence.Trace{Names: []string{"u", "v"}, Arguments: func(int) []byte {
		t.Error("asked for arguments that no rule looks at")
		return nil
	}}
	if r := c.Check(trace, nil); !r.Allowed {
		t.Error(show(r))
	}
}

// TestNoTextHoldsAnArgument: a violation names operands, never what was sent.
func TestNoTextHoldsAnArgument(t *testing.T) {
	const secret = "hunter2"
	one := with("a", "hunter")
	for _, rule := range []sequence.Rule{
		sequence.MaxCalls{Tool: one, Max: 0},
		sequence.NeverAfter{Trigger: name("b"), Forbidden: one},
		sequence.Before{First: name("c"), Then: one},
		sequence.After{Trigger: one, Then: name("c")},
	} {
		c := compile(t, nil, rule)
		trace := sequence.Trace{Names: []string{"b", "a"}, Arguments: func(int) []byte { return []byte(`{"k":"` + secret + `"}`) }}
		r := c.Check(trace, nil)
		if r.Allowed || strings.Contains(show(r), secret) {
			t.Errorf("%s: %s", rule.ID(), show(r))
		}
	}
}

func TestAllowsDoNotAllocate(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, and so allocate")
	}
	a, b := name("verify_identity"), name("delete_customer")
	rules := []sequence.Rule{
		sequence.Require{Tool: a},
		sequence.Before{First: a, Then: b},
		sequence.After{Trigger: b, Then: name("search"), Within: 3000},
		sequence.NeverAfter{Trigger: b, Forbidden: a},
		sequence.Eventually{Tool: a, Within: 100},
		sequence.MaxCalls{Tool: b, Max: 3},
		sequence.Sequence{Tools: []sequence.Selector{a, b}},
		sequence.Sequence{Tools: []sequence.Selector{a}, Strict: true},
		sequence.Blocklist{Pattern: "rm"},
		sequence.MaxCalls{Tool: with("search", "^[0-9]+$"), Max: 0},
	}
	arguments := []byte(`{"q":[1,2],"k":"text","n":17}`)
	trace := sequence.Trace{Arguments: func(int) []byte { return arguments }}
	for i := range 50 {
		trace.Names = append(trace.Names, []string{"search", "read"}[i%2])
	}
	trace.Names[10] = "verify_identity"
	trace.Names = append(trace.Names, "delete_customer")
	budget := sequence.NewBudget(1<<40, 0, nil)
	checkers := map[string]*sequence.Checker{
		"all rules":   compile(t, nil, rules...),
		"one before":  compile(t, nil, rules[1]),
		"exact names": sequence.CompileExact(trace.Names),
	}
	for what, c := range checkers {
		m := c.NewMonitor()
		last := len(trace.Names) - 1
		for _, name := range trace.Names[:last] {
			m.Record(sequence.Call{Tool: name, Arguments: arguments}, nil)
		}
		next := sequence.Call{Tool: trace.Names[last], Arguments: arguments}
		for by, allow := range map[string]func() bool{
			"check":   func() bool { return c.Check(trace, budget).Allowed },
			"monitor": func() bool { return m.Next(next, budget).Allowed },
		} {
			if !allow() {
				t.Errorf("%s, by %s: denied", what, by)
			}
			if n := testing.AllocsPerRun(100, func() { allow() }); n != 0 {
				t.Errorf("%s, by %s: %v allocations", what, by, n)
			}
		}
	}
}

// Making patterns ready is work of the check that does it first.
func TestPatternsAreMadeReadyWithinTheBudget(t *testing.T) {
	var rules []sequence.Rule
	for i := range 2_000 {
		rules = append(rules, sequence.MaxCalls{Tool: sequence.Selector{Tool: "t", Args: map[string]string{"a": `[ab]*a[ab]{9}` + strconv.Itoa(i)}}, Max: 9})
	}
	c, problems := sequence.Compile(rules, nil, sequence.Options{})
	if c == nil {
		t.Fatal(problems)
	}
	trace := sequence.Trace{Names: []string{"t"}, Arguments: func(int) []byte { return []byte(`{"a":"x"}`) }}
	if r := c.Check(trace, sequence.NewBudget(50_000, 0, nil)); r.Failure != sequence.Limit {
		t.Error("answered beyond the budget:", r)
	}
	if r := c.Check(trace, nil); !r.Allowed {
		t.Error("the patterns of one policy take more than a budget:", r)
	}
	if r := c.Check(trace, sequence.NewBudget(50_000, 0, nil)); !r.Allowed {
		t.Error("the patterns are ready:", r)
	}
}
