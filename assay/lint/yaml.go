package lint

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/assay/internal/policydoc"
)

// Writing YAML that every reader reads alike: block style, short lists of
// scalars on one line, and in quotation marks whatever is not a plain word.

// flowWidth is how long a list may be to stand on one line.
const flowWidth = 80

// writeMember writes one member of a mapping that is indented by indent columns.
func writeMember(b *bytes.Buffer, key string, value *policydoc.Node, indent int) {
	writeIndent(b, indent)
	b.WriteString(scalarText(key))
	b.WriteByte(':')
	writeValue(b, value, indent)
}

// writeValue writes a value behind the colon or hyphen of what is indented by
// indent columns, and ends the line.
func writeValue(b *bytes.Buffer, n *policydoc.Node, indent int) {
	if line, ok := onOneLine(n); ok {
		b.WriteByte(' ')
		b.WriteString(line)
		b.WriteByte('\n')
		return
	}
	b.WriteByte('\n')
	for _, member := range n.Members {
		writeMember(b, member.Key, member.Value, indent+2)
	}
	for _, item := range n.Items {
		writeItem(b, item, indent+2)
	}
}

// writeItem writes one item of a list; a mapping begins behind its hyphen.
func writeItem(b *bytes.Buffer, n *policydoc.Node, indent int) {
	writeIndent(b, indent)
	b.WriteByte('-')
	if len(n.Members) == 0 {
		writeValue(b, n, indent)
		return
	}
	var members bytes.Buffer
	for _, member := range n.Members {
		writeMember(&members, member.Key, member.Value, indent+2)
	}
	b.WriteByte(' ')
	b.Write(members.Bytes()[indent+2:])
}

func writeIndent(b *bytes.Buffer, columns int) { b.WriteString(strings.Repeat(" ", columns)) }

// onOneLine returns what is written on one line: scalars, what is empty, and
// short lists of scalars.
func onOneLine(n *policydoc.Node) (string, bool) {
	switch n.Kind {
	case policydoc.Null:
		return "null", true
	case policydoc.Bool:
		return strconv.FormatBool(n.Bool), true
	case policydoc.Number:
		return n.Text, true
	case policydoc.String:
		return scalarText(n.Text), true
	case policydoc.Map:
		return "{}", len(n.Members) == 0
	}
	items := make([]string, 0, min(len(n.Items), flowWidth))
	length := 0
	for _, item := range n.Items {
		if item.Kind == policydoc.List || item.Kind == policydoc.Map {
			return "", false
		}
		text, _ := onOneLine(item)
		if length += len(text) + len(", "); length > flowWidth {
			return "", false
		}
		items = append(items, text)
	}
	return "[" + strings.Join(items, ", ") + "]", true
}

var plainWord = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_./$-]*$`)

// otherWords are those that some reader of YAML, of 1.1 or 1.2, takes for no text.
var otherWords = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

// scalarText writes text. The escapes of Go's strings are those of YAML's double
// quotes (YAML 1.2.2, section 5.7).
func scalarText(text string) string {
	if plainWord.MatchString(text) && !slices.Contains(otherWords, strings.ToLower(text)) {
		return text
	}
	return strconv.Quote(text)
}

// rootLines is the text of a policy, cut at the keys of its root.
type rootLines struct {
	head    string // what stands before the first key
	members []memberText
}

// memberText is the lines of one member of the root: comments and blank lines
// before it, and itself.
type memberText struct{ before, text string }

// memberLines cuts a text at the keys of its root, or returns nil where these do
// not begin a line each.
func memberLines(data []byte, root *policydoc.Node) *rootLines {
	lines := strings.SplitAfter(strings.TrimPrefix(string(data), "\ufeff"), "\n")
	if last := len(lines) - 1; lines[last] != "" {
		lines[last] += "\n"
	}
	start := func(i int) int { // of the i-th member's first line, from 0
		if i == len(root.Members) {
			return len(lines)
		}
		return root.Members[i].Line - 1
	}
	isComment := func(line string) bool {
		return strings.HasPrefix(line, "#") || strings.TrimSpace(line) == ""
	}
	cut := &rootLines{}
	end := 0 // of what has been cut
	for i, member := range root.Members {
		if member.Column != 1 || start(i) < end || start(i) >= start(i+1) || start(i+1) > len(lines) {
			return nil
		}
		before := start(i)
		for before > end && isComment(lines[before-1]) {
			before--
		}
		rest := strings.Join(lines[end:before], "")
		if i == 0 {
			cut.head = rest
		} else {
			cut.members[i-1].text += rest
		}
		cut.members = append(cut.members, memberText{strings.Join(lines[before:start(i)], ""), lines[start(i)]})
		end = start(i) + 1
	}
	if last := len(cut.members) - 1; last >= 0 {
		cut.members[last].text += strings.Join(lines[end:], "")
	}
	return cut
}
