package server

import (
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
)

// logLines is how many log lines wait for a slow reader before lines are
// dropped.
const logLines = 1024

// logWriter hands whole lines to a writer that may block, and never blocks
// itself: lines that find no room are dropped, counted, and the count is
// written as soon as there is room again.
type logWriter struct {
	lines chan []byte
	done  chan struct{} // closed when the last line is written

	mu      sync.Mutex
	dropped int
	closed  bool
}

func newLogWriter(out io.Writer) *logWriter {
	w := &logWriter{lines: make(chan []byte, logLines), done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for line := range w.lines {
			w.reportDropped(out)
			// There is nobody to tell that the log cannot be written.
			_, _ = out.Write(line)
		}
		w.reportDropped(out)
	}()
	return w
}

// Write takes one line. It never blocks and never fails.
func (w *logWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return len(line), nil
	}
	select {
	case w.lines <- append([]byte(nil), line...):
	default:
		w.dropped++
	}
	return len(line), nil
}

// reportDropped writes how many lines were dropped since it last did.
func (w *logWriter) reportDropped(out io.Writer) {
	w.mu.Lock()
	n := w.dropped
	w.dropped = 0
	w.mu.Unlock()
	if n > 0 {
		fmt.Fprintf(out, "{\"time\":%q,\"level\":\"WARN\",\"msg\":\"log lines dropped\",\"count\":%d}\n",
			time.Now().Format(time.RFC3339Nano), n)
	}
}

// Close waits for the lines to be written, but no longer than patience.
func (w *logWriter) Close(patience time.Duration) {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.lines)
	}
	w.mu.Unlock()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-w.done:
	case <-timer.C:
	}
}

// Log writes JSON lines to a writer that may block. Logging never waits for it:
// lines that find no room are dropped, and how many is logged later.
type Log struct {
	*slog.Logger
	out *logWriter
}

// NewLog returns a log of lines of at least level. Close it after use.
func NewLog(out io.Writer, level slog.Level) *Log {
	w := newLogWriter(out)
	return &Log{Logger: slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})), out: w}
}

// Close writes what waits, for as long as patience at most.
func (l *Log) Close(patience time.Duration) { l.out.Close(patience) }
