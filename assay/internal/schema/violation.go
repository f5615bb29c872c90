package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/assay/assay/internal/strictjson"
	"example.com/assay/internal/jsonpointer"
)

const (
	maxName        = 128 // bytes of a property name or pattern in a message
	maxMember      = 64  // bytes of an enum or const member in a message
	maxMembers     = 8   // members of an enum in a message
	maxNames       = 16  // property names in a message
	maxLimitDigits = 64  // bytes of a number in a message
)

// cut shortens s to at most limit bytes, on a character boundary.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	limit -= len("…")
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

// schemaPath is where the keyword stands in the policy.
func (f finding) schemaPath() string {
	if f.node.object == nil {
		return f.node.path()
	}
	return f.node.path() + "/" + jsonpointer.Escape(f.keyword)
}

func (f finding) violation() Violation {
	message, suggestion := f.sentences()
	return Violation{Path: f.shown, Constraint: f.keyword, Message: message, Suggestion: suggestion, SchemaPath: f.schemaPath()}
}

// sentences says what the keyword wants, and what would pass, from the schema
// and the names of properties alone.
func (f finding) sentences() (message, suggestion string) {
	limit := f.node.object[f.keyword]
	if f.node.object == nil {
		return f.forbidden()
	}
	switch f.keyword {
	case "type":
		want := typesText(limit)
		return "the value must be " + want, "use " + want
	case "enum":
		if f.hidden {
			return "the value must be one of the listed values", "use one of the values that the policy lists"
		}
		want := membersText(limit)
		return "the value must be one of " + want, "use one of " + want
	case "const":
		if f.hidden {
			return "the value must be the one that is fixed", "use the value that the policy fixes"
		}
		want := memberText(limit)
		return "the value must be " + want, "use " + want
	case "format":
		name, _ := limit.(string)
		want := "a text in the format " + shown(name)
		if _, ok := integerFormats[name]; ok {
			want = integerFormatText(name)
		}
		return "the value must be " + want, "use " + want
	case "pattern":
		want, _ := limit.(string)
		if f.hidden {
			return "the text must match the pattern of the policy", "use a text that the pattern of the policy matches"
		}
		return "the text must match the pattern " + shown(want), "use a text that matches " + shown(want)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		want := f.bound() + numberText(limit)
		if b, ok := limit.(bool); ok && b {
			want = f.bound() + numberText(f.node.object[strings.ToLower(strings.TrimPrefix(f.keyword, "exclusive"))])
		}
		return "the number must be " + want, "use a number " + want
	case "multipleOf":
		want := "a multiple of " + numberText(limit)
		return "the number must be " + want, "use " + want
	case "minLength":
		want := "at least " + countText(limit, "character")
		return "the text must have " + want, "use " + want
	case "maxLength":
		want := "at most " + countText(limit, "character")
		return "the text must have " + want, "use " + want
	case "minItems":
		want := "at least " + countText(limit, "item")
		return "the list must have " + want, "give " + want
	case "maxItems":
		want := "at most " + countText(limit, "item")
		return "the list must have " + want, "give " + want
	case "minProperties":
		want := "at least " + plural(limit, "property", "properties")
		return "the object must have " + want, "give " + want
	case "maxProperties":
		want := "at most " + plural(limit, "property", "properties")
		return "the object must have " + want, "give " + want
	case "uniqueItems":
		return "the items of the list must differ from each other", "remove the items that occur twice"
	case "additionalItems":
		items, _ := f.node.object["items"].([]any)
		want := "at most " + countText(json.Number(strconv.Itoa(len(items))), "item")
		return "the list must have " + want, "give " + want
	case "required":
		return "missing " + f.properties(), "add " + f.properties()
	case "dependentRequired", "dependencies":
		return f.dependent()
	case "additionalProperties":
		if allowed := ownNames(f.node); allowed != "" && !f.several {
			return f.properties() + f.are() + " not allowed", "use only " + allowed
		}
		return f.properties() + f.are() + " not allowed", "remove " + f.properties()
	case "propertyNames":
		return f.properties() + f.are() + " not allowed by name", "rename or remove " + f.properties()
	case "contains":
		return "no item of the list is of the kind it must contain", "add an item of the kind that the policy describes"
	case "minContains":
		want := "at least " + countText(limit, "item") + " of the kind that the policy describes"
		return "the list must contain " + want, "give " + want
	case "maxContains":
		want := "at most " + countText(limit, "item") + " of the kind that the policy describes"
		return "the list must contain " + want, "give " + want
	case "anyOf":
		return "the value fits none of the alternatives", "use a value that fits at least one alternative of the policy"
	case "oneOf":
		if len(f.names) > 0 {
			return "the value fits more than one of the alternatives", "use a value that fits exactly one alternative of the policy"
		}
		return "the value fits none of the alternatives", "use a value that fits exactly one alternative of the policy"
	case "$ref", "$dynamicRef", "$recursiveRef":
		return nothing()
	case "not":
		return "the value is of a kind that is not allowed", "use a value that the policy does not exclude"
	}
	return "the value is not allowed", "use another value"
}

// forbidden is the sentence for the schema false, which stands under a keyword.
func (f finding) forbidden() (message, suggestion string) {
	switch f.keyword {
	case "unevaluatedProperties":
		return f.properties() + f.are() + " not allowed", "remove " + f.properties()
	case "unevaluatedItems":
		return "the list has items that are not allowed", "remove the last items"
	case "dependentSchemas", "dependencies":
		return f.dependent()
	case "properties", "patternProperties":
		return "this property is not allowed", "remove it"
	case "items", "prefixItems":
		return "this item is not allowed", "remove it"
	}
	return nothing()
}

func nothing() (message, suggestion string) { return "no value is allowed here", "leave it out" }

// dependent is about properties that are missing, or not allowed, because of
// others.
func (f finding) dependent() (message, suggestion string) {
	var messages, suggestions []string
	if len(f.names) > 0 {
		messages = append(messages, "missing "+propertiesText(f.names)+", which other properties given require")
		suggestions = append(suggestions, "add "+propertiesText(f.names))
	}
	if len(f.unwanted) > 0 {
		messages = append(messages, propertiesText(f.unwanted)+are(f.unwanted)+" not allowed")
		suggestions = append(suggestions, "remove "+propertiesText(f.unwanted))
	}
	return strings.Join(messages, "; "), strings.Join(suggestions, " and ")
}

func (f finding) bound() string {
	switch f.keyword {
	case "minimum":
		return ">= "
	case "maximum":
		return "<= "
	case "exclusiveMinimum":
		return "> "
	}
	return "< "
}

// properties names the properties of the finding.
func (f finding) properties() string { return propertiesText(f.names) }

func (f finding) are() string { return are(f.names) }

func propertiesText(names []string) string {
	if len(names) == 1 {
		return "the property " + shown(names[0])
	}
	return "the properties " + listText(names)
}

func are(names []string) string {
	if len(names) == 1 {
		return " is"
	}
	return " are"
}

func listText(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i == maxNames {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(shown(name))
	}
	return b.String()
}

// ownNames lists the properties that a schema names itself, "" if it names none
// or admits others by pattern.
func ownNames(n *node) string {
	properties, _ := n.object["properties"].(map[string]any)
	if _, ok := n.object["patternProperties"]; ok || len(properties) == 0 {
		return ""
	}
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return listText(names)
}

var typeTexts = map[string]string{
	"null": "null", "boolean": "true or false", "integer": "an integer", "number": "a number",
	"string": "a string", "array": "a list", "object": "an object",
}

func typesText(v any) string {
	name, ok := v.(string)
	if ok {
		return typeTexts[name]
	}
	var all []string
	items, _ := v.([]any)
	for _, item := range items {
		name, _ := item.(string)
		all = append(all, typeTexts[name])
	}
	return strings.Join(all, " or ")
}

func membersText(v any) string {
	items, _ := v.([]any)
	var b strings.Builder
	for i, item := range items {
		if i == maxMembers {
			fmt.Fprintf(&b, " and %d more", len(items)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(memberText(item))
	}
	return b.String()
}

// memberText writes a member of enum or const as JSON, cut.
func memberText(v any) string {
	if text, ok := v.(string); ok {
		return shownIn(text, maxMember-2)
	}
	if text, ok := v.(json.Number); ok {
		return numberText(text)
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "a value"
	}
	return cut(strings.TrimSuffix(text.String(), "\n"), maxMember)
}

// numberText writes a limit the way people do: 30 for 30.0, but 1e400 as it
// stands.
func numberText(v any) string {
	literal, _ := v.(json.Number)
	text := string(literal)
	if plain := strictjson.Plain(text); len(plain) <= maxLimitDigits {
		text = plain
	}
	return cut(text, maxLimitDigits)
}

func countText(v any, noun string) string { return plural(v, noun, noun+"s") }

func plural(v any, one, several string) string {
	text := numberText(v)
	if text == "1" {
		return "1 " + one
	}
	return text + " " + several
}
