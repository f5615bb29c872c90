package args

// Result is the answer to a [Request]. The zero value denies. Nothing in it is
// shared with the [Checker] that gave it.
//
// It is three words, whatever it says: most answers are an allow, and a caller
// that looks no further pays for no more.
type Result struct {
	Allowed bool

	by   *ruling // the denial, or the warning on an allow; nil: none
	list *lists  // nil: none
}

// lists is the part of a Result that is seldom there.
type lists struct {
	violations  []Violation
	truncated   bool
	obligations []Obligation
}

// Code is one of the codes below; empty on an allow.
func (r Result) Code() string {
	if r.Allowed || r.by == nil {
		return ""
	}
	return r.by.code
}

// Reason is one short sentence for a log; empty on an allow.
func (r Result) Reason() string {
	if r.Allowed || r.by == nil {
		return ""
	}
	return r.by.reason
}

// WarningCode is the code of a warning, on an allow only; empty: none.
func (r Result) WarningCode() string {
	if !r.Allowed || r.by == nil {
		return ""
	}
	return r.by.code
}

// WarningReason is one short sentence for a log; empty where WarningCode is.
func (r Result) WarningReason() string {
	if !r.Allowed || r.by == nil {
		return ""
	}
	return r.by.reason
}

// Violations are sorted by path, then schema path, bytewise.
func (r Result) Violations() []Violation {
	if r.list == nil {
		return nil
	}
	return r.list.violations
}

// Truncated reports whether there were more violations.
func (r Result) Truncated() bool { return r.list != nil && r.list.truncated }

// Obligations are on an allow only.
func (r Result) Obligations() []Obligation {
	if r.list == nil {
		return nil
	}
	return r.list.obligations
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

// denied is the denial by a ruling, with what more there is to say.
func denied(by *ruling, violations ...Violation) Result {
	if len(violations) == 0 {
		return Result{by: by}
	}
	return Result{by: by, list: &lists{violations: violations}}
}
