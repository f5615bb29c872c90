// Package server is the MCP shell around package assay: it answers over stdio
// whether a policy allows a tool call.
//
// One process is one session: JSON-RPC messages, one a line, on a pair of
// streams. The official Go SDK speaks the protocol; this package gives it a
// connection that keeps ids, bounds and answers as they should be, the tools,
// and the policies on disk.
package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/assay"
)

// Options are what a server may be told. Nil means the defaults.
type Options struct {
	// Limits bound the work; zero fields mean their defaults.
	Limits Limits

	// SuggestFixes offers arguments that would pass with a denial of
	// assay_check_args.
	SuggestFixes bool

	// Version is what the server says it is. Default: the build's own.
	Version string

	// Logger takes what the server has to say beside its answers: sizes, codes
	// and durations, never arguments. It must not block. Default: nothing is
	// logged.
	Logger *slog.Logger

	// began is called at the start of each tool call, on the worker that runs
	// it. Tests panic or wait in it.
	began func(*call)
}

// Server answers from the policies below one directory. It is safe for
// concurrent use.
type Server struct {
	limits  Limits
	version string
	log     *slog.Logger
	store   *store
	queue   chan *call // to the workers, which are as many as calls may run at once
	closed  chan struct{}
	began   func(*call)
}

// New opens the policy root dir, which must be a directory, and returns a
// server over it. Close it after use.
func New(dir string, opts *Options) (*Server, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	s := &Server{
		limits:  o.Limits.orDefault(),
		version: o.Version,
		log:     o.Logger,
		began:   o.began,
	}
	if s.version == "" {
		s.version = Version()
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.queue, s.closed = make(chan *call), make(chan struct{})
	var err error
	s.store, err = openStore(dir, &s.limits, &assay.Options{
		MaxPolicyBytes: s.limits.PolicyBytes,
		SuggestFixes:   o.SuggestFixes,
	}, s.log)
	if err != nil {
		// The operator knows the path; where this is logged, nobody else should.
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, fmt.Errorf("assay: opening the policy root: %w", err)
	}
	// No more calls than that are in flight.
	for range min(s.limits.Concurrency, maxInFlight) {
		go s.work()
	}
	return s, nil
}

// Close closes the policy root and ends the workers. It is called once, when
// nothing is served any more.
func (s *Server) Close() error {
	close(s.closed)
	return s.store.close()
}

// Version returns the version of the build, or devel when it has none.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// Serve answers the requests on in until its end, and returns when every one
// of them is answered on out. When ctx is done it reads no more, and returns
// when all that it read is answered, or shortly before the time limit of a call
// has passed, whichever is first. A failure to write ends it at once, with an
// error; one to read ends it with an error as soon as what was read before is
// answered.
//
// A Read of in that blocks is left behind when ctx is done.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	conn := newConnection(in, out, s.limits.MessageBytes)
	sdk := mcp.NewServer(&mcp.Implementation{Name: "assay-mcp-server", Version: s.version}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	session := &session{server: s, conn: conn}
	if err := mcp.AddReceivingCustomMethod(sdk, callMethod, session.call); err != nil {
		return fmt.Errorf("assay: %w", err)
	}
	sdk.AddReceivingMiddleware(session.receive)
	// The tools keep no state of a session, so that calls before initialize
	// are answered: to the SDK the session is initialized from the start.
	state := &mcp.ServerSessionState{
		InitializeParams:  &mcp.InitializeParams{ProtocolVersion: newestHandshake()},
		InitializedParams: &mcp.InitializedParams{},
	}
	if _, err := sdk.Connect(context.WithoutCancel(ctx), conn, &mcp.ServerSessionOptions{State: state}); err != nil {
		return fmt.Errorf("assay: %w", err)
	}
	s.log.Info("serving", "version", s.version)
	select {
	case <-conn.ended:
	case <-ctx.Done():
		conn.drain()
		s.awaitDrained(conn)
	}
	err := conn.err()
	s.log.Info("served", "unanswered", conn.unanswered(), "failed", err != nil)
	return err
}

// awaitDrained waits until a connection that drains has ended, within the time
// limit of a call. Work that is not done after three quarters of it is stopped,
// so that it is answered too; the last eighth is left for the end of the
// process.
func (s *Server) awaitDrained(conn *connection) {
	timer := time.NewTimer(s.limits.timeout() * 3 / 4)
	defer timer.Stop()
	select {
	case <-conn.ended:
		return
	case <-timer.C:
	}
	conn.stop(timedOut)
	timer.Reset(s.limits.timeout() / 8)
	select {
	case <-conn.ended:
	case <-timer.C:
		conn.stop(cancelled)
	}
}

// session is what the SDK calls.
type session struct {
	server *Server
	conn   *connection
}

// receive is the middleware around every method.
func (s *session) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.server.log.Error("panic", "method", method, "at", panicSite())
				result, err = nil, internalError
			}
		}()
		switch method {
		case "initialize":
			params, ok := request.GetParams().(*mcp.InitializeParams)
			if !ok {
				return nil, invalidParams
			}
			return s.server.initialize(params), nil
		case "tools/list":
			return s.server.list(request), nil
		case callMethod:
			ctx = context.WithValue(ctx, callKey{}, s.conn.lookup(request.GetExtra()))
		}
		return next(ctx, method, request)
	}
}

type callKey struct{}

// callParams are all that the SDK sees of a call's params.
type callParams struct{ mcp.ParamsBase }

// call answers a tools/call.
func (s *session) call(ctx context.Context, _ *mcp.ServerSession, params *callParams) (*toolResult, error) {
	c, _ := ctx.Value(callKey{}).(*call)
	if c == nil {
		return nil, internalError
	}
	result := s.server.run(c)
	result.complete = params != nil && isStateless(params.Meta)
	c.answer = result
	return result, nil
}

// initialize answers the handshake, each one alike: the SDK answers one only.
func (s *Server) initialize(params *mcp.InitializeParams) *mcp.InitializeResult {
	version := params.ProtocolVersion
	if !isHandshake(version) {
		version = newestHandshake()
	}
	return &mcp.InitializeResult{
		ProtocolVersion: version,
		Capabilities:    &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		ServerInfo:      &mcp.Implementation{Name: "assay-mcp-server", Version: s.version},
	}
}

func (s *Server) list(request mcp.Request) *toolList {
	l := &toolList{Tools: published()}
	if params, ok := request.GetParams().(*mcp.ListToolsParams); ok && params != nil && isStateless(params.Meta) {
		l.ResultType = "complete"
	}
	return l
}

// firstStateless is the first protocol revision without a handshake.
const firstStateless = "2026-07-28"

// isHandshake reports whether a protocol revision is one that the SDK supports
// and that initialize negotiates.
func isHandshake(version string) bool {
	for _, v := range mcp.SupportedProtocolVersions() {
		if v == version && v < firstStateless {
			return true
		}
	}
	return false
}

// newestHandshake returns the newest protocol revision that initialize
// negotiates.
func newestHandshake() string {
	for _, v := range mcp.SupportedProtocolVersions() {
		if v < firstStateless {
			return v
		}
	}
	return ""
}

// isStateless reports whether a request's metadata says that it follows a
// revision without a handshake.
func isStateless(meta mcp.Meta) bool {
	version, _ := meta[mcp.MetaKeyProtocolVersion].(string)
	return version >= firstStateless
}

// run answers a tools/call when a worker is free and there is room for the
// answer, or when it is asked to stop before.
func (s *Server) run(c *call) *toolResult {
	for {
		if room := c.conn.roomForAnswers(); room != nil {
			select {
			case <-room:
				continue
			case <-c.done:
				return stoppedResult(c)
			}
		}
		select {
		case s.queue <- c:
			if <-c.finished; c.result != nil {
				return c.result
			}
		case <-c.done:
			return stoppedResult(c)
		case <-s.closed:
			return failureResult(errInternal)
		}
	}
}

// work is a worker: it runs one call at a time. That the workers live on, and
// not one goroutine for each call, spares every call the growing of a stack.
func (s *Server) work() {
	var dog watchdog
	for {
		select {
		case c := <-s.queue:
			// The room may be gone since the call began to wait for its turn. It
			// waits again where it holds up no calls of other connections.
			if c.conn.roomForAnswers() == nil {
				result := s.answer(c, &dog)
				// An answer holds its payload twice.
				c.conn.hold(c, 2*len(result.payload))
				c.result = result
			}
			c.finished <- struct{}{}
		case <-s.closed:
			return
		}
	}
}

// answer answers a tools/call whatever happens.
func (s *Server) answer(c *call, dog *watchdog) (result *toolResult) {
	debug := s.log.Enabled(context.Background(), slog.LevelDebug)
	var start time.Time
	if debug {
		start = time.Now()
	}
	name := ""
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", "request", c.number, "tool", name, "at", panicSite())
			result = failureResult(errInternal)
		}
		if debug {
			s.log.Debug("answered", "request", c.number, "tool", name, "bytes", c.size,
				"duration", time.Since(start), "denied", result.isError)
		}
	}()
	t := toolOf(&c.params)
	if t == nil {
		return failureResult(errInternal)
	}
	name = t.name
	dog.watch(c, s.limits.timeout())
	defer dog.rest()
	if s.began != nil {
		s.began(c)
	}
	payload, isError := t.run(s, c, c.params.arguments.value)
	if c.stopped() != running {
		return stoppedResult(c)
	}
	return newResult(payload, isError)
}

// panicSite returns the function and line that panicked, for the deferred
// function that recovers. The panic's value may hold something of the request,
// so it is not logged.
func panicSite() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for panicked := false; ; {
		frame, more := frames.Next()
		inRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if panicked && !inRuntime {
			return frame.Function + ":" + strconv.Itoa(frame.Line)
		}
		panicked = panicked || frame.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}

// toolOf returns the tool that params name, or nil when they are not those of a
// call.
func toolOf(params *toolParams) *tool {
	name := params.name.value
	if params.malformed || params.name.again || !isString(name) || !isObject(params.arguments.value) {
		return nil
	}
	return toolNamed(unquoted(name))
}

// stoppedResult is the answer to a call that was asked to stop.
func stoppedResult(c *call) *toolResult {
	if c.stopped() == timedOut {
		return failureResult(errTimeout)
	}
	return failureResult(errInternal)
}
