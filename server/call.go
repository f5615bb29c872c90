package server

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/internal/stop"
)

// call is one request on its way from its line to its answer.
type call struct {
	number int64  // counts the requests of a connection, from 1; the id that the SDK sees
	id     []byte // as the caller wrote it
	size   int    // bytes of its line
	method string

	params  toolParams       // of a tools/call
	request jsonrpc.Request  // what the SDK gets
	conn    *connection      // takes the answer; nil when nothing does
	made    int              // bytes of the answer that conn counts; guarded by its mu
	extra   mcp.RequestExtra // its address is how middleware finds the call again

	finished chan struct{} // one value when a worker has set result, or did not begin
	result   *toolResult   // nil when it did not
	answer   *toolResult   // the result as it is sent; nil until there is one

	stop   stop.Flag     // read by the work: it is to end
	done   chan struct{} // closed when stop is set
	once   sync.Once
	reason atomic.Uint32 // why: a stopReason
}

type stopReason uint32

const (
	running stopReason = iota
	cancelled
	timedOut
)

// end asks the call's work to stop. The first reason counts.
func (c *call) end(reason stopReason) {
	c.once.Do(func() {
		c.reason.Store(uint32(reason))
		c.stop.Set()
		close(c.done)
	})
}

// stopped says why the work was asked to stop, or running.
func (c *call) stopped() stopReason { return stopReason(c.reason.Load()) }

// watchdog stops the calls of one worker, one at a time, that run too long.
type watchdog struct {
	timer   *time.Timer
	watched *atomic.Pointer[call]
}

// watch stops c after limit, unless rest is called before.
func (w *watchdog) watch(c *call, limit time.Duration) {
	if w.timer == nil {
		watched := new(atomic.Pointer[call])
		w.watched = watched
		w.watched.Store(c)
		w.timer = time.AfterFunc(limit, func() { watched.Load().end(timedOut) })
		return
	}
	w.watched.Store(c)
	w.timer.Reset(limit)
}

// rest ends the watch.
func (w *watchdog) rest() {
	if !w.timer.Stop() {
		// The function has begun, and may be about to look which call to stop. It
		// is to find no later one.
		w.timer = nil
	}
}

func newCall(id []byte, method string, size int) *call {
	return &call{
		id:       append([]byte(nil), id...),
		method:   method,
		size:     size,
		finished: make(chan struct{}, 1),
		done:     make(chan struct{}),
	}
}
