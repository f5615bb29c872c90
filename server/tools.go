package server

import (
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/assay"
)

// tool is one tool that the server publishes.
type tool struct {
	name, title, description string

	request, payload any // values of the types whose schemas are published

	// run answers a call with the arguments as sent. It returns the payload and
	// whether that is anything but an allow or a report; no panic of it gets out.
	run func(s *Server, c *call, arguments []byte) (payload any, isError bool)
}

// tools are the tools in the order in which they are published.
var tools = []tool{
	{
		name:  "assay_check_args",
		title: "Check a tool call's arguments",
		description: "Decides whether a policy allows one tool call with these arguments. " +
			"Use it before every call of a tool, and run the call only when allowed is true and no obligation is open. " +
			"A denial lists what to change; correct the arguments and ask again.",
		request: checkArgsRequest{},
		payload: checkArgsPayload{},
		run:     (*Server).checkArgs,
	},
	{
		name:  "assay_check_sequence",
		title: "Check the order of tool calls",
		description: "Decides whether a tool may be called next, given the calls that were made before in this run. " +
			"Use it before a call whose policy has rules about order or counts, such as verify before delete. " +
			"A denial names the rule and what to call first.",
		request: checkSequenceRequest{},
		payload: checkSequencePayload{},
		run:     (*Server).checkSequence,
	},
	{
		name:  "assay_policy_decide",
		title: "Check a tool's name",
		description: "Decides whether a tool's name is on a blocklist. " +
			"Use it when the policy file holds nothing but a blocklist; for every other policy use assay_check_args.",
		request: policyDecideRequest{},
		payload: policyDecidePayload{},
		run:     (*Server).policyDecide,
	},
}

// toolNamed returns the tool of a name, or nil.
func toolNamed(name []byte) *tool {
	for i := range tools {
		if tools[i].name == string(name) {
			return &tools[i]
		}
	}
	return nil
}

// published returns what tools/list says of the tools. Schemas are made from Go
// types, which takes long against a start and is seldom asked for.
var published = sync.OnceValue(func() (list []*mcp.Tool) {
	no := false
	for _, t := range tools {
		list = append(list, &mcp.Tool{
			Name:         t.name,
			Title:        t.title,
			Description:  t.description,
			InputSchema:  inputSchema(t.request, "Arguments of "+t.name),
			OutputSchema: outputSchema(t.payload, "Answer of "+t.name),
			Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no},
		})
	}
	return list
})

func (s *Server) checkArgs(c *call, arguments []byte) (any, bool) {
	r, ok := readCheckArgs(arguments)
	if !ok {
		return failurePayload{Error: errInternal}, true
	}
	if err := r.check(&s.limits); err != nil {
		return failurePayload{Error: err}, true
	}
	policy, err := s.store.policy(r.Policy, c)
	if err != nil {
		return failurePayload{Error: loadFailure(err)}, true
	}
	d := assay.CheckArgs(policy.Until(&c.stop), r.call())
	return checkArgsAnswer(r.Tool, &d), !d.Allowed
}

func (s *Server) checkSequence(c *call, arguments []byte) (any, bool) {
	r, ok := readCheckSequence(arguments)
	if !ok {
		return failurePayload{Error: errInternal}, true
	}
	if err := r.check(&s.limits); err != nil {
		return failurePayload{Error: err}, true
	}
	policy, err := s.store.policy(r.Policy, c)
	if err != nil {
		return failurePayload{Error: sequenceLoadFailure(err)}, true
	}
	history, next := r.calls()
	d := assay.CheckSequence(policy.Until(&c.stop), history, next)
	return checkSequenceAnswer(&d), !d.Allowed
}

func (s *Server) policyDecide(c *call, arguments []byte) (any, bool) {
	r, ok := readPolicyDecide(arguments)
	if !ok {
		return failurePayload{Error: errInternal}, true
	}
	if err := r.check(&s.limits); err != nil {
		return failurePayload{Error: err}, true
	}
	policy, err := s.store.policy(r.Policy, c)
	if err != nil {
		return failurePayload{Error: loadFailure(err)}, true
	}
	d := assay.PolicyDecide(policy.Until(&c.stop), r.Tool)
	return policyDecideAnswer(r.Tool, &d), !d.Allowed
}

// loadFailure says what an error of loading a policy means to the caller.
// Nothing of the file's text is in it.
func loadFailure(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	var policy *assay.PolicyError
	if !errors.As(err, &policy) {
		return errInternal
	}
	f = &failure{Code: string(policy.Code()), Message: policy.Message()}
	if policy.Kind == assay.KindSyntax && len(policy.Problems) > 0 {
		if p := policy.Problems[0]; p.Line > 0 && p.Column > 0 {
			f.Details = &position{Line: p.Line, Column: p.Column}
		}
	}
	return f
}

// sequenceLoadFailure is loadFailure for the sequence check, to which all that
// is wrong with a file but its length is the same.
func sequenceLoadFailure(err error) *failure {
	f := loadFailure(err)
	if f.Code == string(assay.CodePolicyParse) {
		return &failure{Code: f.Code, Message: "Invalid sequence policy format"}
	}
	return f
}
