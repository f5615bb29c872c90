package sequence

// ends is how many indices a cut list keeps at either end.
const ends = 16

// indices is an ascending list of the indices that decide a rule. A cut one
// keeps the first and the last 16, so that it does not grow with the trace.
type indices struct {
	cut   bool
	count int
	head  []int     // all of a list that is not cut, else the first
	tail  [ends]int // of a cut list: the i-th of the rest is at i%ends
}

// add appends j, which is above every index before it. A nil list drops it.
func (l *indices) add(j int) {
	switch {
	case l == nil:
		return
	case !l.cut || l.count < ends:
		l.head = append(l.head, j)
	default:
		l.tail[(l.count-ends)%ends] = j
	}
	l.count++
}

// list returns what is kept, never nil, in a slice of its own.
func (l *indices) list() []int {
	if l == nil {
		return []int{}
	}
	out := append([]int{}, l.head...)
	for i := max(len(l.head), l.count-ends); i < l.count; i++ {
		out = append(out, l.tail[(i-ends)%ends])
	}
	return out
}

// clone returns a list that shares nothing with l.
func (l *indices) clone() *indices {
	if l == nil {
		return nil
	}
	c := *l
	c.head = append([]int(nil), l.head...)
	return &c
}

// allIndices returns 0 … n-1, cut like a list.
func allIndices(n int, cut bool) []int {
	if !cut || n <= 2*ends {
		out := make([]int, n)
		for i := range out {
			out[i] = i
		}
		return out
	}
	out := make([]int, 0, 2*ends)
	for i := range ends {
		out = append(out, i)
	}
	for i := n - ends; i < n; i++ {
		out = append(out, i)
	}
	return out
}
