// Package blocklist answers whether a name is on a list of exact names.
package blocklist

// List is a set of whole tool names, compared byte for byte: a star is a star.
// It is immutable and safe for concurrent use. A nil *List contains nothing.
type List struct {
	names map[string]struct{}
}

// Compile builds the list of names, of which it keeps no slice. Repeats are
// harmless. No names make a list that contains nothing.
func Compile(names []string) *List {
	set := make(map[string]struct{}, len(names))
	for _, name := range names {
		set[name] = struct{}{}
	}
	return &List{names: set}
}

// Contains reports whether tool is on the list. It does not allocate, and its
// time does not depend on how long the list is.
func (l *List) Contains(tool string) bool {
	if l == nil {
		return false
	}
	_, found := l.names[tool]
	return found
}
