package schema

import (
	"encoding/json"
	"math"
	"strconv"
	"unicode/utf8"

	"example.com/assay/assay/internal/strictjson"
)

// load makes x a value, of an array or object without its parts. False: it is no
// JSON value, or nil where encoding/json would write null for an array or object.
func (p *pass) load(x *instance, value any) bool {
	switch v := value.(type) {
	case string:
		x.kind, x.text = kindText, v
		p.steps -= len(v) / bytesPerStep
		return utf8.ValidString(v)
	case map[string]any:
		x.kind, x.value = kindObject, value
		return v != nil
	case []any:
		x.kind, x.value = kindArray, value
		return v != nil
	case json.Number:
		return x.literal(string(v))
	case float64:
		// Below 2^53 every integer is a float64 of its own, so the shortest
		// decimal that reads back as v is v.
		if n := int64(v); float64(n) == v && -1<<53 < n && n < 1<<53 {
			x.integer(n)
			return true
		}
		return p.float(x, v)
	case bool:
		x.kind, x.truth = kindBool, v
	case nil:
		x.kind = kindNull
	case int:
		x.integer(int64(v))
	case int64:
		x.integer(v)
	case int32:
		x.integer(int64(v))
	case int16:
		x.integer(int64(v))
	case int8:
		x.integer(int64(v))
	case uint:
		p.unsigned(x, uint64(v))
	case uint64:
		p.unsigned(x, v)
	case uint32:
		x.integer(int64(v))
	case uint16:
		x.integer(int64(v))
	case uint8:
		x.integer(int64(v))
	default:
		return false
	}
	return true
}

func (x *instance) integer(n int64) { x.kind, x.small, x.int = kindNumber, true, n }

func (p *pass) unsigned(x *instance, n uint64) {
	if n <= math.MaxInt64 {
		x.integer(int64(n))
		return
	}
	s := p.room()
	from := len(s.text)
	s.text = strconv.AppendUint(s.text, n, 10)
	x.kind, x.text = kindNumber, view(s.text[from:])
}

// literal makes x the number that a literal stands for.
func (x *instance) literal(s string) bool {
	n, ok := strictjson.ParseNumber(s)
	x.kind, x.text = kindNumber, s
	x.int, x.small = n.Int64()
	return ok
}

// float makes x the number that the shortest decimal of f stands for.
func (p *pass) float(x *instance, f float64) bool {
	s := p.room()
	from := len(s.text)
	s.text = strconv.AppendFloat(s.text, f, 'e', -1, 64)
	return x.literal(view(s.text[from:])) // not for NaN and the infinities
}

// decodedItems walks the array x.items.
func (p *pass) decodedItems(w *arrayWalk, x *instance) verdict {
	var item instance // out here so that it stays on the stack
	for _, v := range x.value.([]any) {
		mark := p.mark()
		item = instance{}
		if !p.load(&item, v) {
			return unsure
		}
		if v := p.item(w, &item); v != holds {
			return v
		}
		if !w.rules.unique {
			p.release(mark)
		}
	}
	return w.end()
}

// decodedMembers walks an object: the known names by lookup, and only where
// there are others, all names.
func (p *pass) decodedMembers(w *objectWalk, x *instance) verdict {
	members := x.value.(map[string]any)
	if r := w.rules; r.index != nil && len(members) < len(r.known) {
		for name, v := range members {
			i := r.lookup(name)
			if i < 0 {
				if r.closed() {
					return breaks
				}
				continue
			}
			w.see(i)
			if v := p.decodedMember(w, i, name, v); v != holds {
				return v
			}
		}
		return p.decodedOthers(w, members)
	}
	p.steps -= w.rules.steps
	for i := range w.rules.known {
		name := w.rules.known[i].name
		v, ok := members[name]
		if !ok {
			continue
		}
		w.see(i)
		if v := p.decodedMember(w, i, name, v); v != holds {
			return v
		}
	}
	return p.decodedOthers(w, members)
}

// decodedOthers walks the members whose names are not known, after the others.
func (p *pass) decodedOthers(w *objectWalk, members map[string]any) verdict {
	if w.count == len(members) {
		return holds
	}
	if w.rules.closed() {
		return breaks
	}
	for name, v := range members {
		if w.rules.lookup(name) >= 0 {
			continue
		}
		if !utf8.ValidString(name) {
			return unsure
		}
		p.steps -= len(name) / bytesPerStep
		if v := p.decodedMember(w, -1, name, v); v != holds {
			return v
		}
	}
	return holds
}

// decodedMember judges a member, the i-th of the known ones or an unknown one
// where i < 0.
func (p *pass) decodedMember(w *objectWalk, i int, name string, v any) verdict {
	r := w.rules
	p.steps--
	if w.count++; w.count > r.max {
		return breaks
	}
	if r.names != nil {
		x := instance{kind: kindText, text: name}
		if v := p.check(r.names, &x); v != holds {
			return v
		}
	}
	mark := p.mark()
	var value instance
	if !p.load(&value, v) {
		return unsure
	}
	var answer verdict
	if i >= 0 {
		answer = p.check(r.known[i].clause, &value)
	} else {
		answer = p.otherMember(r, name, &value)
	}
	p.release(mark)
	return answer
}

// sameDecoded compares x with v, a member of the schema.
func (p *pass) sameDecoded(x *instance, v any) bool {
	if p.steps--; p.steps < 0 {
		return false
	}
	var item instance // out here so that it stays on the stack
	switch v := v.(type) {
	case []any:
		items, ok := x.value.([]any)
		if !ok || len(items) != len(v) {
			return false
		}
		for i := range v {
			item = instance{}
			if !p.load(&item, items[i]) || !p.sameDecoded(&item, v[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		members, ok := x.value.(map[string]any)
		if !ok || len(members) != len(v) {
			return false
		}
		for name, v := range v {
			member, ok := members[name]
			item = instance{}
			if !ok || !p.load(&item, member) || !p.sameDecoded(&item, v) {
				return false
			}
		}
		return true
	}
	return x.sameScalar(v)
}
