package args

import (
	"cmp"
	"errors"
	"slices"

	"example.com/assay/assay/internal/schema"
	"example.com/assay/assay/internal/strictjson"
)

// Violation is one thing that the arguments break. No text of it repeats a
// value of the arguments.
type Violation struct {
	// Path is a JSON Pointer (RFC 6901) into the arguments; "" is the whole. A name
	// of more than 128 bytes is cut in it, and ends with "…": such a path leads
	// nowhere, and those of two violations may look the same.
	Path       string
	Constraint string // the schema keyword, or json
	Message    string // one sentence that names the limit
	Suggestion string // one sentence that says what would pass
	SchemaPath string // JSON Pointer into the policy, never cut; "" where no schema is broken
}

// violations collects what the schemas of one tool find.
type violations struct {
	list      []Violation
	truncated bool
}

// add takes over what one source found, with places as the policy has them.
func (v *violations) add(s *source, found schema.Result) {
	for _, f := range found.Violations {
		v.list = append(v.list, Violation{f.Path, f.Constraint, f.Message, f.Suggestion, s.place(f.SchemaPath)})
	}
	v.truncated = v.truncated || found.Truncated
}

// merged returns the first limit violations of all sources, by path and then
// schema path. Each source gave its own first ones, so none of these is missing.
func (v *violations) merged(limit int) ([]Violation, bool) {
	slices.SortFunc(v.list, func(a, b Violation) int {
		return cmp.Or(
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.SchemaPath, b.SchemaPath),
			cmp.Compare(a.Constraint, b.Constraint),
			cmp.Compare(a.Message, b.Message),
		)
	})
	if len(v.list) > limit {
		return slices.Clone(v.list[:limit]), true
	}
	return v.list, v.truncated
}

// maxPath is the longest path, in bytes, that a violation of the reading
// carries; the names in it are the caller's.
const maxPath = 512

// misread is the violation of a text that the strict reader refuses.
func misread(err error) Violation {
	v := Violation{
		Constraint: "json",
		Message:    "the arguments are not strict JSON",
		Suggestion: "send the arguments as one JSON object",
	}
	var refused *strictjson.Error
	if !errors.As(err, &refused) {
		return v
	}
	v.Message += ": " + refused.Error()
	if len(refused.Path) <= maxPath {
		v.Path = refused.Path
	}
	switch refused.Kind {
	case strictjson.KindDuplicate:
		v.Suggestion = "name each member of an object once"
	case strictjson.KindTrailing:
		v.Suggestion = "send exactly one JSON value and nothing behind it"
	case strictjson.KindUTF8:
		v.Suggestion = "encode the text as UTF-8"
	case strictjson.KindSurrogate:
		v.Suggestion = "write both halves of a surrogate pair, or the character itself"
	case strictjson.KindDepth:
		v.Suggestion = "nest the arguments less deeply"
	case strictjson.KindNumber:
		v.Suggestion = "write the number with fewer digits or a smaller exponent"
	case strictjson.KindEmpty:
		v.Suggestion = "send {} when there are no arguments"
	}
	return v
}

// shapeless is the violation of arguments that are no object, where no schema
// says what else they may be.
func shapeless() Violation {
	return Violation{
		Constraint: "type",
		Message:    "the arguments are not an object",
		Suggestion: "send the arguments as a JSON object",
	}
}
