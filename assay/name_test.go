package assay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/assay/assay"
	"example.com/assay/assay/sequence"
)

// Names of every length around those that are read at one look, valid and not.
func hardNames() []string {
	names := []string{""}
	for n := 1; n <= 20; n++ {
		plain := strings.Repeat("n", n)
		names = append(names, plain)
		for _, at := range []int{0, n / 2, n - 1} {
			names = append(names, plain[:at]+"\xff"+plain[at+1:], plain[:at]+"é"+plain[at:])
		}
	}
	return names
}

func TestEveryCheckRefusesTheNamesThatAreNoUTF8(t *testing.T) {
	list := mustParse(t, "blocklist: [rm]")
	order := mustParse(t, "[{type: before, first: a, then: b}]")
	all := mustParse(t, "sequences: [{type: before, first: a, then: b}]\nschemas: {t: true}")
	for _, name := range hardNames() {
		refused := name == "" || !utf8.ValidString(name)
		for check, d := range map[string]assay.Decision{
			"PolicyDecide":           assay.PolicyDecide(list, name),
			"CheckSequence":          assay.CheckSequence(order, nil, assay.Call{Tool: name}),
			"a history":              assay.CheckSequence(order, []assay.Call{{Tool: "a"}, {Tool: name}}, assay.Call{Tool: "b"}),
			"a history of two rules": assay.CheckSequence(all, []assay.Call{{Tool: name}}, assay.Call{Tool: "c"}),
			"CheckArgs":              assay.CheckArgs(all, assay.Call{Tool: name}),
			"CheckArgsValue":         assay.CheckArgsValue(all, name, map[string]any{}),
			"a session":              assay.NewSession(order).Next(assay.Call{Tool: name}),
			"a session of arguments": assay.NewSession(all).Next(assay.Call{Tool: name}),
		} {
			if got := d.Code == assay.CodeInvalidRequest; got != refused || d.Allowed == refused {
				t.Errorf("%s of %q: %q, want a refusal: %t", check, name, d.Code, refused)
			}
		}
	}
}

func TestEveryKeyAndTextOfAValueHasToBeUTF8(t *testing.T) {
	p := mustParse(t, "schemas: {t: {type: object, properties: {known: {type: string}}}}")
	for _, text := range hardNames() {
		for where, v := range map[string]any{
			"a key":                 map[string]any{text: 1.0},
			"a known member's text": map[string]any{"known": text},
			"another member's text": map[string]any{"other": []any{text}},
		} {
			d := assay.CheckArgsValue(p, "t", v)
			if valid := utf8.ValidString(text); d.Allowed != valid || (d.Code == assay.CodeValue) == valid {
				t.Errorf("%q as %s: %q", text, where, d.Code)
			}
		}
	}
}

// The scan in place must answer as the machine that follows every rule does.
func TestHistoriesInPlaceAreAnsweredAsTracesAre(t *testing.T) {
	const rule = "{type: before, first: %s, then: %s}"
	letters := []string{"a", "long_name_b", "c", "é"}
	for _, pairs := range [][]string{
		{"a", "long_name_b"},
		{"a", "a"},
		{"a", "long_name_b", "long_name_b", "c"},
		{"a", "long_name_b", "c", "a", "c", "é", "é", "long_name_b"},
		{"a", "long_name_b", "c", "a", "c", "é", "é", "long_name_b", "a", "c"}, // too many to scan for
	} {
		var rules []sequence.Rule
		var text []string
		for pair := range slices.Chunk(pairs, 2) {
			text = append(text, fmt.Sprintf(rule, pair[0], pair[1]))
			// A rule that nothing breaks, and that only the machine follows.
			rules = append(rules, sequence.Before{First: sequence.Selector{Tool: pair[0]}, Then: sequence.Selector{Tool: pair[1]}})
		}
		rules = append(rules, sequence.MaxCalls{Tool: sequence.Selector{Tool: "z"}, Max: 9})
		p := mustParse(t, "["+strings.Join(text, ", ")+"]")
		machine, problems := sequence.Compile(rules, nil, sequence.Options{})
		if problems != nil {
			t.Fatal(problems)
		}
		var walk func(names []string)
		walk = func(names []string) {
			if len(names) > 0 {
				history := make([]assay.Call, len(names)-1)
				for i := range history {
					history[i].Tool = names[i]
				}
				got := assay.CheckSequence(p, history, assay.Call{Tool: names[len(names)-1]})
				want := machine.Check(sequence.Trace{Names: names}, nil)
				if got.Allowed != want.Allowed || len(got.Violations) != len(want.Violations) {
					t.Errorf("%v, %q: allowed %t, want %t", text, names, got.Allowed, want.Allowed)
				}
			}
			if len(names) < 5 {
				for _, letter := range letters {
					walk(append(names[:len(names):len(names)], letter))
				}
			}
		}
		walk(nil)
	}
}

func TestAHistoryIsNoLongerThanTheBudget(t *testing.T) {
	p, err := assay.Parse([]byte("[{type: before, first: a, then: b}]"), &assay.Options{MaxSteps: 10})
	if err != nil {
		t.Fatal(err)
	}
	history := slices.Repeat([]assay.Call{{Tool: "a"}}, 10)
	if d := assay.CheckSequence(p, history[:9], assay.Call{Tool: "b"}); !d.Allowed {
		t.Errorf("10 calls within 10 steps: %v", d.Err())
	}
	if d := assay.CheckSequence(p, history, assay.Call{Tool: "b"}); d.Code != assay.CodeLimitExceeded {
		t.Errorf("11 calls within 10 steps: %q", d.Code)
	}
}
