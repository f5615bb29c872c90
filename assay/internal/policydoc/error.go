package policydoc

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/assay/internal/jsonpointer"
)

// ErrorKind says at which step a document fails.
type ErrorKind uint8

const (
	KindSyntax    ErrorKind = iota + 1 // the text is not one YAML or JSON document that every reader reads alike
	KindRoot                           // the root is neither a mapping nor a list
	KindStructure                      // well-formed, but holds what no policy may: tags, merge keys, keys that are no text, numbers out of bounds
	KindLimit                          // longer than the limit
)

func (k ErrorKind) String() string {
	switch k {
	case KindSyntax:
		return "not one well-formed document"
	case KindRoot:
		return "the root is not a mapping"
	case KindStructure:
		return "not plain data"
	case KindLimit:
		return "too long"
	}
	return "unknown"
}

// maxProblems bounds the Problems of one Error. A hostile text could have
// hundreds of thousands, each with a long path.
const maxProblems = 100

// Error is what is wrong with a document.
type Error struct {
	Kind ErrorKind
	// Problems are those found, in the order of the text and at most 100; there
	// is always one. For KindSyntax those that broke the syntax come first.
	Problems []Problem
}

// Problem is one thing that is wrong. Nothing in it is a value of the document.
type Problem struct {
	// Path is a JSON Pointer (RFC 6901) to the value, or to the key by its
	// text; "" where the text could not be read so far. Keys longer than 128
	// bytes are cut, with an ellipsis.
	Path string
	// Line and Column count from 1, as in Node; both are 0 where unknown.
	Line, Column  int
	Message, Hint string // Hint may be empty
}

func (e *Error) Error() string {
	p := e.Problems[0]
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", e.Kind, p.Message)
	}
	return fmt.Sprintf("%s: line %d, column %d: %s", e.Kind, p.Line, p.Column, p.Message)
}

// syntaxError is the error of a text that could not be read any further.
func syntaxError(line, column int, message, hint string) *Error {
	return &Error{Kind: KindSyntax, Problems: []Problem{{Line: line, Column: column, Message: message, Hint: hint}}}
}

// path is where in the document a reader is; the root is empty.
type path []step

// step is one step of a path.
type step struct {
	key   string // of a mapping's member
	index int    // of a list's item, or -1
}

// pointer returns the path as a JSON Pointer.
func (p path) pointer() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteByte('/')
		if s.index >= 0 {
			fmt.Fprint(&b, s.index)
		} else {
			b.WriteString(jsonpointer.Escape(shorten(s.key, 128)))
		}
	}
	return b.String()
}

// shorten cuts a key to longest bytes on a character boundary.
func shorten(key string, longest int) string {
	if len(key) <= longest {
		return key
	}
	end := longest
	for !utf8.RuneStart(key[end]) {
		end--
	}
	return key[:end] + "…"
}
