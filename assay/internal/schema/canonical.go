package schema

import (
	"encoding/json"
	"maps"
	"slices"

	"example.com/assay/assay/internal/strictjson"
)

// appendCanonical appends a text that two values share exactly if they are
// equal (JSON Schema 2020-12 core, section 4.2.2): 1 and 1.0 are, and objects
// whose members stand in another order. With it enum, const and uniqueItems
// cost the size of the value, however many values it is compared with.
func appendCanonical(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, 'n')
	case bool:
		if v {
			return append(dst, 't')
		}
		return append(dst, 'f')
	case json.Number:
		dst = append(dst, '#')
		x, ok := strictjson.ParseNumber(v)
		if !ok {
			panic(noAnswer{})
		}
		return append(x.AppendTo(dst), ';')
	case string:
		dst = append(dst, '"')
		for _, c := range []byte(v) {
			if c == '"' || c == '\\' {
				dst = append(dst, '\\')
			}
			dst = append(dst, c)
		}
		return append(dst, '"')
	case []any:
		dst = append(dst, '[')
		for _, item := range v {
			dst = appendCanonical(dst, item)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dst = appendCanonical(dst, name)
			dst = appendCanonical(dst, v[name])
		}
		return append(dst, '}')
	}
	panic(noAnswer{})
}

// distinct reports whether no two values are equal.
func distinct(items []any) bool {
	seen := map[string]bool{}
	for _, item := range items {
		key := string(appendCanonical(nil, item))
		if seen[key] {
			return false
		}
		seen[key] = true
	}
	return true
}

// isMember reports whether v is among the values.
func (run *evaluation) isMember(values valueSet, v any) bool {
	run.scratch = appendCanonical(run.scratch[:0], v)
	run.spend(1 + len(run.scratch)/bytesPerStep)
	_, ok := values[string(run.scratch)]
	return ok
}

// areUnique reports whether no two items are equal.
func (run *evaluation) areUnique(items []any) bool {
	seen := valueSet{} // grows with what is paid for
	for _, item := range items {
		run.scratch = appendCanonical(run.scratch[:0], item)
		run.spend(1 + len(run.scratch)/bytesPerStep)
		if _, ok := seen[string(run.scratch)]; ok {
			return false
		}
		seen[string(run.scratch)] = struct{}{}
	}
	return true
}
