package main

import (
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"syscall"
	"time"
)

const (
	// turn is how many rounds a row gets before the next row's turn comes.
	turn = 3
	// slice is how much CPU time a slice is to take. It is long against the
	// microsecond that getrusage resolves and the time of a garbage collection,
	// and short against the changes of a busy machine.
	slice = 10 * time.Millisecond
)

// result is what one contestant took for one decision, in medians.
type result struct {
	Contestant string  `json:"contestant"`
	NS         float64 `json:"cpu_ns"`
	Bytes      float64 `json:"bytes"`
	Allocs     float64 `json:"allocs"`
	Ratio      float64 `json:"ratio,omitempty"` // to the hand-written program; 0: there is none
}

// decision is a measured row.
type decision struct {
	Work    string   `json:"work"`
	Reach   string   `json:"reach,omitempty"`
	Met     *bool    `json:"met,omitempty"`
	Results []result `json:"results"`
}

// sample is one slice of one contestant.
type sample struct{ ns, bytes, allocs float64 }

// measureRows asserts and times the rows whose name is wanted.
func measureRows(rows []row, wanted *regexp.Regexp, rounds int, progress io.Writer) ([]decision, error) {
	rows = slices.DeleteFunc(rows, func(r row) bool { return !wanted.MatchString(r.name) })
	names := make([][]string, len(rows))
	samples := make([][][]sample, len(rows)) // by row, round and contestant
	for done := 0; done < rounds; done += turn {
		for i, r := range rows {
			fmt.Fprintf(progress, "round %d of %d: %s\n", done+1, rounds, r.name)
			contestants, err := r.make()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.name, err)
			}
			if err := assert(r.name, contestants); err != nil {
				return nil, err
			}
			names[i] = names[i][:0]
			calls := make([]int, len(contestants))
			for k, c := range contestants {
				names[i] = append(names[i], c.name)
				calls[k] = calibrate(c)
			}
			for range min(turn, rounds-done) {
				var round []sample
				for k, c := range contestants {
					round = append(round, take(c, calls[k]))
				}
				samples[i] = append(samples[i], round)
			}
			contestants = nil
			runtime.GC()
		}
	}
	decisions := make([]decision, len(rows))
	for i, r := range rows {
		decisions[i] = summarize(r, names[i], samples[i])
	}
	return decisions, nil
}

// calibrate returns how many calls make a slice.
func calibrate(c contestant) int {
	if c.fresh != nil {
		return c.calls
	}
	for n := 1; ; n *= 4 {
		took := timed(c, n)
		if took > slice/8 {
			// What else the process did may have made one call look long.
			took = min(took, timed(c, n))
		}
		if took > slice/8 {
			return max(1, int(float64(n)*float64(slice)/float64(took)))
		}
	}
}

// take times one slice of n calls.
func take(c contestant, n int) sample {
	if c.fresh != nil {
		c.fresh()
	}
	// What others left behind is not c's to collect.
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took := timed(c, n)
	runtime.ReadMemStats(&after)
	return sample{
		ns:     float64(took) / float64(n),
		bytes:  float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
		allocs: float64(after.Mallocs-before.Mallocs) / float64(n),
	}
}

// timed returns the CPU time of n calls.
func timed(c contestant, n int) time.Duration {
	start := cpuTime()
	for range n {
		if !c.allow() {
			panic("bench: " + c.name + " changed its mind")
		}
	}
	return cpuTime() - start
}

// cpuTime returns the CPU time that this process has taken, user and system.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// summarize turns a row's samples into medians.
func summarize(r row, names []string, rounds [][]sample) decision {
	d := decision{Work: r.name, Reach: r.reach.String()}
	hand := slices.Index(names, nameHand)
	for k, name := range names {
		var ns, bytes, allocs, ratios []float64
		for _, round := range rounds {
			ns = append(ns, round[k].ns)
			bytes = append(bytes, round[k].bytes)
			allocs = append(allocs, round[k].allocs)
			if hand >= 0 {
				ratios = append(ratios, round[k].ns/round[hand].ns)
			}
		}
		res := result{Contestant: name, NS: median(ns), Bytes: whole(median(bytes)), Allocs: whole(median(allocs))}
		if hand >= 0 {
			res.Ratio = median(ratios)
		}
		d.Results = append(d.Results, res)
	}
	if d.Reach != "" {
		assay := d.Results[0]
		met := r.reach.met(assay.NS, assay.Ratio, assay.Allocs)
		d.Met = &met
	}
	return d
}

// whole drops a fraction that the measurement itself allocates.
func whole(perCall float64) float64 {
	return float64(int64(perCall + 0.01))
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	if n := len(sorted); n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[len(sorted)/2]
}
