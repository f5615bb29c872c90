package lint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/assay/assay"
	"example.com/assay/assay/args"
	"example.com/assay/assay/lint"
)

func TestAPolicyWithoutMistakesHasNoFindings(t *testing.T) {
	r := lint.Lint([]byte(`version: "2.0"
tools: {allow: [pay]}
schemas:
  pay: {type: object, required: [amount], additionalProperties: false, properties: {amount: {type: number}}}
`), nil)
	if len(r.Findings) != 0 || r.Worst() != 0 || r.Unreadable || r.Omitted != 0 {
		t.Errorf("found %s", lines(r.Findings))
	}
}

func TestARefusedPolicyIsReadableUnlessItsTextIsNoDocument(t *testing.T) {
	for _, test := range []struct {
		policy     string
		unreadable bool
	}{
		{"dney: [a]\n", false},
		{"- 1\n", false},
		{"a: [\n", true},
		{"", true},
		{"<<: {}\n", true},
		{"a: .nan\n", true},
	} {
		r := lint.Lint([]byte(test.policy), nil)
		if r.Unreadable != test.unreadable || r.Worst() != lint.Error || len(r.Findings) == 0 {
			t.Errorf("%q: unreadable %v, worst %v, %d findings", test.policy, r.Unreadable, r.Worst(), len(r.Findings))
		}
	}
}

func TestAReportIsBoundedAndCountsWhatItOmits(t *testing.T) {
	r := lint.Lint([]byte("blocklist: ["+strings.Repeat(`"", `, 5000)+"]\non_error: x\n"), nil)
	if len(r.Findings) != 1000 || r.Omitted != 4001 || r.Count(lint.Error) != 5000 || r.Count(lint.Note) != 1 || r.Worst() != lint.Error {
		t.Errorf("%d findings, %d omitted, %d errors, %d notes", len(r.Findings), r.Omitted, r.Count(lint.Error), r.Count(lint.Note))
	}
}

// A large policy, whose every required name would be
// compared with every pattern: what is left out is said.
func TestWorkIsBounded(t *testing.T) {
	var policy strings.Builder
	policy.WriteString("schemas:\n  t:\n    required: [")
	for i := range 60000 {
		fmt.Fprintf(&policy, "r%d, ", i)
	}
	policy.WriteString("]\n    patternProperties: {")
	for i := range 3000 {
		fmt.Fprintf(&policy, "p%d: true, ", i)
	}
	policy.WriteString("}\n")
	r := lint.Lint([]byte(policy.String()), nil)
	if !slices.ContainsFunc(r.Findings, func(f lint.Finding) bool { return f.Rule == "incomplete" }) {
		t.Errorf("nothing is said to be left out: %d findings", len(r.Findings))
	}
}

// Brute force over every short name says whether a deny list leaves an allow
// entry anything. The letter c is in no entry, so names with it stand for all
// that nobody wrote down.
func TestDenyShadowsAllowExactlyWhereNoNameIsLeft(t *testing.T) {
	var names []string
	for level := []string{""}; len(level[0]) < 6; {
		var next []string
		for _, n := range level {
			for _, c := range "abc" {
				next = append(next, n+string(c))
			}
		}
		names, level = append(names, next...), next
	}
	patterns := []string{"*"}
	for _, literal := range []string{"a", "b", "ab", "ba", "aa"} {
		patterns = append(patterns, literal, literal+"*", "*"+literal, "*"+literal+"*")
	}
	check := func(allow string, deny ...string) {
		t.Helper()
		shadowed := true
		for _, name := range names {
			denied := slices.ContainsFunc(deny, func(d string) bool { return args.ParsePattern(d).Match(name) })
			shadowed = shadowed && (denied || !args.ParsePattern(allow).Match(name))
		}
		policy, err := json.Marshal(map[string]any{"tools": map[string]any{"allow": []string{allow}, "deny": deny}})
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(lint.Lint(policy, nil).Findings, func(f lint.Finding) bool { return f.Rule == "deny-shadows-allow" })
		if found != shadowed {
			t.Errorf("allow %q, deny %q: found %v, want %v", allow, deny, found, shadowed)
		}
	}
	for _, allow := range patterns {
		for i, deny := range patterns {
			check(allow, deny)
			check(allow, deny, patterns[(i*7+3)%len(patterns)], patterns[(i*5+1)%len(patterns)])
		}
	}
}

func TestALongerPolicyIsReadWhereTheLimitAllowsIt(t *testing.T) {
	policy := []byte("allow: [a]\nname: " + strings.Repeat("b", assay.DefaultMaxPolicyBytes) + "\n")
	for _, test := range []struct {
		opts    *lint.Options
		refused bool
	}{
		{nil, true},
		{&lint.Options{}, true},
		{&lint.Options{MaxPolicyBytes: -1}, true},
		{&lint.Options{MaxPolicyBytes: len(policy) - 1}, true},
		{&lint.Options{MaxPolicyBytes: len(policy) + 100}, false},
	} {
		if r := lint.Lint(policy, test.opts); r.Unreadable != test.refused {
			t.Errorf("%+v: %s", test.opts, lines(r.Findings))
		}
		if _, err := lint.Migrate(policy, test.opts); (err != nil) != test.refused {
			t.Errorf("%+v: migrated with %v", test.opts, err)
		}
	}
}

func TestSeveritiesReadAndWriteTheirWords(t *testing.T) {
	for _, s := range []lint.Severity{lint.Note, lint.Warning, lint.Error} {
		text, err := s.MarshalText()
		var back lint.Severity
		if err != nil || back.UnmarshalText(text) != nil || back != s {
			t.Errorf("%v: %q, %v", s, text, back)
		}
	}
	var s lint.Severity
	for _, word := range []string{"", "fatal", "unknown"} {
		if s.UnmarshalText([]byte(word)) == nil {
			t.Errorf("%q is taken for %v", word, s)
		}
	}
}

func TestTheExamplesHaveNoFindings(t *testing.T) {
	names, err := filepath.Glob("../../examples/policies/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if r := lint.Lint(text, nil); len(r.Findings) > 0 {
			t.Errorf("%s:\n%s", name, lines(r.Findings))
		}
	}
}

func FuzzLint(f *testing.F) {
	for _, test := range ruleCases {
		if len(test.policy) < 10_000 {
			f.Add([]byte(test.policy))
		}
	}
	for _, test := range migrations {
		f.Add([]byte(test.old))
	}
	f.Add([]byte("\x10\r\r4\xed")) // lines that end with CR, and no UTF-8
	f.Add([]byte("---"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := lint.Lint(data, nil)
		if again := lint.Lint(data, nil); !reflect.DeepEqual(r, again) {
			t.Fatal("two reports of one text differ")
		}
		all := r.Count(lint.Note) + r.Count(lint.Warning) + r.Count(lint.Error)
		if all != len(r.Findings)+r.Omitted {
			t.Fatalf("counted %d of %d and %d", all, len(r.Findings), r.Omitted)
		}
		_, err := assay.Parse(data, nil)
		// A line ends with LF, CR LF, or CR. A value that is left out at the end
		// of the text stands where the next line would start.
		last := bytes.Count(data, []byte("\n")) + bytes.Count(data, []byte("\r")) - bytes.Count(data, []byte("\r\n")) + 1
		for i, finding := range r.Findings {
			switch {
			case finding.Message == "" || finding.Fix == "" || strings.ContainsAny(finding.Message+finding.Fix, "\n\r\x1b"):
				t.Errorf("a message is no sentence: %+v", finding)
			case finding.Line > last+1 || finding.Line < 0 || err == nil && (finding.Line == 0 || finding.Column == 0):
				t.Errorf("a finding stands outside of the text: %+v", finding)
			case i > 0 && finding.Line < r.Findings[i-1].Line:
				t.Errorf("findings are not in the order of the text: %+v", finding)
			}
		}
		if (err != nil) != slices.ContainsFunc(r.Findings, func(f lint.Finding) bool {
			return slices.Contains([]string{"syntax", "root", "structure", "limit"}, f.Rule)
		}) {
			t.Errorf("Parse says %v, the report %s", err, lines(r.Findings))
		}
		migrated, err := lint.Migrate(data, nil)
		if err != nil {
			return
		}
		if _, err := assay.Parse(migrated, nil); err != nil {
			t.Errorf("the migrated policy is refused: %v\n%s", err, migrated)
		}
		if _, err := lint.Migrate(migrated, nil); err == nil {
			t.Errorf("the migrated policy is of the older form:\n%s", migrated)
		}
	})
}
