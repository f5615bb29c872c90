package server

import (
	"testing"
	"time"
)

func TestAWatchdogStopsTheCallThatItWatchesAndNoLaterOne(t *testing.T) {
	var dog watchdog
	first := newCall([]byte("1"), "tools/call", 0)
	dog.watch(first, time.Hour)
	dog.rest()

	slow := newCall([]byte("2"), "tools/call", 0)
	dog.watch(slow, 1)
	<-slow.done
	if first.stopped() != running || slow.stopped() != timedOut {
		t.Errorf("the calls are stopped by %d and %d", first.stopped(), slow.stopped())
	}
	// The function of the timer may still be at work, and finds this one at most.
	watched := dog.watched
	dog.rest()
	next := newCall([]byte("3"), "tools/call", 0)
	dog.watch(next, time.Hour)
	defer dog.rest()
	if watched.Load() != slow || next.stopped() != running {
		t.Error("a late function would stop the next call")
	}
}
