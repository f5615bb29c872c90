package ecma

// op says what a node of a parsed pattern is.
type op uint8

const (
	opEmpty     op = iota // matches the empty text
	opChar                // one code point: char
	opClass               // one code point of class
	opBegin               // ^
	opEnd                 // $
	opWord                // \b
	opNotWord             // \B
	opConcat              // subs in order
	opAlternate           // one of subs
	opGroup               // (subs[0]), captured as number index; 0: not captured
	opRepeat              // subs[0], min to max times, lazy or not
	opBackref             // what group index captured
	opLook                // (?=subs[0]) and its kin: behind, negated
)

// unlimited is the max of a repetition without an upper bound, and the largest
// count that is told apart: no text has that many characters.
const unlimited = 1<<31 - 1

type node struct {
	op       op
	char     rune
	class    *class
	subs     []*node
	min, max int
	lazy     bool
	index    int
	behind   bool
	negated  bool
}

// width returns the least number of code points a match of n takes, at most
// unlimited.
func (n *node) width() int {
	switch n.op {
	case opChar, opClass:
		return 1
	case opConcat:
		sum := 0
		for _, sub := range n.subs {
			sum += min(sub.width(), unlimited-sum)
		}
		return sum
	case opAlternate:
		least := unlimited
		for _, sub := range n.subs {
			least = min(least, sub.width())
		}
		return least
	case opGroup:
		return n.subs[0].width()
	case opRepeat:
		return times(n.min, n.subs[0].width())
	}
	return 0
}

// times returns a*b, at most unlimited.
func times(a, b int) int {
	if a > 0 && b > unlimited/a {
		return unlimited
	}
	return a * b
}

// spans returns the number of spans of all classes in n.
func (n *node) spans() int {
	count := 0
	if n.op == opClass {
		count = len(n.class.set)
	}
	for _, sub := range n.subs {
		count += sub.spans()
	}
	return count
}
