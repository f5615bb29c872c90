package strictjson

import "encoding/json"

// Decode reads exactly one value by the rules of this package, white space
// around it allowed: a map[string]any, []any, string, json.Number (the literal
// as it was written), bool or nil. Arrays and objects are never nil. It keeps
// nothing of data. The error is an *Error.
func Decode(data []byte) (any, error) {
	d := decoder{data: data}
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
	data []byte
	text []byte // scratch: the string last decoded
}

func (d *decoder) value(i, depth int) (any, int, Kind) {
	if i >= len(d.data) {
		return nil, i, KindSyntax
	}
	switch d.data[i] {
	case '"':
		end, plain, kind := scanString(d.data, i)
		if kind != 0 {
			return nil, end, kind
		}
		return string(d.unquote(i, end, plain)), end, 0
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
		end, kind := scanNumber(d.data, i)
		if kind != 0 {
			return nil, end, kind
		}
		return json.Number(d.data[i:end]), end, 0
	}
}

// unquote returns the text of the literal data[i:end], valid until the next call.
func (d *decoder) unquote(i, end int, plain bool) []byte {
	if plain {
		return d.data[i+1 : end-1]
	}
	d.text = AppendUnquoted(d.text[:0], d.data[i:end])
	return d.text
}

func (d *decoder) array(i, depth int) (any, int, Kind) {
	if depth > MaxDepth {
		return nil, i, KindDepth
	}
	list := []any{}
	i = SkipSpace(d.data, i+1)
	if i < len(d.data) && d.data[i] == ']' {
		return list, i + 1, 0
	}
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
		text := d.unquote(i, end, plain)
		if _, twice := members[string(text)]; twice {
			return nil, i, KindDuplicate
		}
		name := string(text)
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
