package schema

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/assay/internal/strictjson"
	"example.com/assay/internal/jsonpointer"
)

// Source is one tool's schema and where it stands in the policy. Compile keeps
// parts of it; the caller must not change it afterwards. [NewCommons] reads only
// the part about shared definitions.
type Source struct {
	// Doc is the schema: map[string]any, []any, string, json.Number, bool, nil.
	Doc any
	// Pointer is the JSON Pointer of Doc in the policy, "/schemas/pay".
	Pointer string
	// Defs are the shared definitions of the policy (schemas.$defs), or nil.
	Defs map[string]any
	// DefsPointer is where they stand, "/schemas/$defs".
	DefsPointer string
	// DefsBroken: the policy has a $defs that is no mapping, so no schema of it
	// compiles.
	DefsBroken bool
}

// merged is a tool's schema with the shared definitions that it reaches
// (docs/policy.md, "Arguments").
type merged struct {
	doc    any
	home   string          // the member that holds the definitions: "$defs" or "definitions"
	shared map[string]bool // the definitions in it that come from the policy's shared ones
}

// merge adds to a schema of the draft the definitions that it reaches through
// references of the form #/$defs/NAME, and through those of the definitions
// themselves. Drafts 4 to 7 keep definitions under another name and get both
// the definitions and the references rewritten to it.
//
// budget is how many bytes of them the policy may still merge (see
// Options.MaxMerging), and is taken from.
func (src Source) merge(d draft, maxBytes int, budget *int) (merged, []Problem) {
	m := merged{doc: src.Doc, home: d.home(), shared: map[string]bool{}}
	object, ok := src.Doc.(map[string]any)
	if !ok {
		return m, nil
	}
	tooLarge := src.tooLarge(maxBytes)
	size := jsonSize(src.Doc)
	if size > maxBytes {
		return m, tooLarge
	}

	own, _ := object[m.home].(map[string]any)
	tooMuch := []Problem{{Path: src.Pointer, Reason: TooLarge,
		Message: "the schemas of this policy merge too many shared definitions, all together",
		Hint:    "reach smaller definitions from fewer tools"}}
	reached := map[string]any{}
	queue := definitionNames(src.Doc)
	for len(queue) > 0 {
		name := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		definition, exists := src.Defs[name]
		if !exists || m.shared[name] {
			continue
		}
		if *budget <= 0 {
			// Measuring alone would cost too much, over and over.
			return m, tooMuch
		}
		m.shared[name] = true
		taken := jsonSize(definition) + len(name) + 4
		if size += taken; size > maxBytes {
			return m, tooLarge
		}
		if *budget -= taken + sizePerContainer*containers(definition); *budget < 0 {
			return m, tooMuch
		}
		reached[name] = definition
		queue = append(queue, definitionNames(definition)...)
	}
	if len(reached) > 0 {
		maps.Copy(reached, own)
		whole := maps.Clone(object)
		whole[m.home] = reached
		m.doc = whole
	}
	return m, nil
}

// collisions are the definitions that a schema holds itself and that stand among
// the shared ones too.
func (src Source) collisions(home string) (problems []Problem) {
	object, _ := src.Doc.(map[string]any)
	own, _ := object[home].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(own)) {
		if _, both := src.Defs[name]; both {
			problems = append(problems, Problem{Path: src.Pointer + "/" + home + "/" + jsonpointer.Escape(name), Reason: Collision,
				Message: "the definition " + shown(name) + " stands here and among the shared definitions",
				Hint:    "rename one of the two"})
		}
	}
	return problems
}

func (src Source) tooLarge(maxBytes int) []Problem {
	return []Problem{{Path: src.Pointer, Reason: TooLarge,
		Message: "the schema with the shared definitions that it reaches is larger than " + strconv.Itoa(maxBytes) + " bytes",
		Hint:    "split the tool's schema or its definitions"}}
}

// definitionNames returns the names that references of the form #/$defs/NAME
// under v mention, sorted. It looks everywhere, also where no schema stands: a
// definition too many does no harm.
func definitionNames(v any) []string {
	var found []string
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, member := range v {
				if ref, ok := member.(string); ok && (key == "$ref" || key == "$dynamicRef") {
					if name, _, ok := definitionName(ref); ok {
						found = append(found, name)
					}
					continue
				}
				look(member)
			}
		case []any:
			for _, item := range v {
				look(item)
			}
		}
	}
	look(v)
	slices.Sort(found)
	return slices.Compact(found)
}

// definitionName splits a reference of the form #/$defs/NAME or #/$defs/NAME/REST
// into the name and the rest with its slash.
func definitionName(ref string) (name, rest string, ok bool) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return "", "", false
	}
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return "", "", false
	}
	tail, ok := strings.CutPrefix(pointer, "/$defs/")
	if !ok {
		return "", "", false
	}
	token, rest, more := strings.Cut(tail, "/")
	if more {
		rest = "/" + rest
	}
	name, ok = jsonpointer.Unescape(token)
	return name, rest, ok
}

// jsonSize is about how long v is as compact JSON.
func jsonSize(v any) int {
	switch v := v.(type) {
	case map[string]any:
		n := 2
		for key, member := range v {
			n += len(key) + 4 + jsonSize(member)
		}
		return n
	case []any:
		n := 2
		for _, item := range v {
			n += 1 + jsonSize(item)
		}
		return n
	case string:
		return len(v) + 2
	case json.Number:
		return len(v)
	}
	return 5
}

// sizePerContainer is what an array or object counts more than its text where
// definitions are merged: {} is a schema too, of which memory takes far more than
// two bytes.
const sizePerContainer = 64

// containers counts the arrays and objects in v.
func containers(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		n = 1
		for _, member := range v {
			n += containers(member)
		}
	case []any:
		n = 1
		for _, item := range v {
			n += containers(item)
		}
	}
	return n
}

// jsonDepth is how deep v nests, at most limit+1: a scalar is 0, each array or
// object adds 1.
func jsonDepth(v any, limit int) int {
	deepest := 0
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if limit == 0 {
				return 1
			}
			deepest = max(deepest, jsonDepth(member, limit-1))
		}
	case []any:
		for _, item := range v {
			if limit == 0 {
				return 1
			}
			deepest = max(deepest, jsonDepth(item, limit-1))
		}
	default:
		return 0
	}
	return deepest + 1
}

// isPlain reports whether v is made of the values that Source.Doc names.
func isPlain(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			if !isPlain(member) {
				return false
			}
		}
	case []any:
		for _, item := range v {
			if !isPlain(item) {
				return false
			}
		}
	case json.Number:
		_, ok := strictjson.ParseNumber(v)
		return ok
	case string, bool, nil:
	default:
		return false
	}
	return true
}
