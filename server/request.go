package server

import (
	"encoding/json"
	"sync"
	"unicode/utf8"

	"example.com/assay/assay"
)

// toolParams are the params of a tools/call, as text.
type toolParams struct {
	malformed             bool // no object, or a member is repeated
	name, arguments, meta once
}

func parseToolParams(params []byte) toolParams {
	m, ok := membersOf(params, maxDepth)
	if !ok {
		return toolParams{malformed: true}
	}
	var p toolParams
	for m.next() {
		switch string(m.name()) {
		case "name":
			p.name.set(m.value)
		case "arguments":
			p.arguments.set(m.value)
		case "_meta":
			p.meta.set(m.value)
		}
	}
	p.malformed = p.name.again || p.arguments.again || p.meta.again
	return p
}

// The requests of the tools. Their tags hold what tools/list publishes; how
// they are read is below. Members that a tool does not have are ignored, and
// names are compared exactly.

type checkArgsRequest struct {
	Tool      string          `json:"tool" jsonschema:"title=Tool,minLength=1,example=delete_file" jsonschema_description:"Name of the tool that the agent is about to call; compared byte for byte."`
	Arguments json.RawMessage `json:"arguments" jsonschema:"title=Arguments" jsonschema_description:"The arguments of that call exactly as the agent wrote them. Any JSON value is judged."`
	Policy    string          `json:"policy" jsonschema:"title=Policy,minLength=1,example=agents/support.yaml" jsonschema_description:"Path of the policy file below the server's policy root."`
	Identity  *identity       `json:"identity,omitempty" jsonschema:"title=Identity" jsonschema_description:"What the tool really is at run time. Give it when the policy pins tools: without it a pin is not verified."`
}

type identity struct {
	ServerID   string `json:"server_id" jsonschema:"title=Server" jsonschema_description:"Identifier of the MCP server that offers the tool."`
	ToolName   string `json:"tool_name" jsonschema:"title=Tool name" jsonschema_description:"The tool's name on that server."`
	SchemaHash string `json:"schema_hash" jsonschema:"title=Schema hash" jsonschema_description:"SHA-256 of the tool's input schema in 64 lowercase hexadecimal digits."`
	MetaHash   string `json:"meta_hash" jsonschema:"title=Metadata hash" jsonschema_description:"SHA-256 of the tool's metadata in 64 lowercase hexadecimal digits."`
}

type checkSequenceRequest struct {
	History       []pastCall      `json:"history" jsonschema:"title=History" jsonschema_description:"The calls of this run so far, oldest first. Each is a tool name, or an object that also holds the arguments; rules about arguments need the latter."`
	NextTool      string          `json:"next_tool" jsonschema:"title=Next tool,minLength=1,example=delete_customer" jsonschema_description:"Name of the tool that the agent is about to call."`
	Policy        string          `json:"policy" jsonschema:"title=Policy,minLength=1,example=agents/support.yaml" jsonschema_description:"Path of the policy file below the server's policy root."`
	NextArguments json.RawMessage `json:"next_arguments,omitempty" jsonschema:"title=Next arguments,type=object" jsonschema_description:"The arguments of the next call. Needed where a rule looks at arguments."`
}

// pastCall is an entry of a history.
type pastCall struct {
	Tool      string          `json:"tool" jsonschema:"title=Tool,minLength=1,example=verify_identity" jsonschema_description:"Name of the tool that was called."`
	Arguments json.RawMessage `json:"arguments,omitempty" jsonschema:"title=Arguments,type=object" jsonschema_description:"The arguments of that call."`
}

type policyDecideRequest struct {
	Tool   string `json:"tool" jsonschema:"title=Tool,minLength=1,example=delete_file" jsonschema_description:"Name of the tool that the agent is about to call; compared byte for byte."`
	Policy string `json:"policy" jsonschema:"title=Policy,minLength=1,example=blocklist.yaml" jsonschema_description:"Path of a policy file below the server's policy root that holds a blocklist and nothing else."`
}

// readCheckArgs reads the arguments of assay_check_args; ok is false when a
// member is missing, repeated or of a wrong type.
func readCheckArgs(arguments []byte) (r checkArgsRequest, ok bool) {
	var tool, args, policy, id once
	if !readMembers(arguments, func(name string, value []byte) {
		switch name {
		case "tool":
			tool.set(value)
		case "arguments":
			args.set(value)
		case "policy":
			policy.set(value)
		case "identity":
			id.set(value)
		}
	}) {
		return r, false
	}
	if args.value == nil || args.again || id.again ||
		!tool.text(&r.Tool) || !policy.text(&r.Policy) {
		return r, false
	}
	r.Arguments = args.value
	if id.value != nil {
		if r.Identity, ok = readIdentity(id.value); !ok {
			return r, false
		}
	}
	return r, true
}

// readIdentity reads an identity. A member that is not given is empty, so that
// it differs from every pin.
func readIdentity(value []byte) (*identity, bool) {
	var server, tool, schema, meta once
	if !readMembers(value, func(name string, value []byte) {
		switch name {
		case "server_id":
			server.set(value)
		case "tool_name":
			tool.set(value)
		case "schema_hash":
			schema.set(value)
		case "meta_hash":
			meta.set(value)
		}
	}) {
		return nil, false
	}
	var id identity
	ok := server.optionalText(&id.ServerID) && tool.optionalText(&id.ToolName) &&
		schema.optionalText(&id.SchemaHash) && meta.optionalText(&id.MetaHash)
	return &id, ok
}

func readCheckSequence(arguments []byte) (r checkSequenceRequest, ok bool) {
	var history, next, policy, args once
	if !readMembers(arguments, func(name string, value []byte) {
		switch name {
		case "history":
			history.set(value)
		case "next_tool":
			next.set(value)
		case "policy":
			policy.set(value)
		case "next_arguments":
			args.set(value)
		}
	}) {
		return r, false
	}
	if history.again || args.again || args.value != nil && !isArguments(args.value) ||
		!next.text(&r.NextTool) || !policy.text(&r.Policy) {
		return r, false
	}
	r.NextArguments = args.value
	e, ok := elementsOf(history.value)
	if !ok {
		return r, false
	}
	for e.next() {
		call, ok := readPastCall(e.value)
		if !ok {
			return r, false
		}
		r.History = append(r.History, call)
	}
	return r, true
}

func readPastCall(value []byte) (c pastCall, ok bool) {
	if isString(value) {
		return pastCall{Tool: string(unquoted(value))}, true
	}
	var tool, args once
	if !readMembers(value, func(name string, value []byte) {
		switch name {
		case "tool":
			tool.set(value)
		case "arguments":
			args.set(value)
		}
	}) {
		return c, false
	}
	if args.again || args.value != nil && !isArguments(args.value) || !tool.text(&c.Tool) {
		return c, false
	}
	c.Arguments = args.value
	return c, true
}

// isArguments reports whether value is what a call in a sequence may have as its
// arguments: one object that strict reading takes (docs/policy.md, "Order"; what is
// strict, docs/policy.md, "Arguments").
func isArguments(value []byte) bool {
	return isObject(value) && isStrict(value)
}

func isStrict(text []byte) bool {
	return assay.CheckArgs(strictReader(), assay.Call{Tool: "any", Arguments: text}).Allowed
}

// strictReader is a policy that allows the tool any with whatever arguments can
// be read at all.
var strictReader = sync.OnceValue(func() *assay.Policy {
	policy, err := assay.Parse([]byte(`{"schemas": {"any": true}}`), nil)
	if err != nil {
		panic(err)
	}
	return policy
})

func readPolicyDecide(arguments []byte) (r policyDecideRequest, ok bool) {
	var tool, policy once
	ok = readMembers(arguments, func(name string, value []byte) {
		switch name {
		case "tool":
			tool.set(value)
		case "policy":
			policy.set(value)
		}
	})
	return r, ok && tool.text(&r.Tool) && policy.text(&r.Policy)
}

// readMembers calls set with every member of an object; it is false for what
// is no object.
func readMembers(value []byte, set func(name string, value []byte)) bool {
	m, ok := membersOf(value, maxDepth)
	if !ok {
		return false
	}
	for m.next() {
		set(string(m.name()), m.value)
	}
	return m.whole()
}

// text sets field to the member's text; it is false when the member is
// missing, repeated or no string.
func (o *once) text(field *string) bool {
	if o.again || !isString(o.value) {
		return false
	}
	*field = string(unquoted(o.value))
	return true
}

// optionalText is text for a member that may be missing.
func (o *once) optionalText(field *string) bool {
	return o.value == nil || o.text(field)
}

// check returns what is wrong with the names and sizes of a request, in the
// order of the contract: empty names, then field limits.
func (r *checkArgsRequest) check(l *Limits) *failure {
	if err := checkNames(r.Policy, r.Tool); err != nil {
		return err
	}
	if err := checkFields(l, field{"tool", len(r.Tool)}, field{"arguments", len(r.Arguments)}, field{"policy", len(r.Policy)}); err != nil {
		return err
	}
	return nil
}

func (r *policyDecideRequest) check(l *Limits) *failure {
	if err := checkNames(r.Policy, r.Tool); err != nil {
		return err
	}
	return checkFields(l, field{"tool", len(r.Tool)}, field{"policy", len(r.Policy)})
}

func (r *checkSequenceRequest) check(l *Limits) *failure {
	if err := checkNames(r.Policy, r.NextTool); err != nil {
		return err
	}
	for i := range r.History {
		if err := checkNames(r.Policy, r.History[i].Tool); err != nil {
			return err
		}
	}
	if len(r.History) > l.History {
		return exceeded("history over %d calls", l.History)
	}
	for i := range r.History {
		past := &r.History[i]
		if err := checkFields(l, field{"a tool of history", len(past.Tool)}, field{"arguments of history", len(past.Arguments)}); err != nil {
			return err
		}
	}
	return checkFields(l, field{"next_tool", len(r.NextTool)}, field{"next_arguments", len(r.NextArguments)}, field{"policy", len(r.Policy)})
}

func checkNames(policy, tool string) *failure {
	switch {
	case policy == "":
		return errNoPolicyPath
	case tool == "":
		return errEmptyName
	case !utf8.ValidString(tool):
		return errNameEncoding
	}
	return nil
}

type field struct {
	name string
	size int
}

func checkFields(l *Limits, fields ...field) *failure {
	for _, f := range fields {
		if f.size > l.FieldBytes {
			return exceeded(f.name+" over %d bytes", l.FieldBytes)
		}
	}
	return nil
}

// call returns the proposed call.
func (r *checkArgsRequest) call() assay.Call {
	c := assay.Call{Tool: r.Tool, Arguments: r.Arguments}
	if r.Identity != nil {
		id := assay.Identity(*r.Identity)
		c.Identity = &id
	}
	return c
}

// calls returns the history and the proposed call.
func (r *checkSequenceRequest) calls() (history []assay.Call, next assay.Call) {
	history = make([]assay.Call, len(r.History))
	for i, past := range r.History {
		history[i] = assay.Call{Tool: past.Tool, Arguments: past.Arguments}
	}
	return history, assay.Call{Tool: r.NextTool, Arguments: r.NextArguments}
}
