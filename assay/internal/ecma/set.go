package ecma

import (
	"sync"
	"sync/atomic"
)

// What building machines costs, in units of about 50 ns: measured, and rounded up.
const (
	workPerStep     = 16 // of Prepare
	workOfBuild     = 20
	workPerByte     = 20 // of a pattern, to parse it
	workPerSpan     = 2  // of its classes
	workPerInst     = 8  // of an automaton's program
	workOfRE2       = 16 // an instruction or span of Go's regexp
	workOfBacktrack = 20 // a byte of the pattern
)

// What the patterns of one set may take. A pattern that comes when the one is
// used up runs on no automaton, and when the other is, on the backtracking
// engine, which is the cheapest to make.
const (
	maxAutomata = 2_000_000 // work for building automata, about 100 ms
	maxRoom     = 4 << 20   // bytes of loops and of Go's regexps
)

// Set holds patterns that belong together, as those of one policy do: equal
// ones are one [Regexp], and the machines of all of them take a bounded amount
// of time to build and of memory. It is safe for concurrent use.
type Set struct {
	limit    int
	work     atomic.Int64 // taken of maxAutomata
	room     atomic.Int64 // taken of maxRoom
	mu       sync.Mutex
	patterns map[string]*Regexp
	built    []*Regexp // those with a machine, in the order of building
	sizes    []int     // of their machines
	used     int
}

// NewSet returns an empty set whose machines take about limit bytes at most, or
// one machine if that is more. Where it has to, the set gives up the machine
// that was built first, which is built again at the next match. Zero is no limit.
func NewSet(limit int) *Set { return &Set{limit: limit} }

// Compile is the package's [Compile] for a pattern of the set.
func (s *Set) Compile(pattern string) (*Regexp, error) {
	s.mu.Lock()
	re := s.patterns[pattern]
	s.mu.Unlock()
	if re != nil {
		return re, nil
	}
	if err := check(pattern); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if re := s.patterns[pattern]; re != nil {
		return re, nil
	}
	if s.patterns == nil {
		s.patterns = map[string]*Regexp{}
	}
	re = &Regexp{pattern: pattern, set: s}
	s.patterns[pattern] = re
	return re, nil
}

// Size returns about how many bytes the machines take that are built now.
func (s *Set) Size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used
}

// hasWork reports whether one more automaton may be tried.
func (s *Set) hasWork() bool { return s.work.Load() < maxAutomata }

func (s *Set) takeWork(n int) { s.work.Add(int64(n)) }

// takeRoom takes n bytes of maxRoom if they are there.
func (s *Set) takeRoom(n int) bool {
	if s.room.Add(int64(n)) <= maxRoom {
		return true
	}
	s.room.Add(int64(-n))
	return false
}

// admit counts a machine that was just built for re.
func (s *Set) admit(re *Regexp, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit == 0 {
		s.used += size
		return
	}
	s.built = append(s.built, re)
	s.sizes = append(s.sizes, size)
	s.used += size
	for s.used > s.limit && len(s.built) > 1 {
		s.built[0].built.Store(nil) // whoever matches with it just now keeps it
		s.built[0] = nil
		s.used -= s.sizes[0]
		s.built, s.sizes = s.built[1:], s.sizes[1:]
	}
}
