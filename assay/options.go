package assay

// Options bound the work of loading and checking. A nil *Options, and a zero
// field, mean the default. Options are read once, when a policy is compiled.
type Options struct {
	// MaxPolicyBytes is the largest policy text, in bytes; aliases of YAML
	// count with what they expand to. Default 1,000,000.
	MaxPolicyBytes int

	// MaxSteps bounds one check: a step is a visit of one schema object, and
	// each array item, property and comparison that a keyword looks at, or one
	// step of a sequence rule. Default 1,000,000.
	MaxSteps int

	// MaxViolations is how many violations one decision lists. Default 64.
	MaxViolations int

	// SuggestFixes asks CheckArgs for a Decision.SuggestedFix.
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
