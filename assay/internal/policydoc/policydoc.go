// Package policydoc turns the bytes of a policy file into a tree of plain data
// in which every value knows its line and column.
//
// It is docs/policy.md, "How a file is read": JSON where the strict JSON
// reader accepts the text, otherwise YAML by the 1.2 core schema, with numbers
// exact and whatever two readers could read in two ways refused. Beyond that
// section's table this means, in YAML text: a carriage return without a line
// feed, a byte-order mark inside the text, a lone question mark as a plain
// scalar in [] or {}, and a value of which a line is not indented deeper than
// what holds it. Where a closing quote is missing, the last one turns the
// silent loss of the following lines into an error.
//
// The package knows nothing of what a policy means.
package policydoc

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"example.com/assay/assay/internal/strictjson"
	"example.com/assay/internal/jsonpointer"
)

// Kind is the type of a Node.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

// String returns the type's name in a sentence: "a number", "a mapping".
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case String:
		return "text"
	case List:
		return "a list"
	case Map:
		return "a mapping"
	}
	return "unknown"
}

// Node is one value of a document. Nodes are read-only once Parse has returned
// and safe for concurrent use. Where the text uses aliases, one Node may stand
// in several places; it keeps the position of its anchor.
type Node struct {
	Kind Kind
	Bool bool
	// Text is the text of a String. For a Number it is an exact literal by the
	// grammar of JSON and within the bounds of strictjson: in JSON the one that
	// was written, in YAML the same value where JSON has no such literal (+1,
	// .5, 1., 0x1F, 0o17) and 0 for -0.
	Text    string
	Items   []*Node  // of a List
	Members []Member // of a Map, in the order of the text, keys distinct
	// Line and Column are where the value starts, in YAML its tag or anchor
	// included, both counted from 1. A line ends at LF or CR LF; columns are
	// Unicode code points, and a byte-order mark is none.
	Line, Column int
}

// Member is one entry of a Map.
type Member struct {
	Key          string
	Line, Column int // of the key
	Value        *Node
}

// Parse reads a document of at most maxBytes bytes whose root is a mapping or a
// list. The error is an *Error.
//
// A UTF-8 byte-order mark at the start is skipped. In YAML an alias stands for
// the whole of its anchor's value, and what the aliases stand for counts
// against maxBytes too: the length of the text, plus, for each alias, the size
// of its value with the aliases in it expanded, must not exceed maxBytes. The
// size of a value is 1 plus the bytes of its text, keys and members included.
// Aliases are never copied out, so time and memory are linear in len(data).
func Parse(data []byte, maxBytes int) (*Node, error) {
	if len(data) > maxBytes {
		return nil, &Error{Kind: KindLimit, Problems: []Problem{{
			Message: fmt.Sprintf("the policy is longer than %d bytes", maxBytes),
			Hint:    "split it, or raise the limit",
		}}}
	}
	text := bytes.TrimPrefix(data, []byte(byteOrderMark))
	if i := strictjson.SkipSpace(text, 0); i < len(text) && (text[i] == '{' || text[i] == '[') {
		if strictjson.Check(text) == nil {
			return parseJSON(text), nil
		}
	}
	return parseYAML(text, maxBytes)
}

const byteOrderMark = "\ufeff"

// Member returns the value of a key of a Map; of any other node there is none.
// It looks at one key after the other.
func (n *Node) Member(key string) (*Node, bool) {
	for i := range n.Members {
		if n.Members[i].Key == key {
			return n.Members[i].Value, true
		}
	}
	return nil, false
}

// Lookup returns the node at a JSON Pointer (RFC 6901), or nil if there is
// none or the pointer is malformed. The empty pointer is n itself.
func (n *Node) Lookup(pointer string) *Node {
	if pointer == "" {
		return n
	}
	if pointer[0] != '/' {
		return nil
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		switch n.Kind {
		case Map:
			name, ok := jsonpointer.Unescape(token)
			if !ok {
				return nil
			}
			value, ok := n.Member(name)
			if !ok {
				return nil
			}
			n = value
		case List:
			if n = n.item(token); n == nil {
				return nil
			}
		default:
			return nil
		}
	}
	return n
}

// item returns the item of a List that a token of a JSON Pointer names, or nil.
func (n *Node) item(token string) *Node {
	i, err := strconv.Atoi(token)
	// RFC 6901, section 4: no sign and no leading zero.
	if err != nil || i < 0 || i >= len(n.Items) || strconv.Itoa(i) != token {
		return nil
	}
	return n.Items[i]
}
