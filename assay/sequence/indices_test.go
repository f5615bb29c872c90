package sequence

import (
	"slices"
	"testing"
)

func TestAListIsUndoneToItsMarks(t *testing.T) {
	for _, cut := range []bool{false, true} {
		for length := range 3*ends + 2 {
			for more := range 2*ends + 2 {
				l := &indices{cut: cut}
				for i := range length {
					l.add(2 * i)
				}
				want := l.list()
				var marks []mark
				for i := range more {
					marks = append(marks, l.mark(), l.mark()) // the second is of a call that adds nothing
					l.add(2*length + 3*i)
				}
				for _, m := range slices.Backward(marks) {
					l.undo(m)
				}
				if got := l.list(); !slices.Equal(got, want) || l.count != length {
					t.Fatalf("cut %v: %d, then %d more, undone: %v, want %v", cut, length, more, got, want)
				}
			}
		}
	}
	var none *indices
	none.undo(none.mark())
}
