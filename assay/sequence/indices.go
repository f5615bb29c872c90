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

// mark is where a list stands before a call, of which it takes one index at most.
type mark struct {
	count int
	over  int // what the index would be written over, in a cut list
}

func (l *indices) mark() mark {
	switch {
	case l == nil:
		return mark{}
	case l.cut && l.count >= ends:
		return mark{l.count, l.tail[(l.count-ends)%ends]}
	}
	return mark{count: l.count}
}

// undo makes the list what it was at the mark. Calls are undone one by one, the
// last one first; to undo one twice does nothing.
func (l *indices) undo(to mark) {
	switch {
	case l == nil || l.count == to.count:
		return
	case l.cut && to.count >= ends:
		l.tail[(to.count-ends)%ends] = to.over
	default:
		l.head = l.head[:to.count]
	}
	l.count = to.count
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
