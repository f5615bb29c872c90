package schema

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/assay/internal/strictjson"
	"example.com/assay/internal/jsonpointer"
	"example.com/assay/internal/slip"
)

// The classes of problems. They are stable; messages and hints are not.
const (
	NotSchema         = "not-a-schema"       // a value where a schema has to stand
	UnknownDraft      = "unknown-draft"      // $schema names no draft of this package
	OtherDraft        = "other-draft"        // a subschema's $schema is not its root's
	UnknownKeyword    = "unknown-keyword"    // a keyword of no draft
	ForeignKeyword    = "foreign-keyword"    // a keyword of another draft
	IgnoredKeyword    = "ignored-keyword"    // a keyword that does nothing where it stands
	NullKeyword       = "null-keyword"       // null as a keyword's value
	BadKeyword        = "bad-keyword"        // a value that the draft's metaschema refuses
	EmptyEnum         = "empty-enum"         // an enum that nothing satisfies
	BadPattern        = "bad-pattern"        // no ECMA-262 regular expression
	UnknownFormat     = "unknown-format"     // a format that is not asserted
	BadIdentifier     = "bad-identifier"     // an $id or anchor that is not usable
	OutsideReference  = "outside-reference"  // a reference out of the tool's schema
	BadReference      = "bad-reference"      // a reference to nothing, or to what is no schema
	CrossingReference = "crossing-reference" // a pointer into an embedded resource
	ReferenceLoop     = "reference-loop"     // references that consume no input
	TooDeep           = "too-deep"           // nesting or chains of subschemas beyond the bound
	TooLarge          = "too-large"          // size beyond the bound
	Collision         = "collision"          // a definition named twice
	BrokenDefinitions = "broken-definitions" // the policy's $defs is no mapping
)

const (
	// maxDepth is the nesting that passes everywhere (docs/policy.md, "How a
	// file is read").
	maxDepth = strictjson.MaxDepth
	// maxSchemas bounds the subschemas of one tool. More than these no person
	// reads.
	maxSchemas = 5_000
	// maxResources bounds the subschemas with an $id: every dynamic reference is
	// looked up in each.
	maxResources = 200
	// maxChain bounds how many schemas in a row judge one value, through
	// references and applicators: a judgement recurses through them.
	maxChain = 500
	// maxProblems bounds what is reported of one schema.
	maxProblems = 100
	// base is the address of a schema that declares none. Nothing can be
	// declared or referred to by this address.
	base = "assay:///schema"
)

// baseURL is base, which nobody changes.
var baseURL, _ = url.Parse(base)

// What is said in two places of the gate.
var (
	tooDeepMerged  = fmt.Sprintf("the schema with its definitions nests deeper than %d", maxDepth)
	tooManySchemas = fmt.Sprintf("the schema has more than %d subschemas", maxSchemas)
)

const (
	notPlain    = "the schema holds a value that is no JSON, or a number beyond the bound"
	tooManyHint = "split the tool's schema or its definitions"
)

// gate walks a merged schema and collects everything that keeps it from
// saying what it seems to say.
type gate struct {
	draft     draft
	options   Options
	merged    merged
	source    Source
	problems  []Problem
	paths     int // bytes of their paths
	nodes     []*node
	limit     int                  // how many there may be
	resources map[string]*resource // by address, those that declare one
	anchored  []*resource          // all of them

	commons    *Commons
	foundation *foundation   // the shared definitions that are not merged, or nil
	named      []*definition // those of them that the schema names
	reached    []*definition // and all that it reaches
	call       int           // of foundation.reach that found them
}

func newGate(c *Commons) *gate {
	return &gate{
		options:   c.options,
		limit:     maxSchemas,
		resources: map[string]*resource{},
		commons:   c,
	}
}

// Compile checks a schema that shares nothing with another. It returns what
// [Commons.Compile] does.
func Compile(src Source, opts Options) (*Schema, []Problem) {
	return NewCommons(src, opts).Compile(src.Doc, src.Pointer)
}

// Compile checks a schema and makes it ready to decide; pointer is where doc
// stands in the policy. It returns every problem found (at most 100), in a
// stable order, and a nil Schema if and only if there is one. What decides is
// made of the schema at its first use.
//
// Compile is for one goroutine at a time, unless the Commons is Independent. The
// schemas that it returned are safe for concurrent use with it and with each
// other.
func (c *Commons) Compile(doc any, pointer string) (*Schema, []Problem) {
	g := newGate(c)
	g.source = c.source
	g.source.Doc, g.source.Pointer = doc, pointer
	g.run()
	if len(g.problems) > 0 {
		slices.SortStableFunc(g.problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
		if len(g.problems) > maxProblems {
			g.problems = g.problems[:maxProblems]
		}
		return nil, g.problems
	}
	return newSchema(g), nil
}

func (g *gate) run() {
	at := g.source.Pointer
	if g.source.DefsBroken {
		g.report(g.source.DefsPointer, BrokenDefinitions, "$defs is no mapping, so no schema of this policy can be trusted", "make it a mapping of names to schemas")
		return
	}
	switch g.source.Doc.(type) {
	case bool, map[string]any:
	default:
		name, _ := jsonpointer.Unescape(at[strings.LastIndexByte(at, '/')+1:])
		name = slip.Written(name)
		g.reportNoSchema(at, name, name+": ", g.source.Doc)
		return
	}
	if jsonDepth(g.source.Doc, maxDepth) > maxDepth {
		g.report(at, TooDeep, fmt.Sprintf("the schema nests deeper than %d", maxDepth), "")
		return
	}
	g.draft = draft2020
	if object, ok := g.source.Doc.(map[string]any); ok {
		if value, present := object["$schema"]; present {
			name, ok := value.(string)
			if !ok {
				g.report(at+"/$schema", BadKeyword, "$schema is not a string", "")
				return
			}
			if g.draft, ok = draftOf(name); !ok {
				g.report(at+"/$schema", UnknownDraft, "$schema names no draft known here", "name draft 2020-12, 2019-09, draft-07, draft-06 or draft-04 by its URL, or leave $schema out for 2020-12")
				return
			}
		}
	}
	var problems []Problem
	if g.merged, problems = g.gather(); len(problems) > 0 {
		g.problems = problems
		return
	}
	if len(g.merged.shared) > 0 && jsonDepth(g.merged.doc, maxDepth) > maxDepth {
		g.report(at, TooDeep, tooDeepMerged, "")
		return
	}
	if !isPlain(g.merged.doc) {
		g.report(at, NotSchema, notPlain, "")
		return
	}
	if !g.walk(g.merged.doc, &node{base: at}) {
		g.report(at, TooLarge, tooManySchemas, tooManyHint)
		return
	}
	if len(g.resources) > maxResources {
		g.report(at, TooLarge, fmt.Sprintf("more than %d subschemas have an identifier of their own", maxResources), "refer to definitions by #/$defs/NAME")
		return
	}
	g.resolveAll(g.nodes)
	for _, d := range g.reached {
		if len(g.problems) <= maxProblems {
			g.problems = append(g.problems, d.problems...)
		}
	}
	if len(g.problems) == 0 {
		g.checkLoops(g.nodes)
	}
}

// maxPaths bounds the bytes of the paths of all that is reported of one schema.
const maxPaths = 1 << 20

// full reports whether nothing more is reported. It is asked before a path is
// written: under a long name that costs more than finding the problem.
func (g *gate) full() bool { return len(g.problems) > 10*maxProblems || g.paths > maxPaths }

// reportAt is report about a keyword.
func (g *gate) reportAt(at spot, reason, message, hint string) {
	if !g.full() {
		g.report(at.path(), reason, message, hint)
	}
}

func (g *gate) report(path, reason, message, hint string) {
	if !g.full() {
		g.paths += len(path)
		g.problems = append(g.problems, Problem{Path: path, Message: message, Hint: hint, Reason: reason})
	}
}

// sortedKeys returns the keys of m in bytewise order.
func sortedKeys(m map[string]any) []string {
	return appendSortedKeys(make([]string, 0, len(m)), m)
}

// appendSortedKeys is sortedKeys into an empty slice, which may be on the stack.
func appendSortedKeys(keys []string, m map[string]any) []string {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// walk checks the schema v at n and everything below it. It returns false when
// there are more subschemas than may be.
func (g *gate) walk(v any, n *node) bool {
	if len(g.nodes) >= g.limit {
		return false
	}
	if n.definition == nil && n.parent != nil {
		n.definition = n.parent.definition
	}
	switch v := v.(type) {
	case bool:
		if g.draft == draft4 && n.parent != nil && n.holder != "additionalProperties" && n.holder != "additionalItems" {
			g.report(n.path(), BadKeyword, "draft-04 has no schema true or false", "write {} for true and {\"not\": {}} for false")
		}
		n.never = !v
	case map[string]any:
		n.object = v
	default:
		what := n.holder
		if holdsMap(what) {
			what = slip.Written(n.token)
		}
		key := what + ": "
		if n.token != "" && !holdsMap(n.holder) {
			what, key = "item "+n.token+" of "+what, ""
		}
		if !g.full() {
			g.reportNoSchema(n.path(), what, key, v)
		}
		return true
	}
	n.index = len(g.nodes)
	g.nodes = append(g.nodes, n)
	g.identify(n)
	if n.parent != nil {
		n.parent.subs = append(n.parent.subs, n)
	}
	var room [8]string
	for _, name := range appendSortedKeys(room[:0], n.object) {
		if !g.checkKeyword(n, name, n.object[name]) {
			return false
		}
	}
	return true
}

// sub walks one subschema that the keyword name of n holds; token is its place
// in the keyword's list or object.
func (g *gate) sub(n *node, name, token string, v any) bool {
	child := &node{parent: n, holder: name, token: token}
	if n.parent == nil && name == g.merged.home && g.merged.shared[token] {
		child.base = g.source.DefsPointer + "/" + jsonpointer.Escape(token)
	}
	return g.walk(v, child)
}

// reportNoSchema reports a value that stands where a schema has to; key is what
// is written before it.
func (g *gate) reportNoSchema(path, what, key string, v any) {
	hint := "write a mapping, such as {type: string}"
	switch v := v.(type) {
	case nil:
		hint = "write {} where any value may stand"
	case string:
		if meant := meantType(v); meant != "" {
			hint = "write " + key + "{type: " + slip.Written(meant) + "}"
		} else if word := slip.Boolean(v); word != "" {
			hint = word
		}
	case []any:
		isType := func(item any) bool { return slices.Contains(typeList, fmt.Sprint(item)) }
		switch {
		case key == "items: ":
			hint = "write prefixItems for a list of schemas"
		case len(v) > 0 && !slices.ContainsFunc(v, func(item any) bool { return !isType(item) }):
			hint = "write " + key + "{type: […]} with the types"
		default:
			hint = "write " + key + "{enum: […]} to list the values that may stand here"
		}
	}
	g.report(path, NotSchema, what+" is "+kindOf(v)+" here; a schema is a mapping, true or false", hint)
}

// kindOf names the kind of a value in a sentence.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "text"
	case []any:
		return "a list"
	case map[string]any:
		return "a mapping"
	case bool:
		return "a boolean"
	}
	return "a number"
}

func isMap(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// checkKeyword checks one member of a schema and walks the subschemas in it.
func (g *gate) checkKeyword(n *node, name string, v any) bool {
	if extension(name) {
		return true
	}
	at := spot{node: n, keyword: name}
	shape, known := shapeOf(name, g.draft)
	if !known {
		g.reportUnknown(at)
		return true
	}
	if v == nil && shape != anything && name != "example" || v == nil && slices.Contains([]string{"examples", "$comment", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType", "contentSchema"}, name) {
		hint := "give it a value or leave it out"
		if name == "type" {
			hint = nullType
		}
		g.reportAt(at, NullKeyword, name+" is null", hint)
		return true
	}
	g.checkIgnored(n, name)
	return g.checkShape(at, shape, v)
}

func (g *gate) reportUnknown(at spot) {
	name := at.keyword
	if len(g.problems) > maxProblems {
		// Nobody will read the hint that takes a search.
		g.reportAt(at, UnknownKeyword, shown(name)+" is no keyword of any draft", "")
		return
	}
	if _, elsewhere := keywords[name]; elsewhere {
		g.reportAt(at, ForeignKeyword, fmt.Sprintf("%s is no keyword of %s", name, g.draft), instead[name])
		return
	}
	hint := "name it x-… if it is meant for people"
	if near := nearest(name, g.draft); near != "" {
		hint = "did you mean " + near + "?"
	} else if way := instead[name]; way != "" {
		hint = way
	}
	g.reportAt(at, UnknownKeyword, shown(name)+" is no keyword of any draft", hint)
}

// checkIgnored applies the closed list of keywords that their draft ignores
// where they stand.
func (g *gate) checkIgnored(n *node, name string) {
	has := func(other string) bool { _, ok := n.object[other]; return ok }
	ignored := func(message, hint string) { g.reportAt(spot{node: n, keyword: name}, IgnoredKeyword, message, hint) }
	switch {
	case g.draft <= draft7 && has("$ref") && name != "$ref" && name != "$schema" && name != "definitions" && !slices.Contains(annotations, name):
		ignored(fmt.Sprintf("%s ignores %s beside $ref", g.draft, name), "put the reference into allOf")
	case (name == "then" || name == "else") && !has("if"):
		ignored(name+" does nothing without if", "add if or remove "+name)
	case (name == "minContains" || name == "maxContains") && !has("contains"):
		ignored(name+" does nothing without contains", "add contains or remove "+name)
	case name == "additionalItems":
		if _, list := n.object["items"].([]any); !list {
			ignored("additionalItems does nothing unless items is a list", "write items with a list or remove additionalItems")
		}
	}
}

// checkShape checks a keyword's value as the draft's metaschema does.
func (g *gate) checkShape(at spot, s shape, v any) bool {
	n, name := at.node, at.keyword
	bad := func(want string) bool {
		g.reportAt(at, BadKeyword, name+" is not "+want, meant(name, s, v))
		return true
	}
	switch s {
	case text:
		if _, ok := v.(string); !ok {
			return bad("a string")
		}
	case boolean:
		if _, ok := v.(bool); !ok {
			return bad("true or false")
		}
		if limit, ok := strings.CutPrefix(name, "exclusive"); ok {
			limit = strings.ToLower(limit)
			if _, ok := n.object[limit]; !ok {
				g.reportAt(at, BadKeyword, name+" needs "+limit+" beside it", "")
			}
		}
	case number, positive, count:
		x, ok := exact(v)
		switch {
		case !ok:
			return bad("a number")
		case s == positive && x.Sign() <= 0:
			return bad("a number > 0")
		case s == count && (x.Sign() < 0 || !x.IsInteger()):
			return bad("an integer >= 0")
		}
	case list:
		if _, ok := v.([]any); !ok {
			return bad("a list")
		}
	case members:
		items, ok := v.([]any)
		if !ok {
			return bad("a list")
		}
		if len(items) == 0 {
			g.reportAt(at, EmptyEnum, "enum is empty, so nothing satisfies it", "list the values, or write false to forbid every value")
		}
		if g.draft <= draft6 && !distinct(items) {
			return bad("a list of distinct values")
		}
	case names:
		g.checkNames(at, v, g.draft == draft4)
	case typeNames:
		g.checkTypes(at, v)
	case namesByName:
		object, ok := v.(map[string]any)
		if !ok {
			return bad("a mapping of names to lists of names")
		}
		for _, key := range sortedKeys(object) {
			g.checkNames(at.member(key), object[key], false)
		}
	case flags:
		object, ok := v.(map[string]any)
		for _, flag := range object {
			_, isBool := flag.(bool)
			ok = ok && isBool
		}
		if !ok {
			return bad("a mapping of URLs to true or false")
		}
	case schemaURL:
		named, ok := v.(string)
		if !ok {
			return bad("a string")
		}
		if d, ok := draftOf(named); !ok || d != g.draft {
			g.reportAt(at, OtherDraft, "$schema inside a schema names another draft than its root", "leave it out")
		}
	case identifier, anchorName:
		if _, ok := v.(string); !ok {
			return bad("a string")
		}
	case reference, rootReference:
		ref, ok := v.(string)
		if !ok {
			return bad("a string")
		}
		if s == rootReference && ref != "#" {
			return bad("\"#\"")
		}
	case pattern:
		expression, ok := v.(string)
		if !ok {
			return bad("a string")
		}
		g.checkPattern(at, expression)
	case formatName:
		named, ok := v.(string)
		if !ok {
			return bad("a string")
		}
		if !g.options.AnnotateFormats && !knownFormat(named) {
			hint := "set enforcement.formats to annotate to keep it as a comment"
			if near := nearestFormat(named); near != "" {
				hint = "did you mean " + near + "? Or " + hint
			}
			g.reportAt(at, UnknownFormat, "format "+shown(named)+" is not asserted here", hint)
		}
	case subschema, orBoolean:
		return g.sub(n, name, "", v)
	case orSubschemas:
		if _, ok := v.([]any); !ok {
			return g.sub(n, name, "", v)
		}
		fallthrough
	case subschemas:
		items, ok := v.([]any)
		if !ok || len(items) == 0 {
			return bad("a list of at least one schema")
		}
		for i, item := range items {
			if !g.sub(n, name, strconv.Itoa(i), item) {
				return false
			}
		}
	case byName, byPattern, dependencyList:
		object, ok := v.(map[string]any)
		if !ok {
			return bad("a mapping of names to schemas")
		}
		for _, key := range sortedKeys(object) {
			if s == byPattern {
				g.checkPattern(at.member(key), key)
			}
			if _, isList := object[key].([]any); s == dependencyList && isList {
				g.checkNames(at.member(key), object[key], g.draft == draft4)
				continue
			}
			if !g.sub(n, name, key, object[key]) {
				return false
			}
		}
	}
	return true
}

func (g *gate) checkNames(at spot, v any, atLeastOne bool) {
	name := at.keyword
	items, ok := v.([]any)
	hint := ""
	if !ok {
		key := name
		if at.named {
			key = at.name
		}
		text, _ := v.(string)
		hint = slip.List(key, text)
		if _, isBool := v.(bool); isBool && name == "required" {
			hint = "list the required names in the schema that holds the properties"
		}
	}
	seen := map[string]bool{}
	for _, item := range items {
		text, isText := item.(string)
		switch {
		case !isText:
			ok, hint = false, "put each name in quotation marks"
		case seen[text]:
			ok, hint = false, "write "+slip.Written(text)+" once"
		}
		seen[text] = true
	}
	switch {
	case !ok:
		g.reportAt(at, BadKeyword, name+" is not a list of distinct names", hint)
	case atLeastOne && len(items) == 0:
		g.reportAt(at, BadKeyword, name+" is an empty list, which draft-04 refuses", "")
	}
}

func (g *gate) checkTypes(at spot, v any) {
	items, ok := v.([]any)
	if !ok {
		items = []any{v}
	}
	known := strings.Join(typeList, ", ")
	bad := func(hint string) {
		g.reportAt(at, BadKeyword, "type is not one or several distinct ones of "+known, hint)
	}
	if len(items) == 0 {
		bad("leave type out where any value may stand")
	}
	seen := map[string]bool{}
	for _, item := range items {
		name, isText := item.(string)
		switch {
		case item == nil:
			bad(nullType)
		case !isText:
			bad("")
		case !slices.Contains(typeList, name):
			hint := ""
			if meant := meantType(name); meant != "" {
				hint = "did you mean " + meant + "?"
			}
			g.reportAt(at, BadKeyword, "type is "+slip.Quote(name)+", which is none of "+known, hint)
		case seen[name]:
			bad("write " + name + " once")
		default:
			seen[name] = true
			continue
		}
		return
	}
}

func (g *gate) checkPattern(at spot, expression string) {
	if _, err := g.commons.patterns.Compile(expression); err != nil {
		g.reportAt(at, BadPattern, "no ECMA-262 regular expression: "+err.Error(), otherDialect(expression, err))
	}
}

// exact returns the value of a number in a schema.
func exact(v any) (strictjson.Number, bool) {
	literal, ok := v.(json.Number)
	if !ok {
		return strictjson.Number{}, false
	}
	return strictjson.ParseNumber(literal)
}
