package assay_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"example.com/assay/assay"
	"example.com/assay/assay/sequence"
)

// FuzzParse: no text makes Parse panic, a refusal says why, and what is accepted
// is a policy again in its Spec's JSON and decides the same.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		full, support, "", "{}", "[a, b]", "[{type: require, tool: x}]", "version: 1.1", "blocklist: [rm]",
		"constraints: {t: {a: '^x', b: {matches: y}}}", "x-a: &a [1, 1e400]\nmetadata: *a", "tools: {deny: null}",
		`{"schemas": {"t": {"$ref": "#"}, "$defs": 3}}`, "\ufeff{}", "a: [", "tools: {<<: {}}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := assay.Parse(text, &assay.Options{MaxPolicyBytes: 1 << 16})
		if err != nil {
			var e *assay.PolicyError
			if !errors.As(err, &e) || p != nil || len(e.Problems) == 0 || !strings.HasPrefix(err.Error(), "assay: ") {
				t.Fatalf("Parse returns %v, %#v", p, err)
			}
			return
		}
		spec := p.Spec()
		q, err := assay.Compile(spec, &assay.Options{MaxPolicyBytes: math.MaxInt})
		if err != nil {
			t.Fatalf("its Spec is refused: %v\n%s", err, mustJSON(t, spec))
		}
		if p.Digest() != q.Digest() || !reflect.DeepEqual(spec, q.Spec()) {
			t.Fatalf("its Spec is another document:\n%s\n%s", mustJSON(t, spec), mustJSON(t, q.Spec()))
		}
		if len(p.Problems()) != len(q.Problems()) {
			t.Fatalf("%d problems, by its Spec %d", len(p.Problems()), len(q.Problems()))
		}
		if got, want := ask(q), ask(p); !reflect.DeepEqual(got, want) {
			t.Fatalf("by its Spec it answers\n%+v\nwant\n%+v", got, want)
		}
	})
}

// ask puts some questions to a policy; where a violation stands in the policy is
// not part of the answer.
func ask(p *assay.Policy) (answers []assay.Decision) {
	for _, tool := range []string{"pay", "a", "x", "rm", "read_x"} {
		for _, arguments := range []string{"{}", `{"amount": 1, "a": 2, "b": "xyz"}`, "3", "{"} {
			call := assay.Call{Tool: tool, Arguments: []byte(arguments)}
			answers = append(answers,
				assay.CheckArgs(p, call),
				assay.CheckSequence(p, []assay.Call{{Tool: "a"}, call}, call),
				assay.PolicyDecide(p, tool))
		}
	}
	for i := range answers {
		for j := range answers[i].Violations {
			answers[i].Violations[j].SchemaPath = ""
		}
	}
	return answers
}

// FuzzCheckArgs: no arguments make a check panic, an allow by text is an allow
// of the value that a lenient reader would make of it, and the answer does not
// change from one time to the next.
func FuzzCheckArgs(f *testing.F) {
	p, err := assay.Parse([]byte(`
schemas:
  $defs: {name: {type: string, minLength: 1, maxLength: 8, pattern: "^[a-z]+$"}}
  pay:
    type: object
    required: [amount]
    additionalProperties: false
    properties:
      amount: {type: number, maximum: 200, multipleOf: 0.01}
      to: {enum: [alice, bob, 1.0, null, [1, {a: 2}]]}
      tags: {type: array, items: {$ref: "#/$defs/name"}, uniqueItems: true, maxItems: 3}
      at: {format: date-time}
    dependentRequired: {to: [tags]}
  any: {anyOf: [{type: integer}, {not: {type: object}}, {minProperties: 2, unevaluatedProperties: false, properties: {a: true}}]}
  word: {pattern: "^(?!x)[a-z]+$"}
`), nil)
	if err != nil {
		f.Fatal(err)
	}
	if len(p.Problems()) > 0 {
		f.Fatal(p.Problems())
	}
	tools := []string{"pay", "any", "word", "free"}
	for i := range tools {
		for _, text := range []string{
			`{}`, `{"amount": 1.01}`, `{"amount": 1, "to": "bob", "tags": ["a", "b"]}`, `{"amount": 1, "amount": 2}`,
			`{"a": 1, "b": 2}`, `3.0`, `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"`, `[1e400]`, ``, `{"to": [1, {"a": 2.0}], "amount": 0, "tags": []}`,
			`{"amount": 1, "at": "2024-02-30T00:00:00Z"}`, "\"\xff\"", `"\ud800"`, `{"\u0061mount": 1}`, `null`,
		} {
			f.Add(uint8(i), []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, text []byte) {
		tool := tools[int(i)%len(tools)]
		call := assay.Call{Tool: tool, Arguments: append([]byte{}, text...)}
		d := assay.CheckArgs(p, call)
		if again := assay.CheckArgs(p, call); !reflect.DeepEqual(d, again) {
			t.Fatalf("%q is answered %+v and then %+v", text, d, again)
		}
		if d.Allowed == (d.Code != "") || d.Allowed && len(d.Violations) > 0 || d.Code == assay.CodeArgSchema && len(d.Violations) == 0 {
			t.Fatalf("%q: an answer that contradicts itself: %+v", text, d)
		}
		if !d.Allowed && d.Code != assay.CodeArgSchema && d.Code != assay.CodeLimitExceeded {
			t.Fatalf("%q: %+v", text, d)
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var v any
		if err := decoder.Decode(&v); err != nil {
			if d.Allowed {
				t.Fatalf("%q is allowed, and no JSON: %v", text, err)
			}
			return
		}
		byValue := assay.CheckArgsValue(p, tool, v)
		unread := len(d.Violations) > 0 && d.Violations[0].Constraint == "json"
		if d.Allowed != byValue.Allowed && !unread {
			t.Fatalf("%q is answered %+v, its value %+v", text, d, byValue)
		}
	})
}

// FuzzCheckSequence: no history makes a check panic, and the fast check allows
// exactly what the evaluation of every rule and a session allow.
func FuzzCheckSequence(f *testing.F) {
	policies := []string{
		"[{type: before, first: a, then: b}, {type: max_calls, tool: c, max: 2}]",
		"[{type: after, trigger: a, then: b, within: 2}, {type: never_after, trigger: c, forbidden: a}]",
		"[{type: sequence, tools: [a, b, c], strict: true}, {type: eventually, tool: a, within: 3}]",
		"[{type: sequence, tools: [a, b, a]}, {type: require, tool: b}, {type: blocklist, pattern: d}]",
		"[{type: max_calls, tool: {tool: a, args_match: {n: '^1$'}}, max: 1}, {type: before, first: {tool: b, args_match: {n: '^(?=1)1$'}}, then: c}]",
		"{sequences: [{type: max_calls, tool: G, max: 2}, {type: before, first: a, then: G}], aliases: {G: [b, c, G]}}",
		"[a, b, c]",
	}
	for i := range policies {
		for _, history := range []string{"", "a", "abc", "aabbcc", "abcabcabc", "a1b1c", "cba", "add", "a?a1a2b1b2c"} {
			f.Add(uint8(i), []byte(history))
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, history []byte) {
		if len(history) > 64 {
			return
		}
		p := mustParse(t, policies[int(i)%len(policies)])
		calls := callsOf(history)
		if len(calls) == 0 {
			return
		}
		past, next := calls[:len(calls)-1], calls[len(calls)-1]
		d := assay.CheckSequence(p, past, next)
		if again := assay.CheckSequence(p, past, next); !reflect.DeepEqual(d, again) {
			t.Fatalf("%q is answered %+v and then %+v", history, d, again)
		}
		if d.Failed() {
			return
		}
		spec := p.Spec()
		if spec.Exact != nil {
			want := len(calls) == len(spec.Exact)
			for j := range calls {
				want = want && calls[j].Tool == spec.Exact[j]
			}
			if d.Allowed != want {
				t.Fatalf("%q is answered %+v", history, d)
			}
			return
		}
		checker, problems := sequence.Compile(append(spec.Sequences, spec.List...), spec.Aliases, sequence.Options{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		trace := sequence.Trace{Arguments: func(i int) []byte { return calls[i].Arguments }}
		for _, call := range calls {
			trace.Names = append(trace.Names, call.Tool)
		}
		violated := 0
		for _, outcome := range sequence.Evaluate(checker, trace, sequence.Prefix, nil).Outcomes {
			if outcome.Status == sequence.Violated {
				violated++
			}
		}
		if violated != len(d.Violations) {
			t.Fatalf("%q: %d rules are violated, the answer is %+v", history, violated, d)
		}

		session := assay.NewSession(p)
		for _, call := range past {
			_, pending := session.Begin(call)
			if pending == nil {
				return // its trace is another one from here
			}
			pending.Done()
		}
		if got := session.Next(next); got.Allowed != d.Allowed && !got.Failed() {
			t.Fatalf("%q: a session answers %+v, the check %+v", history, got, d)
		}
	})
}

// callsOf reads one call for each letter; a digit behind it is its argument n,
// and without one its arguments are unknown.
func callsOf(text []byte) (calls []assay.Call) {
	for _, b := range text {
		switch last := len(calls) - 1; {
		case b >= '0' && b <= '9' && last >= 0:
			calls[last].Arguments = []byte(`{"n": ` + string(rune(b)) + `}`)
		case b >= 'a' && b <= 'z':
			calls = append(calls, assay.Call{Tool: string(rune(b))})
		}
	}
	return calls
}
