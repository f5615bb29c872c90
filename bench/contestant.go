package main

import "fmt"

// row is one piece of work, with everyone who does it.
type row struct {
	name  string
	reach reach
	// make builds the contestants, assay first. What they hold is garbage again
	// when the row's turn is over.
	make func() ([]contestant, error)
}

// contestant is one way to do a row's work. The functions return the verdict,
// true for an allow, and fail only where the contestant is broken.
type contestant struct {
	name  string
	allow func() bool // decides a call that must be allowed; this one is timed
	deny  func() bool // decides a call that must be denied

	// fresh, where it is set, runs untimed before each slice, which then takes
	// calls calls of allow: for work that can be done only so often.
	fresh func()
	calls int
}

// The names that rows and tables know contestants by.
const (
	nameAssay = "assay"
	nameHand  = "hand-written"
)

// reach is what assay has to reach in a row; a zero member demands nothing.
type reach struct {
	ratio  float64 // CPU time, as a multiple of the hand-written program's
	ns     float64 // CPU time in nanoseconds
	allocs bool    // no allocation
}

func (r reach) String() string {
	switch {
	case r.ratio > 0 && r.allocs:
		return fmt.Sprintf("<= %gx, 0 allocs", r.ratio)
	case r.ratio > 0:
		return fmt.Sprintf("<= %gx", r.ratio)
	case r.ns > 0 && r.allocs:
		return fmt.Sprintf("<= %s, 0 allocs", formatNS(r.ns))
	case r.ns > 0:
		return fmt.Sprintf("<= %s", formatNS(r.ns))
	}
	return ""
}

// met says whether a measurement is within the reach.
func (r reach) met(ns, ratio, allocs float64) bool {
	return (r.ratio == 0 || ratio <= r.ratio) && (r.ns == 0 || ns <= r.ns) && (!r.allocs || allocs == 0)
}

// assert checks the two answers of every contestant.
func assert(work string, contestants []contestant) error {
	for _, c := range contestants {
		if c.fresh != nil {
			c.fresh()
		}
		if !c.allow() {
			return fmt.Errorf("%s: %s denies what is to be allowed", work, c.name)
		}
		if c.deny() {
			return fmt.Errorf("%s: %s allows what is to be denied", work, c.name)
		}
	}
	return nil
}

// must ends the process where a contestant's own machinery fails: such a
// failure must not be taken for a denial, which would be quick.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// each returns a function that calls decide with one of items after the other.
// Always asking for the same name would measure a warm cache line.
func each[T any](items []T, decide func(T) bool) func() bool {
	i := 0
	return func() bool {
		if i++; i == len(items) {
			i = 0
		}
		return decide(items[i])
	}
}
