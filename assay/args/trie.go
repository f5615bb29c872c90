package args

import (
	"slices"
	"strings"
)

// trie is a set of byte strings in level order: state 0 is the root, the states
// of one depth stand together, and so do the children of one state, sorted by
// label. That costs five bytes a state and no pointers.
//
// A state without children is the end of a string of the set. No string goes on
// behind such an end: whatever the longer one matches, the shorter one matches
// too. A nil *trie is the empty set.
type trie struct {
	label []byte   // label[s]: the byte that leads into s
	first []uint32 // the children of s are first[s] up to, not including, first[s+1]
}

const root = 0

// buildTrie returns the trie of literals, none of which is empty. It sorts the
// slice that it is given.
func buildTrie(literals []string) *trie {
	if len(literals) == 0 {
		return nil
	}
	t := &trie{}
	t.grow(literals, nil)
	return t
}

// grow builds the trie state by state, and with it the links, if there are any.
// It returns the first state of each depth.
func (t *trie) grow(literals []string, fail *links) (levels []uint32) {
	slices.Sort(literals)
	states := countStates(literals)
	t.label = append(make([]byte, 0, states), 0)
	t.first = make([]uint32, 0, states+1)
	fail.reserve(states)

	// A state stands for the literals that run through it, which are
	// neighbours in sorted order; the shortest comes first.
	type span struct{ from, to uint32 }
	spans := append(make([]span, 0, states), span{0, uint32(len(literals))})
	levels = []uint32{root}
	depth, levelEnd := 0, 1
	for s := 0; s < len(spans); s++ {
		if s == levelEnd {
			depth, levelEnd = depth+1, len(spans)
			levels = append(levels, uint32(s))
		}
		t.first = append(t.first, uint32(len(spans)))
		in := spans[s]
		if len(literals[in.from]) == depth || fail.contained(t, uint32(s)) {
			continue
		}
		for from := in.from; from < in.to; {
			b, to := literals[from][depth], in.to
			if literals[to-1][depth] != b { // sorted: else all of them go on with b
				for to = from + 1; literals[to][depth] == b; {
					to++
				}
			}
			t.label = append(t.label, b)
			spans = append(spans, span{from, to})
			fail.add(t, uint32(s), b)
			from = to
		}
	}
	t.first = append(t.first, uint32(len(spans)))
	return levels
}

// countStates returns how many states the trie of sorted literals has at most.
func countStates(sorted []string) int {
	states, last := 1, ""
	for _, literal := range sorted {
		if last != "" && strings.HasPrefix(literal, last) {
			continue // redundant: last, which is shorter, ends first
		}
		shared := 0
		for shared < min(len(last), len(literal)) && last[shared] == literal[shared] {
			shared++
		}
		states += len(literal) - shared
		last = literal
	}
	return states
}

// child returns the state that byte b leads to from s.
func (t *trie) child(s uint32, b byte) (uint32, bool) {
	lo, hi := t.first[s], t.first[s+1]
	for hi-lo > 8 {
		if mid := lo + (hi-lo)/2; t.label[mid] <= b {
			lo = mid
		} else {
			hi = mid
		}
	}
	for ; lo < hi; lo++ {
		if t.label[lo] == b {
			return lo, true
		}
	}
	return root, false
}

// end reports whether a string of the set ends at s.
func (t *trie) end(s uint32) bool { return t.first[s] == t.first[s+1] }

// startOf reports whether name starts with a string of the set.
func (t *trie) startOf(name string) bool {
	if t == nil {
		return false
	}
	s, ok := uint32(root), false
	for i := range len(name) {
		if s, ok = t.child(s, name[i]); !ok {
			return false
		}
		if t.end(s) {
			return true
		}
	}
	return false
}

// endOf reports whether name, read from its end, starts with a string of the set.
func (t *trie) endOf(name string) bool {
	if t == nil {
		return false
	}
	s, ok := uint32(root), false
	for i := len(name) - 1; i >= 0; i-- {
		if s, ok = t.child(s, name[i]); !ok {
			return false
		}
		if t.end(s) {
			return true
		}
	}
	return false
}
