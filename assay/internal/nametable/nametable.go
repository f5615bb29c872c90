// Package nametable finds the number of a name.
package nametable

// Table maps names to numbers above 0. Most names that are asked about are in no
// rule, or are one of a few: the table tells by length and sixteen bytes. It is
// immutable and safe for concurrent use.
type Table struct {
	lengths uint64 // bit min(len, 63) is set if there is a name of that length
	mask    uint32
	slots   []slot           // open addressing, at most half full
	all     map[string]int32 // everything; instead of slots, where these are nil
}

// slot is a name with its number. Its key tells short names apart, so that only
// names of more than 16 bytes are read.
type slot struct {
	key    key
	name   string
	number int32 // 0: the slot is free
}

const (
	// maxProbes bounds the names that one lookup is compared with.
	maxProbes = 8
	// maxNames bounds a table that has slots: for more names a map is as quick
	// and takes a fifth of the memory.
	maxNames = 1024
)

// Make returns the table of all, which nobody may change while it is in use.
func Make(all map[string]int32) Table {
	t := Table{all: all}
	for name := range all {
		t.lengths |= 1 << min(len(name), 63)
	}
	if len(all) > maxNames {
		return t
	}
	size := 8
	for size < 4*len(all) {
		size *= 2
	}
	slots, mask := make([]slot, size), uint32(size-1)
	for name, number := range all {
		k := keyOf(name)
		i, probes := k.hash(len(name))&mask, 1
		for slots[i].number != 0 {
			i = (i + 1) & mask
			probes++
		}
		if probes > maxProbes {
			return t
		}
		slots[i] = slot{k, name, number}
	}
	t.slots, t.mask = slots, mask
	return t
}

// key is the first and the last eight bytes of a name, which is all of one that
// has at most 16.
type key struct{ head, tail uint64 }

func keyOf(name string) (k key) {
	switch n := len(name); {
	case n >= 8:
		k.head, k.tail = load8(name), load8(name[n-8:])
	case n >= 4:
		k.head, k.tail = load4(name), load4(name[n-4:])
	case n > 0:
		k.head, k.tail = uint64(name[0]), uint64(name[n/2])<<8|uint64(name[n-1])
	}
	return k
}

// hash is cheap rather than good: whoever picks names that fall together meets
// at most maxProbes comparisons, or the map.
func (k key) hash(length int) uint32 {
	h := (k.head^uint64(length))*0x9E3779B97F4A7C15 ^ k.tail*0xBF58476D1CE4E5B9
	return uint32(h>>32 ^ h>>47)
}

// load8 and load4 are one load each, once compiled.
func load8(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func load4(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// Lookup returns the number of name, 0 if it has none.
func (t *Table) Lookup(name string) int32 {
	if t.lengths>>min(len(name), 63)&1 == 0 {
		return 0
	}
	return t.find(name)
}

func (t *Table) find(name string) int32 {
	if t.slots == nil {
		return t.all[name]
	}
	var k key
	if n := len(name); n >= 8 {
		k = key{load8(name), load8(name[n-8:])} // what keyOf would say
	} else {
		k = keyOf(name)
	}
	for i := k.hash(len(name)) & t.mask; ; i = (i + 1) & t.mask {
		s := &t.slots[i]
		if s.number == 0 || s.key == k && len(s.name) == len(name) && (len(name) <= 16 || s.name == name) {
			return s.number
		}
	}
}
