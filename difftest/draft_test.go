package difftest

import (
	"maps"
	"slices"
	"strings"
)

// draft is a JSON Schema draft. Schemas are grown in the words of 2020-12, with
// only those keywords that the draft at hand can say, and then put in its words.
type draft int

const (
	draft4    draft = 4
	draft6    draft = 6
	draft7    draft = 7
	draft2019 draft = 2019
	draft2020 draft = 2020
)

var draftURL = map[draft]string{
	draft4:    "http://json-schema.org/draft-04/schema#",
	draft6:    "http://json-schema.org/draft-06/schema#",
	draft7:    "http://json-schema.org/draft-07/schema#",
	draft2019: "https://json-schema.org/draft/2019-09/schema",
	draft2020: "https://json-schema.org/draft/2020-12/schema",
}

// holders says where a keyword holds subschemas: itself, in a list, by name.
var holders = map[string]string{
	"not": "self", "if": "self", "then": "self", "else": "self", "items": "self", "contains": "self",
	"additionalProperties": "self", "propertyNames": "self", "unevaluatedProperties": "self", "unevaluatedItems": "self",
	"allOf": "list", "anyOf": "list", "oneOf": "list", "prefixItems": "list",
	"properties": "names", "patternProperties": "names", "dependentSchemas": "names", "$defs": "names",
}

// withSubschemas returns a copy of a 2020-12 schema with change applied to every
// schema right below it.
func withSubschemas(doc any, change func(any) any) any {
	object, ok := doc.(map[string]any)
	if !ok {
		return doc
	}
	to := map[string]any{}
	for name, v := range object {
		switch holders[name] {
		case "self":
			v = change(v)
		case "list":
			list := slices.Clone(v.([]any))
			for i := range list {
				list[i] = change(list[i])
			}
			v = list
		case "names":
			named := maps.Clone(v.(map[string]any))
			for _, key := range slices.Sorted(maps.Keys(named)) {
				named[key] = change(named[key])
			}
			v = named
		}
		to[name] = v
	}
	return to
}

// visit calls see for the schema and every one below it.
func visit(doc any, see func(any)) {
	see(doc)
	withSubschemas(doc, func(sub any) any {
		visit(sub, see)
		return sub
	})
}

// inDraft puts a 2020-12 schema in the words of another draft.
func inDraft(doc any, d draft) any {
	if d == draft2020 {
		return doc
	}
	doc = withSubschemas(doc, func(sub any) any { return inDraft(sub, d) })
	s, ok := doc.(map[string]any)
	if !ok {
		if d != draft4 {
			return doc
		}
		if doc == true {
			return map[string]any{}
		}
		return map[string]any{"not": map[string]any{}}
	}
	rename := func(from, to string) {
		if v, ok := s[from]; ok {
			delete(s, from)
			s[to] = v
		}
	}
	apart := func(v map[string]any) {
		all, _ := s["allOf"].([]any)
		s["allOf"] = append(slices.Clone(all), v)
	}
	if _, ok := s["prefixItems"]; ok {
		rename("items", "additionalItems")
		rename("prefixItems", "items")
	}
	if d == draft2019 {
		return s
	}
	rename("dependentSchemas", "dependencies")
	if required, ok := s["dependentRequired"]; ok {
		delete(s, "dependentRequired")
		if s["dependencies"] == nil {
			s["dependencies"] = required
		} else {
			apart(map[string]any{"dependencies": required})
		}
	}
	if anchor, ok := s["$anchor"]; ok {
		delete(s, "$anchor")
		if d == draft4 {
			s["id"] = "#" + anchor.(string)
		} else {
			s["$id"] = "#" + anchor.(string)
		}
	}
	if d == draft4 {
		if v, ok := s["const"]; ok {
			delete(s, "const")
			apart(map[string]any{"enum": []any{v}})
		}
		for _, end := range []string{"inimum", "aximum"} {
			if v, ok := s["exclusiveM"+end]; ok {
				delete(s, "exclusiveM"+end)
				apart(map[string]any{"m" + end: v, "exclusiveM" + end: true})
			}
		}
	}
	rename("$defs", "definitions")
	if ref, ok := s["$ref"].(string); ok {
		if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
			ref = "#/definitions/" + name
			s["$ref"] = ref
		}
		if alone := len(s) == 1 || len(s) == 2 && s["definitions"] != nil; !alone {
			delete(s, "$ref")
			apart(map[string]any{"$ref": ref})
		}
	}
	return s
}
