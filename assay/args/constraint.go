package args

import (
	"encoding/json"
	"slices"
	"strings"

	"example.com/assay/assay/internal/schema"
	"example.com/assay/internal/jsonpointer"
)

// Constraint is one entry of the legacy `constraints`: each parameter named is
// required and is a string of at least one character that its regular
// expression matches; other arguments are allowed.
type Constraint struct {
	Tool    string
	Params  map[string]string // name -> regular expression (ECMA-262)
	Pointer string            // JSON Pointer of the mapping of parameters in the policy
}

// source is one source of argument rules for one tool. Several of them stand
// beside each other: the arguments must pass each, and none sees another.
type source struct {
	tool    string
	pointer string // where it stands in the policy
	doc     any    // the JSON Schema that it is or amounts to
	form    form
}

// form says how the places in a source's schema read in the policy.
type form uint8

const (
	formSchema  form = iota // the schema is written in the policy as it is
	formNames               // require_args: only the list of names is written
	formSchemas             // arg_constraints: only the members of properties are
	formRegexps             // constraints: only the regular expression of each parameter is
)

// sources lists the argument rules of a policy, by kind and then by tool. One
// that says nothing is not among them, except under `schemas`.
func sources(r *Rules) []source {
	var all []source
	for _, tool := range sorted(r.Schemas) {
		all = append(all, source{tool, jsonpointer.Join("/schemas", tool), r.Schemas[tool], formSchema})
	}
	for _, tool := range sorted(r.RequireArgs) {
		if names := r.RequireArgs[tool]; len(names) > 0 {
			doc := map[string]any{"type": "object", "required": list(names)}
			all = append(all, source{tool, jsonpointer.Join("/tools/require_args", tool), doc, formNames})
		}
	}
	for _, tool := range sorted(r.ArgConstraints) {
		if properties := r.ArgConstraints[tool]; len(properties) > 0 {
			doc := map[string]any{"type": "object", "properties": properties}
			all = append(all, source{tool, jsonpointer.Join("/tools/arg_constraints", tool), doc, formSchemas})
		}
	}
	for _, c := range r.Constraints {
		if len(c.Params) > 0 {
			all = append(all, source{c.Tool, c.Pointer, legacySchema(c.Params), formRegexps})
		}
	}
	return all
}

// legacySchema is the schema that the parameters of a legacy constraint amount to.
func legacySchema(params map[string]string) map[string]any {
	properties := make(map[string]any, len(params))
	for name, regexp := range params {
		properties[name] = map[string]any{"type": "string", "minLength": json.Number("1"), "pattern": regexp}
	}
	return map[string]any{"type": "object", "required": list(sorted(params)), "properties": properties}
}

// place returns where in the policy the reader finds what stands at a place of
// the source's schema. Shared definitions stand where they are.
func (s *source) place(at string) string {
	rest, inside := strings.CutPrefix(at, s.pointer+"/")
	if !inside || s.form == formSchema {
		return at
	}
	property, inside := strings.CutPrefix(rest, "properties/")
	if !inside {
		return s.pointer
	}
	if s.form == formRegexps {
		property, _, _ = strings.Cut(property, "/")
	}
	return s.pointer + "/" + property
}

// commons is what the schemas of r have in common.
func commons(r *Rules, opts Options) *schema.Commons {
	return schema.NewCommons(schema.Source{
		Defs:        r.Defs,
		DefsPointer: "/schemas/$defs",
		DefsBroken:  r.DefsBroken,
	}, schema.Options{
		AnnotateFormats: r.AnnotateFormats,
		MaxBytes:        opts.MaxSchemaBytes,
		MaxSteps:        opts.MaxSteps,
		MaxViolations:   opts.MaxViolations,
	})
}

// compile returns the source's schema, or why it does not compile.
func (s *source) compile(shared *schema.Commons) (compiled *schema.Schema, all []Problem) {
	// Sources are compiled on goroutines of their own, where nobody else could
	// recover: a schema that cannot even be looked at denies its tool.
	defer func() {
		if recover() != nil {
			compiled, all = nil, []Problem{{Path: s.pointer, Tool: s.tool, Message: "the schema cannot be compiled", Reason: "internal"}}
		}
	}()
	compiled, problems := shared.Compile(s.doc, s.pointer)
	for _, p := range problems {
		all = append(all, Problem{s.place(p.Path), s.tool, p.Message, p.Hint, p.Reason})
	}
	return compiled, all
}

// list makes a JSON array of distinct names, as `required` asks for them.
func list(names []string) []any {
	names = slices.Clone(names)
	slices.Sort(names)
	var items []any
	for _, name := range slices.Compact(names) {
		items = append(items, name)
	}
	return items
}
