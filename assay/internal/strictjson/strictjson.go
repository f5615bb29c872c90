// Package strictjson reads JSON that no two readers understand differently.
//
// It is RFC 8259 with the doubtful texts refused: a member named twice in one
// object (after escapes), data behind the value, invalid UTF-8, a lone
// surrogate, nesting deeper than [MaxDepth], and a number literal longer than
// [MaxLiteral] bytes or with an exponent beyond ±[MaxExponent]. The rules are
// those of docs/policy.md, "Arguments"; arguments, histories and policies
// written as JSON are all read here.
//
// Time and memory are linear in the length of the text, whatever it holds.
// Every function is safe for concurrent use as long as nobody writes to the
// bytes given.
package strictjson

import (
	"fmt"
	"sync"
)

const (
	// MaxDepth is the deepest nesting that passes: a scalar has depth 0 and
	// each array or object adds 1.
	MaxDepth = 128
	// MaxLiteral is the length in bytes of the longest number literal.
	MaxLiteral = 1000
	// MaxExponent bounds the exponent that a number literal writes, in both
	// directions. Leading zeros of the exponent do not count.
	MaxExponent = 1000
)

// Kind says which rule a text breaks.
type Kind uint8

const (
	KindSyntax    Kind = iota + 1 // not JSON by RFC 8259
	KindDuplicate                 // one object names a member twice
	KindTrailing                  // something stands behind the value
	KindUTF8                      // a string is not valid UTF-8
	KindSurrogate                 // an escape names half of a surrogate pair
	KindDepth                     // nested deeper than MaxDepth
	KindNumber                    // a number literal beyond MaxLiteral or MaxExponent
	KindEmpty                     // nothing but white space
)

// String says in a few words what is wrong with a text of this kind.
func (k Kind) String() string {
	switch k {
	case KindSyntax:
		return "not valid JSON"
	case KindDuplicate:
		return "a member is named twice in one object"
	case KindTrailing:
		return "more text follows the JSON value"
	case KindUTF8:
		return "not valid UTF-8"
	case KindSurrogate:
		return "an escape is half of a surrogate pair"
	case KindDepth:
		return fmt.Sprintf("nested deeper than %d levels", MaxDepth)
	case KindNumber:
		return fmt.Sprintf("a number is longer than %d bytes or its exponent is beyond ±%d", MaxLiteral, MaxExponent)
	case KindEmpty:
		return "no JSON value"
	}
	return "unknown"
}

// Error is the first thing wrong with a text. Nothing of the text is in what
// Error returns; Path holds member names, which the caller of a check chose.
type Error struct {
	Kind Kind
	// Offset is where the text breaks the rule, in bytes from its start: the
	// second of two equal names, the start of a number out of bounds, the
	// bracket that is one too many, else the first byte that does not fit.
	Offset int
	// Line and Column are the same place counted from 1. A line ends at LF, CR
	// or CR LF; columns are Unicode code points, an invalid byte counting as one.
	Line, Column int
	// Path is the JSON Pointer (RFC 6901) of the innermost value that is not
	// complete at Offset; for a member's name that is the object. It is empty
	// for the whole text.
	Path string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s (line %d, column %d)", e.Kind, e.Line, e.Column)
}

// Check reports whether data is exactly one value by the rules of this
// package, white space around it allowed. The error is an *Error. It allocates
// nothing for an accepted text unless an object has more than 16 members.
func Check(data []byte) error {
	c := checkers.Get().(*checker)
	c.data = data
	end, kind := c.value(SkipSpace(data, 0), 0)
	c.data = nil
	if c.members.small() {
		c.members.Reset()
		checkers.Put(c)
	}
	if kind == 0 {
		end = SkipSpace(data, end)
		if end == len(data) {
			return nil
		}
		kind = KindTrailing
	}
	return failure(data, kind, end)
}

var checkers = sync.Pool{New: func() any { return new(checker) }}

// failure completes the error of a whole text.
func failure(data []byte, kind Kind, offset int) *Error {
	if kind == KindSyntax && SkipSpace(data, 0) == len(data) {
		kind = KindEmpty
	}
	line, column := Position(data, offset)
	err := &Error{Kind: kind, Offset: offset, Line: line, Column: column}
	if kind != KindTrailing {
		err.Path = pathAt(data, offset)
	}
	return err
}

// checker walks a text and builds nothing.
type checker struct {
	data    []byte
	members Members
}

// value scans the value at i, where depth containers are open. It returns the
// offset behind it; or, with a kind, the offset of what is wrong.
func (c *checker) value(i, depth int) (int, Kind) {
	if i >= len(c.data) {
		return i, KindSyntax
	}
	switch b := c.data[i]; b {
	case '"':
		end, _, kind := ScanString(c.data, i)
		return end, kind
	case '{':
		return c.object(i, depth+1)
	case '[':
		return c.array(i, depth+1)
	case 't', 'f', 'n':
		return scanWord(c.data, i)
	default:
		return ScanNumber(c.data, i)
	}
}

func (c *checker) array(i, depth int) (int, Kind) {
	if depth > MaxDepth {
		return i, KindDepth
	}
	i = SkipSpace(c.data, i+1)
	if i < len(c.data) && c.data[i] == ']' {
		return i + 1, 0
	}
	for {
		end, kind := c.value(i, depth)
		if kind != 0 {
			return end, kind
		}
		i = SkipSpace(c.data, end)
		if i >= len(c.data) {
			return i, KindSyntax
		}
		switch c.data[i] {
		case ',':
			i = SkipSpace(c.data, i+1)
		case ']':
			return i + 1, 0
		default:
			return i, KindSyntax
		}
	}
}

func (c *checker) object(i, depth int) (int, Kind) {
	if depth > MaxDepth {
		return i, KindDepth
	}
	i = SkipSpace(c.data, i+1)
	if i < len(c.data) && c.data[i] == '}' {
		return i + 1, 0
	}
	names := c.members.Open()
	for {
		end, plain, kind := scanName(c.data, i)
		if kind != 0 {
			return end, kind
		}
		if !c.members.Add(&names, c.data, i, end, plain) {
			return i, KindDuplicate
		}
		i, kind = scanColon(c.data, end)
		if kind != 0 {
			return i, kind
		}
		end, kind = c.value(i, depth)
		if kind != 0 {
			return end, kind
		}
		i = SkipSpace(c.data, end)
		if i >= len(c.data) {
			return i, KindSyntax
		}
		switch c.data[i] {
		case ',':
			i = SkipSpace(c.data, i+1)
		case '}':
			c.members.Close(&names)
			return i + 1, 0
		default:
			return i, KindSyntax
		}
	}
}
