package assay

import "math"

// Options bound the work of loading and checking. A nil *Options, and a field
// that is zero or negative, mean the default: nothing here lifts a bound.
// Options are read once, when a policy is compiled.
type Options struct {
	// MaxPolicyBytes is the largest policy text, in bytes; aliases of YAML
	// count with what they expand to. Default 1,000,000.
	MaxPolicyBytes int

	// MaxSteps bounds one check: a step is a visit of one schema object, and
	// each array item, property and comparison that a keyword looks at, or one
	// step of a sequence rule. Default 1,000,000.
	MaxSteps int

	// MaxViolations is how many violations of the arguments one decision
	// lists; those of sequence rules are all listed. Default 64.
	MaxViolations int

	// SuggestFixes asks CheckArgs, and Begin and Next of a Session, for a
	// Decision.SuggestedFix.
	SuggestFixes bool

	// Strict makes a schema that does not compile an error of Parse, instead
	// of a Problem of the policy and a denial for its tool.
	Strict bool
}

// The defaults of Options.
const (
	DefaultMaxPolicyBytes = 1_000_000
	DefaultMaxSteps       = 1_000_000
	DefaultMaxViolations  = 64
)

// resolved returns the options with every default filled in.
func (o *Options) resolved() Options {
	var r Options
	if o != nil {
		r = *o
	}
	fill := func(field *int, value int) {
		if *field <= 0 {
			*field = value
		}
	}
	fill(&r.MaxPolicyBytes, DefaultMaxPolicyBytes)
	fill(&r.MaxSteps, DefaultMaxSteps)
	fill(&r.MaxViolations, DefaultMaxViolations)
	return r
}

// maxSchemaBytes bounds one tool's schema with the definitions it reaches
// (docs/policy.md, "What is decided first": 4x the policy limit).
func (o *Options) maxSchemaBytes() int {
	return 4 * min(o.MaxPolicyBytes, math.MaxInt/1024) // the engine multiplies it again
}
