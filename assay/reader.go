package assay

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/assay/internal/policydoc"
	"example.com/assay/assay/internal/strictjson"
	"example.com/assay/internal/jsonpointer"
	"example.com/assay/internal/slip"
)

// maxProblems bounds what a PolicyError lists, so that a hostile megabyte of
// wrong keys does not become many megabytes of advice.
const maxProblems = 1000

// reader takes typed values out of the nodes of a document and collects
// everything that is wrong with them. What it returns is only of use when it
// has found no problem.
type reader struct {
	problems []Problem
	value    func(*policydoc.Node) any // makes plain data of a node
}

// report adds a problem with what stands at a path.
func (r *reader) report(path, message, hint string) {
	r.add(Problem{Path: path, Message: message, Hint: hint})
}

func (r *reader) add(p Problem) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, p)
	}
}

// field is the place of one value in the document.
type field struct {
	r    *reader
	path string          // JSON Pointer
	node *policydoc.Node // nil: the document does not hold it
}

// mapping is a mapping whose keys the language knows, all of them.
type mapping struct {
	field
	known   []string // the keys that were asked for
	missing []string // those of them that must be there and are not
}

// key returns the value of a key that may be absent but not null.
func (m *mapping) key(name string) field {
	f := m.nullable(name)
	if f.node == nil {
		if _, ok := m.member(name); ok {
			m.r.report(f.path, "null says nothing here", "leave the key out, or give it a value; an empty list is written []")
		}
	}
	return f
}

// nullable returns the value of a key for which null means absent.
func (m *mapping) nullable(name string) field {
	m.known = append(m.known, name)
	f := field{r: m.r, path: m.path + pointer(name)}
	if n, ok := m.member(name); ok && n.Kind != policydoc.Null {
		f.node = n
	}
	return f
}

// required returns the value of a key that must be there.
func (m *mapping) required(name string) field {
	f := m.key(name)
	if _, ok := m.member(name); !ok {
		m.missing = append(m.missing, name)
	}
	return f
}

func (m *mapping) member(name string) (*policydoc.Node, bool) {
	if m.node == nil {
		return nil, false
	}
	return m.node.Member(name)
}

// close reports the keys that nobody asked for, since the language has no
// others, and those that are missing, unless a misspelt one was meant to be it.
func (m *mapping) close() {
	if m.node == nil {
		return
	}
	for _, member := range m.node.Members {
		if slices.Contains(m.known, member.Key) || len(m.r.problems) == maxProblems {
			continue
		}
		m.unknown(member.Key)
		meant := nearest(member.Key, m.known)
		m.missing = slices.DeleteFunc(m.missing, func(name string) bool { return name == meant })
	}
	for _, name := range m.missing {
		m.lacks(name, "add "+name+": "+cmp.Or(examples[name], "name"))
	}
}

// unknown reports a key that the language does not have.
func (m *mapping) unknown(key string) {
	m.r.report(m.path+pointer(key), "unknown key "+slip.Quote(key), didYouMean(key, m.known))
}

// lacks reports that a key is missing.
func (m *mapping) lacks(name, hint string) {
	m.r.report(m.path, "the key "+strconv.Quote(name)+" is missing", hint)
}

// is reports whether the field is there and of the kind; another kind is a problem.
func (f field) is(kind policydoc.Kind, want string) bool {
	if f.node == nil {
		return false
	}
	if f.node.Kind != kind {
		f.wrong(want)
		return false
	}
	return true
}

// wrong reports a value of another kind than the one wanted.
func (f field) wrong(want string) { f.not(want, f.form(want)) }

func (f field) not(want, hint string) {
	f.r.report(f.path, "must be "+want+", not "+kindName(f.node.Kind), hint)
}

func kindName(k policydoc.Kind) string {
	switch k {
	case policydoc.Null:
		return "null"
	case policydoc.Bool:
		return "a boolean"
	case policydoc.Number:
		return "a number"
	case policydoc.String:
		return "text"
	case policydoc.List:
		return "a list"
	}
	return "a mapping"
}

// mapping reads a mapping with known keys, for the caller to close.
func (f field) mapping() *mapping {
	if !f.is(policydoc.Map, "a mapping") {
		f.node = nil
	}
	return &mapping{field: f}
}

// item is the i-th item of a list.
func (f field) item(i int) field {
	return field{f.r, f.path + "/" + strconv.Itoa(i), f.node.Items[i]}
}

// member is the value of a mapping whose keys are the author's own names.
func (f field) member(m policydoc.Member) field {
	return field{f.r, f.path + pointer(m.Key), m.Value}
}

// text reads text; nil when it is absent.
func (f field) text() *string {
	if !f.is(policydoc.String, "text") {
		return nil
	}
	return &f.node.Text
}

// word reads one of a few words; "" when it is absent.
func (f field) word(words ...string) string {
	if !f.is(policydoc.String, "text") {
		return ""
	}
	if !slices.Contains(words, f.node.Text) {
		hint := "" // the message has them all
		if meant := nearest(f.node.Text, words); meant != "" {
			hint = didYouMean(f.node.Text, words)
		}
		f.r.report(f.path, "must be "+either(words), hint)
	}
	return f.node.Text
}

// flag reads a boolean; false when it is absent.
func (f field) flag() bool {
	return f.is(policydoc.Bool, "true or false") && f.node.Bool
}

// count reads an integer from 0 to most; nil when it is absent. 2.0 is one.
func (f field) count(most int64) *int64 {
	if !f.is(policydoc.Number, "a number") {
		return nil
	}
	n, ok := strictjson.ParseNumber(f.node.Text)
	i, fits := n.Int64()
	if !ok || !fits || i < 0 || i > most {
		f.r.report(f.path, fmt.Sprintf("must be an integer from 0 to %d", most), "")
		return nil
	}
	return &i
}

// names reads a list of text; nil when it is absent.
func (f field) names() []string {
	if !f.is(policydoc.List, "a list of text") {
		return nil
	}
	names := make([]string, 0, len(f.node.Items))
	for i, n := range f.node.Items {
		if n.Kind != policydoc.String {
			item := f.item(i)
			hint := item.form("text")
			if n.Kind == policydoc.List || n.Kind == policydoc.Map {
				hint = f.listForm()
			}
			item.not("text", hint)
			continue
		}
		names = append(names, n.Text)
	}
	return names
}

// nameLists reads a mapping of lists of text; nil when it is absent.
func (f field) nameLists() map[string][]string {
	return members(f, field.names)
}

// value reads any value; nil when it is absent.
func (f field) value() any {
	if f.node == nil {
		return nil
	}
	return f.r.value(f.node)
}

// values reads a mapping of any values; nil when it is absent.
func (f field) values() map[string]any {
	return members(f, field.value)
}

// members reads a mapping whose keys are the author's names and whose values
// are read by read; nil when it is absent.
func members[T any](f field, read func(field) T) map[string]T {
	if !f.is(policydoc.Map, "a mapping") {
		return nil
	}
	all := make(map[string]T, len(f.node.Members))
	for _, m := range f.node.Members {
		all[m.Key] = read(f.member(m))
	}
	return all
}

// pointer is one step of a JSON Pointer (RFC 6901, section 3) to where a problem
// is; of a name of more than 128 bytes it is cut, and ends with "…".
func pointer(key string) string {
	const most = 128
	if len(key) > most {
		key = strings.ToValidUTF8(key[:most-len("…")], "") + "…"
	}
	return jsonpointer.Join("", key)
}

// either lists words as a choice.
func either(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
