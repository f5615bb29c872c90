package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// process is a row of the second table: work that whole processes do.
type process struct {
	Work    string          `json:"work"`
	Reach   string          `json:"reach,omitempty"`
	Met     *bool           `json:"met,omitempty"`
	Results []processResult `json:"results"`
}

// processResult is one program's share, in medians.
type processResult struct {
	Contestant string  `json:"contestant"`
	CPU        float64 `json:"cpu_ns"`                // of the process, for one call or one start
	Wall       float64 `json:"wall_ns"`               // for one start, or between an answer and the next
	Rate       float64 `json:"calls_per_s,omitempty"` // calls in a second
	P99        float64 `json:"p99_wall_ns,omitempty"` // of a call's time, with one in flight
	Ratio      float64 `json:"ratio,omitempty"`       // of CPU, to the row's floor
}

// The names of the programs beside assay's.
const (
	nameBare = "bare loop"
	nameSDK  = "SDK alone"
)

// programs are what one run builds.
type programs struct {
	dir   string // temporary
	root  string // the policies of the server
	built map[string]string
}

// buildPrograms builds the server's command and the programs of processes/, and
// writes the policies that they read.
func buildPrograms() (*programs, error) {
	dir, err := os.MkdirTemp("", "assay-bench-")
	if err != nil {
		return nil, err
	}
	p := &programs{dir: dir, root: filepath.Join(dir, "policies"), built: map[string]string{}}
	for name, from := range map[string][2]string{
		nameAssay: {"..", "./server/cmd/assay-mcp-server"},
		nameHand:  {".", "./processes/hand"},
		nameCedar: {".", "./processes/cedar"},
		nameBare:  {".", "./processes/bare"},
		nameSDK:   {".", "./processes/sdk"},
	} {
		p.built[name] = filepath.Join(dir, strings.ReplaceAll(name, " ", "-"))
		build := exec.Command("go", "build", "-o", p.built[name], from[1])
		build.Dir = from[0]
		if out, err := build.CombinedOutput(); err != nil {
			p.remove()
			return nil, fmt.Errorf("building %s: %w\n%s", from[1], err, out)
		}
	}
	err = os.Mkdir(p.root, 0o755)
	for name, text := range map[string]string{
		"discount.json":  `{"version": "2.0", "schemas": {"apply_discount": ` + discountSchema + `}}`,
		"discount.cedar": `permit(principal, action, resource == Tool::"apply_discount") when { context has percent && context.percent >= 0 && context.percent <= 30 };`,
		"names.yaml":     "blocklist: [rm, delete_file]\n",
		"large.json":     jsonText(largePolicy(1_000)),
	} {
		err = errors.Join(err, os.WriteFile(filepath.Join(p.root, name), []byte(text), 0o644))
	}
	if err != nil {
		p.remove()
		return nil, err
	}
	return p, nil
}

func (p *programs) remove() { os.RemoveAll(p.dir) }

// command runs a program with the environment that users have.
func (p *programs) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(p.built[name], args...)
	cmd.Env = append(os.Environ(), "ASSAY_LOG=error")
	return cmd
}

// server is the command as a client starts it.
func (p *programs) server() *exec.Cmd { return p.command(nameAssay, "--policy-root", p.root) }

// start is one way to come from nothing to a first decision.
type start struct {
	name string
	run  func(arguments string) (allowed bool, usage *os.ProcessState, err error)
}

func (p *programs) starts() []start {
	// once runs a program that prints one verdict and exits 0 for an allow and 1
	// for a denial.
	once := func(cmd *exec.Cmd) (bool, *os.ProcessState, error) {
		out, err := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); err != nil && code != 1 {
			return false, nil, fmt.Errorf("%s: %w", cmd.Path, err)
		}
		if len(out) == 0 {
			return false, nil, fmt.Errorf("%s prints no verdict", cmd.Path)
		}
		return err == nil, cmd.ProcessState, nil
	}
	policy := filepath.Join(p.root, "discount.json")
	return []start{
		{nameAssay + " check", func(arguments string) (bool, *os.ProcessState, error) {
			return once(p.command(nameAssay, "check", "args", "--policy", policy, "--tool", "apply_discount", "--args", arguments))
		}},
		{nameAssay + " serve, one call", func(arguments string) (bool, *os.ProcessState, error) {
			cmd := p.server()
			cmd.Stdin = strings.NewReader(callLine(1, "assay_check_args",
				`{"tool":"apply_discount","policy":"discount.json","arguments":`+arguments+`}`))
			out, err := cmd.Output()
			if err != nil {
				return false, nil, fmt.Errorf("serve: %w", err)
			}
			return bytes.Contains(out, []byte(`"isError":false`)), cmd.ProcessState, nil
		}},
		{nameHand, func(arguments string) (bool, *os.ProcessState, error) {
			return once(p.command(nameHand, policy, "apply_discount", arguments))
		}},
		{nameCedar, func(arguments string) (bool, *os.ProcessState, error) {
			return once(p.command(nameCedar, filepath.Join(p.root, "discount.cedar"), "apply_discount", arguments))
		}},
	}
}

// callLine is a tools/call as one line.
func callLine(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, tool, arguments)
}

// traffic is one program that answers lines on a pipe.
type traffic struct {
	name    string
	command func() *exec.Cmd
	tool    string
	allowed string // the arguments of a call that is timed
	denied  string // those of a call that is denied; empty: it allows everything
}

func (p *programs) traffics() []traffic {
	sdk := func(environment ...string) func() *exec.Cmd {
		return func() *exec.Cmd {
			cmd := p.command(nameSDK)
			cmd.Env = append(cmd.Env, environment...)
			return cmd
		}
	}
	discount := `{"tool":"apply_discount","policy":"discount.json","arguments":{"percent":%d}}`
	return []traffic{
		{nameAssay + " policy_decide", p.server, "assay_policy_decide",
			`{"tool":"read_file","policy":"names.yaml"}`, `{"tool":"rm","policy":"names.yaml"}`},
		{nameAssay + " check_args", p.server, "assay_check_args", fmt.Sprintf(discount, 15), fmt.Sprintf(discount, 31)},
		{nameBare, func() *exec.Cmd { return p.command(nameBare) }, "floor", `{}`, ""},
		{nameSDK, sdk(), "floor", `{}`, ""},
		{nameSDK + ", GOGC=400", sdk("GOGC=400"), "floor", `{}`, ""},
	}
}

// Why the calls of a program are few: a slice of them has to be long against
// the tick of a process's clock, and no longer.
const (
	warmUp      = 300
	callsOnPipe = 2_000
)

// conversation is a running program and the client's end of its pipes.
type conversation struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	answers *bufio.Reader
	last    int // the last id that was used
}

// converse starts a program and makes MCP's handshake with it.
func converse(cmd *exec.Cmd) (*conversation, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &conversation{cmd: cmd, stdin: stdin, answers: bufio.NewReaderSize(stdout, 1<<20)}
	_, err = c.ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"0"}}}` + "\n")
	return c, err
}

// ask writes a line and returns the next answer.
func (c *conversation) ask(line string) ([]byte, error) {
	if _, err := io.WriteString(c.stdin, line); err != nil {
		return nil, err
	}
	return c.answers.ReadSlice('\n')
}

// call calls a tool and reports whether the answer is no error.
func (c *conversation) call(tool, arguments string) (bool, error) {
	c.last++
	answer, err := c.ask(callLine(c.last, tool, arguments))
	return !bytes.Contains(answer, []byte(`"isError":true`)), err
}

// end closes the pipe and waits.
func (c *conversation) end() error {
	c.stdin.Close()
	_, _ = io.Copy(io.Discard, c.answers)
	return c.cmd.Wait()
}

// initialized tells a server that the handshake is over.
const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// talk starts the program, asserts its answers and times a slice of calls.
func talk(t traffic, inFlight int) (result processResult, err error) {
	c, err := converse(t.command())
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, c.end()) }()
	if t.name != nameBare { // which would answer this as well
		if _, err := io.WriteString(c.stdin, initialized); err != nil {
			return result, err
		}
	}
	for range warmUp {
		if allowed, err := c.call(t.tool, t.allowed); err != nil || !allowed {
			return result, fmt.Errorf("%s denies what is to be allowed (%v)", t.name, err)
		}
	}
	if t.denied != "" {
		if allowed, err := c.call(t.tool, t.denied); err != nil || allowed {
			return result, fmt.Errorf("%s allows what is to be denied (%v)", t.name, err)
		}
	}
	lines := make([]string, callsOnPipe)
	for i := range lines {
		c.last++
		lines[i] = callLine(c.last, t.tool, t.allowed)
	}
	before, begin := processTime(c.cmd.Process.Pid), time.Now()
	var latencies []time.Duration
	if inFlight == 1 {
		for _, line := range lines {
			start := time.Now()
			if _, err := c.ask(line); err != nil {
				return result, err
			}
			latencies = append(latencies, time.Since(start))
		}
	} else if err := c.flood(lines, inFlight); err != nil {
		return result, err
	}
	wall, cpu := time.Since(begin), processTime(c.cmd.Process.Pid)-before
	result = processResult{
		Contestant: t.name,
		CPU:        float64(cpu) / callsOnPipe,
		Wall:       float64(wall) / callsOnPipe,
		Rate:       callsOnPipe / wall.Seconds(),
	}
	if len(latencies) > 0 {
		slices.Sort(latencies)
		result.P99 = float64(latencies[len(latencies)*99/100])
	}
	return result, nil
}

// flood keeps inFlight lines unanswered.
func (c *conversation) flood(lines []string, inFlight int) error {
	room := make(chan struct{}, inFlight)
	written := make(chan error, 1)
	go func() {
		for _, line := range lines {
			room <- struct{}{}
			if _, err := io.WriteString(c.stdin, line); err != nil {
				written <- err
				return
			}
		}
		written <- nil
	}()
	for range lines {
		if _, err := c.answers.ReadSlice('\n'); err != nil {
			return err
		}
		<-room
	}
	return <-written
}

// processTime is the CPU time of a process so far, summed over its threads
// (proc_pid_schedstat(5)); a thread that waits is counted to the nanosecond.
func processTime(pid int) time.Duration {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	var sum time.Duration
	for _, file := range files {
		var onCPU time.Duration
		if text, err := os.ReadFile(file); err == nil {
			fmt.Sscan(string(text), &onCPU)
		}
		sum += onCPU
	}
	return sum
}

// The rows of the second table.
const (
	workStart = "cold start to the first decision"
	workPipe  = "stdio tools/call, %d in flight"
)

// measureProcesses measures the wanted rows of the second table.
func measureProcesses(wanted *regexp.Regexp, rounds int, progress io.Writer) ([]process, error) {
	works := []string{workStart, fmt.Sprintf(workPipe, 1), fmt.Sprintf(workPipe, 64)}
	if !slices.ContainsFunc(works, wanted.MatchString) {
		return nil, nil
	}
	p, err := buildPrograms()
	if err != nil {
		return nil, err
	}
	defer p.remove()
	var rows []process
	if wanted.MatchString(workStart) {
		fmt.Fprintln(progress, workStart)
		row, err := measureStarts(p, rounds)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	for i, inFlight := range []int{1, 64} {
		if !wanted.MatchString(works[i+1]) {
			continue
		}
		fmt.Fprintln(progress, works[i+1])
		samples := map[string][]processResult{}
		for range (rounds + 2) / 3 { // a round is long
			for _, t := range p.traffics() {
				r, err := talk(t, inFlight)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", works[i+1], t.name, err)
				}
				samples[t.name] = append(samples[t.name], r)
			}
		}
		row := process{Work: works[i+1]}
		for _, t := range p.traffics() {
			row.Results = append(row.Results, medians(samples[t.name]))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// startReach is how much more CPU time than the program written by hand the
// command may take for its first decision.
const startReach = 3

func measureStarts(p *programs, rounds int) (process, error) {
	row := process{Work: workStart, Reach: reach{ratio: startReach}.String()}
	starts := p.starts()
	samples := map[string][]processResult{}
	for range 2 * rounds {
		for _, s := range starts {
			begin := time.Now()
			allowed, usage, err := s.run(string(discountAllowed))
			if err != nil {
				return row, err
			}
			if !allowed {
				return row, fmt.Errorf("%s: %s denies what is to be allowed", workStart, s.name)
			}
			samples[s.name] = append(samples[s.name], processResult{
				Contestant: s.name,
				CPU:        float64(usage.UserTime() + usage.SystemTime()),
				Wall:       float64(time.Since(begin)),
			})
		}
	}
	for _, s := range starts {
		if allowed, _, err := s.run(string(discountDenied)); err != nil || allowed {
			return row, fmt.Errorf("%s: %s allows what is to be denied (%v)", workStart, s.name, err)
		}
		row.Results = append(row.Results, medians(samples[s.name]))
	}
	hand := row.Results[2].CPU
	for i := range row.Results {
		row.Results[i].Ratio = row.Results[i].CPU / hand
	}
	met := row.Results[0].Ratio <= startReach
	row.Met = &met
	return row, nil
}

// medians is the median of each member.
func medians(samples []processResult) processResult {
	pick := func(member func(processResult) float64) float64 {
		var values []float64
		for _, s := range samples {
			values = append(values, member(s))
		}
		return median(values)
	}
	return processResult{
		Contestant: samples[0].Contestant,
		CPU:        pick(func(r processResult) float64 { return r.CPU }),
		Wall:       pick(func(r processResult) float64 { return r.Wall }),
		Rate:       pick(func(r processResult) float64 { return r.Rate }),
		P99:        pick(func(r processResult) float64 { return r.P99 }),
	}
}
