package policydoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"example.com/assay/assay/internal/strictjson"
)

// parseYAML reads a text as YAML. The library gives nodes with tag, style and
// position; every meaning is decided here, from a node's own text.
func parseYAML(text []byte, maxBytes int) (*Node, error) {
	if err := checkText(text); err != nil {
		return nil, err
	}
	document, err := compose(text)
	if err != nil {
		return nil, err
	}
	if document == nil {
		return nil, rootError("empty", 0, 0)
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode {
		kind := String
		if plain(root) {
			kind = resolve(root.Value).kind
		}
		return nil, rootError(kind.String(), root.Line, root.Column)
	}
	r := yamlReader{
		source:   source{text: text, line: 1, column: 1},
		expanded: len(text), maxBytes: maxBytes,
		anchors: map[*yaml.Node]built{},
	}
	b := r.node(root, 0, context{indent: -1})
	if err := r.err(); err != nil {
		return nil, err
	}
	return b.node, nil
}

func rootError(found string, line, column int) *Error {
	return &Error{Kind: KindRoot, Problems: []Problem{{
		Line: line, Column: column,
		Message: "the document must be a mapping; it is " + found,
		Hint:    "write keys and their values, with a space behind the colon; an empty mapping is {}",
	}}}
}

// checkText refuses texts that two YAML readers see differently before either
// has parsed anything: what is no UTF-8, what some take for the end of a line
// (and so of a comment) and others do not, and what follows the end of the
// document.
func checkText(text []byte) error {
	if !utf8.Valid(text) {
		i := 0
		for {
			r, n := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && n == 1 {
				return refuse(text, i, "the text is not valid UTF-8", "save the file as UTF-8")
			}
			i += n
		}
	}
	for _, c := range []struct{ char, name string }{
		{"\u0085", "U+0085 (next line)"},
		{"\u2028", "U+2028 (line separator)"},
		{"\u2029", "U+2029 (paragraph separator)"},
		{byteOrderMark, "U+FEFF (byte-order mark)"},
	} {
		if i := bytes.Index(text, []byte(c.char)); i >= 0 {
			return refuse(text, i, "the text holds "+c.name+", which readers understand differently",
				`remove it, or write it as an escape in double quotes`)
		}
	}
	for i := 0; ; i++ {
		next := bytes.IndexByte(text[i:], '\r')
		if next < 0 {
			break
		}
		i += next
		if i+1 == len(text) || text[i+1] != '\n' {
			return refuse(text, i, "the text holds a carriage return without a line feed, which readers understand differently",
				"end lines with LF or CR LF")
		}
	}
	return checkEnd(text)
}

// checkEnd refuses content behind a document end marker. The library would
// read on behind one that stands before all content. A line that starts with
// the marker can be nothing else (YAML 1.2.2, rule c-forbidden).
func checkEnd(text []byte) error {
	if !bytes.HasPrefix(text, []byte("...")) && !bytes.Contains(text, []byte("\n...")) {
		return nil
	}
	ended := false
	for start := 0; start < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		line := text[start:end]
		if bytes.HasPrefix(line, []byte("...")) && (len(line) == 3 || strings.IndexByte(" \t\r\n", line[3]) >= 0) {
			ended = true
			line = line[3:]
		}
		line = bytes.TrimLeft(line, " \t\r\n")
		if ended && len(line) > 0 && line[0] != '#' {
			return refuse(text, end-len(line), "content follows the end of the document", "keep one document in the file")
		}
		start = end
	}
	return nil
}

// refuse is the syntax error of an offset in the text.
func refuse(text []byte, offset int, message, hint string) *Error {
	line, column := strictjson.Position(text, offset)
	return syntaxError(line, column, message, hint)
}

// compose lets the library read the one document of a text; nil if it has none.
func compose(text []byte) (document *yaml.Node, err error) {
	// A panic of the library is its failure to read the text.
	defer func() {
		if recover() != nil {
			document, err = nil, syntaxError(0, 0, "the text cannot be read as YAML", "")
		}
	}()
	loader, err := yaml.NewLoader(bytes.NewReader(text), yaml.WithStreamNodes(), yaml.WithPlugin(limits))
	if err != nil {
		return nil, syntaxError(0, 0, "the text cannot be read as YAML", "")
	}
	for {
		n := new(yaml.Node)
		switch err := loader.Load(n); {
		case err == io.EOF:
			return document, nil
		case err != nil:
			return nil, libraryError(text, err)
		}
		switch {
		case n.Kind == yaml.StreamNode && (n.Stream.Version != nil || len(n.Stream.TagDirectives) > 0):
			return nil, syntaxError(n.Line, n.Column, "a directive is not allowed", "remove the line that starts with %")
		case n.Kind == yaml.DocumentNode && document != nil:
			return nil, syntaxError(n.Line, n.Column, "a second document is not allowed", "keep one document in the file")
		case n.Kind == yaml.DocumentNode:
			document = n
		}
	}
}

// limits keeps the library from building a tree of any depth. It counts open
// flow collections and block indentations apart; yamlReader counts both.
var limits = loaderlimits.New(
	loaderlimits.DepthFunc(func(depth int, _ *loaderlimits.DepthContext) error {
		if depth > 2*strictjson.MaxDepth {
			return errors.New(tooDeep)
		}
		return nil
	}),
	loaderlimits.AliasNone(),
)

var tooDeep = fmt.Sprintf("nested deeper than %d levels", strictjson.MaxDepth)

// plain reports whether a scalar is written without quotes and not as a block.
func plain(n *yaml.Node) bool {
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// tagged reports whether a node shows a tag. The library marks a non-specific
// "!" by the tag alone.
func tagged(n *yaml.Node) bool { return n.Style&yaml.TaggedStyle != 0 || n.Tag == "!" }

// yamlReader turns the library's nodes into ours.
type yamlReader struct {
	source    source
	nodes     nodes
	anchors   map[*yaml.Node]built // complete values that an alias may name
	expanded  int                  // the text and what its aliases stand for; see Parse
	maxBytes  int
	path      path // of the value that is being read
	stopped   bool // the rest is not worth reading
	syntax    []Problem
	structure []Problem
}

// built is a node with what an alias to it counts.
type built struct {
	node   *Node
	size   int // 1 and the bytes of the text, with all that it holds
	height int // containers one in another, itself included
}

// err returns the error of what was found, or nil.
func (r *yamlReader) err() error {
	kind := KindStructure
	if len(r.syntax) > 0 {
		kind = KindSyntax
	}
	problems := append(r.syntax, r.structure...)
	if len(problems) == 0 {
		return nil
	}
	return &Error{Kind: kind, Problems: problems[:min(len(problems), maxProblems)]}
}

// add notes a problem with the node n, unless there are many already.
func (r *yamlReader) add(problems *[]Problem, n *yaml.Node, message, hint string) {
	if len(*problems) < maxProblems {
		*problems = append(*problems, Problem{Path: r.path.pointer(), Line: n.Line, Column: n.Column, Message: message, Hint: hint})
	}
}

// node reads a value that stands in depth containers.
func (r *yamlReader) node(n *yaml.Node, depth int, c context) built {
	if r.stopped {
		return built{node: &Node{}}
	}
	r.checkIndent(n, c)
	if n.Kind == yaml.AliasNode {
		return r.alias(n, depth)
	}
	b := built{node: r.nodes.next(), size: 1}
	b.node.Line, b.node.Column = n.Line, n.Column
	if n.Kind == yaml.ScalarNode {
		r.scalar(n, b.node, c)
		b.size += len(n.Value)
	} else if depth >= strictjson.MaxDepth {
		r.add(&r.syntax, n, tooDeep, "")
		r.stopped = true
	} else if n.Kind == yaml.SequenceNode {
		r.tag(n, "!!seq")
		r.list(n, &b, depth, c.inside(n))
	} else {
		r.tag(n, "!!map")
		r.mapping(n, &b, depth, c.inside(n))
	}
	if n.Anchor != "" {
		r.anchors[n] = b
	}
	return b
}

func (r *yamlReader) alias(n *yaml.Node, depth int) built {
	b, complete := r.anchors[n.Alias]
	if !complete {
		r.add(&r.syntax, n, "an alias stands inside its own anchor", "")
		r.stopped = true
		return built{node: &Node{}}
	}
	if depth+b.height > strictjson.MaxDepth {
		r.add(&r.syntax, n, tooDeep+", with the alias expanded", "")
	}
	if r.expanded += b.size; r.expanded > r.maxBytes {
		r.add(&r.syntax, n, fmt.Sprintf("the policy is longer than %d bytes with its aliases expanded", r.maxBytes), "")
		r.stopped = true
	}
	return b
}

func (r *yamlReader) list(n *yaml.Node, b *built, depth int, c context) {
	b.node.Kind = List
	b.node.Items = r.nodes.list(len(n.Content))
	for i, item := range n.Content {
		if r.stopped {
			break
		}
		r.path = append(r.path, step{index: i})
		value := r.node(item, depth+1, c)
		r.path = r.path[:len(r.path)-1]
		b.node.Items[i] = value.node
		b.size += value.size
		b.height = max(b.height, value.height)
	}
	b.height++
}

func (r *yamlReader) mapping(n *yaml.Node, b *built, depth int, c context) {
	b.node.Kind = Map
	b.node.Members = r.nodes.members(len(n.Content) / 2)[:0]
	var lines map[string]int // of the keys, once they are many
	for i := 0; i+1 < len(n.Content) && !r.stopped; i += 2 {
		m := Member{Line: n.Content[i].Line, Column: n.Content[i].Column}
		r.path = append(r.path, step{index: -1})
		key, isText := r.key(n.Content[i], depth, c)
		m.Key = key
		if isText {
			if line := b.node.lineOf(key, &lines); line > 0 {
				r.add(&r.syntax, n.Content[i], fmt.Sprintf("the key %q stands twice in one mapping, first on line %d", shorten(key, 64), line),
					"join both under one key")
			}
		}
		value := r.node(n.Content[i+1], depth+1, c)
		r.path = r.path[:len(r.path)-1]
		m.Value = value.node
		b.size += value.size + 1 + len(key)
		b.height = max(b.height, value.height)
		if isText {
			b.node.Members = append(b.node.Members, m)
			if lines != nil {
				lines[key] = m.Line
			}
		}
	}
	b.height++
}

// lineOf returns the line of a key that n has already, or 0. Keys are compared
// one by one until they are many; then lines holds them all.
func (n *Node) lineOf(key string, lines *map[string]int) int {
	const few = 16
	if *lines == nil && len(n.Members) > few {
		*lines = make(map[string]int, cap(n.Members))
		for _, m := range n.Members {
			(*lines)[m.Key] = m.Line
		}
	}
	if *lines != nil {
		return (*lines)[key]
	}
	for _, m := range n.Members {
		if m.Key == key {
			return m.Line
		}
	}
	return 0
}

// key reads the key of a mapping that stands in depth containers, and gives its
// text to the path. False means that it is no text and has been noted.
func (r *yamlReader) key(n *yaml.Node, depth int, c context) (string, bool) {
	last := &r.path[len(r.path)-1]
	c.key = !c.flow
	const quote = "quote the key"
	switch n.Kind {
	case yaml.AliasNode:
		last.key = "*" + n.Value
		r.add(&r.structure, n, "an alias is not allowed as a key", "write the key out")
		return "", false
	case yaml.ScalarNode:
		last.key = n.Value
		if plain(n) && n.Value == "<<" {
			r.add(&r.structure, n, "a merge key is not allowed", "YAML 1.2 has none: write out what it would merge, or quote it if it is a name")
			return "", false
		}
		var key Node // which nothing keeps: a Member has the text
		if n.Anchor != "" {
			key = *r.node(n, depth+1, c).node
		} else {
			r.checkIndent(n, c)
			r.scalar(n, &key, c)
		}
		if key.Kind != String {
			r.add(&r.structure, n, "a key must be text, not "+key.Kind.String(), quote)
			return "", false
		}
		return key.Text, true
	}
	last.key = "?"
	if key := r.node(n, depth+1, c).node; key.Kind != Null { // which it stays where reading stops
		r.add(&r.structure, n, "a key must be text, not "+key.Kind.String(), quote)
	}
	return "", false
}

// scalar gives node the meaning of n.
func (r *yamlReader) scalar(n *yaml.Node, node *Node, c context) {
	if c.flow && plain(n) && n.Value == "?" {
		// The library takes it for text, others for a key that is null.
		r.add(&r.syntax, n, "a lone question mark in [] or {} is read in two ways", "quote it")
	}
	s := scalar{kind: String, tag: "!!str"}
	if plain(n) && !(tagged(n) && n.Tag == s.tag) {
		s = resolve(n.Value)
	}
	r.tag(n, s.tag)
	if s.refused != "" {
		r.add(&r.structure, n, s.refused, "quote it if it is text")
	}
	node.Kind, node.Bool = s.kind, s.truth
	switch s.kind {
	case Number:
		node.Text = s.literal
	case String:
		node.Text = n.Value
	}
}

// tag notes a tag that changes what n is without it.
func (r *yamlReader) tag(n *yaml.Node, core string) {
	if tagged(n) && n.Tag != core {
		r.add(&r.structure, n, "a tag is not allowed here", "remove it; quote the value if it is text")
	}
}
