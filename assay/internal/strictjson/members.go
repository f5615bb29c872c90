package strictjson

import (
	"bytes"
	"hash/maphash"
)

// Members notices when an object names a member twice. One Members serves all
// nested objects of a text: Open an object, Add each name, Close it before its
// parent goes on. The zero value is ready; it is for one goroutine, and after a
// Reset it serves another text with the space it has.
//
// A few names are compared one by one, more through a hash table with a
// per-process random seed, so that no text makes it slow.
type Members struct {
	names []name // of all open objects, innermost last
	text  []byte // the decoded form of names with escapes
}

// name is where a member's name stands: in the text, or in Members.text.
type name struct {
	start, end int
	decoded    bool
}

// Object is the state of one open object within a Members.
type Object struct {
	first, text int     // lengths of names and text when the object was opened
	table       []int32 // open addressing: index into names from first on, plus 1
}

// fewNames is how many names are compared one by one.
const fewNames = 16

var seed = maphash.MakeSeed()

// Reset forgets the objects that were left open.
func (m *Members) Reset() {
	m.names = m.names[:0]
	m.text = m.text[:0]
}

// small reports whether m is worth keeping for another text.
func (m *Members) small() bool {
	return cap(m.names) <= 1<<10 && cap(m.text) <= 1<<14
}

// Open begins an object.
func (m *Members) Open() Object {
	return Object{first: len(m.names), text: len(m.text)}
}

// Add records the name whose literal, quotes included, is data[start:end];
// plain is as ScanString returned it. It returns false if the object has a
// member of that name already. Data must be the same for all names.
func (m *Members) Add(o *Object, data []byte, start, end int, plain bool) bool {
	n := name{start: start + 1, end: end - 1}
	if !plain {
		n = name{start: len(m.text), decoded: true}
		m.text = AppendUnquoted(m.text, data[start:end])
		n.end = len(m.text)
	}
	text := m.bytes(data, n)
	count := len(m.names) - o.first
	if count < fewNames {
		for _, other := range m.names[o.first:] {
			if n.end-n.start == other.end-other.start && bytes.Equal(text, m.bytes(data, other)) {
				return false
			}
		}
	} else {
		if count >= len(o.table)/2 {
			m.grow(o, data)
		}
		slot := m.slot(o, data, text)
		if o.table[slot] != 0 {
			return false
		}
		o.table[slot] = int32(count + 1)
	}
	m.names = append(m.names, n)
	return true
}

// Close ends an object; those opened in it must be closed before.
func (m *Members) Close(o *Object) {
	m.names = m.names[:o.first]
	m.text = m.text[:o.text]
}

func (m *Members) bytes(data []byte, n name) []byte {
	if n.decoded {
		data = m.text
	}
	return data[n.start:n.end]
}

// slot returns where text is in the table of o, or where it would be.
func (m *Members) slot(o *Object, data, text []byte) int {
	mask := len(o.table) - 1
	slot := int(maphash.Bytes(seed, text)) & mask
	for o.table[slot] != 0 {
		if bytes.Equal(text, m.bytes(data, m.names[o.first+int(o.table[slot])-1])) {
			break
		}
		slot = (slot + 1) & mask
	}
	return slot
}

// grow gives o a table with at most a quarter of its slots taken.
func (m *Members) grow(o *Object, data []byte) {
	o.table = make([]int32, max(4*fewNames, 2*len(o.table)))
	for i, n := range m.names[o.first:] {
		o.table[m.slot(o, data, m.bytes(data, n))] = int32(i + 1)
	}
}
