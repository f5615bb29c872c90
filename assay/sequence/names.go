package sequence

// names finds a number for a name. Most names of a trace are in no rule, so the
// table tells by length and a few bytes, without reading the whole name, that
// most of them are not in it.
type names struct {
	lengths uint64 // bit min(len, 63) is set if there is a name of that length
	mask    uint32
	table   []slot           // open addressing, at most half full
	all     map[string]int32 // instead of table, if too many names fall together
}

// slot is a name with its number. Its key tells short names apart, so that only
// names of more than 16 bytes are read.
type slot struct {
	key    key
	name   string
	number int32 // 0: the slot is free
}

// maxProbes bounds the names that one lookup is compared with.
const maxProbes = 8

// makeNames returns the table of all, whose numbers are above 0.
func makeNames(all map[string]int32) names {
	var n names
	size := 8
	for size < 4*len(all) {
		size *= 2
	}
	n.table, n.mask = make([]slot, size), uint32(size-1)
	for name, number := range all {
		n.lengths |= 1 << min(len(name), 63)
		k := keyOf(name)
		i, probes := k.hash(len(name))&n.mask, 1
		for n.table[i].number != 0 {
			i = (i + 1) & n.mask
			probes++
		}
		if probes > maxProbes {
			n.all = all
		}
		n.table[i] = slot{k, name, number}
	}
	if n.all != nil {
		n.table = nil
	}
	return n
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

// lookup returns the number of name, 0 if it has none.
func (n *names) lookup(name string) int32 {
	if n.lengths>>min(len(name), 63)&1 == 0 {
		return 0
	}
	return n.find(name)
}

func (n *names) find(name string) int32 {
	if n.all != nil {
		return n.all[name]
	}
	var k key
	if n := len(name); n >= 8 {
		k = key{load8(name), load8(name[n-8:])} // what keyOf would say
	} else {
		k = keyOf(name)
	}
	for i := k.hash(len(name)) & n.mask; ; i = (i + 1) & n.mask {
		s := &n.table[i]
		if s.number == 0 || s.key == k && len(s.name) == len(name) && (len(name) <= 16 || s.name == name) {
			return s.number
		}
	}
}
