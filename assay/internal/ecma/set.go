package ecma

import "sync"

// Set holds patterns that belong together, as those of one policy do: equal
// ones are one [Regexp], and the machines of all of them take a bounded amount
// of memory. It is safe for concurrent use.
type Set struct {
	limit    int
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
