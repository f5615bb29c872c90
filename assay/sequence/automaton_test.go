package sequence

import (
	"fmt"
	"testing"
)

// TestALimitSaysWhatAStepDoes takes every automaton to every run that up to six
// calls lead to, and asks about one more call at once and step by step.
func TestALimitSaysWhatAStepDoes(t *testing.T) {
	var all []automaton
	for n := range 4 {
		all = append(all, after{within: n}, eventually{within: n}, maxCalls{max: n})
	}
	all = append(all, require{}, before{}, neverAfter{}, blocklist{})
	operandsOf := func(a automaton) []operands {
		switch a.(type) {
		case before, after, neverAfter:
			return []operands{0, first, second, first | second}
		}
		return []operands{0, first}
	}
	for _, a := range all {
		t.Run(fmt.Sprintf("%T%+v", a, a), func(t *testing.T) {
			type place struct {
				r run
				n int
			}
			seen := map[place]bool{}
			var visit func(p place)
			visit = func(p place) {
				if seen[p] || p.n > 6 {
					return
				}
				seen[p] = true
				for _, in := range operandsOf(a) {
					// Calls that match nothing come between, as in a summary.
					r := p.r
					for j := p.n; j < p.n+6; j++ {
						next := a.step(r, j, in)
						if kept := j+1 <= a.limit(p.r, in); kept == a.violated(next, j+1, Prefix) {
							t.Errorf("%+v after %d calls, a call %d of operands %b: limit %d, kept %v", p.r, p.n, j, in, a.limit(p.r, in), !a.violated(next, j+1, Prefix))
						}
						r = a.step(r, j, 0)
					}
					visit(place{a.step(p.r, p.n, in), p.n + 1})
				}
				if kept := p.n <= a.limit(p.r, 0); !kept && !a.violated(p.r, p.n, Prefix) {
					t.Errorf("%+v of %d calls is over its limit %d and not violated", p.r, p.n, a.limit(p.r, 0))
				}
			}
			visit(place{a.start(), 0})
			if len(seen) < 7 {
				t.Errorf("only %d places were visited", len(seen))
			}
		})
	}
}
