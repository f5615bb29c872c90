package server

import (
	"unicode/utf8"
)

// maxDepth is how deep one message may nest: a scalar is 0, each array or
// object adds 1. Strict reading of the arguments is the decision's affair and
// has a lower bound of its own.
const maxDepth = 512

// The functions of this file read JSON text (RFC 8259) in place. They build no
// values, so that numbers keep their digits and arguments their bytes. That
// the text is UTF-8 is checked once for a whole line.

// skipSpace returns the index of the first byte at or after i that is no JSON
// whitespace.
func skipSpace(text []byte, i int) int {
	for i < len(text) {
		switch text[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// valueEnd returns the index behind the value that starts at text[i], or -1
// when there is none or when it nests deeper than depth.
func valueEnd(text []byte, i, depth int) int {
	if i >= len(text) {
		return -1
	}
	switch c := text[i]; {
	case c == '"':
		return stringEnd(text, i)
	case c == '{':
		if depth == 0 {
			return -1
		}
		m := members{text: text, at: i + 1, depth: depth - 1}
		for m.next() {
		}
		if m.broken {
			return -1
		}
		return m.at
	case c == '[':
		if depth == 0 {
			return -1
		}
		e := elements{text: text, at: i + 1, depth: depth - 1}
		for e.next() {
		}
		if e.broken {
			return -1
		}
		return e.at
	case c == 't':
		return literalEnd(text, i, "true")
	case c == 'f':
		return literalEnd(text, i, "false")
	case c == 'n':
		return literalEnd(text, i, "null")
	default:
		return numberEnd(text, i)
	}
}

func literalEnd(text []byte, i int, literal string) int {
	if end := i + len(literal); end <= len(text) && string(text[i:end]) == literal {
		return end
	}
	return -1
}

func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			i++
			if i >= len(text) {
				return -1
			}
			switch text[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if hex4(text, i+1) < 0 {
					return -1
				}
				i += 4
			default:
				return -1
			}
		}
	}
	return -1
}

func numberEnd(text []byte, i int) int {
	digits := func() bool {
		start := i
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(text) && text[i] == '-' {
		i++
	}
	if i < len(text) && text[i] == '0' {
		i++
	} else if !digits() {
		return -1
	}
	if i < len(text) && text[i] == '.' {
		i++
		if !digits() {
			return -1
		}
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if !digits() {
			return -1
		}
	}
	return i
}

// hex4 returns the value of the four hexadecimal digits at text[i], or -1.
func hex4(text []byte, i int) rune {
	if i+4 > len(text) {
		return -1
	}
	var r rune
	for _, c := range text[i : i+4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// members iterates over an object's members in the order of the text.
//
//	for m.next() { … m.key, m.value … }
//	if m.broken { … }
type members struct {
	text   []byte
	at     int // behind '{' or the last member; behind '}' at the end
	depth  int // what the values may nest
	begun  bool
	broken bool

	key   []byte // as written, with its quotes
	value []byte // as written
}

// membersOf starts an iteration over the object that text is, with nothing but
// space around it; ok is false when text starts no object.
func membersOf(text []byte, depth int) (m members, ok bool) {
	i := skipSpace(text, 0)
	if i >= len(text) || text[i] != '{' || depth == 0 {
		return members{}, false
	}
	return members{text: text, at: i + 1, depth: depth - 1}, true
}

func (m *members) next() bool {
	i := skipSpace(m.text, m.at)
	if i < len(m.text) && m.text[i] == '}' {
		m.at = i + 1
		return false
	}
	if m.begun {
		if i >= len(m.text) || m.text[i] != ',' {
			return m.fail()
		}
		i = skipSpace(m.text, i+1)
	}
	if i >= len(m.text) || m.text[i] != '"' {
		return m.fail()
	}
	end := stringEnd(m.text, i)
	if end < 0 {
		return m.fail()
	}
	m.key = m.text[i:end]
	if i = skipSpace(m.text, end); i >= len(m.text) || m.text[i] != ':' {
		return m.fail()
	}
	i = skipSpace(m.text, i+1)
	if end = valueEnd(m.text, i, m.depth); end < 0 {
		return m.fail()
	}
	m.value, m.at, m.begun = m.text[i:end], end, true
	return true
}

func (m *members) fail() bool {
	m.broken = true
	return false
}

// name returns the key's text. The bytes are valid until the next call of name
// or next at least, and may be those of the text.
func (m *members) name() []byte { return unquoted(m.key) }

// whole reports, after the last next, that the text was one object and nothing
// else.
func (m *members) whole() bool {
	return !m.broken && skipSpace(m.text, m.at) == len(m.text)
}

// elements iterates over an array's elements.
type elements struct {
	text   []byte
	at     int // behind '[' or the last element; behind ']' at the end
	depth  int
	begun  bool
	broken bool

	value []byte // as written
}

// elementsOf starts an iteration over the array that text is; ok is false when
// text starts no array.
func elementsOf(text []byte) (e elements, ok bool) {
	if len(text) == 0 || text[0] != '[' {
		return elements{}, false
	}
	return elements{text: text, at: 1, depth: maxDepth}, true
}

func (e *elements) next() bool {
	i := skipSpace(e.text, e.at)
	if i < len(e.text) && e.text[i] == ']' {
		e.at = i + 1
		return false
	}
	if e.begun {
		if i >= len(e.text) || e.text[i] != ',' {
			e.broken = true
			return false
		}
		i = skipSpace(e.text, i+1)
	}
	end := valueEnd(e.text, i, e.depth)
	if end < 0 {
		e.broken = true
		return false
	}
	e.value, e.at, e.begun = e.text[i:end], end, true
	return true
}

// unquoted returns the text of a well-formed JSON string. A surrogate that is
// no half of a pair becomes the three bytes that UTF-8 would use for it, which
// are no valid UTF-8: no two different strings become one, and none that is
// broken looks whole. The result may be part of quoted.
func unquoted(quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	i := 0
	for i < len(inner) && inner[i] != '\\' {
		i++
	}
	if i == len(inner) {
		return inner
	}
	out := append(make([]byte, 0, len(inner)), inner[:i]...)
	for i < len(inner) {
		c := inner[i]
		if c != '\\' {
			out = append(out, c)
			i++
			continue
		}
		switch c = inner[i+1]; c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := hex4(inner, i+2)
			i += 6
			if r >= 0xD800 && r < 0xDC00 && i+1 < len(inner) && inner[i] == '\\' && inner[i+1] == 'u' {
				if low := hex4(inner, i+2); low >= 0xDC00 && low < 0xE000 {
					r = (r-0xD800)<<10 | (low - 0xDC00) + 0x10000
					i += 6
				}
			}
			if r >= 0xD800 && r < 0xE000 {
				out = append(out, 0xE0|byte(r>>12), 0x80|byte(r>>6&0x3F), 0x80|byte(r&0x3F))
			} else {
				out = utf8.AppendRune(out, r)
			}
			continue
		}
		out = append(out, c)
		i += 2
	}
	return out
}

// appendQuoted appends valid UTF-8 text as a JSON string.
func appendQuoted(out, text []byte) []byte {
	const digits = "0123456789abcdef"
	out = append(out, '"')
	start := 0
	for i, c := range text {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		out = append(out, text[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, '\\', 'n')
		default:
			out = append(out, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xF])
		}
	}
	out = append(out, text[start:]...)
	return append(out, '"')
}
