package assay

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"example.com/assay/assay/internal/strictjson"
	"example.com/assay/internal/jsonpointer"
)

// valueCheck looks through a Go value before an engine sees it.
type valueCheck struct {
	steps int // how many values may still be looked at: a value may hold itself

	// What the value holds that engines do not read as it is: numbers that are
	// no json.Number, which the fast program of a schema reads all the same, and
	// maps and slices that are nil, which nothing but plainValue makes null.
	numbers, nils bool

	// Once it is known that the value is none, a second look says why.
	explain bool
	fault   string   // what is wrong with the first part, in the order of names, that is none
	path    []string // the tokens to it, the last one first
}

// no says what is wrong.
func (c *valueCheck) no(fault string) bool {
	c.fault = fault
	return false
}

// ok reports whether v is a JSON value by the rules of [CheckArgsValue]. depth
// is that of what holds it. False with no steps left means that v is too large.
func (c *valueCheck) ok(v any, depth int) bool {
	c.steps--
	if c.steps < 0 {
		return false
	}
	switch v := v.(type) {
	case nil, bool:
		return true
	case string:
		return isUTF8(v) || c.no("a text is not valid UTF-8")
	case json.Number:
		_, ok := strictjson.ParseNumber(string(v))
		return ok || c.no("a json.Number is not a JSON number, or beyond the bound of one")
	case []any:
		c.nils = c.nils || v == nil
		if depth == strictjson.MaxDepth {
			return c.no(tooDeep)
		}
		for i, item := range v {
			if !c.ok(item, depth+1) {
				return c.within(strconv.Itoa(i))
			}
		}
		return true
	case map[string]any:
		c.nils = c.nils || v == nil
		if depth == strictjson.MaxDepth {
			return c.no(tooDeep)
		}
		if c.explain {
			return c.members(v, depth)
		}
		for key, member := range v {
			if !isUTF8(key) || !c.ok(member, depth+1) {
				return false
			}
		}
		return true
	case float64:
		c.numbers = true
		return !math.IsNaN(v) && !math.IsInf(v, 0) || c.no("a number is NaN or infinite")
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		c.numbers = true
		return true
	}
	if !c.explain {
		return false
	}
	return c.no(fmt.Sprintf("a value of the Go type %T is not a JSON value; marshal the arguments and ask CheckArgs", v))
}

// members looks at the members of v in the order of their names.
func (c *valueCheck) members(v map[string]any, depth int) bool {
	for _, key := range slices.Sorted(maps.Keys(v)) {
		if !isUTF8(key) {
			return c.no("a name is not valid UTF-8")
		}
		if !c.ok(v[key], depth+1) {
			return c.within(key)
		}
	}
	return true
}

// within says where it is that something is wrong.
func (c *valueCheck) within(token string) bool {
	if c.explain {
		c.path = append(c.path, token)
	}
	return false
}

const (
	tooDeep = "the arguments nest deeper than 128"
	// maxPath is how long a path may be that a reason repeats, in bytes.
	maxPath = 128
)

// whyNoValue says why v, which is no JSON value, is none, as far as so many
// steps reach.
func whyNoValue(v any, steps int) string {
	c := valueCheck{steps: steps, explain: true}
	if c.ok(v, 0); c.fault == "" {
		return notAValue.reason
	}
	path := ""
	for _, token := range slices.Backward(c.path) {
		if path = jsonpointer.Join(path, token); len(path) > maxPath {
			return c.fault
		}
	}
	if path == "" {
		return c.fault
	}
	return "at " + strconv.Quote(path) + ": " + c.fault
}

// plainValue returns a copy of a value that a valueCheck found to be JSON, with
// every number as a json.Number: of a float64 its shortest decimal. A nil map
// or slice is null, as encoding/json writes it.
func plainValue(v any) any {
	switch v := v.(type) {
	case []any:
		if v == nil {
			return nil
		}
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = plainValue(item)
		}
		return list
	case map[string]any:
		if v == nil {
			return nil
		}
		object := make(map[string]any, len(v))
		for key, member := range v {
			object[key] = plainValue(member)
		}
		return object
	case float64:
		return json.Number(strconv.FormatFloat(v, 'g', -1, 64))
	case int:
		return integer(v)
	case int8:
		return integer(v)
	case int16:
		return integer(v)
	case int32:
		return integer(v)
	case int64:
		return integer(v)
	case uint:
		return natural(v)
	case uint8:
		return natural(v)
	case uint16:
		return natural(v)
	case uint32:
		return natural(v)
	case uint64:
		return natural(v)
	}
	return v
}

func integer[T int | int8 | int16 | int32 | int64](i T) json.Number {
	return json.Number(strconv.FormatInt(int64(i), 10))
}

func natural[T uint | uint8 | uint16 | uint32 | uint64](i T) json.Number {
	return json.Number(strconv.FormatUint(uint64(i), 10))
}
