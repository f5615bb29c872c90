// Package slip tells how near a misspelt word is to the one that was meant, and
// what to write where a text stands that was meant to be something else.
package slip

// Far is what [Count] returns for words that are nobody's slip for each other.
const Far = 3

// Count counts the slips of the finger that turn a into b: bytes inserted,
// deleted or replaced, and neighbours swapped (the optimal string alignment
// distance). It returns Far for so many or more, at once where the lengths
// tell, and for words that share no more than they differ: where the slips are
// half of the longer word or more, one is not the other misspelt ("a", "pay").
func Count(a, b string) int {
	if len(a)-len(b) >= Far || len(b)-len(a) >= Far {
		return Far
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, replaced)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	if n := last[len(b)]; n == 0 || 2*n < max(len(a), len(b)) {
		return min(n, Far)
	}
	return Far
}
