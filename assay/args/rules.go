package args

// Rules is what a policy says about names and arguments. In every list of
// patterns and classes nil means absent; an empty list is present and matches
// nothing, which for Allow and AllowClasses means that nothing is allowed.
type Rules struct {
	Allow, Deny               []string // patterns, see [ParsePattern]
	AllowClasses, DenyClasses []string // class names, compared exactly
	Classes                   map[string][]string

	// Blocked reports whether another engine blocks the name; nil blocks none.
	// It must be pure, and safe for concurrent use.
	Blocked func(tool string) bool

	// MaxRequests and MaxCalls are the ceilings of limits.max_requests_total
	// and limits.max_tool_calls_total; nil is no ceiling.
	MaxRequests, MaxCalls *int64

	Pins map[string]Identity // by tool

	Approval Duty // tools.approval_required; has no contract
	Scope    Duty // tools.restrict_scope
	Redact   Duty // tools.redact_args

	// Schemas holds the decoded JSON Schema of each tool, numbers as
	// json.Number, and not the shared definitions: those are Defs. DefsBroken
	// says that the policy has shared definitions which are no mapping, so that
	// no tool's schema compiles. Nobody may change the schemas afterwards.
	Schemas    map[string]any
	Defs       map[string]any
	DefsBroken bool

	RequireArgs    map[string][]string       // tool -> names of arguments
	ArgConstraints map[string]map[string]any // tool -> argument -> decoded JSON Schema
	Constraints    []Constraint              // the legacy form

	Unconstrained   Unconstrained
	AnnotateFormats bool // format is an annotation and constrains nothing
}

// Unconstrained says what becomes of an allowed tool that has no schema.
type Unconstrained uint8

const (
	Warn  Unconstrained = iota // allow, with a warning: the default
	Deny                       // deny
	Allow                      // allow
)

// Options bound the work of checks. A field that is not positive means its default.
type Options struct {
	MaxSteps       int // of one check; default 1,000,000
	MaxViolations  int // that one result lists; default 64
	MaxSchemaBytes int // size of one tool's schema, merged with the definitions that it reaches; default 4,000,000

	// Expect names tools that calls will be of, though the rules need not name
	// them: what patterns say of these names is found once.
	Expect []string
}

// Problem is a schema that does not compile. Every call of its tool is denied
// with [CodeSchemaCompile]; other tools are not concerned.
type Problem struct {
	Path    string // JSON Pointer into the policy
	Tool    string
	Message string
	Hint    string // what to do; may be empty
	Reason  string // stable class of the problem
}
