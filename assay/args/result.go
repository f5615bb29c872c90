package args

// Result is the answer to a [Request]. The zero value denies. Nothing in it is
// shared with the [Checker] that gave it.
type Result struct {
	Allowed bool
	Code    string // one of the codes below; empty on an allow
	Reason  string // one short sentence for a log

	WarningCode, WarningReason string // on an allow only; empty: none

	Violations []Violation // sorted by path, then schema path, bytewise
	Truncated  bool        // there were more

	Obligations []Obligation // on an allow only
}

// The codes of a denial, named as in docs/policy.md, "What is decided first",
// and the two codes of a warning: CodeToolUnconstrained and
// CodeToolPinUnverified.
const (
	CodeInvalidRequest    = "E_INVALID_REQUEST"
	CodeToolDrift         = "E_TOOL_DRIFT"
	CodeRateLimit         = "E_RATE_LIMIT"
	CodeToolDenied        = "E_TOOL_DENIED"
	CodeToolNotAllowed    = "E_TOOL_NOT_ALLOWED"
	CodeArgSchema         = "E_ARG_SCHEMA"
	CodeSchemaCompile     = "E_SCHEMA_COMPILE"
	CodeLimitExceeded     = "E_LIMIT_EXCEEDED"
	CodeToolUnconstrained = "E_TOOL_UNCONSTRAINED"
	CodeToolPinUnverified = "E_TOOL_PIN_UNVERIFIED"
	CodeNoPolicy          = "E_NO_POLICY"
)

// ruling is a code with its reason. Reasons are constant: they repeat nothing
// of the request and nothing of the policy.
type ruling struct{ code, reason string }

// The denials, in the order in which the decision comes to them.
var (
	noPolicy        = &ruling{CodeNoPolicy, "there is no policy"}
	invalidName     = &ruling{CodeInvalidRequest, "the tool name is empty or not valid UTF-8"}
	drifted         = &ruling{CodeToolDrift, "the tool is not the one that the policy pins"}
	overRequests    = &ruling{CodeRateLimit, "the request is over the policy's limit of requests"}
	overCalls       = &ruling{CodeRateLimit, "the call is over the policy's limit of tool calls"}
	deniedByPattern = &ruling{CodeToolDenied, "a deny pattern matches the tool's name"}
	deniedByClass   = &ruling{CodeToolDenied, "a class of the tool is denied"}
	deniedByList    = &ruling{CodeToolDenied, "the blocklist holds the tool's name"}
	notAllowed      = &ruling{CodeToolNotAllowed, "no entry of the policy's allow lists matches the tool"}
	unreadable      = &ruling{CodeArgSchema, "the arguments are not strict JSON"}
	brokenSchema    = &ruling{CodeSchemaCompile, "the policy's schema for the tool does not compile"}
	brokenArguments = &ruling{CodeArgSchema, "the arguments break the policy's schema for the tool"}
	overBudget      = &ruling{CodeLimitExceeded, "the check of the arguments used up its budget"}
	notAnObject     = &ruling{CodeArgSchema, "the arguments are not an object"}
	noSchema        = &ruling{CodeToolUnconstrained, "the policy has no schema for the tool and denies such tools"}
)

// The warnings on an allow.
var (
	unconstrained = &ruling{CodeToolUnconstrained, "the policy has no schema for the tool: its arguments are not checked"}
	unverifiedPin = &ruling{CodeToolPinUnverified, "the policy pins the tool, and the caller did not say which tool it is"}
)

// deny makes r, which holds nothing yet, a denial.
func (r *Result) deny(by *ruling) { r.Code, r.Reason = by.code, by.reason }

func (r *Result) denyWith(by *ruling, v Violation) {
	r.deny(by)
	r.Violations = []Violation{v}
}
