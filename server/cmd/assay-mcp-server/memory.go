package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// headroom is how much garbage may gather before it is collected, whatever
	// the size of the live heap, within the bounds of gcPercent.
	headroom = 12 << 20
	// memoryLimit is where the runtime collects as often as it has to.
	memoryLimit = 768 << 20
)

// tuneMemory trades memory, within bounds, for fewer collections: most of what
// a call allocates is garbage when it is answered. GOGC and GOMEMLIMIT win.
func tuneMemory() {
	if os.Getenv("GOGC") == "" {
		percent := gcPercent(0)
		debug.SetGCPercent(percent)
		afterCollections(func() {
			if now := gcPercent(liveHeap()); now != percent {
				percent = now
				debug.SetGCPercent(percent)
			}
		})
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}

// gcPercent returns how many percent the heap may grow by until the next
// collection when so many bytes of it are live: many of a small one, and of a
// large one no more than leaves it near its size.
func gcPercent(live uint64) int {
	const least, most = 33, 400
	return int(min(max(100*headroom/max(live, 1), least), most))
}

// liveHeap returns how many bytes the last collection found to be in use.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// afterCollections calls f after collections, one call at a time. Several
// collections in a row may have one call.
func afterCollections(f func()) {
	type canary struct{ _ *int } // a pointer, so that it shares its place with nothing
	var watch func(struct{})
	watch = func(struct{}) {
		f()
		runtime.AddCleanup(new(canary), watch, struct{}{})
	}
	runtime.AddCleanup(new(canary), watch, struct{}{})
}
