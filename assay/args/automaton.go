package args

// automaton finds whether a name contains any string of a set: the machine of
// Aho and Corasick ("Efficient string matching", CACM 18(6), 1975) on a trie.
// It reads each byte of a name a bounded number of times, whatever the name and
// the set are. A nil *automaton is the empty set.
//
// Ordinary names never reach the machine: a filter over the first bytes of the
// strings tells for nearly every position that none of them can start there.
type automaton struct {
	trie
	fail links

	gram   int      // how many first bytes the filter looks at
	short  uint32   // states before this one are less than gram bytes deep
	depth  []uint32 // depth[d]: the first state that is d bytes deep, for d <= gram
	filter []uint64 // a bit for each hash of the first gram bytes of a string
	shift  uint     // makes a bit number of a hash
}

const maxGram = 8

// buildAutomaton returns the automaton of literals, none of which is empty. It
// sorts the slice that it is given.
func buildAutomaton(literals []string) *automaton {
	if len(literals) == 0 {
		return nil
	}
	a := &automaton{}
	levels := a.grow(literals, &a.fail)
	a.buildFilter(literals, levels)
	return a
}

// links holds for each state the state of its longest proper suffix that is a
// state itself. That one is less deep, so it stands before it.
type links []uint32

// reserve makes room for the links of so many states and links the root.
func (l *links) reserve(states int) {
	if l != nil {
		*l = append(make(links, 0, states), root)
	}
}

// add links the newest state, which byte b leads to from parent. All states
// before parent have their children already.
func (l *links) add(t *trie, parent uint32, b byte) {
	if l == nil {
		return
	}
	link := uint32(root)
	for s := parent; s != root && link == root; {
		s = (*l)[s]
		link, _ = t.child(s, b)
	}
	*l = append(*l, link)
}

// contained reports whether the bytes that lead to s contain a whole string of
// the set, so that it does not matter what follows them.
func (l *links) contained(t *trie, s uint32) bool {
	return l != nil && s != root && t.end((*l)[s])
}

func (a *automaton) buildFilter(literals []string, levels []uint32) {
	a.gram = maxGram
	for _, literal := range literals {
		a.gram = min(a.gram, len(literal))
	}
	a.depth = levels[:a.gram+1]
	a.short = a.depth[a.gram]

	// Sixteen bits a string let one position in sixteen through by chance.
	bits := uint(6)
	for 1<<bits < 16*len(literals) {
		bits++
	}
	a.shift = 64 - bits
	a.filter = make([]uint64, 1<<(bits-6))
	for _, literal := range literals {
		bit := a.bit(literal)
		a.filter[bit/64] |= 1 << (bit % 64)
	}
}

// bit returns the filter bit of the first bytes of s, of which there are enough.
func (a *automaton) bit(s string) uint64 {
	var gram uint64
	if a.gram >= 4 { // the first four and the last four; where they overlap is no matter
		gram = uint64(four(s)) | uint64(four(s[a.gram-4:]))<<32
	} else {
		for i := range a.gram {
			gram = gram<<8 | uint64(s[i])
		}
	}
	return gram * 0x9e3779b97f4a7c15 >> a.shift // Fibonacci hashing: 2^64 / golden ratio
}

// four returns the first four bytes of s as a number.
func four(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// within reports whether name contains a string of the set.
func (a *automaton) within(name string) bool {
	if a == nil {
		return false
	}
	for i := 0; i+a.gram <= len(name); {
		if bit := a.bit(name[i:]); a.filter[bit/64]&(1<<(bit%64)) == 0 {
			i++
			continue
		}
		found, resume := a.run(name, i)
		if found {
			return true
		}
		i = resume
	}
	return false
}

// run drives the machine from position i of name until it finds a string or
// holds so few bytes that the filter can take over; resume is then the position
// of the first of them, and is past i.
func (a *automaton) run(name string, i int) (found bool, resume int) {
	s := uint32(root)
	for j := i; j < len(name); j++ {
		next, ok := a.child(s, name[j])
		for !ok {
			if s == root {
				return false, j + 1
			}
			if s = a.fail[s]; s < a.short {
				// The bytes that s stands for are the last ones before j.
				resume = j
				for d := a.gram - 1; d > 0; d-- {
					if s >= a.depth[d] {
						resume = j - d
						break
					}
				}
				return false, resume
			}
			next, ok = a.child(s, name[j])
		}
		if s = next; a.end(s) {
			return true, 0
		}
	}
	return false, len(name)
}
