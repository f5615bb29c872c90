package assay

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/assay/args"
	"example.com/assay/assay/internal/policydoc"
	"example.com/assay/assay/internal/strictjson"
	"example.com/assay/internal/jsonpointer"
)

// Fix is a set of arguments that would pass, and how it differs from what was
// asked. It is made from the schema alone, and only where every violation has
// one obvious repair:
//
//	maximum, minimum        the number becomes the limit
//	const, enum of one      the value becomes the only one that passes, unless
//	                        a schema of the policy is writeOnly
//	type                    text that spells a number or a boolean becomes one
//	additionalProperties    the properties that no schema knows are removed
//
// Nothing is invented, cut short or added. A Fix is an offer: whether it still
// is what the user wanted is for the caller to say.
type Fix struct {
	// Arguments were checked again, and pass.
	Arguments json.RawMessage `json:"arguments"`
	// Changes are in the order of the violations that they answer.
	Changes []Change `json:"changes"`
}

// Change is one step from the arguments that were denied to those of a [Fix].
type Change struct {
	// Path is a JSON Pointer to what was changed.
	Path string `json:"path"`
	// FromConstraint is the schema keyword that was violated there.
	FromConstraint string `json:"from_constraint"`
	// Action is set, convert or remove.
	Action string `json:"action"`
}

// fix returns arguments that would have passed instead of the request's, or nil.
func (c *compiled) fix(r args.Request, denial *Decision) *Fix {
	if denial.Truncated || len(denial.Violations) == 0 {
		return nil
	}
	value := r.Value
	if !r.HasValue {
		if r.Arguments == nil {
			r.Arguments = []byte("{}")
		}
		var err error
		if value, err = strictjson.Decode(r.Arguments); err != nil {
			return nil
		}
	}
	f := fixer{
		policy:  c.document,
		value:   plainValue(value), // a copy, which is ours to change
		secrets: c.secrets,
	}
	for _, v := range denial.Violations {
		if !f.repair(v) {
			return nil
		}
	}
	text, err := encode(f.value)
	if err != nil {
		return nil
	}
	r.Arguments, r.Value, r.HasValue, r.Plain = text, nil, false, nil
	if !c.args.Check(&r).Allowed {
		return nil
	}
	return &Fix{Arguments: text, Changes: f.changes}
}

// fixer changes a value until nothing that was wrong with it is left.
type fixer struct {
	policy  *policydoc.Node
	value   any
	secrets bool // what schemas allow is not to be told
	changes []Change
}

// repair does what answers one violation; false if nothing obvious does.
func (f *fixer) repair(v Violation) bool {
	keyword := f.policy.Lookup(v.SchemaPath)
	schema := f.policy.Lookup(v.SchemaPath[:max(strings.LastIndexByte(v.SchemaPath, '/'), 0)])
	if keyword == nil || schema == nil || schema.Kind != policydoc.Map {
		return false
	}
	switch v.Constraint {
	case "maximum", "minimum":
		return keyword.Kind == policydoc.Number && f.set(v, "set", keyword.Value())
	case "const":
		return !f.secrets && f.set(v, "set", keyword.Value())
	case "enum":
		return !f.secrets && len(keyword.Items) == 1 && f.set(v, "set", keyword.Items[0].Value())
	case "type":
		return f.convert(v, keyword)
	case "additionalProperties":
		return f.remove(v, schema)
	}
	return false
}

// set replaces the value at the violation's path.
func (f *fixer) set(v Violation, action string, value any) bool {
	ok := f.at(v.Path, func(any) (any, bool) { return value, true })
	f.changes = append(f.changes, Change{v.Path, v.Constraint, action})
	return ok
}

// convert turns text into the number or boolean that it spells.
func (f *fixer) convert(v Violation, keyword *policydoc.Node) bool {
	var spelt any
	ok := f.at(v.Path, func(value any) (any, bool) {
		text, isText := value.(string)
		if !isText {
			return nil, false
		}
		switch _, isNumber := strictjson.ParseNumber(text); {
		case (keyword.Text == "number" || keyword.Text == "integer") && isNumber:
			spelt = json.Number(text)
		case keyword.Text == "boolean" && (text == "true" || text == "false"):
			spelt = text == "true"
		}
		return spelt, spelt != nil
	})
	f.changes = append(f.changes, Change{v.Path, v.Constraint, "convert"})
	return ok
}

// remove takes away what the schema's properties do not name.
func (f *fixer) remove(v Violation, schema *policydoc.Node) bool {
	if _, some := schema.Member("patternProperties"); some {
		return false
	}
	properties, _ := schema.Member("properties")
	return f.at(v.Path, func(value any) (any, bool) {
		object, ok := value.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if properties != nil {
				if _, known := properties.Member(name); known {
					continue
				}
			}
			delete(object, name)
			f.changes = append(f.changes, Change{jsonpointer.Join(v.Path, name), v.Constraint, "remove"})
		}
		return object, ok
	})
}

// at replaces the value at a JSON Pointer by what change makes of it.
func (f *fixer) at(path string, change func(any) (any, bool)) bool {
	var tokens []string
	if path != "" {
		tokens = strings.Split(path[1:], "/")
	}
	var walk func(value any, tokens []string) (any, bool)
	walk = func(value any, tokens []string) (any, bool) {
		if len(tokens) == 0 {
			return change(value)
		}
		ok := false
		switch value := value.(type) {
		case map[string]any:
			name, _ := jsonpointer.Unescape(tokens[0])
			member, there := value[name]
			if there {
				if member, ok = walk(member, tokens[1:]); ok {
					value[name] = member
				}
			}
		case []any:
			i, err := strconv.Atoi(tokens[0])
			if err == nil && i >= 0 && i < len(value) {
				var item any
				if item, ok = walk(value[i], tokens[1:]); ok {
					value[i] = item
				}
			}
		}
		return value, ok
	}
	var ok bool
	f.value, ok = walk(f.value, tokens)
	return ok
}

// mentions reports whether some key or text in n is the word.
func mentions(n *policydoc.Node, word string) bool {
	in := func(n *policydoc.Node) bool { return mentions(n, word) }
	return n.Text == word || slices.ContainsFunc(n.Items, in) ||
		slices.ContainsFunc(n.Members, func(m policydoc.Member) bool { return m.Key == word || in(m.Value) })
}
