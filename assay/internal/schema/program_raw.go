package schema

import (
	"unsafe"

	"example.com/assay/assay/internal/strictjson"
)

// view returns the bytes as a string without copying them. The string is read
// within the pass only, while nobody writes to the bytes.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// read makes x the value that starts at i: a scalar as a whole, of an array or
// object the place. False: no value starts there, or a scalar breaks the
// strict rules.
func (p *pass) read(x *instance, i int) bool {
	data := p.data
	if i >= len(data) {
		return false
	}
	x.at = i
	switch data[i] {
	case '{':
		x.kind = kindObject
	case '[':
		x.kind = kindArray
	case '"':
		end, plain, kind := strictjson.ScanString(data, i)
		if kind != 0 {
			return false
		}
		x.kind, x.text, x.end = kindText, p.textOf(data[i:end], plain), end
		p.steps -= (end - i) / bytesPerStep
	case 't':
		x.kind, x.truth = kindBool, true
		return x.word(data, "true")
	case 'f':
		x.kind = kindBool
		return x.word(data, "false")
	case 'n':
		x.kind = kindNull
		return x.word(data, "null")
	default:
		x.kind = kindNumber
		if x.shortInteger(data) {
			return true
		}
		end, kind := strictjson.ScanNumber(data, i)
		if kind != 0 {
			return false
		}
		x.text, x.end = view(data[i:end]), end
	}
	return true
}

// word reports whether the word stands where x starts.
func (x *instance) word(data []byte, word string) bool {
	x.end = x.at + len(word)
	return x.end <= len(data) && string(data[x.at:x.end]) == word
}

// shortInteger reads an integer of few digits, the usual number. False: what
// stands where x starts is something else.
func (x *instance) shortInteger(data []byte) bool {
	const most = 18 // digits that always fit
	i := x.at
	if data[i] == '-' {
		i++
	}
	first, n := i, int64(0)
	for i < len(data) {
		digit := data[i] - '0'
		if digit > 9 {
			break
		}
		n = n*10 + int64(digit) // may overflow where the digits are too many
		i++
	}
	switch digits := i - first; {
	case digits == 0 || digits > most || data[first] == '0' && digits > 1:
		return false
	case i < len(data) && (data[i] == '.' || data[i]|0x20 == 'e'):
		return false
	}
	if first > x.at {
		n = -n
	}
	x.small, x.int, x.end = true, n, i
	return true
}

// textOf returns the text of a string literal.
func (p *pass) textOf(quoted []byte, plain bool) string {
	if plain {
		return view(quoted[1 : len(quoted)-1])
	}
	return p.unquoted(quoted)
}

func (p *pass) unquoted(quoted []byte) string {
	s := p.room()
	from := len(s.text)
	s.text = strictjson.AppendUnquoted(s.text, quoted)
	return view(s.text[from:])
}

// rawItems walks the array that starts at x.at.
func (p *pass) rawItems(w *arrayWalk, x *instance) verdict {
	data := p.data
	i := strictjson.SkipSpace(data, x.at+1)
	if i < len(data) && data[i] == ']' {
		x.end = i + 1
		return w.end()
	}
	var item instance // out here so that it stays on the stack
	for {
		mark := p.mark()
		item = instance{}
		if !p.read(&item, i) {
			return unsure
		}
		if v := p.item(w, &item); v != holds {
			return v
		}
		if !w.rules.unique {
			p.release(mark)
		}
		i = strictjson.SkipSpace(data, item.end)
		if i >= len(data) {
			return unsure
		}
		switch data[i] {
		case ',':
			i = strictjson.SkipSpace(data, i+1)
		case ']':
			x.end = i + 1
			return w.end()
		default:
			return unsure
		}
	}
}

// rawMembers walks the object that starts at x.at.
func (p *pass) rawMembers(w *objectWalk, x *instance) verdict {
	data, r := p.data, w.rules
	i := strictjson.SkipSpace(data, x.at+1)
	if i < len(data) && data[i] == '}' {
		x.end = i + 1
		return holds
	}
	var value instance // out here so that it stays on the stack
	for {
		if i >= len(data) || data[i] != '"' {
			return unsure
		}
		mark := p.mark()
		end, plain, kind := strictjson.ScanString(data, i)
		if kind != 0 {
			return unsure
		}
		name := p.textOf(data[i:end], plain)
		p.steps -= 1 + (end-i)/bytesPerStep
		known := r.lookup(name)
		switch {
		case known < 0:
			if v := p.otherName(w, i, end, plain); v != holds {
				return v
			}
		case !w.see(known):
			return unsure
		}
		if w.count++; w.count > r.max {
			return breaks
		}
		if r.names != nil {
			value = instance{kind: kindText, text: name}
			if v := p.check(r.names, &value); v != holds {
				return v
			}
		}
		i = strictjson.SkipSpace(data, end)
		if i >= len(data) || data[i] != ':' {
			return unsure
		}
		i = strictjson.SkipSpace(data, i+1)
		value = instance{}
		if !p.read(&value, i) {
			return unsure
		}
		var v verdict
		if known >= 0 {
			v = p.check(r.known[known].clause, &value)
		} else {
			v = p.otherMember(r, name, &value)
		}
		if v != holds {
			return v
		}
		p.release(mark)
		i = strictjson.SkipSpace(data, value.end)
		if i >= len(data) {
			return unsure
		}
		switch data[i] {
		case ',':
			i = strictjson.SkipSpace(data, i+1)
		case '}':
			x.end = i + 1
			if w.open {
				p.scratch.names.Close(&w.other)
			}
			return holds
		default:
			return unsure
		}
	}
}

// otherName notices a member of an unknown name that is named twice. A known name
// and an unknown one are never equal, so each kind is compared with its own.
func (p *pass) otherName(w *objectWalk, start, end int, plain bool) verdict {
	if w.rules.closed() {
		return breaks
	}
	if p.again > 0 {
		return holds
	}
	names := &p.room().names
	if !w.open {
		w.open, w.other = true, names.Open()
	}
	if !names.Add(&w.other, p.data, start, end, plain) {
		return unsure
	}
	return holds
}

// same reports whether x, an array or object that has been walked, equals v, a
// member of the schema.
func (p *pass) same(x *instance, v any) bool {
	if p.data == nil {
		return p.sameDecoded(x, v)
	}
	_, ok := p.sameRaw(x.at, v)
	return ok
}

// sameRaw compares the value at i, known to be strict JSON, with v. It returns
// the offset behind the value if they are equal.
func (p *pass) sameRaw(i int, v any) (int, bool) {
	if p.steps--; p.steps < 0 {
		return 0, false
	}
	mark := p.mark()
	defer p.release(mark)
	var x instance
	if !p.read(&x, i) {
		return 0, false
	}
	data := p.data
	switch v := v.(type) {
	case []any:
		if x.kind != kindArray {
			return 0, false
		}
		i = strictjson.SkipSpace(data, i+1)
		for n := 0; ; n++ {
			if data[i] == ']' {
				return i + 1, n == len(v)
			}
			if n > 0 { // a comma
				i = strictjson.SkipSpace(data, i+1)
			}
			if n == len(v) {
				return 0, false
			}
			end, ok := p.sameRaw(i, v[n])
			if !ok {
				return 0, false
			}
			i = strictjson.SkipSpace(data, end)
		}
	case map[string]any:
		if x.kind != kindObject {
			return 0, false
		}
		i = strictjson.SkipSpace(data, i+1)
		for n := 0; ; n++ {
			if data[i] == '}' {
				return i + 1, n == len(v)
			}
			if n > 0 {
				i = strictjson.SkipSpace(data, i+1)
			}
			end, plain, kind := strictjson.ScanString(data, i)
			if kind != 0 {
				return 0, false
			}
			member, ok := v[p.textOf(data[i:end], plain)]
			if !ok {
				return 0, false
			}
			i = strictjson.SkipSpace(data, strictjson.SkipSpace(data, end)+1)
			if end, ok = p.sameRaw(i, member); !ok {
				return 0, false
			}
			i = strictjson.SkipSpace(data, end)
		}
	}
	if x.kind&(kindArray|kindObject) != 0 {
		return 0, false
	}
	return x.end, x.sameScalar(v)
}
