package server_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// These tests are about what happens to the streams: lines without end,
// readers that do not read, and the end.

// peakMemory returns the most memory that the process had resident, in bytes.
func (p *process) peakMemory() int64 {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Skip("no /proc to read the process's memory from")
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				p.t.Fatal(err)
			}
			return kb << 10
		}
	}
	p.t.Skip("the process's memory is not in /proc")
	return 0
}

const overlong = "Limit exceeded: message over 1000000 bytes"

func TestAMessageOfExactlyTheLimitPasses(t *testing.T) {
	p := startServer(t, namesRoot(t), "--max-message-bytes", "1000")
	pad := func(n int) string {
		line := strings.Replace(decide("1"), `"jsonrpc"`, `"x":"","jsonrpc"`, 1)
		return strings.Replace(line, `"x":""`, `"x":"`+strings.Repeat("x", n-len(line))+`"`, 1)
	}
	p.send(pad(1000))
	if got := p.receive(); got != respond("1", allowed) {
		t.Errorf("1,000 bytes: %s", got)
	}
	p.send(pad(1001))
	if got, want := p.receive(), respond("1", failedWith("E_LIMIT_EXCEEDED", "Limit exceeded: message over 1000 bytes")); got != want {
		t.Errorf("1,001 bytes: %s", got)
	}
}

func TestALineOverTheLimit(t *testing.T) {
	long := strings.Repeat("x", 1_200_000)
	fill := `"params":{"name":"assay_policy_decide","arguments":{"tool":"` + long + `"}}`
	const head = `{"jsonrpc":"2.0",`
	exceeded := failedWith("E_LIMIT_EXCEEDED", overlong)
	invalid := refused(-32600, "Invalid request")
	tests := []struct{ name, line, want string }{
		{"a call", head + `"id":1,"method":"tools/call",` + fill + `}`, respond("1", exceeded)},
		{"a call whose id stands last", head + `"method":"tools/call",` + fill + `,"id":"a\u0062"}`, respond(`"a\u0062"`, exceeded)},
		{"a call whose method stands last", head + `"id":1.50,` + fill + `,"method":"tools/call"}`, respond("1.50", exceeded)},
		{"a call with escapes in its names", head + `"\u0069d":1,"metho\u0064":"tools\/call",` + fill + `}`, respond("1", exceeded)},
		{"a call in which other objects have ids", head + `"params":{"id":7,"method":"ping","x":[{"id":8}]},"id":1,"method":"tools/call","x":"` + long + `"}`, respond("1", exceeded)},
		{"a call of a text in several scripts", head + `"id":1,"method":"tools/call","x":"` + strings.Repeat("ü€😀", 200_000) + `"}`, respond("1", exceeded)},
		{"a call of numbers and literals", head + `"x":[` + strings.Repeat(`-0.5e+7,true,false,null,0,12,`, 60_000) + `1],"id":1,"method":"tools/call"}`, respond("1", exceeded)},
		{"a call with an id of 256 bytes", head + `"id":"` + long[:256] + `","method":"tools/call",` + fill + `}`, respond(`"`+long[:256]+`"`, exceeded)},
		{"another request", head + `"id":1,"method":"ping",` + fill + `}`, respond("1", invalid)},
		{"an initialize", head + `"id":1,"method":"initialize",` + fill + `}`, respond("1", invalid)},
		{"a request of a very long method", head + `"id":1,"method":"` + long + `"}`, respond("1", invalid)},
		{"a call whose JSON breaks behind id and method", head + `"id":1,"method":"tools/call","x":` + long, respond("1", exceeded)},
		{"an id behind a break in the JSON", head + `"method":"tools/call",` + fill + `,,"id":1}`, ""},
		{"an id behind a control character", head + `"method":"tools/call","x":"` + long + "\x00" + `","id":1}`, ""},
		{"an id behind invalid UTF-8", head + `"method":"tools/call","x":"` + long + "\xff" + `","id":1}`, ""},
		{"an id behind a cut UTF-8 sequence", head + `"method":"tools/call","x":"` + long + "\xe2\x82" + `","id":1}`, ""},
		{"an id behind 513 levels", head + `"method":"tools/call","x":` + strings.Repeat("[", 512) + strings.Repeat("]", 512) + `,"y":"` + long + `","id":1}`, ""},
		{"an id behind a byte-order mark", "\uFEFF" + head + `"id":1,"method":"tools/call",` + fill + `}`, ""},
		{"an id in a batch", `[` + head + `"id":1,"method":"tools/call",` + fill + `}]`, ""},
		{"an id of 257 bytes", head + `"id":"` + long[:257] + `","method":"tools/call",` + fill + `}`, ""},
		{"a null id", head + `"id":null,"method":"tools/call",` + fill + `}`, ""},
		{"an id that is an object", head + `"id":{"id":1},"method":"tools/call",` + fill + `}`, ""},
		{"a repeated id", head + `"id":1,"method":"tools/call",` + fill + `,"id":2}`, ""},
		{"no id", head + `"method":"tools/call",` + fill + `}`, ""},
		{"no JSON", long, ""},
		{"spaces", strings.Repeat(" ", 1_200_000), ""},
	}
	p := startServer(t, namesRoot(t))
	for _, test := range tests {
		p.send(test.line, ping)
		// Answers may come out of order.
		got := []string{p.receive()}
		if test.want != "" {
			got = append(got, p.receive())
		}
		if got[0] == pong {
			got = append(got[1:], pong)
		}
		if answer := strings.Join(got[:len(got)-1], ""); answer != test.want || got[len(got)-1] != pong {
			t.Errorf("%s:\n got %.300s\nwant %.300s", test.name, got, test.want)
		}
	}
	if rest, code := p.rest(); len(rest) != 0 || code != 0 {
		t.Errorf("exit %d, and there is more: %.200q", code, rest)
	}
}

func TestALineOf256MiBIsAnsweredInConstantMemory(t *testing.T) {
	p := startServer(t, namesRoot(t))
	block := bytes.Repeat([]byte("x"), 1<<20)
	write := func(text []byte) {
		t.Helper()
		if _, err := p.stdin.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	write([]byte(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"assay_policy_decide","arguments":{"tool":"`))
	for range 256 {
		write(block)
	}
	write([]byte(`"}},"id":1}` + "\n" + decide("2") + "\n"))
	got := []string{p.receive(), p.receive()}
	if got[0] > got[1] {
		got[0], got[1] = got[1], got[0]
	}
	if got[0] != respond("1", failedWith("E_LIMIT_EXCEEDED", overlong)) || got[1] != respond("2", allowed) {
		t.Errorf("got %q", got)
	}
	if peak := p.peakMemory(); peak >= 64<<20 {
		t.Errorf("the process had %d bytes resident", peak)
	}
}

func TestAnOverlongLastLineWithoutANewlineIsAnswered(t *testing.T) {
	p := startServer(t, namesRoot(t), "--max-message-bytes", "100")
	if _, err := io.WriteString(p.stdin, decide("1")); err != nil {
		t.Fatal(err)
	}
	want := respond("1", failedWith("E_LIMIT_EXCEEDED", "Limit exceeded: message over 100 bytes"))
	if lines, code := p.rest(); len(lines) != 1 || lines[0] != want || code != 0 {
		t.Errorf("exit %d, answers %q", code, lines)
	}
}

func TestSessionsThatCloseStdinAtOnceLoseNoAnswer(t *testing.T) {
	const sessions, calls = 200, 20
	root := namesRoot(t)
	if _, err := binary(); err != nil {
		t.Fatal(err)
	}
	var in strings.Builder
	for i := range calls {
		fmt.Fprintln(&in, decide(strconv.Itoa(i)))
	}
	work := make(chan int)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for session := range work {
				p := newProcess(t, root)
				p.cmd.Stdin = strings.NewReader(in.String())
				out, err := p.cmd.Output()
				if err != nil {
					t.Errorf("session %d: %v", session, err)
				}
				seen := make(map[string]bool)
				for line := range strings.Lines(string(out)) {
					seen[line] = true
				}
				for i := range calls {
					if !seen[respond(strconv.Itoa(i), allowed)+"\n"] {
						t.Errorf("session %d lost the answer %d", session, i)
					}
				}
				if len(seen) != calls {
					t.Errorf("session %d: %d answers", session, len(seen))
				}
			}
		})
	}
	for session := range sessions {
		work <- session
	}
	close(work)
	group.Wait()
}

// flood writes calls to the server until it takes no more, and returns how many
// it took whole.
func flood(t *testing.T, stdin *os.File, line string) int {
	t.Helper()
	text := []byte(line + "\n")
	written := 0
	for written < 400_000_000 {
		// A write that makes no way for so long is one that the server stopped.
		if err := stdin.SetWriteDeadline(time.Now().Add(2 * time.Second)); err != nil {
			t.Fatal(err)
		}
		from := written % len(text)
		n, err := stdin.Write(text[from:])
		written += n
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return written / len(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("the server takes all of %d bytes", written)
	return 0
}

// startWithPipes starts a server with stdin and stdout as pipes of the test's
// own.
func startWithPipes(t *testing.T, root string, more ...string) (p *process, stdin, stdout *os.File) {
	t.Helper()
	p = newProcess(t, root, more...)
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdin, p.cmd.Stdout = inR, outW
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	inR.Close()
	outW.Close()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
		_ = p.cmd.Process.Kill()
		p.wait()
	})
	return p, inW, outR
}

func TestAClientThatNeverReads(t *testing.T) {
	for name, line := range map[string]string{
		"small calls": decide("1"),
		"long calls": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"assay_check_args","arguments":{"tool":"` +
			strings.Repeat("é", 30_000) + `","policy":"args.yaml","arguments":{}},"x":"` + strings.Repeat("x", 900_000) + `"}}`,
		"unknown methods": `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 10_000) + `","method":"no"}`,
		"lines over the limit": `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 200) + `","method":"tools/call","x":"` +
			strings.Repeat("x", 1_000_001) + `"}`,
		// 1.4 MB each
		"calls with long answers": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"assay_check_sequence","arguments":{"policy":"order.yaml","next_tool":"a","history":["a"` +
			strings.Repeat(`,"a"`, 1999) + `]}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := policyRoot(t, map[string]string{
				"names.yaml": "blocklist: [rm]\n", "args.yaml": "tools: {allow: [x]}\n",
				"order.yaml": "sequences:\n" + strings.Repeat("- {type: max_calls, tool: a, max: 1}\n", 60),
			})
			p, stdin, stdout := startWithPipes(t, root)
			taken := flood(t, stdin, line)
			if peak := p.peakMemory(); peak > 160<<20 {
				t.Errorf("the process had %d bytes resident", peak)
			}
			// Everything that it took is answered when the client reads at last.
			stdin.Close()
			answers := 0
			for buffer := make([]byte, 1<<20); ; {
				n, err := stdout.Read(buffer)
				answers += bytes.Count(buffer[:n], []byte("\n"))
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if answers < taken || answers > taken+1 {
				t.Errorf("%d answers to %d requests", answers, taken)
			}
			if code := p.wait(); code != 0 {
				t.Errorf("exit %d", code)
			}
		})
	}
}

func TestSignalsEndTheServer(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			p := startServer(t, namesRoot(t))
			p.send(decide("1"))
			p.receive()
			if err := p.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			// Stdin stays open: the signal alone ends it.
			out, err := io.ReadAll(p.lines)
			if err != nil || len(out) != 0 {
				t.Errorf("%v, and there is more: %q", err, out)
			}
			if code := p.wait(); code != 0 {
				t.Errorf("exit %d", code)
			}
		})
	}
}

func TestASignalEndsTheServerWhenStdoutIsBlocked(t *testing.T) {
	p, stdin, _ := startWithPipes(t, namesRoot(t), "--timeout", "300")
	flood(t, stdin, decide("1"))
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	if code := p.wait(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestAClosedStdoutEndsTheServerWithCode1(t *testing.T) {
	p, stdin, stdout := startWithPipes(t, namesRoot(t))
	stdout.Close()
	if _, err := io.WriteString(stdin, decide("1")+"\n"); err != nil {
		t.Fatal(err)
	}
	// Stdin stays open: the failure alone ends it.
	timer := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	if code := p.wait(); code != 1 {
		t.Errorf("exit %d", code)
	}
}

func TestStdinThatCannotBeReadEndsTheServerWithCode1(t *testing.T) {
	root := namesRoot(t)
	p := newProcess(t, root)
	directory, err := os.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	p.cmd.Stdin, p.cmd.Stderr = directory, &p.stderr
	out, err := p.cmd.Output()
	if code := p.cmd.ProcessState.ExitCode(); code != 1 || len(out) != 0 || !strings.Contains(p.stderr.String(), `"msg":"stopped","error":"assay: reading: `) {
		t.Errorf("%v, exit %d, stdout %q, stderr %s", err, code, out, p.stderr.String())
	}
}

func TestASignalEndsTheServerWhenStderrIsBlocked(t *testing.T) {
	p := newProcess(t, namesRoot(t), "--log-level", "debug", "--timeout", "20")
	errR, errW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer errR.Close()
	p.cmd.Stderr = errW
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.lines = bufio.NewReader(stdout)
	p.start()
	errW.Close()
	for range 2000 { // more than a pipe and the log hold
		p.send(decide("1"))
		p.receive()
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer timer.Stop()
	if code := p.wait(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestABlockedStderrBlocksNoCall(t *testing.T) {
	const calls = 5000
	p := newProcess(t, namesRoot(t), "--log-level", "debug")
	errR, errW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer errR.Close()
	p.cmd.Stderr = errW
	p.cmd.Stdin = strings.NewReader(strings.Repeat(decide("1")+"\n", calls))
	out, err := p.cmd.Output()
	errW.Close()
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out, []byte("\n")); n != calls {
		t.Errorf("%d answers to %d calls", n, calls)
	}
}

func TestAClosedStderrEndsNothing(t *testing.T) {
	p := newProcess(t, namesRoot(t), "--log-level", "debug")
	errR, errW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	errR.Close()
	p.cmd.Stderr = errW
	p.cmd.Stdin = strings.NewReader(strings.Repeat(decide("1")+"\n", 100))
	out, err := p.cmd.Output()
	errW.Close()
	if n := bytes.Count(out, []byte("\n")); n != 100 || err != nil {
		t.Errorf("%d answers to 100 calls, %v", n, err)
	}
}

func TestTheLogIsJSONLinesWithoutArguments(t *testing.T) {
	p := startServer(t, namesRoot(t), "ASSAY_LOG=debug")
	p.call("assay_policy_decide", `{"tool":"secret-tool","policy":"names.yaml"}`)
	p.call("assay_check_args", `{"tool":"ls","policy":"secret-policy.yaml","arguments":{"password":"hunter2"}}`)
	if _, code := p.rest(); code != 0 {
		t.Errorf("exit %d", code)
	}
	text := p.stderr.String()
	for line := range strings.Lines(text) {
		if !equalJSON([]byte(line), []byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
	for _, secret := range []string{"secret", "hunter2", "password", "yaml"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in the log:\n%s", secret, text)
		}
	}
	if !strings.Contains(text, `"request":2`) || !strings.Contains(text, "duration") {
		t.Errorf("the log says nothing of the calls:\n%s", text)
	}
}
