package assay

import (
	"maps"
	"slices"
	"strings"

	"example.com/assay/assay/sequence"
)

// Spec is the policy document in Go: what a policy file says, key by key. Its
// JSON form is a policy file again, and [Parse] of that form decides as this
// Spec does.
//
// A nil field is a key that the file does not hold. An empty one is a key that
// it holds, and that is another thing: nil Allow is silent about names, an empty
// Allow allows none. One Spec may speak of arguments, order and names at once;
// each check reads its part (docs/policy.md, "A whole file").
//
// A file has one of three forms. Nearly all are a mapping, and every field but
// the last two belongs to it. The other two are of [CheckSequence] only: List,
// a bare list of rules, and Exact, a bare list of names; whoever sets one of
// them leaves everything else nil.
type Spec struct {
	// Version is "1.0", "1.1", "2.0", "1" or "2"; a file may write it as a
	// number. Only "1.1" has a meaning of its own: such a file is a sequence
	// policy although it holds no sequences, as long as it holds nothing but
	// version, name, metadata, tools, sequences, aliases and on_error.
	Version string `json:"version,omitzero" jsonschema:"enum=1.0,enum=1.1,enum=2.0,enum=1,enum=2"`

	// Name, Description and Metadata are for people. A file may hold them as
	// null, which is the same as not at all.
	Name        *string `json:"name,omitzero"`
	Description *string `json:"description,omitzero"`
	Metadata    any     `json:"metadata,omitzero"`

	// Tools filters names and says what more an allowed call needs.
	Tools *Tools `json:"tools,omitzero"`

	// Allow and Deny are the older places of Tools.Allow and Tools.Deny, and
	// are joined with them. A file may hold deny as null, which is the same as
	// not at all.
	Allow []string `json:"allow,omitzero"`
	Deny  []string `json:"deny,omitzero"`

	// ToolClasses names the classes of tools, by exact tool name.
	ToolClasses map[string][]string `json:"tool_classes,omitzero"`

	// Schemas holds each tool's JSON Schema for its arguments: a bool, a
	// map[string]any, or a value whose MarshalJSON writes one. The key "$defs"
	// is no tool but holds definitions that every schema may refer to. What is
	// no schema, or breaks the rules of docs/policy.md, "Arguments",
	// denies its own tool and no other.
	Schemas map[string]any `json:"schemas,omitzero"`

	// Constraints is the older way to say that an argument matches a pattern.
	Constraints []Constraint `json:"constraints,omitzero"`

	// Enforcement sets what is done where the rest of the file is silent.
	Enforcement *Enforcement `json:"enforcement,omitzero"`

	// Limits holds the ceilings that a [Session] counts up to.
	Limits *Limits `json:"limits,omitzero"`

	// ToolPins says, by tool name, which tool must really be behind the name.
	ToolPins map[string]Identity `json:"tool_pins,omitzero"`

	// Sequences are the rules about order, values of the rule types of package
	// sequence. They are all evaluated, in this order.
	Sequences []sequence.Rule `json:"sequences,omitzero"`

	// Aliases names groups of tools: where a rule names an alias it means any
	// member. A member is a tool's name, never another alias.
	Aliases map[string][]string `json:"aliases,omitzero"`

	// OnError is kept and means nothing: a failure denies, whatever it says.
	OnError *string `json:"on_error,omitzero"`

	// Blocklist holds whole names, a star in one being a star. [PolicyDecide]
	// and [CheckArgs] deny them.
	Blocklist []string `json:"blocklist,omitzero"`

	// Signatures, Discovery, RuntimeMonitor and KillSwitch are sections of
	// other programs. They are kept, and nothing here evaluates them.
	Signatures     map[string]any `json:"signatures,omitzero"`
	Discovery      map[string]any `json:"discovery,omitzero"`
	RuntimeMonitor map[string]any `json:"runtime_monitor,omitzero"`
	KillSwitch     map[string]any `json:"kill_switch,omitzero"`

	// Extensions holds the root's keys that start "x-", any value. They are
	// kept, and nothing here evaluates them.
	Extensions map[string]any `json:"-"`

	// List is a whole document of the second form: rules without a mapping
	// around them. It is not empty.
	List []sequence.Rule `json:"-"`

	// Exact is a whole document of the third form: history and next call
	// together must be exactly these names. It is not empty.
	Exact []string `json:"-"`
}

// Tools is what a policy says about names.
//
// A pattern has five forms: "*" is every name, "x*" a prefix, "*x" a suffix,
// "*x*" a part, and without a star at either end it is the whole name. A star
// inside is a star. Classes are compared exactly.
type Tools struct {
	// Allow and AllowClasses are the names and classes that are allowed. Where
	// one of them or Spec.Allow is there, nothing else is.
	Allow        []string `json:"allow,omitzero"`
	AllowClasses []string `json:"allow_classes,omitzero"`

	// Deny and DenyClasses win over everything that allows. A file may hold
	// them as null, which is the same as not at all.
	Deny        []string `json:"deny,omitzero"`
	DenyClasses []string `json:"deny_classes,omitzero"`

	// RequireArgs lists, by tool, arguments that a call must have.
	RequireArgs map[string][]string `json:"require_args,omitzero"`

	// ArgConstraints holds, by tool and argument, a JSON Schema for that
	// argument where a call has it.
	ArgConstraints map[string]map[string]any `json:"arg_constraints,omitzero"`

	// ApprovalRequired and ApprovalRequiredClasses put the obligation
	// approval_required on an allow.
	ApprovalRequired        []string `json:"approval_required,omitzero"`
	ApprovalRequiredClasses []string `json:"approval_required_classes,omitzero"`

	// RestrictScope and RestrictScopeClasses put the obligation restrict_scope
	// on an allow, with the terms of RestrictScopeContract.
	RestrictScope         []string       `json:"restrict_scope,omitzero"`
	RestrictScopeClasses  []string       `json:"restrict_scope_classes,omitzero"`
	RestrictScopeContract *ScopeContract `json:"restrict_scope_contract,omitzero"`

	// RedactArgs and RedactArgsClasses put the obligation redact_args on an
	// allow, with the terms of RedactArgsContract.
	RedactArgs         []string           `json:"redact_args,omitzero"`
	RedactArgsClasses  []string           `json:"redact_args_classes,omitzero"`
	RedactArgsContract *RedactionContract `json:"redact_args_contract,omitzero"`
}

// ScopeContract holds the terms of a restrict_scope obligation. A nil member
// has its default.
type ScopeContract struct {
	ScopeType      *string `json:"scope_type,omitzero"`       // default "resource"
	ScopeValue     *string `json:"scope_value,omitzero"`      // default "*"
	ScopeMatchMode *string `json:"scope_match_mode,omitzero"` // default "exact"
}

// RedactionContract holds the terms of a redact_args obligation. A nil member
// has its default.
type RedactionContract struct {
	RedactionTarget *string `json:"redaction_target,omitzero"` // default "body"
	RedactionMode   *string `json:"redaction_mode,omitzero"`   // default "mask"
	RedactionScope  *string `json:"redaction_scope,omitzero"`  // default "request"
}

// Constraint demands that a call of Tool has every argument of Params, as a
// string of at least one character that matches the regular expression
// (ECMA-262, unanchored). Other arguments are free. A file may also write
// constraints as a mapping of tools; it is read as this list, in its order.
type Constraint struct {
	Tool   string             `json:"tool"`
	Params map[string]Matcher `json:"params"`
}

// Matcher is the condition on one argument of a [Constraint].
type Matcher struct {
	Matches string `json:"matches"`
}

// Enforcement sets what is done where the rest of a policy is silent.
type Enforcement struct {
	// UnconstrainedTools is for a call of an allowed tool without a schema:
	// "warn" (the default) allows it with a warning, "deny" denies it, "allow"
	// allows it.
	UnconstrainedTools string `json:"unconstrained_tools,omitzero" jsonschema:"enum=warn,enum=deny,enum=allow"`

	// Formats says whether the format keyword of a schema constrains: "assert"
	// (the default) or "annotate".
	Formats string `json:"formats,omitzero" jsonschema:"enum=assert,enum=annotate"`
}

// Limits holds ceilings, integers >= 0. [CheckArgs] knows of no earlier call,
// so there only a ceiling of 0 denies.
type Limits struct {
	// MaxRequestsTotal is how many calls may be asked for, allowed or not.
	MaxRequestsTotal *int64 `json:"max_requests_total,omitzero" jsonschema:"minimum=0"`

	// MaxToolCallsTotal is how many calls may be allowed.
	MaxToolCallsTotal *int64 `json:"max_tool_calls_total,omitzero" jsonschema:"minimum=0"`
}

// isList reports whether the document has one of the two forms without a mapping.
func (s *Spec) isList() bool { return s.List != nil || s.Exact != nil }

// terms are the members of the contract that the file gives.
func (c *ScopeContract) terms() map[string]string {
	if c == nil {
		return nil
	}
	return terms(map[string]*string{
		"scope_type": c.ScopeType, "scope_value": c.ScopeValue, "scope_match_mode": c.ScopeMatchMode,
	})
}

// terms are the members of the contract that the file gives.
func (c *RedactionContract) terms() map[string]string {
	if c == nil {
		return nil
	}
	return terms(map[string]*string{
		"redaction_target": c.RedactionTarget, "redaction_mode": c.RedactionMode, "redaction_scope": c.RedactionScope,
	})
}

func terms(members map[string]*string) map[string]string {
	given := make(map[string]string)
	for name, text := range members {
		if text != nil {
			given[name] = *text
		}
	}
	return given
}

// toolNames lists, in ascending order, the tools that the document names exactly
// and somewhere else than among what it denies; inRules are those that its
// sequence rules mention.
func (s *Spec) toolNames(inRules []string) []string {
	set := make(map[string]struct{})
	add := func(names ...string) {
		for _, name := range names {
			set[name] = struct{}{}
		}
	}
	patterns := func(lists ...[]string) {
		for _, list := range lists {
			for _, p := range list {
				if !strings.HasPrefix(p, "*") && !strings.HasSuffix(p, "*") {
					add(p)
				}
			}
		}
	}
	for tool := range s.Schemas {
		if tool != definitions {
			add(tool)
		}
	}
	add(slices.Collect(maps.Keys(s.ToolClasses))...)
	add(slices.Collect(maps.Keys(s.ToolPins))...)
	for _, c := range s.Constraints {
		add(c.Tool)
	}
	patterns(s.Allow)
	if t := s.Tools; t != nil {
		patterns(t.Allow, t.ApprovalRequired, t.RestrictScope, t.RedactArgs)
		add(slices.Collect(maps.Keys(t.RequireArgs))...)
		add(slices.Collect(maps.Keys(t.ArgConstraints))...)
	}
	add(inRules...)
	delete(set, "") // no call has this name
	return slices.Sorted(maps.Keys(set))
}
