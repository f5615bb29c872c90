package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"example.com/assay/assay"
)

// memory is a row of the third table.
type memory struct {
	Of    string  `json:"of"`
	Bytes float64 `json:"bytes"`
	Reach string  `json:"reach,omitempty"`
	Met   *bool   `json:"met,omitempty"`
}

// measureMemory measures what policies and sessions hold in a process, and what
// whole servers keep resident.
func measureMemory(wanted *regexp.Regexp, progress io.Writer) ([]memory, error) {
	var rows []memory
	for _, m := range []struct {
		of      string
		measure func() (float64, error)
		limit   float64 // bytes; 0: none
	}{
		{"policy of 1 small schema, compiled", func() (float64, error) { return policyMemory(1_000, discountPolicy(), 0) }, 0},
		{"policy of 20 tools, compiled", func() (float64, error) { return policyMemory(100, jsonText(largePolicy(20)), 0) }, 0},
		{"policy of 20 tools, each called", func() (float64, error) { return policyMemory(100, jsonText(largePolicy(20)), 20) }, 0},
		{"policy of 1,000 tools (820 KB), compiled", func() (float64, error) { return policyMemory(2, jsonText(largePolicy(1_000)), 0) }, 0},
		{"policy of 1,000 tools (820 KB), each called", func() (float64, error) { return policyMemory(2, jsonText(largePolicy(1_000)), 1_000) }, 0},
		{"session of 1 before rule, 2,000 calls", func() (float64, error) { return sessionMemory(1) }, 0},
		{"session of 50 rules, 2,000 calls", func() (float64, error) { return sessionMemory(50) }, 0},
		{"snapshot of 1 before rule, 2,000 calls", func() (float64, error) { return snapshotSize(1) }, 0},
		{"snapshot of 50 rules, 2,000 calls", func() (float64, error) { return snapshotSize(50) }, 0},
		{"server resident, idle", idleServer, 20e6},
		{"server resident, 1,000 policies of 20 tools in turn", policiesInTurn, 0},
		{"server resident, 1 policy of 1,000 tools, each called", manyTools, 60e6},
	} {
		if !wanted.MatchString(m.of) {
			continue
		}
		fmt.Fprintln(progress, m.of)
		bytes, err := m.measure()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.of, err)
		}
		row := memory{Of: m.of, Bytes: bytes}
		if m.limit > 0 {
			met := bytes <= m.limit
			row.Reach, row.Met = "<= "+formatBytes(m.limit), &met
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func discountPolicy() string {
	return `{"version": "2.0", "schemas": {"apply_discount": ` + discountSchema + `}}`
}

// heldBy returns how many bytes of the heap one of n things holds.
func heldBy[T any](n int, make1 func() (T, error)) (float64, error) {
	if _, err := make1(); err != nil { // what is made once for all does not count
		return 0, err
	}
	things := make([]T, n)
	before := heap()
	for i := range things {
		var err error
		if things[i], err = make1(); err != nil {
			return 0, err
		}
	}
	held := heap() - before
	runtime.KeepAlive(things)
	return max(0, held) / float64(n), nil
}

// heap is the size of the live heap. Pools give up what they hold in the second
// collection.
func heap() float64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}

// policyMemory parses n policies and calls the first tools of each.
func policyMemory(n int, text string, called int) (float64, error) {
	names := toolNames(max(called, 1))
	return heldBy(n, func() (*assay.Policy, error) {
		p, err := assay.Parse([]byte(text), nil)
		for _, name := range names[:called] {
			if !assay.CheckArgs(p, assay.Call{Tool: name, Arguments: []byte(largePolicyFits)}).Allowed {
				return nil, errors.New("a call is denied")
			}
			// A denial is judged by the whole engine, which compiles on first use.
			if assay.CheckArgs(p, assay.Call{Tool: name, Arguments: []byte(largePolicyNot)}).Allowed {
				return nil, errors.New("a call is allowed")
			}
		}
		return p, err
	})
}

func rulesPolicy(rules int) (*assay.Policy, error) {
	var all []map[string]any
	for i := range rules {
		all = append(all, beforeRule(fmt.Sprintf("verify_step_%d", i), fmt.Sprintf("run_step_%d", i)))
	}
	return policyOf(all...)
}

func sessionMemory(rules int) (float64, error) {
	p, err := rulesPolicy(rules)
	if err != nil {
		return 0, err
	}
	calls := namesOf(2_000, "verify_step_0", "run_step_0")
	return heldBy(100, func() (*assay.Session, error) { return sessionAfter(p, calls) })
}

func snapshotSize(rules int) (float64, error) {
	p, err := rulesPolicy(rules)
	if err != nil {
		return 0, err
	}
	s, err := sessionAfter(p, namesOf(2_000, "verify_step_0", "run_step_0"))
	if err != nil {
		return 0, err
	}
	text, err := s.Snapshot()
	if err != nil {
		return 0, err
	}
	_, err = assay.Restore(p, text)
	return float64(len(text)), err
}

func idleServer() (float64, error) {
	return residentAfter(func(*programs, *conversation) error { return nil })
}

// policiesInTurn asks by 1,000 different policies, more than the cache may hold.
func policiesInTurn() (float64, error) {
	return residentAfter(func(p *programs, c *conversation) error {
		for i := range 1_000 {
			policy := largePolicy(20)
			policy["name"] = fmt.Sprint("policy ", i)
			name := fmt.Sprintf("p%d.json", i)
			if err := os.WriteFile(filepath.Join(p.root, name), []byte(jsonText(policy)), 0o644); err != nil {
				return err
			}
			if err := callTool(c, toolNames(20)[i%20], name); err != nil {
				return err
			}
		}
		return nil
	})
}

func manyTools() (float64, error) {
	return residentAfter(func(_ *programs, c *conversation) error {
		for _, tool := range toolNames(1_000) {
			if err := callTool(c, tool, "large.json"); err != nil {
				return err
			}
		}
		return nil
	})
}

// callTool asks for a call that is allowed and one that is denied.
func callTool(c *conversation, tool, policy string) error {
	for arguments, want := range map[string]bool{largePolicyFits: true, largePolicyNot: false} {
		allowed, err := c.call("assay_check_args", fmt.Sprintf(`{"tool":%q,"policy":%q,"arguments":%s}`, tool, policy, arguments))
		if err != nil || allowed != want {
			return fmt.Errorf("%s by %s: allowed is %t (%v)", tool, policy, allowed, err)
		}
	}
	return nil
}

// residentAfter starts the server, does the work and returns the memory that is
// resident then.
func residentAfter(work func(*programs, *conversation) error) (resident float64, err error) {
	p, err := buildPrograms()
	if err != nil {
		return 0, err
	}
	defer p.remove()
	c, err := converse(p.server())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.end()) }()
	if err := work(p, c); err != nil {
		return 0, err
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			var kilobytes float64
			fmt.Sscan(rest, &kilobytes)
			return kilobytes * 1024, nil
		}
	}
	return 0, errors.New("no VmRSS in /proc")
}
