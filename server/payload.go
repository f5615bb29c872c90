package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/assay/assay"
)

// maxText is the longest message, in bytes; longer ones are cut on a character
// boundary.
const maxText = 4096

// The codes of failures. Every other code is a denial by the policy.
const (
	codePolicyNotFound   = "E_POLICY_NOT_FOUND"
	codePolicyRead       = "E_POLICY_READ"
	codePermissionDenied = "E_PERMISSION_DENIED"
	codeInternal         = "E_INTERNAL"
	codeTimeout          = "E_TIMEOUT"
)

// failure says why there is no decision. It denies.
type failure struct {
	Code    string    `json:"code" jsonschema:"title=Code,example=E_POLICY_NOT_FOUND" jsonschema_description:"Stable identifier of the failure."`
	Message string    `json:"message" jsonschema:"title=Message" jsonschema_description:"One sentence for a person."`
	Details *position `json:"details,omitempty" jsonschema:"title=Details" jsonschema_description:"Where the policy's text is no YAML."`
}

type position struct {
	Line   int `json:"line" jsonschema:"title=Line,minimum=1" jsonschema_description:"Line of the policy file, counted from 1."`
	Column int `json:"column" jsonschema:"title=Column,minimum=1" jsonschema_description:"Column of that line, counted from 1."`
}

var (
	errInternal     = &failure{Code: codeInternal, Message: "Tool execution failed"}
	errTimeout      = &failure{Code: codeTimeout, Message: "Tool execution timed out"}
	errNoPolicyPath = &failure{Code: string(assay.CodeInvalidRequest), Message: "Policy path is empty"}
	errEmptyName    = &failure{Code: string(assay.CodeInvalidRequest), Message: "Tool name is empty"}
	errNameEncoding = &failure{Code: string(assay.CodeInvalidRequest), Message: "Tool name is not valid Unicode"}
	errBudget       = &failure{Code: string(assay.CodeLimitExceeded), Message: "Limit exceeded: the decision needs more work than its budget"}
	errEscapes      = &failure{Code: codePermissionDenied, Message: "Policy path leads out of the policy root"}
	errUnreadable   = &failure{Code: codePolicyRead, Message: "Policy cannot be read"}
	errNotRegular   = &failure{Code: codePolicyRead, Message: "Policy is not a regular file"}
	errChanged      = &failure{Code: codePolicyRead, Message: "Policy changed while it was read"}
)

// exceeded is the failure of a limit that format names.
func exceeded(format string, limit int) *failure {
	return &failure{Code: string(assay.CodeLimitExceeded), Message: fmt.Sprintf("Limit exceeded: "+format, limit)}
}

// notFound is the failure of a path, as the caller wrote it, that leads to no
// file.
func notFound(path string) *failure {
	return &failure{Code: codePolicyNotFound, Message: cut("Policy not found: " + validText(path))}
}

// checkArgsPayload is what assay_check_args answers.
type checkArgsPayload struct {
	Allowed      bool           `json:"allowed" jsonschema:"title=Allowed" jsonschema_description:"True when no rule forbids the call. With obligations it is not yet a go."`
	Code         string         `json:"code,omitempty" jsonschema:"title=Code,example=E_ARG_SCHEMA" jsonschema_description:"Stable identifier of the rule that denied."`
	Reason       string         `json:"reason,omitempty" jsonschema:"title=Reason" jsonschema_description:"One sentence for a log."`
	Violations   []argViolation `json:"violations,omitzero" jsonschema:"title=Violations" jsonschema_description:"What the arguments break. Correct them and ask again."`
	Truncated    bool           `json:"truncated,omitempty" jsonschema:"title=Truncated" jsonschema_description:"True when there were more violations than are listed."`
	SuggestedFix *suggestedFix  `json:"suggested_fix,omitempty" jsonschema:"title=Suggested fix" jsonschema_description:"Arguments that were checked and pass, or null."`
	Warning      *warning       `json:"warning,omitempty" jsonschema:"title=Warning" jsonschema_description:"Something about this allow that a person should look at."`
	Obligations  []obligation   `json:"obligations,omitempty" jsonschema:"title=Obligations" jsonschema_description:"What must be done before the allowed call may run."`
	Contract     *contract      `json:"contract,omitempty" jsonschema:"title=Contract" jsonschema_description:"The denial in the form that a caller can pass on."`
	Error        *failure       `json:"error,omitempty" jsonschema:"title=Error" jsonschema_description:"Why no decision could be made. It denies."`
}

type argViolation struct {
	Path       string `json:"path" jsonschema:"title=Path,example=/amount" jsonschema_description:"JSON Pointer into the arguments; empty for the whole."`
	Constraint string `json:"constraint" jsonschema:"title=Constraint,example=maximum" jsonschema_description:"The JSON Schema keyword that is broken."`
	Message    string `json:"message" jsonschema:"title=Message" jsonschema_description:"One sentence that names the limit."`
	Suggestion string `json:"suggestion" jsonschema:"title=Suggestion" jsonschema_description:"One sentence that says what would pass."`
	SchemaPath string `json:"schema_path" jsonschema:"title=Schema path" jsonschema_description:"JSON Pointer to the keyword in the policy."`
}

type warning struct {
	Code   string `json:"code" jsonschema:"title=Code,example=E_TOOL_UNCONSTRAINED" jsonschema_description:"Stable identifier of the warning."`
	Reason string `json:"reason" jsonschema:"title=Reason" jsonschema_description:"One sentence for a log."`
}

type obligation struct {
	Kind     string            `json:"kind" jsonschema:"title=Kind,enum=approval_required,enum=restrict_scope,enum=redact_args" jsonschema_description:"The duty."`
	Source   string            `json:"source" jsonschema:"title=Source,enum=name,enum=class,enum=name+class" jsonschema_description:"What made it apply."`
	Contract map[string]string `json:"contract,omitempty" jsonschema:"title=Contract" jsonschema_description:"The terms of the duty."`
}

type contract struct {
	Status     string         `json:"status" jsonschema:"title=Status,enum=deny" jsonschema_description:"Always deny."`
	ErrorCode  string         `json:"error_code" jsonschema:"title=Error code" jsonschema_description:"The code of the denial."`
	Tool       string         `json:"tool" jsonschema:"title=Tool" jsonschema_description:"The tool that was denied."`
	Reason     string         `json:"reason,omitempty" jsonschema:"title=Reason" jsonschema_description:"One sentence for a log."`
	Violations []argViolation `json:"violations,omitempty" jsonschema:"title=Violations" jsonschema_description:"What the arguments break."`
}

// suggestedFix is a fix or, on the wire, null.
type suggestedFix struct{ fix *fix }

type fix struct {
	Arguments json.RawMessage `json:"arguments" jsonschema:"title=Arguments" jsonschema_description:"Arguments that pass."`
	Changes   []change        `json:"changes" jsonschema:"title=Changes" jsonschema_description:"How they differ from those that were denied."`
}

type change struct {
	Path           string `json:"path" jsonschema:"title=Path" jsonschema_description:"JSON Pointer into the arguments."`
	FromConstraint string `json:"from_constraint" jsonschema:"title=Constraint" jsonschema_description:"The keyword that the change satisfies."`
	Action         string `json:"action" jsonschema:"title=Action" jsonschema_description:"What was done."`
}

func (s *suggestedFix) MarshalJSON() ([]byte, error) { return marshal(s.fix) }

// checkSequencePayload is what assay_check_sequence answers.
type checkSequencePayload struct {
	Allowed      bool                `json:"allowed" jsonschema:"title=Allowed" jsonschema_description:"True when the call may come next."`
	Violations   []sequenceViolation `json:"violations,omitzero" jsonschema:"title=Violations" jsonschema_description:"The rules that the call would break, in the order of the policy."`
	SuggestedFix *suggestedFix       `json:"suggested_fix,omitempty" jsonschema:"title=Suggested fix" jsonschema_description:"Always null."`
	Error        *failure            `json:"error,omitempty" jsonschema:"title=Error" jsonschema_description:"Why no decision could be made. It denies."`
}

type sequenceViolation struct {
	RuleID     string         `json:"rule_id,omitempty" jsonschema:"title=Rule,example=before:verify_identity->delete_customer" jsonschema_description:"The rule by kind and operands."`
	RuleType   string         `json:"rule_type,omitempty" jsonschema:"title=Rule type,example=before" jsonschema_description:"The rule's kind."`
	Constraint string         `json:"constraint" jsonschema:"title=Constraint,example=before" jsonschema_description:"How it is broken."`
	Message    string         `json:"message" jsonschema:"title=Message" jsonschema_description:"One sentence that says what is wrong."`
	Suggestion string         `json:"suggestion" jsonschema:"title=Suggestion" jsonschema_description:"What the agent could do next."`
	Spanned    []int          `json:"spanned,omitzero" jsonschema:"title=Spanned" jsonschema_description:"Indices of the calls that decide it. The history counts from 0 and the next call is the last."`
	Tool       string         `json:"tool,omitempty" jsonschema:"title=Tool" jsonschema_description:"The operand that the violation is about."`
	EventIndex *int           `json:"event_index,omitempty" jsonschema:"title=Event index" jsonschema_description:"The last of the spanned indices."`
	Context    map[string]int `json:"context,omitempty" jsonschema:"title=Context" jsonschema_description:"Numbers that explain it."`
}

// policyDecidePayload is what assay_policy_decide answers.
type policyDecidePayload struct {
	Allowed bool     `json:"allowed" jsonschema:"title=Allowed" jsonschema_description:"True when the name is not on the blocklist."`
	Reason  string   `json:"reason,omitempty" jsonschema:"title=Reason" jsonschema_description:"One sentence for a log."`
	Matches []string `json:"matches,omitempty" jsonschema:"title=Matches" jsonschema_description:"What blocks the name."`
	Error   *failure `json:"error,omitempty" jsonschema:"title=Error" jsonschema_description:"Why no decision could be made. It denies."`
}

// failurePayload is what any tool answers when it has no decision.
type failurePayload struct {
	Allowed bool     `json:"allowed"`
	Error   *failure `json:"error"`
}

// The answers that are always the same, and most common, as they are sent.
var (
	plainAllow  = json.RawMessage(`{"allowed":true,"violations":[],"suggested_fix":null}`)
	plainDecide = json.RawMessage(`{"allowed":true,"reason":"Allowed by policy"}`)
)

// failed returns the failure that a decision stands for, or nil when it is a
// decision by the policy.
func failed(d *assay.Decision) *failure {
	switch d.Code {
	case assay.CodeLimitExceeded:
		return errBudget
	case assay.CodeInvalidRequest, assay.CodePolicyParse:
		return &failure{Code: string(d.Code), Message: cut(d.Reason)}
	}
	return nil
}

func checkArgsAnswer(tool string, d *assay.Decision) any {
	if err := failed(d); err != nil && !d.Allowed {
		return &failurePayload{Error: err}
	}
	if d.Allowed && d.Warning == (assay.Warning{}) && len(d.Obligations) == 0 {
		return plainAllow
	}
	p := &checkArgsPayload{Allowed: d.Allowed, Violations: []argViolation{}, SuggestedFix: &suggestedFix{}}
	if d.Allowed {
		if d.Warning != (assay.Warning{}) {
			p.Warning = &warning{Code: string(d.Warning.Code), Reason: cut(d.Warning.Reason)}
		}
		for _, o := range d.Obligations {
			p.Obligations = append(p.Obligations, obligation(o))
		}
		return p
	}
	p.Code, p.Reason, p.Truncated = string(d.Code), cut(d.Reason), d.Truncated
	for _, v := range d.Violations {
		p.Violations = append(p.Violations, argViolation{v.Path, v.Constraint, cut(v.Message), cut(v.Suggestion), v.SchemaPath})
	}
	p.Contract = &contract{Status: "deny", ErrorCode: p.Code, Tool: tool}
	if d.Code == assay.CodeArgSchema {
		p.Contract.Violations = p.Violations
	} else {
		p.Contract.Reason = p.Reason
	}
	if f := d.SuggestedFix; f != nil {
		p.SuggestedFix.fix = &fix{Arguments: f.Arguments, Changes: []change{}}
		for _, c := range f.Changes {
			p.SuggestedFix.fix.Changes = append(p.SuggestedFix.fix.Changes, change(c))
		}
	}
	return p
}

func checkSequenceAnswer(d *assay.Decision) any {
	if err := failed(d); err != nil && !d.Allowed {
		return &failurePayload{Error: err}
	}
	if d.Allowed {
		return plainAllow
	}
	p := &checkSequencePayload{Violations: []sequenceViolation{}, SuggestedFix: &suggestedFix{}}
	for _, v := range d.Violations {
		p.Violations = append(p.Violations, sequenceViolation{v.RuleID, v.RuleType, v.Constraint,
			cut(v.Message), cut(v.Suggestion), v.Spanned, v.Tool, v.EventIndex, v.Context})
	}
	return p
}

func policyDecideAnswer(tool string, d *assay.Decision) any {
	if err := failed(d); err != nil && !d.Allowed {
		return &failurePayload{Error: err}
	}
	if d.Allowed {
		return plainDecide
	}
	return &policyDecidePayload{Matches: []string{cut("Tool '" + tool + "' is blocked by policy")}}
}

// cut shortens a message to maxText bytes, on a character boundary.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// validText returns text with what is no UTF-8 in it replaced, so that it can
// be sent.
func validText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// Error makes a failure an error; it is what a client reads too.
func (f *failure) Error() string { return f.Message }
