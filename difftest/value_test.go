package difftest

import (
	"encoding/json"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// grower grows values, schemas around them, changed values and texts from one
// source of randomness: the same seed gives the same case.
type grower struct {
	*rand.Rand
	draft  draft
	exotic bool // numbers that no float64 holds, patterns that engines read differently
	defs   map[string]any
	used   map[string]int // schema keywords, by how often they were grown
}

// newGrower returns the grower of the i-th schema of a seed.
func newGrower(seed, i uint64) *grower {
	return &grower{Rand: rand.New(rand.NewPCG(seed, i)), draft: draft2020, used: map[string]int{}}
}

func pick[T any](g *grower, from []T) T { return from[g.IntN(len(from))] }

// chance is true once in n times.
func (g *grower) chance(n int) bool { return g.IntN(n) == 0 }

var (
	names   = []string{"a", "b", "c", "ab", "x1", "A", "", "é", "a/b~", "on", "n3"}
	strs    = []string{"", "a", "b", "ab", "abc", "aB1", "x1", "12", "true", "1", "é", "\U0001F600", "a b", "2024-02-29", "a@b.example", "\n", "a\u2028"}
	numbers = []string{"0", "1", "2", "3", "-1", "5", "10", "12", "0.5", "1.5", "-0.25", "100", "7"}
	exotics = []string{"0.1", "0.3", "19.99", "9007199254740993", "9007199254740992", "1e400", "-1e400", "1e-7", "123456789012345678901234567890", "-0", "0.30", "18446744073709551616"}
)

func (g *grower) number() json.Number {
	if g.exotic && g.chance(3) {
		return json.Number(pick(g, exotics))
	}
	return g.literal(pick(g, numbers))
}

// literal writes a number in one of the ways that mean the same.
func (g *grower) literal(plain string) json.Number {
	switch whole := !strings.Contains(plain, "."); {
	case !g.chance(6):
	case whole:
		plain += pick(g, []string{".0", "e0", ".00", "E+0", "0e-1"}[:4+min(1, len(strings.Trim(plain, "-0")))])
	default:
		plain += "0"
	}
	return json.Number(plain)
}

// value grows a value of at most depth levels.
func (g *grower) value(depth int) any {
	kinds := 8
	if depth <= 0 {
		kinds = 4
	}
	switch g.IntN(kinds) {
	case 0:
		return g.number()
	case 1:
		return pick(g, strs)
	case 2:
		return g.chance(2)
	case 3:
		if g.chance(2) {
			return nil
		}
		return g.number()
	case 4, 5:
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(depth-1))
		}
		return list
	}
	return g.object(depth)
}

func (g *grower) object(depth int) map[string]any {
	object := map[string]any{}
	for range 1 + g.IntN(4) {
		object[pick(g, names)] = g.value(depth - 1)
	}
	return object
}

// large returns v, an array or object, with many more parts: beyond the numbers
// up to which the fast program compares one by one.
func (g *grower) large(v any) any {
	switch v := v.(type) {
	case []any:
		list := slices.Clone(v)
		for i := range 60 + g.IntN(10) {
			list = append(list, json.Number(strconv.Itoa(i)))
		}
		return list
	case map[string]any:
		object := maps.Clone(v)
		for i := range 14 + g.IntN(8) {
			object["n"+strconv.Itoa(i)] = json.Number(strconv.Itoa(i))
		}
		return object
	}
	for range g.IntN(130) {
		v = []any{v}
	}
	return v
}

// changed returns a copy of v with one small change somewhere in it.
func (g *grower) changed(v any) any {
	if g.chance(150) {
		return g.large(v)
	}
	switch v := v.(type) {
	case []any:
		list := slices.Clone(v)
		if len(list) > 0 && !g.chance(3) {
			i := g.IntN(len(list))
			list[i] = g.changed(list[i])
			return list
		}
		switch g.IntN(5) {
		case 0:
			return append(list, g.value(1))
		case 1:
			if len(list) > 0 {
				i := g.IntN(len(list))
				return slices.Delete(list, i, i+1)
			}
		case 2:
			if len(list) > 0 {
				return append(list, pick(g, list))
			}
		case 3:
			if len(list) > 1 {
				list[0], list[len(list)-1] = list[len(list)-1], list[0]
				return list
			}
		}
		return g.swapped(v)
	case map[string]any:
		object := maps.Clone(v)
		keys := slices.Sorted(maps.Keys(object))
		if len(keys) > 0 && !g.chance(3) {
			name := pick(g, keys)
			object[name] = g.changed(object[name])
			return object
		}
		switch g.IntN(5) {
		case 0, 1:
			object[pick(g, names)] = g.value(1)
			return object
		case 2:
			if len(keys) > 0 {
				delete(object, pick(g, keys))
				return object
			}
		case 3:
			if len(keys) > 0 {
				from := pick(g, keys)
				value := object[from]
				delete(object, from)
				object[pick(g, names)] = value
				return object
			}
		}
		return g.swapped(v)
	case string:
		switch g.IntN(5) {
		case 0:
			return v + pick(g, []string{"a", "1", "é", " ", "\U0001F600"})
		case 1:
			if v != "" {
				return string([]rune(v)[1:])
			}
		case 2:
			return pick(g, strs)
		case 3:
			return strings.ToUpper(v)
		}
	case json.Number:
		if exact(string(v)) && !g.chance(5) {
			step := pick(g, []*big.Rat{big.NewRat(0, 1), big.NewRat(1, 1), big.NewRat(-1, 1), big.NewRat(1, 4), big.NewRat(-1, 2), big.NewRat(10, 1)})
			return g.literal(decimal(step.Add(step, rational(v))))
		}
		return g.number()
	case bool:
		if g.chance(2) {
			return !v
		}
	}
	return g.swapped(v)
}

// swapped returns a value that has nothing to do with v.
func (g *grower) swapped(any) any { return g.value(1) }

// rational returns the value of a literal.
func rational(n json.Number) *big.Rat {
	r, _ := new(big.Rat).SetString(string(n))
	return r
}

// decimal writes a multiple of 1/4.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimRight(r.FloatString(2), "0")
}

// exact reports whether the literal is a multiple of 1/4 below 2^40: float64
// holds it, and its sums, differences and remainders by another one.
func exact(literal string) bool {
	digits := strings.TrimPrefix(literal, "-")
	if len(digits) <= 9 && strings.Trim(digits, "0123456789") == "" {
		return true
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || f > 1<<40 || f < -1<<40 || f*4 != float64(int64(f*4)) {
		return false
	}
	r, ok := new(big.Rat).SetString(literal)
	return ok && r.Cmp(new(big.Rat).SetFloat64(f)) == 0
}

// equal reports whether two values are equal (JSON Schema Core, section 4.2.2).
func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || rational(a).Cmp(rational(b)) == 0)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, equal)
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}

// kindOf is the instance type of a value.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// text writes v as JSON, its members in any order, with white space and escapes
// where the grammar permits them.
func (g *grower) text(v any) []byte { return g.appendText(nil, v) }

func (g *grower) appendText(to []byte, v any) []byte {
	to = g.appendSpace(to)
	switch v := v.(type) {
	case nil:
		to = append(to, "null"...)
	case bool:
		to = strconv.AppendBool(to, v)
	case json.Number:
		to = append(to, v...)
	case string:
		to = g.appendString(to, v)
	case []any:
		to = append(to, '[')
		for i, item := range v {
			if i > 0 {
				to = append(to, ',')
			}
			to = g.appendText(to, item)
		}
		to = append(g.appendSpace(to), ']')
	case map[string]any:
		keys := slices.Sorted(maps.Keys(v))
		g.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		to = append(to, '{')
		for i, name := range keys {
			if i > 0 {
				to = append(to, ',')
			}
			to = g.appendString(g.appendSpace(to), name)
			to = append(g.appendSpace(to), ':')
			to = g.appendText(to, v[name])
		}
		to = append(g.appendSpace(to), '}')
	}
	return g.appendSpace(to)
}

func (g *grower) appendSpace(to []byte) []byte {
	if g.chance(12) {
		to = append(to, pick(g, []string{" ", "\n", "\t", "\r", "  "})...)
	}
	return to
}

func (g *grower) appendString(to []byte, s string) []byte {
	if !g.chance(4) {
		quoted, _ := json.Marshal(s)
		return append(to, quoted...)
	}
	to = append(to, '"')
	for _, r := range s {
		switch {
		case r > 0xFFFF:
			r -= 0x10000
			to = append(to, `\u`+hex4(0xD800+r>>10)+`\u`+hex4(0xDC00+r&0x3FF)...)
		case r == '/' && g.chance(2):
			to = append(to, `\/`...)
		case r < ' ', g.chance(2), r == '"', r == '\\':
			to = append(to, `\u`+hex4(r)...)
		default:
			to = append(to, string(r)...)
		}
	}
	return append(to, '"')
}

func hex4(r rune) string {
	digits := strconv.FormatInt(int64(r), 16)
	return strings.Repeat("0", 4-len(digits)) + digits
}
