package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"
)

// report is everything that one run measured.
type report struct {
	Date      string            `json:"date"`
	Machine   string            `json:"machine"`
	Go        string            `json:"go"`
	Rounds    int               `json:"rounds"`
	Peers     map[string]string `json:"peers"` // module to version
	Decisions []decision        `json:"decisions"`
	Processes []process         `json:"processes"`
	Memory    []memory          `json:"memory"`
}

// peers are the modules that stand beside assay.
var peers = []string{
	"github.com/open-policy-agent/opa",
	"cel.dev/cel-go",
	"github.com/santhosh-tekuri/jsonschema/v6",
	"github.com/google/jsonschema-go",
	"github.com/cedar-policy/cedar-go",
	"github.com/casbin/casbin/v2",
	"github.com/modelcontextprotocol/go-sdk",
}

func newReport(rounds int) *report {
	r := &report{
		Date:    time.Now().UTC().Format(time.DateOnly),
		Machine: fmt.Sprintf("%s, %d CPUs, %s/%s", cpuModel(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH),
		Go:      runtime.Version(),
		Rounds:  rounds,
		Peers:   map[string]string{},
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			for _, peer := range peers {
				if module.Path == peer {
					r.Peers[peer] = module.Version
				}
			}
		}
	}
	return r
}

// cpuModel is the processor's name where the system tells it.
func cpuModel() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown CPU"
}

// print writes the report for people.
func (r *report) print(w io.Writer) error {
	fmt.Fprintf(w, "%s, %s, %s, medians of %d rounds\n", r.Date, r.Machine, r.Go, r.Rounds)
	for _, peer := range peers {
		if version := r.Peers[peer]; version != "" {
			fmt.Fprintf(w, "%s %s\n", peer, version)
		}
	}
	if len(r.Decisions) > 0 {
		fmt.Fprintln(w)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "work\tby\tCPU/op\tB/op\tallocs/op\tratio\treach")
		for _, d := range r.Decisions {
			work, goal := d.Work, verdict(d.Reach, d.Met)
			for _, c := range d.Results {
				ratio := "-"
				if c.Ratio > 0 {
					ratio = formatRatio(c.Ratio)
				}
				fmt.Fprintf(t, "%s\t%s\t%s\t%.0f\t%.0f\t%s\t%s\n", work, c.Contestant, formatNS(c.NS), c.Bytes, c.Allocs, ratio, goal)
				work, goal = "", ""
			}
		}
		t.Flush()
	}
	if len(r.Processes) > 0 {
		fmt.Fprintln(w)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "process\tby\tCPU/op\twall/op\tcalls/s\tp99\tratio\treach")
		for _, p := range r.Processes {
			work, goal := p.Work, verdict(p.Reach, p.Met)
			for _, c := range p.Results {
				rate, p99, ratio := "-", "-", "-"
				if c.Rate > 0 {
					rate = fmt.Sprintf("%.0f", c.Rate)
				}
				if c.P99 > 0 {
					p99 = formatNS(c.P99)
				}
				if c.Ratio > 0 {
					ratio = formatRatio(c.Ratio)
				}
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", work, c.Contestant, formatNS(c.CPU), formatNS(c.Wall), rate, p99, ratio, goal)
				work, goal = "", ""
			}
		}
		t.Flush()
	}
	if len(r.Memory) > 0 {
		fmt.Fprintln(w)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "memory\tbytes\treach")
		for _, m := range r.Memory {
			fmt.Fprintf(t, "%s\t%s\t%s\n", m.Of, formatBytes(m.Bytes), verdict(m.Reach, m.Met))
		}
		t.Flush()
	}
	return nil
}

func verdict(reach string, met *bool) string {
	switch {
	case met == nil:
		return reach
	case *met:
		return reach + ": yes"
	}
	return reach + ": NO"
}

func formatNS(ns float64) string {
	switch {
	case ns < 10:
		return fmt.Sprintf("%.1f ns", ns)
	case ns < 10_000:
		return fmt.Sprintf("%.0f ns", ns)
	case ns < 1_000_000:
		return fmt.Sprintf("%.1f us", ns/1e3)
	}
	return fmt.Sprintf("%.1f ms", ns/1e6)
}

func formatRatio(ratio float64) string {
	if ratio < 100 {
		return fmt.Sprintf("%.1fx", ratio)
	}
	return fmt.Sprintf("%.0fx", ratio)
}

func formatBytes(n float64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%.0f B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f KB", n/1e3)
	}
	return fmt.Sprintf("%.1f MB", n/1e6)
}
