package difftest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"unicode/utf8"
)

// A schema is grown around values that satisfy it, so that its limits lie where
// they matter: small changes of the values cross them one at a time.

// family is one group of keywords. grow adds keywords that every one of vs
// satisfies, with depth levels left below; false where it added nothing.
type family struct {
	name  string
	since draft
	kind  string // the instance type that it is about, "" for any
	grow  func(g *grower, to map[string]any, vs []any, depth int) bool
}

// families are all of them, in a table in which those named twice are picked
// more often.
var families []family

func init() {
	families = []family{
		{"type", draft4, "", growType},
		{"type", draft4, "", growType},
		{"enum", draft4, "", growEnum},
		{"const", draft4, "", growConst},
		{"minimum", draft4, "number", bound("minimum", -1, true)},
		{"maximum", draft4, "number", bound("maximum", 1, true)},
		{"exclusiveMinimum", draft4, "number", bound("exclusiveMinimum", -1, false)},
		{"exclusiveMaximum", draft4, "number", bound("exclusiveMaximum", 1, false)},
		{"multipleOf", draft4, "number", growMultipleOf},
		{"minLength", draft4, "string", count("minLength", "string", -1, length)},
		{"maxLength", draft4, "string", count("maxLength", "string", 1, length)},
		{"pattern", draft4, "string", growPattern},
		{"format", draft4, "string", growFormat},
		{"minItems", draft4, "array", count("minItems", "array", -1, size)},
		{"maxItems", draft4, "array", count("maxItems", "array", 1, size)},
		{"uniqueItems", draft4, "array", growUniqueItems},
		{"items", draft4, "array", growItems},
		{"items", draft4, "array", growItems},
		{"prefixItems", draft4, "array", growPrefixItems},
		{"contains", draft6, "array", growContains},
		{"contains", draft6, "array", growContains},
		{"unevaluatedItems", draft2019, "array", growUnevaluatedItems},
		{"unevaluatedItems", draft2019, "array", growUnevaluatedItems},
		{"minProperties", draft4, "object", count("minProperties", "object", -1, size)},
		{"maxProperties", draft4, "object", count("maxProperties", "object", 1, size)},
		{"properties", draft4, "object", growProperties},
		{"properties", draft4, "object", growProperties},
		{"properties", draft4, "object", growProperties},
		{"patternProperties", draft4, "object", growPatternProperties},
		{"additionalProperties", draft4, "object", growAdditionalProperties},
		{"additionalProperties", draft4, "object", growAdditionalProperties},
		{"required", draft4, "object", growRequired},
		{"propertyNames", draft6, "object", growPropertyNames},
		{"dependentRequired", draft4, "object", growDependentRequired},
		{"dependentSchemas", draft4, "object", growDependentSchemas},
		{"unevaluatedProperties", draft2019, "object", growUnevaluatedProperties},
		{"allOf", draft4, "", growAllOf},
		{"anyOf", draft4, "", growAnyOf},
		{"oneOf", draft4, "", growOneOf},
		{"not", draft4, "", growNot},
		{"if", draft7, "", growIf},
		{"$ref", draft4, "", growRef},
		{"annotations", draft4, "", growAnnotation},
	}
}

// grown is one generated case: a schema and the values it was grown around.
type grown struct {
	draft  draft
	doc    any // in the words of 2020-12
	around []any
}

// grow grows a schema and its values.
func (g *grower) grow() grown {
	g.draft = pick(g, []draft{draft4, draft6, draft7, draft7, draft2019, draft2019, draft2020, draft2020, draft2020, draft2020})
	g.exotic = g.chance(6)
	g.defs = map[string]any{}
	var seed any
	if g.chance(3) {
		seed = g.value(3)
	} else {
		seed = g.object(3)
	}
	vs := []any{seed, g.changed(seed), g.changed(g.changed(seed))}[:1+g.IntN(3)]
	var doc any
	if g.chance(8) {
		doc, vs = g.recursive(vs)
	} else {
		doc = g.schema(vs, 3)
	}
	if len(g.defs) > 0 {
		doc.(map[string]any)["$defs"] = g.defs
	}
	if url := draftURL[g.draft]; g.draft != draft2020 || g.chance(2) {
		if object, ok := doc.(map[string]any); ok {
			object["$schema"] = url
		}
	}
	return grown{g.draft, doc, vs}
}

// schema grows a schema that every one of vs satisfies, most of the time.
func (g *grower) schema(vs []any, depth int) any {
	root := depth == 3
	if !root && g.chance(12) {
		g.used["boolean schema"]++
		return !g.chance(6)
	}
	if g.chance(40) {
		vs = []any{g.value(depth)} // so that some are not satisfied
	}
	doc := map[string]any{}
	if depth <= 0 {
		growType(g, doc, vs, 0)
		return doc
	}
	kinds := map[string]bool{}
	for _, v := range vs {
		kinds[kindOf(v)] = true
	}
	for range 1 + g.IntN(4) {
		f := pick(g, families)
		for tries := 0; f.kind != "" && !kinds[f.kind] && tries < 4; tries++ {
			f = pick(g, families)
		}
		if f.since <= g.draft && doc[f.name] == nil && f.grow(g, doc, vs, depth-1) {
			g.used[f.name]++
		}
	}
	return doc
}

// recursive grows a schema that refers to itself, around vs and all in them.
func (g *grower) recursive(vs []any) (any, []any) {
	all := slices.Clone(vs)
	for i := 0; i < len(all); i++ {
		switch v := all[i].(type) {
		case []any:
			all = append(all, v...)
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				all = append(all, v[name])
			}
		}
	}
	self := map[string]any{"$ref": "#"}
	if g.draft == draft2020 && g.chance(2) {
		self = map[string]any{"$dynamicRef": "#node"}
		g.used["$dynamicRef"]++
	}
	doc := map[string]any{"items": self, "additionalProperties": self}
	if self["$dynamicRef"] != nil {
		doc["$dynamicAnchor"] = "node"
	}
	for range 1 + g.IntN(3) {
		f := pick(g, families)
		if f.since <= g.draft && doc[f.name] == nil && f.name != "prefixItems" && f.name != "unevaluatedItems" && f.name != "unevaluatedProperties" && f.grow(g, doc, all, 2) {
			g.used[f.name]++
		}
	}
	g.used["recursion"]++
	return doc, vs
}

// avoid grows a schema that none of vs satisfies, most of the time.
func (g *grower) avoid(vs []any, depth int) any {
	var others []any
	kinds := map[string]bool{}
	for _, v := range vs {
		kinds[kindOf(v)] = true
	}
	for _, kind := range []string{"null", "boolean", "number", "string", "array", "object"} {
		if !kinds[kind] {
			others = append(others, kind)
		}
	}
	switch g.IntN(5) {
	case 0:
		if len(others) > 0 {
			return map[string]any{"type": pick(g, others)}
		}
	case 1:
		return map[string]any{"enum": g.decoys(vs)}
	case 2:
		if depth > 0 {
			return map[string]any{"not": g.schema(vs, min(depth-1, 2))}
		}
	case 3:
		if len(others) > 0 {
			return map[string]any{"type": others}
		}
	}
	if kinds["object"] && len(kinds) == 1 {
		return map[string]any{"type": "object", "required": []any{"zz"}}
	}
	return false
}

// decoys are values that equal none of vs and not each other.
func (g *grower) decoys(vs []any) []any {
	var to []any
	for range 1 + g.IntN(3) {
		v := g.changed(pick(g, vs))
		if !slices.ContainsFunc(vs, func(other any) bool { return equal(v, other) }) &&
			!slices.ContainsFunc(to, func(other any) bool { return equal(v, other) }) {
			to = append(to, v)
		}
	}
	if to == nil {
		to = []any{"decoy"}
	}
	return to
}

// of returns those of vs that are of one Go type.
func of[T any](vs []any) []T {
	var to []T
	for _, v := range vs {
		if v, ok := v.(T); ok {
			to = append(to, v)
		}
	}
	return to
}

func growType(g *grower, to map[string]any, vs []any, _ int) bool {
	var kinds []any
	for _, v := range vs {
		kind := kindOf(v)
		if n, ok := v.(json.Number); ok && rational(n).IsInt() && g.chance(2) {
			kind = "integer"
		}
		if !slices.Contains(kinds, any(kind)) {
			kinds = append(kinds, kind)
		}
	}
	if g.chance(5) {
		if kind := any(pick(g, []string{"null", "boolean", "integer", "number", "string", "array", "object"})); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	to["type"] = kinds
	if len(kinds) == 1 {
		to["type"] = kinds[0]
	}
	return true
}

func growEnum(g *grower, to map[string]any, vs []any, _ int) bool {
	if len(vs) > 6 {
		return false
	}
	members := g.decoys(vs)
	for _, v := range vs {
		if !slices.ContainsFunc(members, func(other any) bool { return equal(v, other) }) {
			members = append(members, v)
		}
	}
	to["enum"] = members
	return true
}

func growConst(g *grower, to map[string]any, vs []any, _ int) bool {
	for _, v := range vs[1:] {
		if !equal(v, vs[0]) {
			return false
		}
	}
	if _, isContainer := vs[0].(map[string]any); isContainer && g.chance(2) {
		return false
	}
	to["const"] = vs[0]
	return true
}

// bound grows a limit of numbers beyond (side -1 below, 1 above) all of vs.
func bound(name string, side int, inclusive bool) func(*grower, map[string]any, []any, int) bool {
	return func(g *grower, to map[string]any, vs []any, _ int) bool {
		all := of[json.Number](vs)
		if len(all) == 0 {
			to[name] = g.number()
			return true
		}
		outer := all[0]
		for _, n := range all {
			if rational(n).Cmp(rational(outer))*side > 0 {
				outer = n
			}
		}
		distance := pick(g, []*big.Rat{big.NewRat(0, 1), big.NewRat(0, 1), big.NewRat(1, 4), big.NewRat(1, 1), big.NewRat(5, 1)})
		switch zero := distance.Sign() == 0; {
		case zero && inclusive:
			to[name] = outer
		case zero || !exact(string(outer)):
			return false
		default:
			distance.Mul(distance, big.NewRat(int64(side), 1))
			to[name] = g.literal(decimal(distance.Add(distance, rational(outer))))
		}
		return true
	}
}

func growMultipleOf(g *grower, to map[string]any, vs []any, _ int) bool {
	candidates := []json.Number{"1", "2", "3", "0.5", "0.25", "5"}
	if g.exotic {
		candidates = append(candidates, "0.01", "0.1", "1e-7", "9007199254740993")
	}
	by := pick(g, candidates)
	for _, n := range of[json.Number](vs) {
		if !new(big.Rat).Quo(rational(n), rational(by)).IsInt() {
			return false
		}
	}
	to["multipleOf"] = by
	return true
}

func length(v any) int { return utf8.RuneCountInString(v.(string)) }

func size(v any) int {
	if list, ok := v.([]any); ok {
		return len(list)
	}
	return len(v.(map[string]any))
}

// count grows a limit of lengths: at most (side -1) or at least (1) those of vs.
func count(name, kind string, side int, measure func(any) int) func(*grower, map[string]any, []any, int) bool {
	return func(g *grower, to map[string]any, vs []any, _ int) bool {
		limit, found := 0, false
		for _, v := range vs {
			if kindOf(v) != kind {
				continue
			}
			if n := measure(v); !found || (n-limit)*side > 0 {
				limit, found = n, true
			}
		}
		if !found {
			limit = g.IntN(4)
		}
		if g.chance(3) {
			limit = max(0, limit+side*g.IntN(3))
		}
		to[name] = json.Number(fmt.Sprint(limit))
		if g.chance(20) {
			to[name] = json.Number(fmt.Sprint(limit, ".0"))
		}
		return true
	}
}

// portable are patterns that RE2 as Go has it and ECMA-262 read alike for every
// text.
var portable = []string{"^a", "b$", "^[a-c]+$", "[0-9]", "^$", "a|1", "^[^/]{0,3}$", "^[^/]*$", "é", "^[a-z0-9@.]*$", "^(a|b)?c?$", "x\\d", "^\\w+$", "e"}

// foreign are patterns that those engines read differently or refuse.
var foreign = []string{"^\\S*$", "^[\\s\\S]$", "^(?!a)", "(?<=a)b", "^\\p{L}*$", "^.{0,3}$", "\\u0061", "(a)\\1?", "^(?:a|ab)(?:c|bcd)?$"}

func growPattern(g *grower, to map[string]any, vs []any, _ int) bool {
	if g.exotic && g.chance(4) {
		to["pattern"] = pick(g, foreign)
		return true
	}
	for range 4 {
		pattern := pick(g, portable)
		re := regexp.MustCompile(pattern)
		if !slices.ContainsFunc(of[string](vs), func(s string) bool { return !re.MatchString(s) }) {
			to["pattern"] = pattern
			return true
		}
	}
	return false
}

func growFormat(g *grower, to map[string]any, vs []any, _ int) bool {
	to["format"] = pick(g, []string{"date", "email", "date-time", "ipv4", "uuid", "regex", "int8", "uint8", "int64", "double", "json-pointer"})
	return true
}

func growUniqueItems(g *grower, to map[string]any, vs []any, _ int) bool {
	unique := true
	for _, list := range of[[]any](vs) {
		for i := range list {
			for j := range i {
				unique = unique && !equal(list[i], list[j])
			}
		}
	}
	to["uniqueItems"] = unique
	return true
}

// itemsFrom returns the items of all arrays in vs behind the first skip of each.
func itemsFrom(vs []any, skip int) []any {
	var to []any
	for _, list := range of[[]any](vs) {
		to = append(to, list[min(skip, len(list)):]...)
	}
	return to
}

// over grows a schema around vs, around a new value where there are none.
func (g *grower) over(vs []any, depth int) any {
	if len(vs) == 0 {
		vs = []any{g.value(1)}
	}
	return g.schema(vs, min(depth, 2))
}

func growItems(g *grower, to map[string]any, vs []any, depth int) bool {
	prefix, _ := to["prefixItems"].([]any)
	items := itemsFrom(vs, len(prefix))
	if len(items) == 0 && g.chance(3) {
		to["items"] = false
		return true
	}
	to["items"] = g.over(items, depth)
	return true
}

func growPrefixItems(g *grower, to map[string]any, vs []any, depth int) bool {
	if to["items"] != nil || to["unevaluatedItems"] != nil {
		return false
	}
	var prefix []any
	for i := range 1 + g.IntN(3) {
		var at []any
		for _, list := range of[[]any](vs) {
			if i < len(list) {
				at = append(at, list[i])
			}
		}
		prefix = append(prefix, g.over(at, depth))
	}
	to["prefixItems"] = prefix
	return true
}

func growContains(g *grower, to map[string]any, vs []any, depth int) bool {
	var found []any
	atLeast, most := 1, 0
	for _, list := range of[[]any](vs) {
		most = max(most, len(list))
		if len(list) == 0 {
			atLeast = 0
			continue
		}
		found = append(found, pick(g, list))
	}
	if atLeast == 0 && g.draft < draft2019 {
		return false
	}
	if g.chance(2) { // every item counts
		found = itemsFrom(vs, 0)
	}
	to["contains"] = g.over(found, depth)
	if g.draft >= draft2019 {
		if atLeast == 0 || g.chance(4) {
			if atLeast > 0 && len(found) > 2 && g.chance(2) {
				atLeast = 2
			}
			to["minContains"] = json.Number(fmt.Sprint(atLeast))
			g.used["minContains"]++
		}
		if g.chance(2) {
			to["maxContains"] = json.Number(fmt.Sprint(max(1, most-g.IntN(2))))
			g.used["maxContains"]++
		}
	}
	return true
}

func growUnevaluatedItems(g *grower, to map[string]any, vs []any, depth int) bool {
	if to["items"] != nil {
		return false
	}
	switch g.IntN(3) {
	case 0: // an applicator in place sees them
		branch := map[string]any{}
		if g.chance(2) {
			growPrefixItems(g, branch, vs, depth)
		}
		growItems(g, branch, vs, depth)
		return growAround(g, to, branch, vs, depth, "unevaluatedItems", false)
	case 1:
		prefix, _ := to["prefixItems"].([]any)
		to["unevaluatedItems"] = g.over(itemsFrom(vs, len(prefix)), depth)
	default:
		if len(itemsFrom(vs, 0)) > 0 {
			return false
		}
		to["unevaluatedItems"] = false
	}
	return true
}

// growAround puts branch under an applicator in place, and keyword beside it.
func growAround(g *grower, to, branch map[string]any, vs []any, depth int, keyword string, value any) bool {
	var under string
	var held any
	switch g.IntN(4) {
	case 0:
		under, held = "allOf", []any{branch, g.schema(vs, min(depth, 1))}
	case 1:
		under, held = "anyOf", []any{g.avoid(vs, depth), branch}
	case 2:
		under, held = "oneOf", []any{branch, g.avoid(vs, depth)}
	default:
		under, held = "if", branch
	}
	if to[under] != nil {
		return false
	}
	to[under], to[keyword] = held, value
	return true
}

// members returns the values of one name in all objects of vs.
func members(vs []any, name string) []any {
	var to []any
	for _, object := range of[map[string]any](vs) {
		if v, ok := object[name]; ok {
			to = append(to, v)
		}
	}
	return to
}

// namesIn returns the names in all objects of vs, sorted.
func namesIn(vs []any) []string {
	all := map[string]bool{}
	for _, object := range of[map[string]any](vs) {
		for name := range object {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func growProperties(g *grower, to map[string]any, vs []any, depth int) bool {
	properties := map[string]any{}
	for _, name := range namesIn(vs) {
		if !g.chance(4) {
			properties[name] = g.over(members(vs, name), depth)
		}
	}
	if g.chance(2) {
		if name := pick(g, names); properties[name] == nil {
			properties[name] = g.over(members(vs, name), depth)
		}
	}
	if g.chance(60) {
		for i := range 12 { // a name beyond those that are compared one by one
			properties[fmt.Sprint("n", i)] = map[string]any{"type": "integer"}
		}
	}
	if rest, ok := to["additionalProperties"]; ok && rest == false {
		for _, name := range namesIn(vs) {
			if properties[name] == nil {
				properties[name] = true
			}
		}
	}
	to["properties"] = properties
	return true
}

func growPatternProperties(g *grower, to map[string]any, vs []any, depth int) bool {
	patterns := map[string]any{}
	for range 1 + g.IntN(2) {
		pattern := pick(g, portable)
		re := regexp.MustCompile(pattern)
		var matched []any
		for _, name := range namesIn(vs) {
			if re.MatchString(name) {
				matched = append(matched, members(vs, name)...)
			}
		}
		patterns[pattern] = g.over(matched, depth)
	}
	to["patternProperties"] = patterns
	return true
}

func growAdditionalProperties(g *grower, to map[string]any, vs []any, depth int) bool {
	properties, known := to["properties"].(map[string]any)
	var rest []any
	open := false
	for _, name := range namesIn(vs) {
		if properties[name] == nil {
			rest = append(rest, members(vs, name)...)
			open = true
		}
	}
	switch {
	case known && g.chance(2):
		properties = maps.Clone(properties)
		for _, name := range namesIn(vs) {
			if properties[name] == nil {
				properties[name] = g.over(members(vs, name), depth)
			}
		}
		to["properties"] = properties
		to["additionalProperties"] = false
	case !open && g.chance(2):
		to["additionalProperties"] = false
	default:
		to["additionalProperties"] = g.over(rest, depth)
	}
	return true
}

func growRequired(g *grower, to map[string]any, vs []any, _ int) bool {
	objects := of[map[string]any](vs)
	var required []any
	for _, name := range names {
		if len(members(vs, name)) == len(objects) && !g.chance(3) {
			required = append(required, name)
		}
	}
	if len(required) == 0 || len(objects) == 0 && len(required) > 2 {
		return false
	}
	to["required"] = required
	return true
}

func growPropertyNames(g *grower, to map[string]any, vs []any, depth int) bool {
	var all []any
	for _, name := range namesIn(vs) {
		all = append(all, name)
	}
	to["propertyNames"] = g.over(all, depth)
	return true
}

func growDependentRequired(g *grower, to map[string]any, vs []any, _ int) bool {
	trigger := pick(g, names)
	var needed []any
	for _, name := range names {
		holds := true
		for _, object := range of[map[string]any](vs) {
			_, has := object[trigger]
			_, also := object[name]
			holds = holds && (!has || also)
		}
		if holds && g.chance(3) {
			needed = append(needed, name)
		}
	}
	if len(needed) == 0 {
		return false
	}
	to["dependentRequired"] = map[string]any{trigger: needed}
	return true
}

func growDependentSchemas(g *grower, to map[string]any, vs []any, depth int) bool {
	trigger := pick(g, append(namesIn(vs), pick(g, names)))
	var having []any
	for _, object := range of[map[string]any](vs) {
		if _, ok := object[trigger]; ok {
			having = append(having, object)
		}
	}
	to["dependentSchemas"] = map[string]any{trigger: g.over(having, depth)}
	return true
}

func growUnevaluatedProperties(g *grower, to map[string]any, vs []any, depth int) bool {
	if to["additionalProperties"] != nil {
		return false
	}
	switch g.IntN(3) {
	case 0:
		branch := map[string]any{}
		growProperties(g, branch, vs, depth)
		properties := branch["properties"].(map[string]any)
		for _, name := range namesIn(vs) {
			if properties[name] == nil {
				properties[name] = true
			}
		}
		return growAround(g, to, branch, vs, depth, "unevaluatedProperties", false)
	case 1:
		var all []any
		for _, name := range namesIn(vs) {
			all = append(all, members(vs, name)...)
		}
		to["unevaluatedProperties"] = g.over(all, depth)
	default:
		growProperties(g, to, vs, depth)
		properties := to["properties"].(map[string]any)
		for _, name := range namesIn(vs) {
			if properties[name] == nil {
				properties[name] = true
			}
		}
		to["unevaluatedProperties"] = false
	}
	return true
}

func growAllOf(g *grower, to map[string]any, vs []any, depth int) bool {
	var all []any
	for range 1 + g.IntN(2) {
		all = append(all, g.over(vs, depth))
	}
	to["allOf"] = all
	return true
}

func growAnyOf(g *grower, to map[string]any, vs []any, depth int) bool {
	branches := []any{g.avoid(vs, depth), g.over(vs, depth)}
	if g.chance(2) {
		branches = append(branches, g.over(nil, depth))
	}
	if len(vs) > 1 && g.chance(2) { // each branch for a part of them
		half := len(vs) / 2
		branches = []any{g.over(vs[:half], depth), g.over(vs[half:], depth)}
	}
	g.Shuffle(len(branches), func(i, j int) { branches[i], branches[j] = branches[j], branches[i] })
	to["anyOf"] = branches
	return true
}

func growOneOf(g *grower, to map[string]any, vs []any, depth int) bool {
	branches := []any{g.avoid(vs, depth), g.over(vs, depth)}
	if g.chance(3) {
		branches = append(branches, g.avoid(vs, depth))
	}
	g.Shuffle(len(branches), func(i, j int) { branches[i], branches[j] = branches[j], branches[i] })
	to["oneOf"] = branches
	return true
}

func growNot(g *grower, to map[string]any, vs []any, depth int) bool {
	to["not"] = g.avoid(vs, depth)
	return true
}

func growIf(g *grower, to map[string]any, vs []any, depth int) bool {
	branch, other := "then", "else"
	if g.chance(2) {
		to["if"] = g.over(vs, depth)
	} else {
		to["if"] = g.avoid(vs, depth)
		branch, other = other, branch
	}
	to[branch] = g.over(vs, depth)
	if g.chance(2) {
		to[other] = g.over(nil, depth)
		g.used[other]++
	}
	g.used[branch]++
	return true
}

func growRef(g *grower, to map[string]any, vs []any, depth int) bool {
	if len(g.defs) > 5 {
		return false
	}
	name := fmt.Sprint("d", len(g.defs))
	g.defs[name] = true // its name is taken, whatever grows inside
	definition := g.over(vs, depth)
	g.defs[name] = definition
	to["$ref"] = "#/$defs/" + name
	if object, ok := definition.(map[string]any); ok && g.chance(4) {
		object["$anchor"] = "at-" + name
		to["$ref"] = "#at-" + name
		g.used["$anchor"]++
	}
	return true
}

func growAnnotation(g *grower, to map[string]any, vs []any, depth int) bool {
	switch g.IntN(5) {
	case 0:
		to["title"] = "a title"
	case 1:
		to["description"] = "a description"
	case 2:
		to["default"] = vs[0]
	case 3:
		to["examples"] = vs[:1]
	default:
		to["x-note"] = map[string]any{"minimum": json.Number("1")}
	}
	return true
}
