package assay

import (
	"slices"
	"strings"

	"example.com/assay/assay/internal/policydoc"
	"example.com/assay/internal/jsonpointer"
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
	"/tool_pins":                     "tool_pins: {tool: {server_id: a, tool_name: b, schema_hash: c, meta_hash: d}}",
	"/sequences":                     "sequences: [{type: before, first: tool, then: tool}]",
	"/aliases":                       "aliases: {name: [tool, tool]}",
}

// form says how a value is to be written that is of another kind than the one
// wanted; "" where that goes without saying.
func (f field) form(want string) string {
	got := f.node.Kind
	switch {
	case want == "text" && (got == policydoc.Number || got == policydoc.Bool):
		return "put it in quotation marks"
	case want == "a number" && got == policydoc.String, want == "true or false" && got == policydoc.String:
		return "write " + want + " without quotation marks"
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
	item := "name, name"
	if text := f.node.Text; f.node.Kind == policydoc.String && text != "" && len(text) <= 64 && !strings.ContainsAny(text, "[],\n") {
		item = written(text)
	}
	name, _ := jsonpointer.Unescape(f.path[parent+1:])
	return "write a list: " + written(name) + ": [" + item + "]"
}

// written is text as it may stand in YAML, in quotation marks where it might
// need them.
func written(text string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	switch {
	case text == "", strings.IndexByte(letters, text[0]) < 0, strings.Trim(text, "_-0123456789"+letters) != "",
		slices.Contains([]string{"true", "false", "null"}, strings.ToLower(text)):
		return quote(text)
	}
	return text
}
