package assay

import "fmt"

// Decision is the answer to one question about one call. It is a statement
// about the input, never proof that anything ran. The zero value denies.
//
// Nothing in a Decision is shared with the policy that made it: a caller may
// keep and change it. As JSON it has the member names of the server's answers,
// fit to be handed to the agent as the result of the call that did not run. Its
// texts hold < and >, which encoding/json escapes unless an Encoder is told
// SetEscapeHTML(false).
type Decision struct {
	// Allowed is true when no rule forbids the call. An allow with Obligations
	// is not yet a go: see [Decision.Err].
	Allowed bool `json:"allowed"`

	// Code is the stable identifier of a denial, and empty on an allow. Branch
	// on it, never on Reason or on a message.
	Code Code `json:"code,omitempty"`

	// Reason is one short sentence for a log.
	Reason string `json:"reason,omitempty"`

	// Warning rides on an allow that somebody should look at.
	Warning Warning `json:"warning,omitzero"`

	// Violations says what the call breaks, in one deterministic order: by
	// path and then schema path for arguments, in rule order for sequences.
	Violations []Violation `json:"violations,omitempty"`

	// Truncated says that there were more violations than Options.MaxViolations.
	Truncated bool `json:"truncated,omitempty"`

	// Obligations are duties that the caller has before it may run an allowed
	// call. They never turn a denial into an allow.
	Obligations []Obligation `json:"obligations,omitempty"`

	// SuggestedFix is nil unless Options.SuggestFixes asked for it and the
	// arguments in it were checked again and found to pass.
	SuggestedFix *Fix `json:"suggested_fix,omitempty"`
}

// Violation is one reason for a denial, written so that an agent can correct
// its call. No text in it repeats a value of the arguments.
type Violation struct {
	// Path is a JSON Pointer (RFC 6901) into the arguments; "" is the whole. A name
	// of more than 128 bytes is cut in it, and ends with "…": such a path leads
	// nowhere, and those of two violations may look the same.
	Path string `json:"path"`
	// Constraint is the JSON Schema keyword or the sequence constraint that is broken.
	Constraint string `json:"constraint"`
	// Message is one sentence that names the limit.
	Message string `json:"message"`
	// Suggestion is one sentence that says what would pass.
	Suggestion string `json:"suggestion"`
	// SchemaPath is a JSON Pointer to where the keyword stands in the policy, never cut.
	SchemaPath string `json:"schema_path,omitempty"`

	// The following are of sequence violations only.

	// RuleID names the rule by kind and operands, stable under reordering.
	RuleID string `json:"rule_id,omitempty"`
	// RuleType is the rule's kind, such as "before".
	RuleType string `json:"rule_type,omitempty"`
	// Tool is the operand that the violation is about, where the kind has one.
	Tool string `json:"tool,omitempty"`
	// Spanned holds the indices of the calls that decide it; the history
	// counts from 0 and the next call is the last.
	Spanned []int `json:"spanned,omitempty"`
	// EventIndex is the last of Spanned, nil when that is empty.
	EventIndex *int `json:"event_index,omitempty"`
	// Context holds numbers that explain it: max and actual for max_calls.
	Context map[string]int `json:"context,omitempty"`
}

// Warning is a note on an allow. The zero value means none.
type Warning struct {
	Code   Code   `json:"code"`
	Reason string `json:"reason"`
}

// Obligation is a duty that comes with an allow.
type Obligation struct {
	// Kind is approval_required, restrict_scope or redact_args.
	Kind string `json:"kind"`
	// Source says what made it apply: name, class or name+class.
	Source string `json:"source"`
	// Contract holds the terms of restrict_scope and redact_args.
	Contract map[string]string `json:"contract,omitempty"`
}

// Code identifies the rule of the policy language that decided.
type Code string

// The codes. Those in the first group are decisions by a rule; those in the
// second say that no decision could be made, so that [Decision.Failed] is true;
// the last one is a warning on an allow.
const (
	CodeToolDenied        Code = "E_TOOL_DENIED"        // a deny pattern, a deny class or the blocklist matches
	CodeToolNotAllowed    Code = "E_TOOL_NOT_ALLOWED"   // there is an allow list and nothing in it matches
	CodeToolDrift         Code = "E_TOOL_DRIFT"         // the tool is not the one that the policy pins
	CodeToolBlocked       Code = "E_TOOL_BLOCKED"       // PolicyDecide: the name is on the blocklist
	CodeToolUnconstrained Code = "E_TOOL_UNCONSTRAINED" // no schema for the tool; also a warning
	CodeArgSchema         Code = "E_ARG_SCHEMA"         // the arguments break the schema, or are no strict JSON
	CodeRateLimit         Code = "E_RATE_LIMIT"         // the call is over a ceiling of limits
	CodeSequence          Code = "E_SEQUENCE"           // a sequence rule is violated

	CodeInvalidRequest Code = "E_INVALID_REQUEST" // a tool name is empty or not UTF-8
	CodePolicyParse    Code = "E_POLICY_PARSE"    // the policy is not of the form that this check reads
	CodeSchemaCompile  Code = "E_SCHEMA_COMPILE"  // the tool's schema does not compile
	CodeLimitExceeded  Code = "E_LIMIT_EXCEEDED"  // the budget of one decision is used up
	CodeNoPolicy       Code = "E_NO_POLICY"       // the policy is nil or zero
	CodeValue          Code = "E_VALUE"           // a Go value that is no JSON value

	CodeToolPinUnverified Code = "E_TOOL_PIN_UNVERIFIED" // warning: a pin exists and the caller gave no identity
)

// Failed reports whether the call was denied because no decision could be made,
// rather than because a rule forbids it. A failed decision is a denial all the same.
func (d Decision) Failed() bool {
	switch d.Code {
	case CodeInvalidRequest, CodePolicyParse, CodeSchemaCompile, CodeLimitExceeded, CodeNoPolicy, CodeValue:
		return !d.Allowed
	}
	return !d.Allowed && d.Code == ""
}

// Err returns nil only for an allow without obligations. A denial is a
// [*DeniedError]; an allow that still needs an approval, a narrower scope or a
// redaction is an [*ObligationsError], so that
//
//	if err := decision.Err(); err == nil { run() }
//
// never runs a call whose obligations nobody met.
func (d Decision) Err() error {
	switch {
	case !d.Allowed:
		return &DeniedError{Decision: d}
	case len(d.Obligations) > 0:
		return &ObligationsError{Decision: d}
	}
	return nil
}

// DeniedError is the error form of a denial.
type DeniedError struct{ Decision Decision }

// Error names the code, and the first violation: where it is, what is wrong and
// what would pass, and how many more there are. It repeats no argument value.
func (e *DeniedError) Error() string {
	d := &e.Decision
	s := "assay: denied"
	if d.Code != "" {
		s += " (" + string(d.Code) + ")"
	}
	if len(d.Violations) == 0 {
		if d.Reason != "" {
			s += ": " + d.Reason
		}
		return s
	}
	first := &d.Violations[0]
	if first.Path != "" {
		s += ": " + first.Path
	}
	s += ": " + first.Message
	if first.Suggestion != "" {
		s += "; " + first.Suggestion
	}
	switch more := len(d.Violations) - 1; {
	case d.Truncated:
		s += " (and more)"
	case more > 0:
		s += fmt.Sprintf(" (and %d more)", more)
	}
	return s
}

// ObligationsError is the error form of an allow whose obligations are not met.
type ObligationsError struct{ Decision Decision }

// Error names the obligations.
func (e *ObligationsError) Error() string {
	s := "assay: allowed with obligations:"
	for i, o := range e.Decision.Obligations {
		if i > 0 {
			s += ","
		}
		s += " " + o.Kind
	}
	return s
}
