package policydoc

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// The grammar wants every line of a value indented deeper than the block
// collection that holds it (YAML 1.2.2, sections 6.1 and 7). The library does not insist
// inside quotes and flow collections, and there it matters: where a quote is
// missing, the next lines become text up to the next quote, a deny list among
// them, and the file still parses.

// context is the surroundings of a node that its indentation depends on.
type context struct {
	indent int  // spaces before the innermost block collection; -1: there is none
	flow   bool // within a flow collection
	key    bool // a key of that block collection, which stands at its indentation
}

// inside returns the context of what n, a collection in c, holds.
func (c context) inside(n *yaml.Node) context {
	c.key = false
	switch {
	case c.flow || n.Style&yaml.FlowStyle != 0:
		c.flow = true
	case n.Anchor == "" && !tagged(n):
		c.indent = n.Column - 1
	case n.Kind == yaml.MappingNode && len(n.Content) > 0:
		// The node starts at its anchor or tag; its first key at the indentation.
		c.indent = max(c.indent, n.Content[0].Column-1)
	}
	return c
}

const notIndented = "a value goes on in a line that is not indented deeper than what holds it"

// checkIndent notes a value, or a key within a flow collection, of which a line
// is not indented. Nodes come in the order of the text.
func (r *yamlReader) checkIndent(n *yaml.Node, c context) {
	if c.indent < 0 {
		return
	}
	block := n.Kind != yaml.ScalarNode && n.Kind != yaml.AliasNode && n.Style&yaml.FlowStyle == 0
	empty := n.Kind == yaml.ScalarNode && n.Value == "" && plain(n) // stands nowhere
	if block || empty {
		return
	}
	ok := c.key || n.Column-1 > c.indent
	quoted := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	folded := c.flow && n.Kind == yaml.ScalarNode && plain(n) && strings.ContainsAny(n.Value, " \n")
	if ok && (quoted || folded || n.Anchor != "" || tagged(n)) {
		var start int
		start, ok = r.content(n, c.indent)
		switch {
		case ok && quoted:
			ok = quotedIndented(r.source.text, start, c.indent)
		case ok && folded:
			ok = plainIndented(r.source.text, start, n.Value, c.indent)
		}
	}
	if !ok {
		r.add(&r.syntax, n, notIndented, "indent it, or close the quote or bracket")
	}
}

// quotedIndented reports whether the lines of the quoted scalar at i are
// indented.
func quotedIndented(text []byte, i, indent int) bool {
	end := quotedEnd(text, i)
	for ; i < end; i++ {
		if text[i] == '\n' && !lineIndented(text[i+1:], indent) {
			return false
		}
	}
	return end > 0
}

// quotedEnd returns the offset behind the quoted scalar at i, 0 if none starts
// there or it has no end.
func quotedEnd(text []byte, i int) int {
	if i >= len(text) || text[i] != '"' && text[i] != '\'' {
		return 0
	}
	quote := text[i]
	for i++; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] != quote:
		case quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i + 1
		}
	}
	return 0
}

// plainIndented reports whether the lines of the plain scalar at i are
// indented. Its value differs from the text in white space only.
func plainIndented(text []byte, i int, value string, indent int) bool {
	for _, b := range []byte(value) {
		if b == ' ' || b == '\t' || b == '\n' {
			continue
		}
		for ; i < len(text) && text[i] != b; i++ {
			if text[i] == '\n' && !lineIndented(text[i+1:], indent) {
				return false
			}
		}
		i++
	}
	return i <= len(text)
}

// lineIndented reports whether a line starts with more than indent spaces or
// holds nothing but white space.
func lineIndented(line []byte, indent int) bool {
	spaces := 0
	for spaces < len(line) && line[spaces] == ' ' {
		spaces++
	}
	if spaces > indent {
		return true
	}
	for _, b := range line[spaces:] {
		switch b {
		case ' ', '\t', '\r':
		default:
			return b == '\n'
		}
	}
	return true
}

// content returns where the content of n starts, behind its anchor and tag, and
// whether the lines up to there are indented.
func (r *yamlReader) content(n *yaml.Node, indent int) (int, bool) {
	text := r.source.text
	i := r.source.seek(n.Line, n.Column)
	for i < len(text) {
		switch text[i] {
		case '&', '!':
			for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) < 0 {
				i++
			}
		case ' ', '\t', '\r':
			i++
		case '\n':
			i++
			if !lineIndented(text[i:], indent) {
				return i, false
			}
		case '#':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		default:
			return i, true
		}
	}
	return i, true
}

// source finds offsets in a text by line and column, in ascending order.
type source struct {
	text             []byte
	at, line, column int
}

// seek moves on to a position, never back, and returns its offset.
func (s *source) seek(line, column int) int {
	for s.line < line {
		i := bytes.IndexByte(s.text[s.at:], '\n')
		if i < 0 {
			break
		}
		s.at += i + 1
		s.line++
		s.column = 1
	}
	for s.at < len(s.text) && (s.line < line || s.line == line && s.column < column) {
		switch b := s.text[s.at]; {
		case b == '\n':
			s.line++
			s.column = 1
		case b != '\r':
			s.column++
		}
		s.at++
		for s.at < len(s.text) && !utf8.RuneStart(s.text[s.at]) {
			s.at++
		}
	}
	return s.at
}
