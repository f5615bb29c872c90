package server

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// gatedWriter writes nothing until it is told to.
type gatedWriter struct {
	began chan struct{}
	open  chan struct{}
	syncBuffer
}

func (w *gatedWriter) Write(p []byte) (int, error) {
	select {
	case w.began <- struct{}{}:
	default:
	}
	<-w.open
	return w.syncBuffer.Write(p)
}

func TestLogLinesThatFindNoRoomAreDroppedAndCounted(t *testing.T) {
	out := &gatedWriter{began: make(chan struct{}, 1), open: make(chan struct{})}
	log := NewLog(out, slog.LevelInfo)
	log.Info("first")
	<-out.began // the writer is at the first line now, and blocks
	const more = 50
	for i := range logLines + more {
		log.Info("line", "number", i)
	}
	close(out.open)
	log.Close(time.Minute)
	text := out.String()
	lines, counted := 0, 0
	for line := range strings.Lines(text) {
		var entry struct {
			Msg   string
			Count int
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if entry.Msg == "log lines dropped" {
			counted += entry.Count
		} else {
			lines++
		}
	}
	if lines != 1+logLines || counted != more {
		t.Errorf("%d lines are written and %d counted as dropped, of %d", lines, counted, 1+logLines+more)
	}
	log.Info("after the end") // is nothing
	if out.String() != text {
		t.Error("a line is written after Close")
	}
}

func TestCloseDoesNotWaitForABlockedLog(t *testing.T) {
	out := &gatedWriter{began: make(chan struct{}, 1), open: make(chan struct{})}
	log := NewLog(out, slog.LevelInfo)
	log.Info("first")
	log.Close(0)
	close(out.open)
}

func TestTheLogLevel(t *testing.T) {
	var out syncBuffer
	log := NewLog(&out, slog.LevelWarn)
	log.Info("no")
	log.Warn("yes")
	log.Close(time.Minute)
	if text := out.String(); strings.Contains(text, `"no"`) || !strings.Contains(text, `"yes"`) {
		t.Errorf("the log is %s", text)
	}
}
