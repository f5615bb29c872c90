package schema

import (
	"encoding/json"
	"unicode/utf8"

	"example.com/assay/assay/internal/strictjson"
)

// judgement is what one schema object says of one value. It looks at every
// keyword, so that all that is wrong is found, unless the evaluation is muted:
// then it goes into no other schema once a keyword is broken.
type judgement struct {
	run    *evaluation
	node   *node
	rules  *rules
	value  any
	failed bool
	marks  marks
}

// holds judges v by n, records what is broken unless the evaluation is muted,
// and reports whether nothing is. If so, it adds to outer, unless that is nil,
// what it evaluated of v.
func (run *evaluation) holds(n *node, v any, outer *marks) bool {
	if n.object == nil {
		run.spend(1)
		if n.never {
			run.note(n, n.keyword(), nil)
		}
		return !n.never
	}
	if run.open++; run.open > maxOpen {
		panic(noAnswer{})
	}
	entered := run.enter(n)
	j := judgement{run: run, node: n, rules: run.schema.rulesOf(n), value: v}
	j.judge()
	run.leave(entered)
	run.open--
	if !j.failed && outer != nil {
		run.spend(outer.add(&j.marks))
	}
	return !j.failed
}

// keyword is what the schema false is called where it breaks.
func (n *node) keyword() string {
	if n.parent == nil {
		return "false"
	}
	return n.holder
}

// note records a finding unless nobody reads it.
func (run *evaluation) note(n *node, keyword string, names []string) {
	if run.muted == 0 {
		run.record(n, keyword, names)
	}
}

// fail says that a keyword is broken.
func (j *judgement) fail(keyword string, names ...string) {
	j.failed = true
	j.run.note(j.node, keyword, names)
}

// failNever says that the schema false, which stands under a keyword, meets
// the properties, or items that the keyword has left.
func (j *judgement) failNever(never *node, names ...string) {
	j.failed = true
	j.run.note(never, never.holder, names)
}

// done reports whether the rest does not matter.
func (j *judgement) done() bool { return j.failed && j.run.muted > 0 }

func (j *judgement) judge() {
	r, run := j.rules, j.run
	run.spend(r.steps)
	if !j.isOfType() {
		// What else the schema says of it would help nobody.
		j.fail("type")
		return
	}
	if r.constant != nil && !run.isMember(r.constant, j.value) {
		j.fail("const")
	}
	if r.enum != nil && !run.isMember(r.enum, j.value) {
		j.fail("enum")
	}
	switch v := j.value.(type) {
	case json.Number:
		j.judgeNumber(v)
	case string:
		j.judgeText(v)
	case []any:
		j.judgeArray(v)
	case map[string]any:
		j.judgeObject(v)
	}
	j.judgeInPlace()
	// At last, as it is about what the others left (JSON Schema 2020-12 core,
	// section 11).
	if !j.done() {
		j.judgeUnevaluated()
	}
}

// isOfType decides type. 1.0 is an integer in every draft.
func (j *judgement) isOfType() bool {
	permitted := j.rules.kinds
	if permitted == kindAny {
		return true
	}
	switch v := j.value.(type) {
	case nil:
		return permitted&kindNull != 0
	case bool:
		return permitted&kindBool != 0
	case string:
		return permitted&kindText != 0
	case []any:
		return permitted&kindArray != 0
	case map[string]any:
		return permitted&kindObject != 0
	case json.Number:
		if permitted&kindNumber != 0 {
			return true
		}
		return permitted&kindInteger != 0 && j.number(v).IsInteger()
	}
	panic(noAnswer{})
}

// number returns the value of a literal.
func (j *judgement) number(literal json.Number) strictjson.Number {
	x, ok := strictjson.ParseNumber(literal)
	if !ok {
		panic(noAnswer{})
	}
	return x
}

func (j *judgement) judgeNumber(literal json.Number) {
	r := j.rules
	if r.numeric > 0 {
		j.run.spend(r.numeric*numberSteps(literal) + r.digits)
	}
	if len(r.bounds) > 0 {
		x := j.number(literal)
		for i := range r.bounds {
			if b := &r.bounds[i]; !b.holds(x) {
				j.fail(b.keyword)
			}
		}
	}
	if r.format != "" && !satisfiesFormat(r.format, literal) {
		j.fail("format")
	}
}

func (j *judgement) judgeText(text string) {
	r := j.rules
	if r.minLength > 0 || r.maxLength < unlimited {
		j.run.spend(2 * len(text) / bytesPerStep)
		length := utf8.RuneCountInString(text)
		if length < r.minLength {
			j.fail("minLength")
		}
		if length > r.maxLength {
			j.fail("maxLength")
		}
	}
	if r.pattern != nil && !j.run.matches(r.pattern, text) {
		j.fail("pattern")
	}
	if r.format != "" {
		j.run.spend(len(text) / bytesPerStep)
		if !satisfiesFormat(r.format, text) {
			j.fail("format")
		}
	}
}

func (j *judgement) judgeArray(items []any) {
	r, run := j.rules, j.run
	if len(items) < r.minItems {
		j.fail("minItems")
	}
	if len(items) > r.maxItems {
		j.fail("maxItems")
	}
	if r.unique && !run.areUnique(items) {
		j.fail("uniqueItems")
	}
	first := min(len(r.prefix), len(items))
	for i := range first {
		if j.done() {
			return
		}
		j.item(r.prefix[i], i, items[i])
	}
	j.marks.first = max(j.marks.first, first)
	if rest := items[first:]; r.items != nil && len(rest) > 0 && !j.done() {
		if r.items.never && r.items.holder == "additionalItems" {
			j.fail("additionalItems")
		} else {
			run.spend(len(rest))
			for i, item := range rest {
				if j.done() {
					return
				}
				j.item(r.items, first+i, item)
			}
		}
		j.marks.all = true
	}
	if r.contains != nil && !j.done() {
		j.judgeContains(items)
	}
}

// judgeContains evaluates contains with minContains and maxContains (JSON
// Schema 2020-12 validation, sections 6.4.4 and 6.4.5, core, section 10.3.1.3).
func (j *judgement) judgeContains(items []any) {
	r, run := j.rules, j.run
	run.spend(len(items))
	matched := 0
	for i, item := range items {
		if run.holdsMuted(r.contains, item, nil) {
			matched++
			if run.schema.draft >= draft2020 && run.schema.unevaluated {
				j.marks.item(i)
			}
		}
	}
	if matched < r.minContains {
		if _, named := j.node.object["minContains"]; named {
			j.fail("minContains")
		} else {
			j.fail("contains")
		}
	}
	if matched > r.maxContains {
		j.fail("maxContains")
	}
}

func (j *judgement) judgeObject(object map[string]any) {
	r, run := j.rules, j.run
	if len(object) < r.minProperties {
		j.fail("minProperties")
	}
	if len(object) > r.maxProperties {
		j.fail("maxProperties")
	}
	if missing := missingIn(object, r.required); missing != nil {
		j.fail("required", missing...)
	}
	for i := range r.dependentRequired {
		d := &r.dependentRequired[i]
		if _, ok := object[d.trigger]; ok {
			if missing := missingIn(object, d.names); missing != nil {
				j.fail(d.keyword, missing...)
			}
		}
	}
	if j.done() {
		return
	}
	if r.patternProperties != nil || r.additionalProperties != nil {
		j.judgeMembers(object)
	} else {
		for _, name := range r.names {
			if v, ok := object[name]; ok {
				j.member(r.properties[name], name, v)
				j.mark(name)
			}
			if j.done() {
				return
			}
		}
	}
	if r.propertyNames != nil && !j.done() {
		run.spend(memberSteps(object))
		var refused []string
		for _, name := range sortedKeys(object) {
			if !run.holdsMuted(r.propertyNames, name, nil) {
				refused = append(refused, name)
			}
		}
		if refused != nil {
			j.fail("propertyNames", refused...)
		}
	}
}

// judgeMembers evaluates properties, patternProperties and additionalProperties
// (JSON Schema 2020-12 core, section 10.3.2), where more than the properties that
// the schema names has to be looked at.
func (j *judgement) judgeMembers(object map[string]any) {
	r, run := j.rules, j.run
	run.spend(memberSteps(object))
	var refused []string
	for _, name := range sortedKeys(object) {
		if j.done() {
			return
		}
		v, spoken := object[name], false
		if sub := r.properties[name]; sub != nil {
			spoken = true
			j.member(sub, name, v)
		}
		for i := range r.patternProperties {
			if p := &r.patternProperties[i]; run.matches(p.name, name) {
				spoken = true
				j.member(p.value, name, v)
			}
		}
		if sub := r.additionalProperties; !spoken && sub != nil {
			spoken = true
			if sub.never {
				refused = append(refused, name)
				j.failed = true
			} else {
				j.member(sub, name, v)
			}
		}
		if spoken {
			j.mark(name)
		}
	}
	if refused != nil {
		j.fail("additionalProperties", refused...)
	}
}

// judgeInPlace evaluates the schemas that judge the same value.
func (j *judgement) judgeInPlace() {
	r, run := j.rules, j.run
	if r.ref != nil && !j.done() {
		j.follow("$ref", r.ref)
	}
	if len(j.node.dynamic) > 0 && !j.done() {
		keyword := "$dynamicRef"
		if run.schema.draft == draft2019 {
			keyword = "$recursiveRef"
		}
		j.follow(keyword, run.dynamicTarget(j.node))
	}
	for _, sub := range r.allOf {
		if j.done() {
			return
		}
		j.require(sub)
	}
	if r.anyOf != nil && !j.done() {
		j.judgeAnyOf()
	}
	if r.oneOf != nil && !j.done() {
		j.judgeOneOf()
	}
	if r.not != nil && !j.done() && run.holdsMuted(r.not, j.value, nil) {
		j.fail("not")
	}
	if r.condition != nil && !j.done() {
		branch := r.otherwise
		if run.holdsMuted(r.condition, j.value, j.evaluated()) {
			branch = r.then
		}
		if branch != nil {
			j.require(branch)
		}
	}
	object, _ := j.value.(map[string]any)
	for _, sub := range r.dependentSchemas {
		if j.done() {
			return
		}
		if _, ok := object[sub.token]; !ok {
			continue
		}
		if sub.never {
			j.failNever(sub, sub.token)
		} else {
			j.require(sub)
		}
	}
}

// follow evaluates what a reference leads to.
func (j *judgement) follow(keyword string, target *node) {
	if target.never {
		// The keyword over there has no part in it.
		j.fail(keyword)
		return
	}
	j.require(target)
}

// require evaluates a schema that has to hold too.
func (j *judgement) require(sub *node) {
	if j.run.holds(sub, j.value, j.evaluated()) {
		return
	}
	j.failed = true
	j.excuse(sub)
}

func (j *judgement) judgeAnyOf() {
	matched := false
	for _, sub := range j.rules.anyOf {
		if j.run.holdsMuted(sub, j.value, j.evaluated()) {
			matched = true
			// What a further branch evaluates counts for unevaluated….
			if !j.run.schema.unevaluated {
				return
			}
		}
	}
	if !matched {
		j.failBranches("anyOf", j.rules.anyOf)
	}
}

func (j *judgement) judgeOneOf() {
	matched := 0
	for _, sub := range j.rules.oneOf {
		if j.run.holdsMuted(sub, j.value, j.evaluated()) {
			if matched++; matched == 2 {
				j.fail("oneOf", "several")
				return
			}
		}
	}
	if matched == 0 {
		j.failBranches("oneOf", j.rules.oneOf)
	}
}

// failBranches says that none of the branches of a keyword holds.
func (j *judgement) failBranches(keyword string, branches []*node) {
	j.fail(keyword)
	for _, sub := range branches {
		j.excuse(sub)
	}
}

// holdsMuted is holds as a mere yes or no.
func (run *evaluation) holdsMuted(n *node, v any, outer *marks) bool {
	run.muted++
	held := run.holds(n, v, outer)
	run.muted--
	return held
}

// item evaluates a schema of one item.
func (j *judgement) item(sub *node, i int, v any) { j.part(sub, token{index: i, list: true}, v) }

// member evaluates a schema of one property.
func (j *judgement) member(sub *node, name string, v any) { j.part(sub, token{name: name}, v) }

func (j *judgement) part(sub *node, at token, v any) {
	run := j.run
	run.path = append(run.path, at)
	if !run.holds(sub, v, nil) {
		j.failed = true
	}
	run.path = run.path[:len(run.path)-1]
}

func missingIn(object map[string]any, names []string) (missing []string) {
	for _, name := range names {
		if _, ok := object[name]; !ok {
			missing = append(missing, name)
		}
	}
	return missing
}

// enter begins what n judges in the dynamic scope (JSON Schema 2020-12 core,
// section 7.1), and reports whether that became longer.
func (run *evaluation) enter(n *node) bool {
	last := len(run.scope) - 1
	if !run.schema.dynamic || last >= 0 && run.scope[last] == n.resource {
		return false
	}
	run.scope = append(run.scope, n.resource)
	return true
}

func (run *evaluation) leave(entered bool) {
	if entered {
		run.scope = run.scope[:len(run.scope)-1]
	}
}

// dynamicTarget returns where $dynamicRef or $recursiveRef of n leads from here:
// to the outermost schema of the dynamic scope that declares the anchor (JSON
// Schema 2020-12 core, section 8.2.3.2, 2019-09 core, section 8.2.4.2).
func (run *evaluation) dynamicTarget(n *node) *node {
	static := n.dynamic[0]
	if len(n.dynamic) == 1 {
		return static
	}
	name, _ := static.object["$dynamicAnchor"].(string)
	for _, r := range run.scope {
		run.spend(1)
		switch run.schema.draft {
		case draft2019:
			if r.root.object["$recursiveAnchor"] == true {
				return r.root
			}
		case draft2020:
			if target := r.dynamic[name]; target != nil {
				return target
			}
		}
	}
	return static
}
