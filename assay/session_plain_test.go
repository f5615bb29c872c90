package assay

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"example.com/assay/assay/args"
	"example.com/assay/internal/stop"
)

// plainly is Next without the answers that a name alone gives.
func (s *Session) plainly(call Call) (d Decision) {
	if refused := s.refuses(call.Tool); refused != nil {
		return refused.decision()
	}
	c := s.policy.compiled
	d.Allowed = c.args == nil
	if c.args != nil {
		c.checkArgs(&args.Request{
			Tool: call.Tool, Arguments: call.Arguments, Identity: (*args.Identity)(call.Identity),
			Requests: s.requests + 1, Calls: s.calls + 1, Stop: s.policy.stop.Watch(),
		}, &d)
	}
	if d.Allowed && s.monitor != nil && !s.monitor.Allows(call.Tool, call.Arguments, s.budget()) {
		return sequenceDecision(s.monitor.Refusal())
	}
	return d
}

// sayings writes random policies that say a little of everything about a few names.
type sayings struct{ *rand.Rand }

var saidNames = []string{"a", "b", "c", "delete_customer", "verify_identity", "naïve_tool", "x_1", "x_2", "a name with spaces, of more than 16 bytes", "either"}

func (r sayings) name() string { return saidNames[r.IntN(len(saidNames))] }

func (r sayings) quoted() string { return fmt.Sprintf("%q", r.name()) }

func (r sayings) selector() string {
	if r.IntN(8) == 0 {
		return fmt.Sprintf("{tool: %s, args_match: {n: '^[12]$'}}", r.quoted())
	}
	return r.quoted()
}

func (r sayings) rule() string {
	switch r.IntN(9) {
	case 0:
		return fmt.Sprintf("{type: require, tool: %s}", r.selector())
	case 1:
		return fmt.Sprintf("{type: before, first: %s, then: %s}", r.selector(), r.selector())
	case 2:
		return fmt.Sprintf("{type: after, trigger: %s, then: %s, within: %d}", r.selector(), r.selector(), r.IntN(4))
	case 3:
		return fmt.Sprintf("{type: never_after, trigger: %s, forbidden: %s}", r.selector(), r.selector())
	case 4:
		return fmt.Sprintf("{type: eventually, tool: %s, within: %d}", r.selector(), r.IntN(6))
	case 5:
		return fmt.Sprintf("{type: max_calls, tool: %s, max: %d}", r.selector(), r.IntN(4))
	case 6, 7:
		return fmt.Sprintf("{type: sequence, tools: [%s, %s, %s], strict: %v}", r.selector(), r.selector(), r.selector(), r.IntN(2) == 0)
	}
	return fmt.Sprintf("{type: blocklist, pattern: %q}", []string{"drop_", "x_2", "ï", "zzz"}[r.IntN(4)])
}

func (r sayings) policy() string {
	var rules []string
	for range 1 + r.IntN(3) {
		rules = append(rules, r.rule())
	}
	all := "[" + strings.Join(rules, ", ") + "]"
	if r.IntN(4) == 0 {
		return all
	}
	lines := []string{"sequences: " + all, "aliases: {either: [a, b], none: []}"}
	if r.IntN(8) == 0 {
		lines = lines[1:] // no rules about order
	}
	perhaps := func(odds int, line string) {
		if r.IntN(odds) == 0 {
			lines = append(lines, line)
		}
	}
	perhaps(2, "enforcement: {unconstrained_tools: "+[]string{"warn", "deny", "allow"}[r.IntN(3)]+"}")
	perhaps(4, fmt.Sprintf("limits: {max_requests_total: %d, max_tool_calls_total: %d}", r.IntN(12), r.IntN(12)))
	perhaps(4, fmt.Sprintf("tool_classes: {%s: [risky], %s: [safe]}", saidNames[r.IntN(3)], saidNames[3+r.IntN(3)]))
	perhaps(3, fmt.Sprintf("schemas: {%s: {type: object, properties: {n: {maximum: 2}}}, d: {type: nonsense}}", r.quoted()))
	perhaps(6, fmt.Sprintf("blocklist: [%s]", r.quoted()))
	perhaps(6, fmt.Sprintf("tool_pins: {%s: {server_id: s, tool_name: t, schema_hash: %s, meta_hash: %[2]s}}", r.quoted(), strings.Repeat("a", 64)))
	if tools := []string{}; r.IntN(2) == 0 {
		for _, part := range []string{
			fmt.Sprintf("allow: [%s, 'x*', '*_*', 'e?ther']", r.quoted()),
			fmt.Sprintf("deny: [%s, '*_2']", r.quoted()),
			"allow_classes: [safe]", "deny_classes: [risky]",
			fmt.Sprintf("approval_required: [%s, 'x_*']", r.quoted()),
			"restrict_scope_classes: [safe]",
		} {
			if r.IntN(3) == 0 {
				tools = append(tools, part)
			}
		}
		lines = append(lines, "tools: {"+strings.Join(tools, ", ")+"}")
	}
	return strings.Join(lines, "\n")
}

func (r sayings) call() Call {
	call := Call{Tool: r.name()}
	if r.IntN(6) == 0 {
		call.Tool = []string{"", "\xff", "x_drop_table", "x_3", "a ", "A", "verify_identit\xff", "nobody_names_this_tool", "d", strings.Repeat("long_", 40)}[r.IntN(10)]
	}
	switch r.IntN(8) {
	case 0:
		call.Arguments = []byte(`{"n": 1}`)
	case 1:
		call.Arguments = [][]byte{{}, []byte("null"), []byte(`{"n": 3}`), []byte(`{"n": 1, "n": 1}`), []byte("{")}[r.IntN(5)]
	}
	switch r.IntN(8) {
	case 0:
		call.Identity = &Identity{}
	case 1:
		hash := strings.Repeat("a", 64)
		call.Identity = &Identity{ServerID: "s", ToolName: "t", SchemaHash: hash, MetaHash: hash}
	}
	return call
}

func TestWhatANameAloneDecidesIsWhatThePlainWayDecides(t *testing.T) {
	raised := new(stop.Flag)
	raised.Set()
	allowed, denied := 0, map[Code]int{}
	for seed := range uint64(1500) {
		r := sayings{rand.New(rand.NewPCG(seed, 7))}
		text := r.policy()
		opts := &Options{}
		if r.IntN(6) == 0 {
			opts.MaxSteps = 1 + r.IntN(6)
		}
		p, err := Parse([]byte(text), opts)
		if err != nil {
			continue // names that contradict each other, such as an alias with a schema
		}
		if r.IntN(20) == 0 {
			p = p.Until(raised)
		}
		s := NewSession(p)
		var pending []*Pending
		for range 25 {
			call := r.call()
			want, got := s.plainly(call), s.Next(call)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v is answered\n%+v, plainly\n%+v\n%s", call, got, want, text)
			}
			begun, p := s.Begin(call)
			if !reflect.DeepEqual(begun, want) || (p != nil) != want.Allowed {
				t.Fatalf("%+v begins with\n%+v, plainly\n%+v\n%s", call, begun, want, text)
			}
			if !want.Allowed {
				denied[want.Code]++
				continue
			}
			allowed++
			if pending = append(pending, p); r.IntN(2) == 0 {
				i := r.IntN(len(pending))
				if r.IntN(3) == 0 {
					pending[i].Cancel()
				} else {
					pending[i].Done()
				}
			}
			if r.IntN(8) == 0 {
				state, err := s.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				if s, err = Restore(s.policy, state); err != nil {
					t.Fatal(err)
				}
				pending = nil
			}
		}
	}
	for _, code := range []Code{CodeToolDenied, CodeToolNotAllowed, CodeToolUnconstrained, CodeArgSchema, CodeRateLimit, CodeSequence, CodeInvalidRequest, CodeLimitExceeded, CodeToolDrift, CodeSchemaCompile} {
		if denied[code] < 10 {
			t.Errorf("only %d denials with %s; %d calls were allowed", denied[code], code, allowed)
		}
	}
	if allowed < 2500 {
		t.Errorf("only %d calls were allowed", allowed)
	}
}
