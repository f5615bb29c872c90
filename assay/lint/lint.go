package lint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/assay"
	"example.com/assay/assay/internal/policydoc"
)

// Severity is how much a finding matters.
type Severity uint8

const (
	Note    Severity = iota + 1 // true and harmless
	Warning                     // the policy allows more, or less, than a reader would think
	Error                       // a part of the policy cannot do what it was written for
)

var severities = []string{Note: "note", Warning: "warning", Error: "error"}

// String returns "note", "warning" or "error".
func (s Severity) String() string {
	if s < Note || s > Error {
		return "unknown"
	}
	return severities[s]
}

// MarshalText returns the word of String.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word of String.
func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severities, string(text))
	if i < int(Note) {
		return fmt.Errorf("assay: the severity is not note, warning or error")
	}
	*s = Severity(i)
	return nil
}

// Finding is one thing that a rule found.
type Finding struct {
	Rule     string   `json:"rule"`     // the ID of one of [Rules]
	Severity Severity `json:"severity"` // that rule's
	Path     string   `json:"path"`     // JSON Pointer into the policy; keys over 128 bytes are cut
	Line     int      `json:"line"`     // from 1; 0 when unknown
	Column   int      `json:"column"`   // in Unicode code points, from 1; 0 when unknown
	Message  string   `json:"message"`  // one sentence
	Fix      string   `json:"fix"`      // what to do, one sentence; never empty
}

// Report is what Lint found in one policy.
type Report struct {
	// Findings are in the order of the text, and at most 1,000.
	Findings []Finding

	// Omitted is how many findings more there are.
	Omitted int

	// Unreadable says that the text is no document of plain data at all
	// (docs/policy.md, "How a file is read"), so that the findings are
	// the problems of its text and no rule has looked at it.
	Unreadable bool

	counts [Error + 1]int
}

// Count returns how many findings have the severity, those omitted included.
func (r *Report) Count(s Severity) int {
	if int(s) >= len(r.counts) {
		return 0
	}
	return r.counts[s]
}

// Worst returns the highest severity among the findings, 0 where there are none.
func (r *Report) Worst() Severity {
	for s := Error; s >= Note; s-- {
		if r.counts[s] > 0 {
			return s
		}
	}
	return 0
}

// maxFindings bounds a report, so that a hostile megabyte does not become many.
const maxFindings = 1000

// Options are what [Lint] and [Migrate] may be told. A nil *Options means the
// defaults.
type Options struct {
	// MaxPolicyBytes is the greatest length of a policy, all of its YAML aliases
	// expanded; 0 or less means [assay.DefaultMaxPolicyBytes].
	MaxPolicyBytes int
}

func (o *Options) maxPolicyBytes() int {
	if o == nil || o.MaxPolicyBytes <= 0 {
		return assay.DefaultMaxPolicyBytes
	}
	return o.MaxPolicyBytes
}

// Lint looks at the text of a policy of any form, JSON or YAML. Where the policy
// is refused as a whole, the findings are all that is wrong with it; else they
// are those of every rule. The same text gives the same report. Lint is safe for
// concurrent use.
func Lint(data []byte, opts *Options) *Report {
	r := &Report{}
	root, err := policydoc.Parse(data, opts.maxPolicyBytes())
	r.Unreadable = err != nil
	compiled, err := assay.Parse(data, &assay.Options{MaxPolicyBytes: opts.maxPolicyBytes()})
	var refused *assay.PolicyError
	if errors.As(err, &refused) {
		r.refusal(refused)
		r.finish()
		return r
	}
	p := newPolicy(root, compiled)
	for _, rule := range rules {
		if rule.check == nil {
			continue
		}
		found := 0
		rule.check(p, func(at place, message, fix string) {
			r.counts[rule.Severity]++
			if found++; found > maxFindings {
				r.Omitted++
				return
			}
			r.Findings = append(r.Findings, Finding{rule.ID, rule.Severity, at.pointer(), at.line, at.column, message, fix})
		})
	}
	r.finish()
	return r
}

// refusal reports why a document is no policy.
func (r *Report) refusal(e *assay.PolicyError) {
	rule := ruleNamed(e.Kind.String())
	for _, problem := range e.Problems {
		fix := problem.Hint
		if fix == "" {
			fix = "correct it: until then every call is denied"
		}
		r.counts[rule.Severity]++
		r.Findings = append(r.Findings, Finding{rule.ID, rule.Severity, problem.Path, problem.Line, problem.Column, problem.Message, fix})
	}
}

// finish brings the findings in their order and within their bound.
func (r *Report) finish() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Path, b.Path), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Message, b.Message))
	})
	if more := len(r.Findings) - maxFindings; more > 0 {
		r.Findings = r.Findings[:maxFindings:maxFindings]
		r.Omitted += more
	}
}
