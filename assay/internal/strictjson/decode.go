package strictjson

import "encoding/json"

// Decode reads exactly one value by the rules of this package, white space
// around it allowed: a map[string]any, []any, string, json.Number (the literal
// as it was written), bool or nil. Arrays and objects are never nil. Nothing of
// data is kept, but the strings may share one copy of it. The error is an *Error.
func Decode(data []byte) (any, error) {
	d := decoder{data: data, text: string(data)}
	v, end, kind := d.value(SkipSpace(data, 0), 0)
	if kind == 0 {
		end = SkipSpace(data, end)
		if end == len(data) {
			return v, nil
		}
		kind = KindTrailing
	}
	return nil, failure(data, kind, end)
}

// decoder walks a text as checker does and builds its value.
type decoder struct {
	data    []byte
	text    string // data: strings without escapes and numbers are parts of it
	scratch []byte // the string with escapes that was decoded last
}

func (d *decoder) value(i, depth int) (any, int, Kind) {
	if i >= len(d.data) {
		return nil, i, KindSyntax
	}
	switch d.data[i] {
	case '"':
		end, plain, kind := ScanString(d.data, i)
		if kind != 0 {
			return nil, end, kind
		}
		return d.unquote(i, end, plain), end, 0
	case '{':
		return d.object(i, depth+1)
	case '[':
		return d.array(i, depth+1)
	case 't':
		end, kind := scanWord(d.data, i)
		return true, end, kind
	case 'f':
		end, kind := scanWord(d.data, i)
		return false, end, kind
	case 'n':
		end, kind := scanWord(d.data, i)
		return nil, end, kind
	default:
		end, kind := ScanNumber(d.data, i)
		if kind != 0 {
			return nil, end, kind
		}
		return json.Number(d.text[i:end]), end, 0
	}
}

// unquote returns the text of the literal at i that ends at end.
func (d *decoder) unquote(i, end int, plain bool) string {
	if plain {
		return d.text[i+1 : end-1]
	}
	d.scratch = AppendUnquoted(d.scratch[:0], d.data[i:end])
	return string(d.scratch)
}

func (d *decoder) array(i, depth int) (any, int, Kind) {
	if depth > MaxDepth {
		return nil, i, KindDepth
	}
	i = SkipSpace(d.data, i+1)
	if i < len(d.data) && d.data[i] == ']' {
		return []any{}, i + 1, 0
	}
	list := make([]any, 0, 4)
	for {
		v, end, kind := d.value(i, depth)
		if kind != 0 {
			return nil, end, kind
		}
		list = append(list, v)
		i = SkipSpace(d.data, end)
		if i >= len(d.data) {
			return nil, i, KindSyntax
		}
		switch d.data[i] {
		case ',':
			i = SkipSpace(d.data, i+1)
		case ']':
			return list, i + 1, 0
		default:
			return nil, i, KindSyntax
		}
	}
}

func (d *decoder) object(i, depth int) (any, int, Kind) {
	if depth > MaxDepth {
		return nil, i, KindDepth
	}
	members := map[string]any{}
	i = SkipSpace(d.data, i+1)
	if i < len(d.data) && d.data[i] == '}' {
		return members, i + 1, 0
	}
	for {
		end, plain, kind := scanName(d.data, i)
		if kind != 0 {
			return nil, end, kind
		}
		name := d.unquote(i, end, plain)
		if _, twice := members[name]; twice {
			return nil, i, KindDuplicate
		}
		i, kind = scanColon(d.data, end)
		if kind != 0 {
			return nil, i, kind
		}
		v, end, kind := d.value(i, depth)
		if kind != 0 {
			return nil, end, kind
		}
		members[name] = v
		i = SkipSpace(d.data, end)
		if i >= len(d.data) {
			return nil, i, KindSyntax
		}
		switch d.data[i] {
		case ',':
			i = SkipSpace(d.data, i+1)
		case '}':
			return members, i + 1, 0
		default:
			return nil, i, KindSyntax
		}
	}
}
