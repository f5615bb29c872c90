package schema

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"example.com/assay/assay/internal/ecma"
	"example.com/assay/internal/slip"
)

// draft is a version of JSON Schema: 4, 6, 7, 2019 or 2020.
type draft int

const (
	draft4    draft = 4
	draft6    draft = 6
	draft7    draft = 7
	draft2019 draft = 2019
	draft2020 draft = 2020
)

func (d draft) String() string {
	switch d {
	case draft4:
		return "draft-04"
	case draft6:
		return "draft-06"
	case draft7:
		return "draft-07"
	case draft2019:
		return "draft 2019-09"
	}
	return "draft 2020-12"
}

// home is the keyword under which a schema of the draft keeps definitions.
func (d draft) home() string {
	if d < draft2019 {
		return "definitions"
	}
	return "$defs"
}

// draftOf returns the draft that a $schema names. The scheme and an empty
// fragment make no difference.
func draftOf(url string) (draft, bool) {
	url = strings.TrimSuffix(url, "#")
	if rest, ok := strings.CutPrefix(url, "https://"); ok {
		url = rest
	} else if rest, ok := strings.CutPrefix(url, "http://"); ok {
		url = rest
	}
	switch url {
	case "json-schema.org/draft/2020-12/schema":
		return draft2020, true
	case "json-schema.org/draft/2019-09/schema":
		return draft2019, true
	case "json-schema.org/draft-07/schema":
		return draft7, true
	case "json-schema.org/draft-06/schema":
		return draft6, true
	case "json-schema.org/draft-04/schema":
		return draft4, true
	}
	return 0, false
}

// shape is what the metaschema of a draft requires of a keyword's value.
type shape uint8

const (
	anything       shape = iota
	text                 // a string
	boolean              // true or false
	number               // a number
	positive             // a number > 0
	count                // an integer >= 0
	list                 // an array
	members              // an array that is not empty (enum)
	names                // an array of distinct strings
	typeNames            // a type, or a non-empty array of distinct types
	namesByName          // an object of names
	flags                // an object of booleans ($vocabulary)
	schemaURL            // $schema
	identifier           // $id
	anchorName           // $anchor, $dynamicAnchor
	reference            // $ref, $dynamicRef
	rootReference        // $recursiveRef
	pattern              // an ECMA-262 regular expression
	formatName           // format
	subschema            // a schema
	orBoolean            // a schema, or a boolean where the draft has no boolean schemas
	subschemas           // a non-empty array of schemas
	orSubschemas         // a schema, or a non-empty array of schemas
	byName               // an object of schemas
	byPattern            // an object of schemas, its names regular expressions
	dependencyList       // an object of schemas and names
)

// keyword is one row of the table: in the drafts from through to, the value has
// this shape.
type keyword struct {
	from, to draft
	shape    shape
}

// keywords is the vocabulary of the five drafts: their core and validation
// specifications and metaschemas. A keyword that is not in it, or not in it for
// the draft at hand, does not compile.
var keywords = map[string][]keyword{
	"$schema":          {{draft4, draft2020, schemaURL}},
	"id":               {{draft4, draft4, identifier}},
	"$id":              {{draft6, draft2020, identifier}},
	"$ref":             {{draft4, draft2020, reference}},
	"$anchor":          {{draft2019, draft2020, anchorName}},
	"$recursiveRef":    {{draft2019, draft2019, rootReference}},
	"$recursiveAnchor": {{draft2019, draft2019, boolean}},
	"$dynamicRef":      {{draft2020, draft2020, reference}},
	"$dynamicAnchor":   {{draft2020, draft2020, anchorName}},
	"$vocabulary":      {{draft2019, draft2020, flags}},
	"$defs":            {{draft2019, draft2020, byName}},
	"definitions":      {{draft4, draft2020, byName}},

	"allOf":                 {{draft4, draft2020, subschemas}},
	"anyOf":                 {{draft4, draft2020, subschemas}},
	"oneOf":                 {{draft4, draft2020, subschemas}},
	"not":                   {{draft4, draft2020, subschema}},
	"if":                    {{draft7, draft2020, subschema}},
	"then":                  {{draft7, draft2020, subschema}},
	"else":                  {{draft7, draft2020, subschema}},
	"properties":            {{draft4, draft2020, byName}},
	"patternProperties":     {{draft4, draft2020, byPattern}},
	"additionalProperties":  {{draft4, draft2020, orBoolean}},
	"propertyNames":         {{draft6, draft2020, subschema}},
	"unevaluatedProperties": {{draft2019, draft2020, subschema}},
	"dependencies":          {{draft4, draft7, dependencyList}},
	"dependentSchemas":      {{draft2019, draft2020, byName}},
	"prefixItems":           {{draft2020, draft2020, subschemas}},
	"items":                 {{draft4, draft2019, orSubschemas}, {draft2020, draft2020, subschema}},
	"additionalItems":       {{draft4, draft2019, orBoolean}},
	"unevaluatedItems":      {{draft2019, draft2020, subschema}},
	"contains":              {{draft6, draft2020, subschema}},

	"type":              {{draft4, draft2020, typeNames}},
	"enum":              {{draft4, draft2020, members}},
	"const":             {{draft6, draft2020, anything}},
	"multipleOf":        {{draft4, draft2020, positive}},
	"maximum":           {{draft4, draft2020, number}},
	"minimum":           {{draft4, draft2020, number}},
	"exclusiveMaximum":  {{draft4, draft4, boolean}, {draft6, draft2020, number}},
	"exclusiveMinimum":  {{draft4, draft4, boolean}, {draft6, draft2020, number}},
	"maxLength":         {{draft4, draft2020, count}},
	"minLength":         {{draft4, draft2020, count}},
	"pattern":           {{draft4, draft2020, pattern}},
	"maxItems":          {{draft4, draft2020, count}},
	"minItems":          {{draft4, draft2020, count}},
	"uniqueItems":       {{draft4, draft2020, boolean}},
	"maxContains":       {{draft2019, draft2020, count}},
	"minContains":       {{draft2019, draft2020, count}},
	"maxProperties":     {{draft4, draft2020, count}},
	"minProperties":     {{draft4, draft2020, count}},
	"required":          {{draft4, draft2020, names}},
	"dependentRequired": {{draft2019, draft2020, namesByName}},
	"format":            {{draft4, draft2020, formatName}},

	// The annotations pass in every draft; where the draft's metaschema does
	// not know one, its value is free.
	"title":            {{draft4, draft2020, text}},
	"description":      {{draft4, draft2020, text}},
	"default":          {{draft4, draft2020, anything}},
	"example":          {{draft4, draft2020, anything}},
	"examples":         {{draft4, draft4, anything}, {draft6, draft2020, list}},
	"$comment":         {{draft4, draft6, anything}, {draft7, draft2020, text}},
	"deprecated":       {{draft4, draft7, anything}, {draft2019, draft2020, boolean}},
	"readOnly":         {{draft4, draft6, anything}, {draft7, draft2020, boolean}},
	"writeOnly":        {{draft4, draft6, anything}, {draft7, draft2020, boolean}},
	"contentEncoding":  {{draft4, draft6, anything}, {draft7, draft2020, text}},
	"contentMediaType": {{draft4, draft6, anything}, {draft7, draft2020, text}},
	"contentSchema":    {{draft4, draft7, anything}, {draft2019, draft2020, subschema}},
}

// annotations constrain nothing and may stand anywhere.
var annotations = []string{
	"title", "description", "default", "example", "examples", "$comment", "deprecated",
	"readOnly", "writeOnly", "contentEncoding", "contentMediaType", "contentSchema",
}

// shapeOf returns the shape of a keyword in a draft, false if that draft has no
// such keyword.
func shapeOf(name string, d draft) (shape, bool) {
	for _, k := range keywords[name] {
		if k.from <= d && d <= k.to {
			return k.shape, true
		}
	}
	return 0, false
}

// extension reports whether a name is free for the policy's author.
func extension(name string) bool { return strings.HasPrefix(name, "x-") }

// inPlace are the keywords whose subschemas judge the same value as the schema
// that holds them. A loop through them consumes no input.
func inPlace(keyword string) bool {
	switch keyword {
	case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies":
		return true
	}
	return false
}

// instead says what to write for a keyword of another draft or dialect.
var instead = map[string]string{
	"dependencies":    "write dependentRequired or dependentSchemas",
	"$recursiveRef":   "write $dynamicRef",
	"$dynamicRef":     "write $ref, or $recursiveRef in draft 2019-09",
	"additionalItems": "write items beside prefixItems",
	"prefixItems":     "write items with a list",
	"$defs":           "write definitions",
	"const":           "write enum with one member",
	"id":              "write $id",
	"$id":             "write id",
	"$anchor":         "write an $id that is a fragment",
	"divisibleBy":     "write multipleOf",
	"extends":         "write allOf",
	"disallow":        "write not",
	"nullable":        "add \"null\" to type",
}

// nearest returns the keyword of the draft that a misspelt name most likely
// means, "" if none is near.
func nearest(name string, d draft) string {
	best, least := "", slip.Far
	for _, candidate := range keywordNames(d) {
		n := slip.Count(strings.ToLower(name), strings.ToLower(candidate))
		if n < least && n < len(candidate)/2+1 {
			best, least = candidate, n
		}
	}
	return best
}

func keywordNames(d draft) []string {
	var all []string
	for name := range keywords {
		if _, ok := shapeOf(name, d); ok {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// typeList are the types (JSON Schema 2020-12, Validation, section 6.1.1).
var typeList = []string{"null", "boolean", "integer", "number", "string", "array", "object"}

// nullType is what to write for the type null.
const nullType = `put null in quotation marks: "null"`

// typeElsewhere has the names that other languages give to the types.
var typeElsewhere = map[string]string{
	"none": "null", "nil": "null",
	"bool": "boolean",
	"int":  "integer", "long": "integer",
	"float": "number", "double": "number", "decimal": "number",
	"str": "string", "text": "string", "char": "string",
	"list": "array", "tuple": "array", "slice": "array",
	"dict": "object", "map": "object", "mapping": "object", "hash": "object", "struct": "object",
}

// meantType returns the type that a word most likely means, "" if none.
func meantType(word string) string {
	word = strings.ToLower(word)
	if elsewhere, ok := typeElsewhere[word]; ok {
		return elsewhere
	}
	best, least := "", slip.Far
	for _, name := range typeList {
		if n := slip.Count(word, name); n < least && n < len(name)/2 {
			best, least = name, n
		}
	}
	return best
}

// meant says what to write for a keyword's value that is not of its shape, ""
// where that goes without saying.
func meant(name string, s shape, v any) string {
	word, isText := v.(string)
	switch s {
	case text, schemaURL, identifier, anchorName, reference, pattern, formatName:
		switch v.(type) {
		case bool, json.Number:
			return "put it in quotation marks"
		}
	case boolean:
		return cmp.Or(slip.Boolean(word), "write true or false")
	case number, positive, count:
		if _, isNumber := v.(json.Number); !isNumber {
			return slip.Number(word)
		}
	case list, members:
		if isText {
			return slip.List(name, word)
		}
	case subschemas, orSubschemas:
		return "write " + name + ": [{…}]"
	case byName, byPattern, dependencyList:
		return "write " + name + ": {name: {type: string}}"
	}
	return ""
}

// dialects has what other languages write in a regular expression, and what to
// write instead.
var dialects = []struct{ theirs, hint string }{
	{"(?i", "spell out both cases, such as [Aa]"},
	{"(?P<", "write (?<name>…)"},
	{`\A`, "write ^ for the start"},
	{`\z`, "write $ for the end"},
	{`\Z`, "write $ for the end"},
}

// otherDialect says what to write where an expression is refused for the dialect
// of another language, "" where it is not for that.
func otherDialect(expression string, err error) string {
	var at *ecma.SyntaxError
	if !errors.As(err, &at) || at.Offset > len(expression) {
		return ""
	}
	for _, d := range dialects {
		if strings.HasPrefix(expression[at.Offset:], d.theirs) {
			return d.hint
		}
	}
	return ""
}
