package server_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// The policy and the calls of the benchmark.
const benchPolicy = `version: "2.0"
tools:
  allow: [apply_discount, read_*]
  deny: [delete_*]
schemas:
  apply_discount:
    type: object
    properties:
      customer: {type: string, minLength: 1, maxLength: 64}
      percent: {type: integer, minimum: 0, maximum: 30}
    required: [customer, percent]
    additionalProperties: false
`

// BenchmarkServer measures the built command over a pipe: the CPU time that the
// process takes for one call, user and system, and the calls in a second. The
// bare loop is a process that answers every line with a fixed one: what the
// pipes and the reader cost by themselves.
func BenchmarkServer(b *testing.B) {
	path, err := binary()
	if err != nil {
		b.Fatal(err)
	}
	root := policyRoot(b, map[string]string{"args.yaml": benchPolicy, "names.yaml": "blocklist: [rm, delete_file]\n"})
	server := func() *exec.Cmd { return exec.Command(path, "--policy-root", root) }
	bare := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), bareLoop+"=1")
		return cmd
	}
	for _, inFlight := range []int{1, 64} {
		for _, c := range []struct {
			name    string
			command func() *exec.Cmd
			params  string
		}{
			{"policy_decide", server, `{"name":"assay_policy_decide","arguments":{"tool":"read_file","policy":"names.yaml"}}`},
			{"check_args", server, `{"name":"assay_check_args","arguments":{"tool":"apply_discount","arguments":{"customer":"c-17","percent":20},"policy":"args.yaml"}}`},
			{"check_args denied", server, `{"name":"assay_check_args","arguments":{"tool":"apply_discount","arguments":{"customer":"c-17","percent":90},"policy":"args.yaml"}}`},
			{"bare loop", bare, `{}`},
		} {
			b.Run(fmt.Sprintf("%s/in flight=%d", c.name, inFlight), func(b *testing.B) {
				benchmark(b, c.command(), c.params, inFlight)
			})
		}
	}
}

func benchmark(b *testing.B, cmd *exec.Cmd, params string, inFlight int) {
	cmd.Env = append(cmd.Environ(), "ASSAY_LOG=error")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + "}\n")
	answers := bufio.NewReaderSize(stdout, 1<<16)
	ask := func(n int) []time.Duration {
		var latencies []time.Duration
		if inFlight == 1 {
			latencies = make([]time.Duration, 0, n)
			for range n {
				start := time.Now()
				if _, err := stdin.Write(line); err != nil {
					b.Fatal(err)
				}
				if _, err := answers.ReadSlice('\n'); err != nil {
					b.Fatal(err)
				}
				latencies = append(latencies, time.Since(start))
			}
			return latencies
		}
		room := make(chan struct{}, inFlight)
		go func() {
			for range n {
				room <- struct{}{}
				if _, err := stdin.Write(line); err != nil {
					return
				}
			}
		}()
		for range n {
			if _, err := answers.ReadSlice('\n'); err != nil {
				b.Error(err)
				return nil
			}
			<-room
		}
		return nil
	}
	ask(500) // the policy is compiled and the process is warm
	before := cpuTime(b, cmd.Process.Pid)
	b.ResetTimer()
	latencies := ask(b.N)
	b.StopTimer()
	after := cpuTime(b, cmd.Process.Pid)
	elapsed := b.Elapsed()
	stdin.Close()
	_, _ = io.Copy(io.Discard, answers)
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64((after-before).Microseconds())/float64(b.N), "cpu-us/call")
	b.ReportMetric(float64(b.N)/elapsed.Seconds(), "calls/s")
	if len(latencies) > 0 {
		slices.Sort(latencies)
		b.ReportMetric(float64(latencies[len(latencies)*99/100].Microseconds()), "p99-us")
	}
}

// cpuTime returns the CPU time that a process has taken so far.
func cpuTime(b *testing.B, pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip("no /proc to read the process's CPU time from")
	}
	// Behind the command's name, which may hold spaces, utime and stime are the
	// 12th and 13th field, in ticks of 10 ms (proc(5)).
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var user, system int64
	fmt.Sscan(fields[11], &user)
	fmt.Sscan(fields[12], &system)
	return time.Duration(user+system) * 10 * time.Millisecond
}
