package sequence

import (
	"example.com/assay/assay/internal/ecma"
	"example.com/assay/assay/internal/strictjson"
)

// truth is whether a call matches a selector, ordered from no to yes.
type truth uint8

const (
	no truth = iota
	unknown
	yes
)

// atom is the argument part of a selector. Equal selectors share one, so that
// they share one unknown on a call.
type atom struct {
	args []argument // ascending by name
}

type argument struct {
	name    string
	pattern *ecma.Regexp
}

// arguments is the top level of one call's arguments, if they are a known object.
type arguments struct {
	data    []byte
	members []member
	text    []byte // scratch for decoded strings
	known   bool
}

// member is where one member of the object stands in the text.
type member struct {
	name, nameEnd   int // the literal, quotes included
	value, valueEnd int
	plainName       bool // no escapes
	plainValue      bool // a string without escapes
}

// read takes the arguments of the next call. It returns false when the budget is used up.
func (a *arguments) read(data []byte, b *Budget) bool {
	a.data, a.members, a.known = data, a.members[:0], false
	if data == nil {
		return true
	}
	if !b.spend(len(data)/64+1) || b.stopped() {
		return false
	}
	if strictjson.Check(data) != nil {
		return true
	}
	i := strictjson.SkipSpace(data, 0)
	if data[i] != '{' {
		return true
	}
	// From here on the text is known to be right.
	a.known = true
	for i = strictjson.SkipSpace(data, i+1); data[i] != '}'; {
		if data[i] == ',' {
			i = strictjson.SkipSpace(data, i+1)
		}
		var m member
		m.name = i
		m.nameEnd, m.plainName, _ = strictjson.ScanString(data, i)
		i = strictjson.SkipSpace(data, m.nameEnd) + 1 // the colon
		m.value = strictjson.SkipSpace(data, i)
		m.valueEnd, m.plainValue = skipValue(data, m.value)
		a.members = append(a.members, m)
		i = strictjson.SkipSpace(data, m.valueEnd)
	}
	return b.spend(len(a.members))
}

// skipValue returns the end of the valid value at i, and whether it is a string
// without escapes.
func skipValue(data []byte, i int) (end int, plain bool) {
	switch data[i] {
	case '"':
		end, plain, _ = strictjson.ScanString(data, i)
		return end, plain
	case '{', '[':
		for depth := 0; ; i++ {
			switch data[i] {
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1, false
				}
			case '"':
				end, _, _ = strictjson.ScanString(data, i)
				i = end - 1
			}
		}
	}
	for i < len(data) {
		switch data[i] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return i, false
		}
		i++
	}
	return i, false
}

// match says whether the call's arguments match at. One argument that is known
// not to match decides, whatever is unknown about the others.
func (a *arguments) match(at *atom, b *Budget) (result truth, ok bool) {
	if !a.known {
		return unknown, true
	}
	result = yes
	for i := range at.args {
		arg := &at.args[i]
		if !b.spend(1 + len(a.members)/8) {
			return unknown, false
		}
		text, t := a.lookup(arg.name)
		if t == yes {
			if !b.spend(1+len(text)/64+arg.pattern.Prepare()) || b.stopped() {
				return unknown, false
			}
			t = b.matches(arg.pattern, text)
		}
		if result = min(result, t); result == no {
			break
		}
	}
	return result, true
}

// lookup returns the text of an argument: yes, if it has one; no, if it is
// absent; unknown, if it is an array or object. The text is valid until the
// next lookup.
func (a *arguments) lookup(name string) ([]byte, truth) {
	for i := range a.members {
		m := &a.members[i]
		if m.plainName {
			if string(a.data[m.name+1:m.nameEnd-1]) != name {
				continue
			}
		} else {
			a.text = strictjson.AppendUnquoted(a.text[:0], a.data[m.name:m.nameEnd])
			if string(a.text) != name {
				continue
			}
		}
		value := a.data[m.value:m.valueEnd]
		switch value[0] {
		case '{', '[':
			return nil, unknown
		case '"':
			if m.plainValue {
				return value[1 : len(value)-1], yes
			}
			a.text = strictjson.AppendUnquoted(a.text[:0], value)
			return a.text, yes
		case 't', 'f', 'n':
			return value, yes
		}
		if !isPlainInteger(value) {
			a.text = append(a.text[:0], strictjson.Plain(string(value))...)
			return a.text, yes
		}
		return value, yes
	}
	return nil, no
}

// isPlainInteger reports whether a number literal is its own plain form at a glance.
func isPlainInteger(literal []byte) bool {
	if literal[0] == '-' {
		literal = literal[1:]
		if literal[0] == '0' {
			return false
		}
	}
	for _, b := range literal {
		if b < '0' || b > '9' {
			return false
		}
	}
	return true
}

// reset forgets the call, and keeps the space of an ordinary one.
func (a *arguments) reset() {
	if cap(a.text) > 1<<14 || cap(a.members) > 1<<10 {
		*a = arguments{}
		return
	}
	a.data, a.known = nil, false
}
