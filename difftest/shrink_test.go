package difftest

import (
	"encoding/json"
	"maps"
	"slices"
)

// shrink makes a case smaller for as long as it still fails: keywords, members
// and items are dropped, and subschemas take the place of what holds them.
func shrink(s grown, v any, fails func(grown, any) bool) (grown, any) {
	failsNow := func(s grown, v any) (failed bool) {
		// A schema that dropping made senseless is no smaller case.
		defer func() {
			if recover() != nil {
				failed = false
			}
		}()
		return fails(s, v)
	}
	for again := true; again; {
		again = false
		for _, doc := range smaller(s.doc) {
			if next := (grown{s.draft, doc, s.around}); failsNow(next, v) {
				s, again = next, true
				break
			}
		}
		for _, instance := range smaller(v) {
			if failsNow(s, instance) {
				v, again = instance, true
				break
			}
		}
	}
	return s, v
}

// smaller returns the values that are one step smaller than v.
func smaller(v any) []any {
	var to []any
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			less := maps.Clone(v)
			delete(less, name)
			to = append(to, less)
			if _, isObject := v[name].(map[string]any); isObject {
				to = append(to, v[name])
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			for _, member := range smaller(v[name]) {
				less := maps.Clone(v)
				less[name] = member
				to = append(to, less)
			}
		}
	case []any:
		for i := range v {
			to = append(to, slices.Delete(slices.Clone(v), i, i+1))
			if _, isObject := v[i].(map[string]any); isObject {
				to = append(to, v[i])
			}
		}
		for i := range v {
			for _, item := range smaller(v[i]) {
				less := slices.Clone(v)
				less[i] = item
				to = append(to, less)
			}
		}
	case string:
		if len(v) > 1 && v != "decoy" {
			to = append(to, "a")
		}
	case json.Number:
		if v != "0" && v != "1" {
			to = append(to, json.Number("0"), json.Number("1"))
		}
	}
	return to
}
