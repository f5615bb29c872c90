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

type slot struct {
	name   string
	number int32 // 0: the slot is free
}

// maxProbes bounds the names that one lookup is compared with.
const maxProbes = 4

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
		i, probes := hash(name)&n.mask, 1
		for n.table[i].number != 0 {
			i = (i + 1) & n.mask
			probes++
		}
		if probes > maxProbes {
			n.all = all
		}
		n.table[i] = slot{name, number}
	}
	if n.all != nil {
		n.table = nil
	}
	return n
}

// hash is cheap rather than good: an attacker who picks names to collide meets
// at most maxProbes comparisons, or the map.
func hash(name string) uint32 {
	if len(name) == 0 {
		return 0
	}
	h := uint32(len(name))*0x9E3779B1 ^ uint32(name[0])*0x85EBCA6B ^
		uint32(name[len(name)/2])*0xC2B2AE35 ^ uint32(name[len(name)-1])*0x27D4EB2F
	return h ^ h>>15
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
	for i := hash(name) & n.mask; ; i = (i + 1) & n.mask {
		s := &n.table[i]
		if s.number == 0 || s.name == name {
			return s.number
		}
	}
}
