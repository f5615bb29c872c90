package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Reading stops while this many requests, or requests of this many bytes, are
// unanswered. A request is answered when its response has been written, so a
// client that never reads cannot make memory grow.
const (
	maxInFlight      = 256
	maxInFlightBytes = 16_000_000
)

// No tool call begins while answers of so many bytes wait to be written: an
// answer may be a thousand times as long as its request. Reading goes on
// meanwhile, so that cancellations and pings are served.
const maxAnswerBytes = 4_000_000

// callMethod is the name under which a tools/call reaches the SDK. The SDK
// decodes the params of its own tools/call twice, into 80 KB each time, and
// rewrites what it reads; params of a method of ours are looked up by
// [connection.lookup], as they came.
const callMethod = "assay/call"

// connection is a [mcp.Connection] over a pair of streams: one JSON-RPC message
// a line. It hands the SDK only well-formed requests of methods that the server
// has, under ids of its own, and writes their answers under the ids that the
// client sent.
//
// It is safe for concurrent use; Read is for one goroutine.
type connection struct {
	lines *lineReader
	out   io.Writer
	max   int           // bytes of a message
	ended chan struct{} // closed when nothing more will be read or written

	mu       sync.Mutex
	changed  *sync.Cond // inFlight went down, or one of the flags below changed
	calls    map[int64]*call
	extras   map[*mcp.RequestExtra]*call
	last     int64  // number of the last call
	inFlight tally  // read and not yet written out
	ready    []byte // answers that wait to be written
	spare    []byte
	answered tally         // the requests that they answer
	made     int           // bytes of answers that are made and not yet written out
	room     chan struct{} // closed when made is small enough again; nil when it is
	flushing bool
	draining bool  // nothing more is read
	atRead   bool  // every line that was read is taken in, or will never be
	failure  error // of writing
	unread   error // of reading
	over     bool  // ended is closed
}

// tally counts requests and the bytes of their lines.
type tally struct{ requests, bytes int }

func newConnection(in io.Reader, out io.Writer, maxMessage int) *connection {
	c := &connection{
		out:    out,
		max:    maxMessage,
		ended:  make(chan struct{}),
		calls:  make(map[int64]*call),
		extras: make(map[*mcp.RequestExtra]*call),
	}
	c.lines = newLineReader(in, maxMessage, c)
	c.changed = sync.NewCond(&c.mu)
	return c
}

// Connect makes a connection its own [mcp.Transport]; it is used once.
func (c *connection) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID is empty: over stdio a process is the session.
func (c *connection) SessionID() string { return "" }

// Read returns the next request for the SDK. It answers by itself what no
// method of the server should see. At the end of the stream it waits until
// every request it handed over has been answered, because the SDK drops the
// answers that come after io.EOF.
func (c *connection) Read(context.Context) (jsonrpc.Message, error) {
	for {
		if !c.awaitRoom() {
			return nil, io.EOF
		}
		line, long, err := c.lines.next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			} else {
				err = fmt.Errorf("assay: reading: %w", err)
			}
			c.finishReading(err)
			return nil, io.EOF
		}
		if long != nil {
			c.refuseLong(long)
			continue
		}
		msg, ok := parseMessage(line)
		if !ok {
			continue
		}
		if msg.id == nil {
			if string(msg.method) == "notifications/cancelled" {
				c.cancel(msg.params)
			}
			continue
		}
		if request := c.accept(msg, len(line)); request != nil {
			return request, nil
		}
	}
}

// accept takes a request in. It returns nil when the request is answered
// already, or no longer taken.
func (c *connection) accept(msg message, size int) *jsonrpc.Request {
	call := newCall(msg.id, string(msg.method), size)
	call.request.Method = call.method
	switch call.method {
	case "initialize", "ping", "server/discover", "tools/list":
		if msg.params != nil {
			call.request.Params = append([]byte(nil), msg.params...)
		}
	case "tools/call":
		if msg.params == nil || isNull(msg.params) {
			c.reply(call, invalidParams)
			return nil
		}
		call.params = parseToolParams(append([]byte(nil), msg.params...))
		call.request.Method = callMethod
		if meta := call.params.meta.value; meta != nil {
			call.request.Params = append(append([]byte(`{"_meta":`), meta...), '}')
		}
	default:
		c.reply(call, methodNotFound)
		return nil
	}
	if !c.register(call) {
		return nil
	}
	// The SDK compares ids by value, and a float64 holds every number below 2^53.
	call.request.ID, _ = jsonrpc.MakeID(float64(call.number))
	call.request.Extra = &call.extra
	return &call.request
}

// reply answers a request that the SDK does not see.
func (c *connection) reply(call *call, answer *jsonrpc.Error) {
	if c.register(call) {
		c.finishUnblocked(call, func(out []byte) []byte { return appendError(out, call.id, answer) })
	}
}

// refuseLong answers a request whose line was over the message limit.
func (c *connection) refuseLong(long *scan) {
	id, ok := long.id()
	method, found := long.method()
	if !ok || !found {
		return
	}
	call := newCall(id, string(method), 0)
	if call.method != "tools/call" {
		c.reply(call, invalidRequest)
		return
	}
	if c.register(call) {
		result := failureResult(exceeded("message over %d bytes", c.max))
		c.finishUnblocked(call, func(out []byte) []byte { return appendToolResult(out, call.id, result) })
	}
}

// register counts a request in. It is false when it can no longer be answered.
func (c *connection) register(call *call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.last++
	call.number = c.last
	call.conn = c
	c.calls[call.number] = call
	c.extras[&call.extra] = call
	c.inFlight.requests++
	c.inFlight.bytes += call.size
	return true
}

// lookup returns the call that came with extra.
func (c *connection) lookup(extra *mcp.RequestExtra) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.extras[extra]
}

// call returns the unanswered call of a number.
func (c *connection) call(number int64) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[number]
}

// cancel stops the live request that a notification names by the client's own
// id; the oldest one that is not stopped yet, if several share it.
func (c *connection) cancel(params []byte) {
	m, ok := membersOf(params, maxDepth)
	if !ok {
		return
	}
	var id once
	for m.next() {
		if string(m.name()) == "requestId" {
			id.set(m.value)
		}
	}
	if id.again || !isID(id.value) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var oldest *call
	for _, call := range c.calls {
		if call.stopped() == running && sameID(call.id, id.value) && (oldest == nil || call.number < oldest.number) {
			oldest = call
		}
	}
	if oldest != nil {
		oldest.end(cancelled)
	}
}

// Write answers a request. The server sends nothing else.
func (c *connection) Write(_ context.Context, msg jsonrpc.Message) error {
	response, ok := msg.(*jsonrpc.Response)
	if !ok {
		return nil
	}
	number, _ := response.ID.Raw().(int64)
	call := c.call(number)
	if call == nil {
		return nil
	}
	return c.finish(call, func(out []byte) []byte {
		switch {
		case response.Error == nil && call.answer != nil:
			return appendToolResult(out, call.id, call.answer)
		case response.Error == nil:
			return appendResult(out, call.id, response.Result)
		}
		answer := errorFor(call.method, response.Error)
		if call.method == "tools/call" && answer.Code == jsonrpc.CodeInternalError {
			return appendToolResult(out, call.id, failureResult(errInternal))
		}
		return appendError(out, call.id, answer)
	})
}

// finish puts the answer to a call, which answer appends, among those to be
// written.
func (c *connection) finish(call *call, answer func(out []byte) []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue(call, answer)
	c.flush()
	return c.failure
}

// finishUnblocked is finish for the goroutine that reads: a client that does
// not read must not keep its cancellations from being read.
func (c *connection) finishUnblocked(call *call, answer func(out []byte) []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue(call, answer)
	if !c.flushing {
		go func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.flush()
		}()
	}
}

func (c *connection) enqueue(call *call, answer func(out []byte) []byte) {
	delete(c.calls, call.number)
	delete(c.extras, &call.extra)
	before := len(c.ready)
	c.ready = answer(c.ready)
	c.made += len(c.ready) - before - call.made
	call.made, call.answer = 0, nil
	c.answered.requests++
	c.answered.bytes += call.size
}

// hold counts an answer that is made and on its way to enqueue.
func (c *connection) hold(call *call, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	call.made = bytes
	c.made += bytes
}

// roomForAnswers returns nil while the answers that wait to be written leave
// room for more, or else what is closed when they do.
func (c *connection) roomForAnswers() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made < maxAnswerBytes {
		return nil
	}
	if c.room == nil {
		c.room = make(chan struct{})
	}
	return c.room
}

// flush writes what is ready, unless somebody does already: whoever writes goes
// on until nothing is ready, so that answers that come meanwhile go out
// together. It is called with mu held, which it gives up while it writes.
func (c *connection) flush() {
	if c.flushing {
		return
	}
	c.flushing = true
	for len(c.ready) > 0 && c.failure == nil {
		batch, answered := c.ready, c.answered
		c.ready, c.answered = c.spare[:0], tally{}
		c.mu.Unlock()
		_, err := c.out.Write(batch)
		c.mu.Lock()
		if c.spare = batch; cap(batch) > chunk {
			c.spare = nil
		}
		c.inFlight.requests -= answered.requests
		c.inFlight.bytes -= answered.bytes
		c.made -= len(batch)
		if c.room != nil && c.made < maxAnswerBytes {
			close(c.room)
			c.room = nil
		}
		if err != nil {
			c.failure = fmt.Errorf("assay: writing: %w", err)
			for _, call := range c.calls {
				call.end(cancelled)
			}
		}
		c.settle()
	}
	c.flushing = false
}

// settle tells those who wait that something changed. It is called with mu
// held.
func (c *connection) settle() {
	if !c.over && (c.failure != nil || c.draining && c.atRead && c.inFlight.requests == 0) {
		c.over = true
		close(c.ended)
	}
	c.changed.Broadcast()
}

// awaitRoom waits until another request may be taken in. False means that none
// can be answered any more.
func (c *connection) awaitRoom() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.over && c.isFull() {
		c.changed.Wait()
	}
	return !c.over
}

// finishReading waits until everything that was read is answered. err is why
// nothing more can be read, or nil at the end.
func (c *connection) finishReading(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.draining, c.atRead, c.unread = true, true, err
	c.settle()
	for !c.over {
		c.changed.Wait()
	}
}

func (c *connection) beforeRead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.atRead = true
	c.settle()
	return !c.draining
}

func (c *connection) afterRead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	// What comes after the end of reading is not taken in.
	c.atRead = c.draining
	return !c.draining
}

// isFull reports whether too much is unanswered to read more. It is called with
// mu held.
func (c *connection) isFull() bool {
	return c.inFlight.requests >= maxInFlight || c.inFlight.bytes >= maxInFlightBytes
}

// drain ends reading; the connection ends when everything that was read is
// answered.
func (c *connection) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.draining = true
	c.settle()
}

// stop asks the work of every unanswered call to stop.
func (c *connection) stop(reason stopReason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range c.calls {
		call.end(reason)
	}
}

// unanswered returns how many requests were read and not answered.
func (c *connection) unanswered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inFlight.requests
}

// err returns why writing or reading failed, or nil.
func (c *connection) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return c.failure
	}
	return c.unread
}

// Close does nothing: the streams are not the connection's, and the SDK calls
// it when there is nothing more to read or write.
func (c *connection) Close() error { return nil }
