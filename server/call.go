package server

import (
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/internal/stop"
)

// call is one request on its way from its line to its answer.
type call struct {
	number int64  // counts the requests of a connection, from 1; the id that the SDK sees
	id     []byte // as the caller wrote it
	size   int    // bytes of its line
	method string

	params toolParams       // of a tools/call
	conn   *connection      // takes the answer; nil when nothing does
	made   int              // bytes of the answer that conn counts; guarded by its mu
	extra  mcp.RequestExtra // its address is how middleware finds the call again

	finished chan struct{} // one value when a worker has set result, or did not begin
	result   *toolResult   // nil when it did not
	answer   *toolResult   // the result as it is sent; see toolResult.MarshalJSON

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

func newCall(id []byte, method string, size int) *call {
	return &call{
		id:       append([]byte(nil), id...),
		method:   method,
		size:     size,
		finished: make(chan struct{}, 1),
		done:     make(chan struct{}),
	}
}
