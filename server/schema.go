package server

import (
	"encoding/json"

	"github.com/invopop/jsonschema"
)

// inputSchema returns the JSON Schema of a request.
func inputSchema(request any, title string) *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true}
	return describe(&r, request, title)
}

// outputSchema returns the JSON Schema of a payload.
func outputSchema(payload any, title string) *jsonschema.Schema {
	r := jsonschema.Reflector{Anonymous: true, DoNotReference: true, AllowAdditionalProperties: true}
	return describe(&r, payload, title)
}

func describe(r *jsonschema.Reflector, value any, title string) *jsonschema.Schema {
	s := r.Reflect(value)
	s.Title = title
	return s
}

// JSONSchema says that an entry of a history is a name or a call.
func (pastCall) JSONSchema() *jsonschema.Schema {
	type object pastCall
	call := inputSchema(object{}, "Call")
	call.Version = ""
	one := uint64(1)
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		{Type: "string", MinLength: &one, Title: "Tool", Description: "Name of the tool that was called; its arguments are not known."},
		call,
	}}
}

// JSONSchema says that a fix may be null.
func (suggestedFix) JSONSchema() *jsonschema.Schema {
	object := outputSchema(fix{}, "Fix")
	object.Version = ""
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "null"}, object}}
}

var _ json.Marshaler = (*suggestedFix)(nil)
