package server

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
)

// These tests hold calls at the hook of Options, so that what they look at
// happens at a known moment.

// served is a server in this process.
type served struct {
	t      *testing.T
	in     *io.PipeWriter
	lines  *bufio.Scanner
	cancel context.CancelFunc
	ended  chan error
}

func serveHere(t *testing.T, opts *Options) *served {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "names.yaml"), []byte("blocklist: [rm]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return serveRoot(t, root, opts)
}

func serveRoot(t *testing.T, root string, opts *Options) *served {
	t.Helper()
	s, err := New(root, opts)
	if err != nil {
		t.Fatal(err)
	}
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	v := &served{t: t, in: inW, lines: bufio.NewScanner(outR), cancel: cancel, ended: make(chan error, 1)}
	v.lines.Buffer(nil, 1<<20)
	go func() {
		v.ended <- s.Serve(ctx, inR, outW)
		outW.Close()
	}()
	t.Cleanup(func() {
		inW.Close()
		outR.Close()
		cancel()
		<-v.ended
		close(v.ended)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return v
}

func (v *served) send(lines ...string) {
	v.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(v.in, line+"\n"); err != nil {
			v.t.Fatal(err)
		}
	}
}

// want reads a line and checks its id and that it holds text.
func (v *served) want(id, text string) {
	v.t.Helper()
	if !v.lines.Scan() {
		v.t.Fatalf("no answer %s", id)
	}
	line := v.lines.Text()
	if !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":`+id+`,`) || !strings.Contains(line, text) {
		v.t.Errorf("got %s, want id %s with %s", line, id, text)
	}
}

// wantAny reads a line that is an allow.
func (v *served) wantAny() {
	v.t.Helper()
	if !v.lines.Scan() || !strings.Contains(v.lines.Text(), `"isError":false`) {
		v.t.Errorf("got %q, want an allow", v.lines.Text())
	}
}

func decideLine(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"assay_policy_decide","arguments":{"tool":"ls","policy":"names.yaml"}}}`
}

func pingLine(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

func cancelLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

// turnstile holds calls at the hook until each is let go.
type turnstile struct {
	arrived chan *call
	leave   chan struct{}
}

func newTurnstile() *turnstile {
	return &turnstile{arrived: make(chan *call), leave: make(chan struct{})}
}

func (g *turnstile) hold(c *call) {
	g.arrived <- c
	<-g.leave
}

func TestACancelledCallStopsAndIsAnswered(t *testing.T) {
	g := newTurnstile()
	v := serveHere(t, &Options{Limits: Limits{Concurrency: 1, TimeoutMS: 1 << 30}, began: g.hold})
	v.send(decideLine("1"))
	c := <-g.arrived
	v.send(cancelLine("1"), pingLine("2"))
	v.want("2", `"result":{}`) // the cancellation was read before it
	<-c.done
	if !c.stop.IsSet() {
		t.Error("the work is not told to stop")
	}
	g.leave <- struct{}{}
	v.want("1", `"structuredContent":{"allowed":false,"error":{"code":"E_INTERNAL","message":"Tool execution failed"}},"isError":true}`)
	v.send(decideLine("3"))
	<-g.arrived
	g.leave <- struct{}{}
	v.want("3", `"isError":false`)
}

func TestACancelledCallThatWaitsForAWorkerIsAnsweredAtOnce(t *testing.T) {
	g := newTurnstile()
	v := serveHere(t, &Options{Limits: Limits{Concurrency: 1, TimeoutMS: 1 << 30}, began: g.hold})
	v.send(decideLine(`"runs"`))
	<-g.arrived
	v.send(decideLine(`"waits"`), cancelLine(`"w\u0061its"`))
	v.want(`"waits"`, `E_INTERNAL`)
	v.send(pingLine("3"))
	v.want("3", `"result":{}`)
	g.leave <- struct{}{}
	v.want(`"runs"`, `"isError":false`)
}

func TestACancellationMeansTheOldestLiveRequestOfItsID(t *testing.T) {
	g := newTurnstile()
	v := serveHere(t, &Options{Limits: Limits{Concurrency: 3, TimeoutMS: 1 << 30}, began: g.hold})
	var calls []*call
	for range 3 {
		v.send(decideLine("9"))
		calls = append(calls, <-g.arrived)
	}
	for i := range 3 {
		v.send(cancelLine("9.0"), cancelLine(`"9"`), cancelLine("9"), pingLine("0"))
		v.want("0", `"result":{}`)
		for j, c := range calls {
			if got := c.stop.IsSet(); got != (j <= i) {
				t.Errorf("after %d cancellations: request %d stopped is %v", i+1, j, got)
			}
		}
	}
	for range calls {
		g.leave <- struct{}{}
		v.want("9", "E_INTERNAL")
	}
}

func TestPingInitializeAndToolsListDoNotQueueBehindTools(t *testing.T) {
	g := newTurnstile()
	v := serveHere(t, &Options{Limits: Limits{Concurrency: 1, TimeoutMS: 1 << 30}, began: g.hold})
	v.send(decideLine("1"), decideLine("2"))
	<-g.arrived
	v.send(pingLine("3"))
	v.want("3", `"result":{}`)
	v.send(`{"jsonrpc":"2.0","id":4,"method":"tools/list"}`)
	v.want("4", `"tools"`)
	v.send(`{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	v.want("5", `"2025-06-18"`)
	g.leave <- struct{}{}
	v.wantAny() // 1 or 2, whichever came first
	<-g.arrived
	g.leave <- struct{}{}
	v.wantAny()
}

func TestNoMoreCallsRunAtOnceThanTheLimit(t *testing.T) {
	const limit, calls = 3, 60
	var mu sync.Mutex
	running, most := 0, 0
	full := make(chan struct{})
	v := serveHere(t, &Options{Limits: Limits{Concurrency: limit, TimeoutMS: 1 << 30}, began: func(*call) {
		mu.Lock()
		running++
		if most = max(most, running); most == limit {
			select {
			case <-full:
			default:
				close(full)
			}
		}
		mu.Unlock()
		<-full // so that the limit is reached for sure
		mu.Lock()
		running--
		mu.Unlock()
	}})
	go func() {
		for range calls {
			_, _ = io.WriteString(v.in, decideLine("1")+"\n")
		}
	}()
	for range calls {
		v.want("1", `"isError":false`)
	}
	if most != limit {
		t.Errorf("%d calls ran at once", most)
	}
}

func TestAPanicIsAnsweredAndTheNextCallIsServed(t *testing.T) {
	var logged syncBuffer
	log := NewLog(&logged, 0)
	v := serveHere(t, &Options{Limits: Limits{Concurrency: 1}, Logger: log.Logger, began: func(c *call) {
		if string(c.id) == "1" {
			panic("secret of the request")
		}
	}})
	v.send(decideLine("1"))
	v.want("1", `"text":"{\"allowed\":false,\"error\":{\"code\":\"E_INTERNAL\",\"message\":\"Tool execution failed\"}}"`)
	v.send(decideLine("2"))
	v.want("2", `"isError":false`)
	log.Close(time.Minute)
	if text := logged.String(); !strings.Contains(text, `"msg":"panic"`) || !strings.Contains(text, `"at":"example.com/assay/server.TestAPanic`) || strings.Contains(text, "secret") {
		t.Errorf("the log says %s", text)
	}
}

// syncBuffer is a buffer for concurrent use.
type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// A check that is allowed in some hundred thousand steps takes none of them
// once its time is over.
func TestAfterATimeoutNoWorkGoesOn(t *testing.T) {
	root := t.TempDir()
	policy := "schemas:\n  t: {type: object, properties: {list: {type: array, maxItems: 100000, uniqueItems: false, items: {type: integer, not: {const: -1}}}}}\n"
	if err := os.WriteFile(filepath.Join(root, "args.yaml"), []byte(policy), 0o644); err != nil {
		t.Fatal(err)
	}
	arguments := `{"tool":"t","policy":"args.yaml","arguments":{"list":[` + strings.Repeat("1,", 20_000) + `1]}}`
	line := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"assay_check_args","arguments":` + arguments + `}}`
	}
	v := serveRoot(t, root, &Options{Limits: Limits{Concurrency: 1, TimeoutMS: 50}, began: func(c *call) {
		<-c.done // the time is over before the check begins
	}})
	v.send(line("1"))
	v.want("1", `"structuredContent":{"allowed":false,"error":{"code":"E_TIMEOUT","message":"Tool execution timed out"}},"isError":true}`)

	// The same check alone, asked to stop: it ends undecided.
	s, err := New(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := newCall([]byte("1"), "tools/call", 0)
	if payload, isError := s.checkArgs(c, []byte(arguments)); isError {
		t.Fatalf("the check is denied: %+v", payload)
	}
	c.end(timedOut)
	payload, _ := s.checkArgs(c, []byte(arguments))
	if f, ok := payload.(*failurePayload); !ok || f.Error != errBudget {
		t.Errorf("a check that is asked to stop goes on to %+v", payload)
	}
}

func TestATimeoutOfACallThatWaitsForAnothersCompilation(t *testing.T) {
	s, err := New(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	text := []byte("blocklist: [x]\n")
	if err := os.WriteFile(filepath.Join(s.store.root.Name(), "p.yaml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	// Somebody else is at this content, and does not end.
	s.store.loading[digestOf(text)] = &load{done: make(chan struct{})}
	c := newCall([]byte("1"), "tools/call", 0)
	c.end(timedOut)
	if _, err := s.store.policy("p.yaml", c); err == nil {
		t.Error("a call that is asked to stop got a policy from nowhere")
	}
}

func TestAFailureToReadEndsServeWithAnErrorAndAnswersFirst(t *testing.T) {
	s, err := New(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	broken := errors.New("the cable is cut")
	in := io.MultiReader(strings.NewReader(decideLine("1")+"\n"+pingLine("2")+"\n"), iotest.ErrReader(broken))
	var out strings.Builder
	if err := s.Serve(t.Context(), in, &out); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "assay: reading: ") {
		t.Errorf("got %v", err)
	}
	if strings.Count(out.String(), "\n") != 2 {
		t.Errorf("the answers are %s", out.String())
	}
}

func TestServeEndsWhenItIsToldToAndAnswersFirst(t *testing.T) {
	g := newTurnstile()
	v := serveHere(t, &Options{Limits: Limits{Concurrency: 1, TimeoutMS: 1 << 30}, began: g.hold})
	v.send(decideLine("1"), pingLine("2"))
	<-g.arrived
	v.want("2", `"result":{}`)
	v.cancel()
	g.leave <- struct{}{}
	v.want("1", `"isError":false`)
	if err := <-v.ended; err != nil {
		t.Error(err)
	}
	v.ended <- nil
}

// More requests come at once than may be unanswered: those that wait for room
// when reading ends were read, and are answered.
func TestWhatWasReadBeforeTheEndIsAnswered(t *testing.T) {
	const requests = maxInFlight + 50
	s, err := New(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	inR, inW := io.Pipe()
	defer inW.Close()
	out := &gatedWriter{began: make(chan struct{}, 1), open: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, inR, out) }()
	if _, err := io.WriteString(inW, strings.Repeat(pingLine("1")+"\n", requests)); err != nil {
		t.Fatal(err)
	}
	<-out.began
	cancel()
	close(out.open)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := strings.Count(out.String(), "\n"); n != requests {
		t.Errorf("%d answers to %d requests", n, requests)
	}
}

func TestServeStopsCallsThatDoNotEndInTime(t *testing.T) {
	began := make(chan struct{})
	v := serveHere(t, &Options{Limits: Limits{Concurrency: 1, TimeoutMS: 200}, began: func(c *call) {
		began <- struct{}{}
		<-c.done
	}})
	v.send(decideLine("1"))
	<-began
	v.cancel()
	v.want("1", "E_TIMEOUT")
	if err := <-v.ended; err != nil {
		t.Error(err)
	}
	v.ended <- nil
}

func TestServeEndsWithAnErrorWhenItCannotWrite(t *testing.T) {
	root := t.TempDir()
	s, err := New(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	inR, inW := io.Pipe()
	defer inW.Close()
	ended := make(chan error, 1)
	broken := errors.New("broken")
	go func() { ended <- s.Serve(context.Background(), inR, brokenWriter{broken}) }()
	if _, err := io.WriteString(inW, pingLine("1")+"\n"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, broken) {
		t.Errorf("Serve returns %v", err)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

// What a client that never reads meets is tested from outside, by
// TestAClientThatNeverReads.
func TestReadingStopsWhileTooMuchIsUnanswered(t *testing.T) {
	for name, test := range map[string]struct{ size, most int }{
		"256 requests":                     {10, 256},
		"16 MB of them":                    {1_000_000, 16},
		"16 MB, over which the last leads": {999_999, 17},
	} {
		out := &heldWriter{began: make(chan struct{}, 1), release: make(chan struct{})}
		c := newConnection(strings.NewReader(""), out, 1_000_000)
		ping := message{id: []byte("1"), method: []byte("ping")}
		for n := range test.most {
			if isFull(c) {
				t.Fatalf("%s: reading stops after %d", name, n)
			}
			if c.accept(ping, test.size) == nil {
				t.Fatalf("%s: a request is not accepted", name)
			}
		}
		if !isFull(c) {
			t.Errorf("%s: reading goes on", name)
		}
		written := make(chan error)
		go func() { written <- c.finish(c.call(1), appendBytes(7)) }()
		<-out.began
		if !isFull(c) {
			t.Errorf("%s: an answer that is not written yet makes room", name)
		}
		close(out.release)
		if err := <-written; err != nil {
			t.Error(err)
		}
		if isFull(c) {
			t.Errorf("%s: reading does not go on when a request is answered", name)
		}
	}
}

// appendBytes returns an answer of so many bytes.
func appendBytes(n int) func([]byte) []byte {
	return func(out []byte) []byte { return append(out, make([]byte, n)...) }
}

func TestNoCallBeginsWhileAnswersWaitToBeWritten(t *testing.T) {
	began := make(chan *call, 1)
	s, err := New(t.TempDir(), &Options{began: func(c *call) { began <- c }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out := &heldWriter{began: make(chan struct{}, 1), release: make(chan struct{})}
	c := newConnection(strings.NewReader(""), out, 1_000_000)
	ask := message{id: []byte("1"), method: []byte("tools/call"), params: []byte(`{"name":"assay_policy_decide","arguments":{"tool":"ls","policy":"p"}}`)}
	for range 4 {
		c.accept(ask, 100)
	}
	if c.roomForAnswers() != nil {
		t.Fatal("there is no room at the start")
	}
	// An answer counts from when it is made, and is not counted twice.
	c.hold(c.call(1), maxAnswerBytes-1)
	if c.roomForAnswers() != nil {
		t.Error("one byte below the bound there is no room")
	}
	c.hold(c.call(2), 1)
	if c.roomForAnswers() == nil {
		t.Error("an answer that is on its way is not counted")
	}
	written := make(chan error)
	go func() { written <- c.finish(c.call(1), appendBytes(maxAnswerBytes)) }()
	<-out.began

	waiting, stopped := c.call(3), c.call(4)
	stopped.end(cancelled)
	if result := s.run(stopped); !strings.Contains(string(result.payload), codeInternal) {
		t.Errorf("a call that is cancelled while it waits for room gets %s", result.payload)
	}
	ran := make(chan *toolResult)
	go func() { ran <- s.run(waiting) }()
	select {
	case c := <-began:
		t.Errorf("call %d begins while an answer is not written", c.number)
	case out.release <- struct{}{}:
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	if c := <-began; c != waiting {
		t.Errorf("call %d begins", c.number)
	}
	if result := <-ran; !strings.Contains(string(result.payload), codePolicyNotFound) {
		t.Errorf("got %s", result.payload)
	}
	close(out.release)
	for number := int64(2); number <= 4; number++ {
		if err := c.finish(c.call(number), appendBytes(10)); err != nil {
			t.Error(err)
		}
		<-out.began
	}
	if c.made != 0 {
		t.Errorf("%d bytes are counted when all is written", c.made)
	}
}

func TestACancellationAndAPingAreServedWhileAnswersWait(t *testing.T) {
	root := t.TempDir()
	policy := "sequences:\n" + strings.Repeat("- {type: max_calls, tool: a, max: 1}\n", 30)
	if err := os.WriteFile(filepath.Join(root, "p.yaml"), []byte(policy), 0o644); err != nil {
		t.Fatal(err)
	}
	const calls, begin = 30, 6 // each answer has some 700,000 bytes
	line := `,"method":"tools/call","params":{"name":"assay_check_sequence","arguments":{"policy":"p.yaml","next_tool":"a","history":["a"` + strings.Repeat(`,"a"`, 1999) + `]}}}`
	began := make(chan *call, calls)
	v := serveRoot(t, root, &Options{Limits: Limits{TimeoutMS: 1 << 30, Concurrency: 1}, began: func(c *call) { began <- c }})
	for i := range calls {
		v.send(`{"jsonrpc":"2.0","id":` + strconv.Itoa(i) + line)
	}
	for range begin {
		<-began
	}
	for i := range calls {
		v.send(cancelLine(strconv.Itoa(i)))
	}
	v.send(pingLine(`"ping"`), "", "") // an empty line is taken when what stands before it is
	answers := map[string]int{}
	for range calls + 1 {
		if !v.lines.Scan() {
			t.Fatalf("no more answers than %v: %v", answers, v.lines.Err())
		}
		switch line := v.lines.Text(); {
		case strings.HasPrefix(line, `{"jsonrpc":"2.0","id":"ping","result"`):
			answers["pong"]++
		case strings.Contains(line, codeInternal):
			answers["cancelled"]++
		case strings.Count(line, ",1999,") == 2*30 && strings.HasSuffix(line, `"isError":true}}`):
			answers["complete"]++
		default:
			t.Errorf("got %.300s", line)
		}
	}
	if answers["pong"] != 1 || answers["complete"] < begin-1 || answers["complete"] > begin+2 || answers["cancelled"]+answers["complete"] != calls {
		t.Errorf("the answers are %v", answers)
	}
}

func isFull(c *connection) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.isFull()
}

// heldWriter writes when it is told to.
type heldWriter struct{ began, release chan struct{} }

func (w *heldWriter) Write(p []byte) (int, error) {
	w.began <- struct{}{}
	<-w.release
	return len(p), nil
}
