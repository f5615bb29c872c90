package schema

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/message"

	"example.com/assay/assay/internal/strictjson"
)

// fragment writes a JSON Pointer as the fragment of a URL.
func fragment(pointer string) string {
	return strings.ReplaceAll(url.PathEscape(pointer), "%2F", "/")
}

// applicators is what the package evaluates of one schema, as the library's
// extension. The library calls it behind its own keywords, unless the type was
// wrong; so here every visit is counted, what it cost included.
type applicators struct {
	schema    *Schema
	engine    *engine
	node      *node
	assertion *assertion

	allOf                      []*jsonschema.Schema // $ref is the first of them
	anyOf, oneOf               []*jsonschema.Schema
	not                        *jsonschema.Schema
	condition, then, otherwise *jsonschema.Schema
	contains                   *jsonschema.Schema
	propertyNames              *jsonschema.Schema
}

// broken is a finding of this package among the library's.
type broken struct {
	keyword string
	names   []string
}

func (b *broken) KeywordPath() []string                   { return []string{b.keyword} }
func (b *broken) LocalizedString(*message.Printer) string { return b.keyword }

// collected is the error of a schema whose findings were collected already, or
// are not wanted. One value serves a whole evaluation.
type collected struct{ broken }

// Validate implements jsonschema.SchemaExt.
func (a *applicators) Validate(ctx *jsonschema.ValidatorContext, v any) {
	run := a.engine.run
	run.visit(a.node, v)
	run.chain++
	defer func() { run.chain-- }()
	if run.chain > maxRecursion {
		panic(noAnswer{})
	}

	failed := false
	fail := func(keyword string, names ...string) {
		failed = true
		if run.muted > 0 {
			ctx.AddErr(run.collected)
			return
		}
		ctx.AddError(&broken{keyword: keyword, names: names})
	}
	// Nobody reads the findings of a branch: one is enough.
	done := func() bool { return failed && run.muted > 0 }

	if a.node.never {
		fail(a.node.holder)
		return
	}
	if keyword := a.assertion.broken(run, v); keyword != "" {
		fail(keyword)
	}
	for _, sub := range a.allOf {
		if done() {
			return
		}
		run.spend(1)
		if !run.require(ctx, sub) {
			failed = true
		}
	}
	if len(a.anyOf) > 0 && !done() {
		matched := false
		for _, sub := range a.anyOf {
			run.spend(1)
			if run.holds(ctx, sub) {
				matched = true
				// What a further branch evaluates counts for unevaluated….
				if !a.schema.unevaluated {
					break
				}
			}
		}
		if !matched {
			fail("anyOf")
		}
	}
	if len(a.oneOf) > 0 && !done() {
		matched := 0
		for _, sub := range a.oneOf {
			run.spend(1)
			if run.holds(ctx, sub) {
				if matched++; matched > 1 {
					break
				}
			}
		}
		switch matched {
		case 0:
			fail("oneOf")
		case 2:
			fail("oneOf", "several")
		}
	}
	if a.not != nil && !done() {
		run.spend(1)
		if run.holds(ctx, a.not) {
			fail("not")
		}
	}
	if a.condition != nil && !done() {
		run.spend(1)
		branch := a.otherwise
		if run.holds(ctx, a.condition) {
			branch = a.then
		}
		if branch != nil && !run.require(ctx, branch) {
			failed = true
		}
	}
	switch v := v.(type) {
	case []any:
		if a.contains != nil && !done() {
			a.countContained(ctx, v, fail)
		}
	case map[string]any:
		if a.propertyNames != nil && !done() {
			var refused []string
			for _, name := range slices.Sorted(maps.Keys(v)) {
				run.spend(1)
				if !run.holdsAt(ctx, a.propertyNames, name, name) {
					refused = append(refused, name)
				}
			}
			if len(refused) > 0 {
				fail("propertyNames", refused...)
			}
		}
	}
}

// countContained evaluates contains with minContains and maxContains (JSON
// Schema 2020-12 validation, sections 6.4.4 and 6.4.5, core, section 10.3.1.3).
func (a *applicators) countContained(ctx *jsonschema.ValidatorContext, items []any, fail func(string, ...string)) {
	run := a.engine.run
	matched := 0
	for i, item := range items {
		run.spend(1)
		if run.holdsAt(ctx, a.contains, item, "0") {
			matched++
			if a.schema.draft >= draft2020 {
				ctx.EvaluatedItem(i)
			}
		}
	}
	least, most := 1, unlimited
	if a.schema.draft >= draft2019 {
		if n, ok := a.node.object["minContains"]; ok {
			least = clamp(n).(int)
		}
		if n, ok := a.node.object["maxContains"]; ok {
			most = clamp(n).(int)
		}
	}
	switch _, named := a.node.object["minContains"]; {
	case matched < least && named:
		fail("minContains")
	case matched < least:
		fail("contains")
	}
	if matched > most {
		fail("maxContains")
	}
}

// assertion is what the package compares by itself: enum, const and uniqueItems
// by one canonical text of the value, which costs the value's size however many
// members there are, and format.
type assertion struct {
	enum, constant map[string]struct{}
	unique         bool
	format         string
	patterns       int  // how many patterns a property is matched against
	looks          int  // how many members the keywords name
	perItem        int  // how many keywords look at each item
	numeric        bool // whether a keyword computes with a number
}

func (s *Schema) assertionOf(n *node) (a assertion) {
	if items, ok := n.object["enum"].([]any); ok {
		a.enum = map[string]struct{}{}
		for _, item := range items {
			a.enum[string(appendCanonical(nil, item))] = struct{}{}
		}
	}
	if v, ok := n.object["const"]; ok {
		a.constant = map[string]struct{}{string(appendCanonical(nil, v)): {}}
	}
	a.unique = n.object["uniqueItems"] == true
	if name, ok := n.object["format"].(string); ok && !s.options.AnnotateFormats {
		a.format = name
	}
	for keyword, v := range n.object {
		switch keyword {
		case "patternProperties":
			a.patterns = len(v.(map[string]any))
		case "required", "prefixItems":
			a.looks += len(v.([]any))
		case "dependencies", "dependentSchemas":
			a.looks += len(v.(map[string]any))
		case "dependentRequired":
			for _, list := range v.(map[string]any) {
				a.looks += 1 + len(list.([]any))
			}
		case "items", "additionalItems", "unevaluatedItems", "additionalProperties", "properties", "unevaluatedProperties":
			a.perItem++
		case "type":
			types, ok := v.([]any)
			a.numeric = a.numeric || v == "integer" || ok && slices.Contains(types, any("integer"))
		case "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum", "multipleOf":
			a.numeric = true
		}
	}
	return a
}

// broken returns the keyword that v breaks, "" if none.
func (a *assertion) broken(run *evaluation, v any) string {
	switch {
	case a.constant != nil && !run.isMember(a.constant, v):
		return "const"
	case a.enum != nil && !run.isMember(a.enum, v):
		return "enum"
	}
	if a.format != "" {
		if text, ok := v.(string); ok {
			run.spend(1 + len(text)/bytesPerStep)
		}
		if !satisfiesFormat(a.format, v) {
			return "format"
		}
	}
	if items, ok := v.([]any); ok && a.unique && !run.areUnique(items) {
		return "uniqueItems"
	}
	return ""
}

func (run *evaluation) isMember(set map[string]struct{}, v any) bool {
	run.scratch = appendCanonical(run.scratch[:0], v)
	run.spend(1 + len(run.scratch)/bytesPerStep)
	_, ok := set[string(run.scratch)]
	return ok
}

func (run *evaluation) areUnique(items []any) bool {
	seen := make(map[string]struct{}, len(items))
	for _, item := range items {
		run.scratch = appendCanonical(run.scratch[:0], item)
		run.spend(1 + len(run.scratch)/bytesPerStep)
		if _, ok := seen[string(run.scratch)]; ok {
			return false
		}
		seen[string(run.scratch)] = struct{}{}
	}
	return true
}

// distinct reports whether no two values are equal as JSON Schema compares.
func distinct(items []any) bool {
	seen := map[string]bool{}
	for _, item := range items {
		key := string(appendCanonical(nil, item))
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	return true
}

// appendCanonical appends a text that two values share exactly if they are
// equal: 1 and 1.0 are, and objects whose members stand in another order.
func appendCanonical(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, 'n')
	case bool:
		if v {
			return append(dst, 't')
		}
		return append(dst, 'f')
	case json.Number:
		dst = append(dst, '#')
		x, ok := strictjson.ParseNumber(v)
		if !ok {
			panic(noAnswer{})
		}
		dst = append(dst, x.String()...)
		return append(dst, ';')
	case string:
		dst = append(dst, '"')
		for _, c := range []byte(v) {
			if c == '"' || c == '\\' {
				dst = append(dst, '\\')
			}
			dst = append(dst, c)
		}
		return append(dst, '"')
	case []any:
		dst = append(dst, '[')
		for _, item := range v {
			dst = appendCanonical(dst, item)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dst = appendCanonical(dst, name)
			dst = appendCanonical(dst, v[name])
		}
		return append(dst, '}')
	}
	panic(noAnswer{})
}
