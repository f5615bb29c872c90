package schema

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

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
	dependent                  []dependent // of dependentSchemas and dependencies, by name
	contains                   *jsonschema.Schema
	propertyNames              *jsonschema.Schema
}

// dependent is a schema that an object has to satisfy if it has a property.
type dependent struct {
	name   string
	schema *jsonschema.Schema
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

// asserted returns what the package compares of n by itself.
func (s *Schema) asserted(n *node) *assertion {
	if a := n.assertion.Load(); a != nil {
		return a
	}
	a := s.assertionOf(n)
	n.assertion.Store(&a)
	return &a
}

// judgement is what the applicators of one schema say of one value.
type judgement struct {
	*applicators
	run    *evaluation
	ctx    *jsonschema.ValidatorContext
	value  any
	look   int // what it costs to let one more schema look at the value
	failed bool
}

// Validate implements jsonschema.SchemaExt.
func (a *applicators) Validate(ctx *jsonschema.ValidatorContext, v any) {
	run := a.engine.run
	run.visit(a.node, v, len(ctx.ValueLocation()))
	if run.chain++; run.chain > maxRecursion {
		panic(noAnswer{})
	}
	j := judgement{applicators: a, run: run, ctx: ctx, value: v, look: branchSteps + a.schema.lookSteps(v)}
	j.judge()
	run.chain--
}

func (j *judgement) judge() {
	if j.node.never {
		j.fail(j.node.holder)
		return
	}
	j.judgeAssertions()
	for _, sub := range j.allOf {
		if j.done() {
			return
		}
		j.require(sub)
	}
	if len(j.anyOf) > 0 && !j.done() {
		j.judgeAnyOf()
	}
	if len(j.oneOf) > 0 && !j.done() {
		j.judgeOneOf()
	}
	if j.not != nil && !j.done() && j.holds(j.not) {
		j.fail("not")
	}
	if j.condition != nil && !j.done() {
		branch := j.otherwise
		if j.holds(j.condition) {
			branch = j.then
		}
		if branch != nil {
			j.require(branch)
		}
	}
	switch v := j.value.(type) {
	case []any:
		if j.contains != nil && !j.done() {
			j.judgeContains(v)
		}
	case map[string]any:
		for _, d := range j.dependent {
			if j.done() {
				return
			}
			if _, ok := v[d.name]; ok {
				j.require(d.schema)
			}
		}
		if j.propertyNames != nil && !j.done() {
			j.judgeNames(v)
		}
	}
}

// fail records that a keyword is broken.
func (j *judgement) fail(keyword string, names ...string) {
	j.failed = true
	if j.run.muted > 0 {
		j.ctx.AddErr(j.run.collected)
		return
	}
	j.ctx.AddError(&broken{keyword: keyword, names: names})
}

// done reports whether the rest does not matter: nobody reads the findings of a
// branch, so one is enough.
func (j *judgement) done() bool { return j.failed && j.run.muted > 0 }

// holds evaluates a subschema as a mere yes or no.
func (j *judgement) holds(sub *jsonschema.Schema) bool { return j.holdsAt(sub, nil) }

// holdsAt is holds for a part of the value, the one that is given with a token
// of its path.
func (j *judgement) holdsAt(sub *jsonschema.Schema, part any, token ...string) bool {
	j.run.spend(j.look)
	j.run.muted++
	err := j.ctx.Validate(sub, part, token)
	j.run.muted--
	return j.run.sound(err)
}

// require evaluates a subschema that has to hold. What breaks it is collected at
// once, so that the library does not keep it.
func (j *judgement) require(sub *jsonschema.Schema) {
	j.run.spend(j.look)
	err := j.ctx.Validate(sub, nil, nil)
	if j.run.sound(err) {
		return
	}
	if j.run.muted == 0 {
		j.run.collect(err)
		if j.schema.unevaluated {
			j.excuse(j.run.nodes[sub.Location], map[*node]bool{})
		}
	}
	j.failed = true
	j.ctx.AddErr(j.run.collected)
}

// excuse marks as evaluated what a branch that failed speaks of. By the letter
// nothing of a failed branch counts, so unevaluatedProperties would call the
// branch's own properties not allowed; the branch's findings say better what is
// wrong. The answer is no in any case.
func (j *judgement) excuse(n *node, seen map[*node]bool) {
	if n == nil || seen[n] {
		return
	}
	seen[n] = true
	switch v := j.value.(type) {
	case map[string]any:
		j.run.spend(1 + len(v))
		for name := range v {
			if n.speaksOf(name, j.run) {
				j.ctx.EvaluatedProp(name)
			}
		}
	case []any:
		j.run.spend(1 + len(v))
		spoken := 0
		if n.has("items", "additionalItems", "unevaluatedItems", "contains") {
			spoken = len(v)
		} else if items, ok := n.object["prefixItems"].([]any); ok {
			spoken = min(len(items), len(v))
		}
		for i := range spoken {
			j.ctx.EvaluatedItem(i)
		}
	}
	n.inPlaceTargets(func(target *node) { j.excuse(target, seen) })
}

// speaksOf reports whether a keyword of n itself has something to say of a
// property.
func (n *node) speaksOf(name string, run *evaluation) bool {
	if n.has("additionalProperties", "unevaluatedProperties") {
		return true
	}
	if properties, ok := n.object["properties"].(map[string]any); ok {
		if _, ok := properties[name]; ok {
			return true
		}
	}
	patterns, _ := n.object["patternProperties"].(map[string]any)
	spoken := false
	for expression := range patterns {
		// Each is matched, so that the work does not depend on the order.
		spoken = run.matches(run.schema.regexp(expression), name) || spoken
	}
	return spoken
}

func (n *node) has(keywords ...string) bool {
	return slices.ContainsFunc(keywords, func(keyword string) bool { _, ok := n.object[keyword]; return ok })
}

func (j *judgement) judgeAnyOf() {
	matched := false
	for _, sub := range j.anyOf {
		if j.holds(sub) {
			matched = true
			// What a further branch evaluates counts for unevaluated….
			if !j.schema.unevaluated {
				return
			}
		}
	}
	if !matched {
		j.fail("anyOf")
	}
}

func (j *judgement) judgeOneOf() {
	matched := 0
	for _, sub := range j.oneOf {
		if j.holds(sub) {
			if matched++; matched == 2 {
				j.fail("oneOf", "several")
				return
			}
		}
	}
	if matched == 0 {
		j.fail("oneOf")
	}
}

// judgeNames evaluates propertyNames.
func (j *judgement) judgeNames(object map[string]any) {
	var refused []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !j.holdsAt(j.propertyNames, name, name) {
			refused = append(refused, name)
		}
	}
	if len(refused) > 0 {
		j.fail("propertyNames", refused...)
	}
}

// judgeContains evaluates contains with minContains and maxContains (JSON
// Schema 2020-12 validation, sections 6.4.4 and 6.4.5, core, section 10.3.1.3).
func (j *judgement) judgeContains(items []any) {
	matched := 0
	for i, item := range items {
		if j.holdsAt(j.applicators.contains, item, "0") {
			matched++
			if j.schema.draft >= draft2020 {
				j.ctx.EvaluatedItem(i)
			}
		}
	}
	least, most := 1, unlimited
	_, named := j.node.object["minContains"]
	if named {
		least = clamp(j.node.object["minContains"]).(int)
	}
	if n, ok := j.node.object["maxContains"]; ok {
		most = clamp(n).(int)
	}
	switch {
	case matched < least && named:
		j.fail("minContains")
	case matched < least:
		j.fail("contains")
	}
	if matched > most {
		j.fail("maxContains")
	}
}

// assertion is what the package compares by itself: enum, const and uniqueItems
// by one canonical text of the value, which costs the value's size however many
// members there are, and format.
type assertion struct {
	enum, constant map[string]struct{}
	unique         bool
	format         string
	shortest       int // in characters, 0 for no minLength
	longest        int // unlimited for no maxLength
	steps          int // of a visit: itself, its keywords, and what they name
	perItem        int // how many keywords look at each item
	numeric        int // how many keywords compute with a number
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
	a.longest = unlimited
	a.steps = 1
	for keyword, v := range n.object {
		if extension(keyword) {
			continue
		}
		a.steps++
		switch keyword {
		case "minLength":
			a.shortest = clamp(v).(int)
		case "maxLength":
			a.longest = clamp(v).(int)
		case "required", "prefixItems":
			a.steps += len(v.([]any))
		case "dependencies", "dependentSchemas":
			a.steps += len(v.(map[string]any))
		case "dependentRequired":
			for _, list := range v.(map[string]any) {
				a.steps += 1 + len(list.([]any))
			}
		case "items", "additionalItems", "unevaluatedItems":
			a.perItem++
		case "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum", "multipleOf", "type":
			a.numeric++
		}
	}
	return a
}

func (j *judgement) judgeAssertions() {
	a, v := j.assertion, j.value
	if a.constant != nil && !j.run.isMember(a.constant, v) {
		j.fail("const")
	}
	if a.enum != nil && !j.run.isMember(a.enum, v) {
		j.fail("enum")
	}
	switch v := v.(type) {
	case string:
		if a.shortest > 0 || a.longest < unlimited {
			j.run.spend(2 * len(v) / bytesPerStep)
			length := utf8.RuneCountInString(v)
			if length < a.shortest {
				j.fail("minLength")
			}
			if length > a.longest {
				j.fail("maxLength")
			}
		}
		if a.format != "" {
			j.run.spend(len(v) / bytesPerStep)
			if !satisfiesFormat(a.format, v) {
				j.fail("format")
			}
		}
	case json.Number:
		if a.format != "" && !satisfiesFormat(a.format, v) {
			j.fail("format")
		}
	case []any:
		if a.unique && !j.run.areUnique(v) {
			j.fail("uniqueItems")
		}
	}
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
