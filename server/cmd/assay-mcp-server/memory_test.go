package main

import (
	"runtime"
	"testing"
)

func TestALargeHeapGathersLessGarbage(t *testing.T) {
	for _, test := range []struct {
		live    uint64
		percent int
	}{
		{0, 400},
		{1 << 20, 400},
		{3 << 20, 400},
		{6 << 20, 200},
		{12 << 20, 100},
		{24 << 20, 50},
		{48 << 20, 33},
		{1 << 40, 33},
	} {
		if got := gcPercent(test.live); got != test.percent {
			t.Errorf("with %d bytes live: %d %%, want %d %%", test.live, got, test.percent)
		}
	}
}

func TestCollectionsAreFollowed(t *testing.T) {
	calls := make(chan uint64)
	done := make(chan struct{})
	defer close(done)
	afterCollections(func() {
		select {
		case calls <- liveHeap():
		case <-done:
		}
	})
	// A collection that comes while an earlier one is followed may be passed by.
	for followed := 0; followed < 3; {
		runtime.GC()
		select {
		case live := <-calls:
			followed++
			if live == 0 {
				t.Error("after a collection nothing is live")
			}
		default:
			runtime.Gosched()
		}
	}
}
