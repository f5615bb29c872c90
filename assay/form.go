package assay

import (
	"cmp"
	"strings"

	"example.com/assay/assay/internal/policydoc"
	"example.com/assay/internal/jsonpointer"
	"example.com/assay/internal/slip"
)

// forms shows, by JSON Pointer, how keys of the language are written whose
// values are neither text nor a list of text.
var forms = map[string]string{
	"/version":                       `version: "2.0"`,
	"/tools":                         "tools: {allow: [name], deny: [name]}",
	"/tools/require_args":            "require_args: {tool: [argument]}",
	"/tools/arg_constraints":         "arg_constraints: {tool: {argument: {type: string}}}",
	"/tools/restrict_scope_contract": "restrict_scope_contract: {scope_type: resource}",
	"/tools/redact_args_contract":    "redact_args_contract: {redaction_mode: mask}",
	"/tool_classes":                  "tool_classes: {tool: [class]}",
	"/schemas":                       "schemas: {tool: {type: object}}",
	"/constraints":                   "constraints: {tool: {argument: pattern}}",
	"/enforcement":                   "enforcement: {unconstrained_tools: deny}",
	"/limits":                        "limits: {max_tool_calls_total: 100}",
	"/limits/max_requests_total":     "max_requests_total: 100",
	"/limits/max_tool_calls_total":   "max_tool_calls_total: 100",
	"/tool_pins":                     "tool_pins: {tool: {server_id: a, tool_name: b, schema_hash: c, meta_hash: d}}",
	"/sequences":                     "sequences: [{type: before, first: tool, then: tool}]",
	"/aliases":                       "aliases: {name: [tool, tool]}",
}

// examples has values of keys that must be there; any other is a name.
var examples = map[string]string{
	"max":         "1",
	"within":      "3",
	"tools":       "[name, name]",
	"params":      "{argument: {matches: pattern}}",
	"args_match":  "{argument: pattern}",
	"matches":     "pattern",
	"schema_hash": "64 hexadecimal digits",
	"meta_hash":   "64 hexadecimal digits",
}

// form says how a value is to be written that is of another kind than the one
// wanted; "" where that goes without saying.
func (f field) form(want string) string {
	got := f.node.Kind
	switch {
	case want == "text" && (got == policydoc.Number || got == policydoc.Bool):
		return "put it in quotation marks"
	case want == "a number" && got == policydoc.String:
		return slip.Number(f.node.Text)
	case want == "true or false" && got == policydoc.String:
		return cmp.Or(slip.Boolean(f.node.Text), "write true or false")
	case want == "text" && got == policydoc.Null:
		return "leave it out, or put it in quotation marks if it is meant as text"
	case want == "a list of text":
		return f.listForm()
	}
	for path := f.path; path != ""; path = path[:strings.LastIndexByte(path, '/')] {
		if form, ok := forms[path]; ok {
			return "write " + form
		}
	}
	return ""
}

// listForm says how a list of text is to be written, with the text that stands
// in its place if it looks like a name.
func (f field) listForm() string {
	parent := strings.LastIndexByte(f.path, '/')
	if parent < 0 {
		return ""
	}
	name, _ := jsonpointer.Unescape(f.path[parent+1:])
	return slip.List(name, f.node.Text)
}
