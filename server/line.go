package server

import (
	"bytes"
	"io"
)

// chunk is how much is read at once, and how much is kept between long lines.
const chunk = 64 << 10

// lineReader cuts a stream into lines of bounded length.
type lineReader struct {
	in         io.Reader
	max        int // the longest line, without its newline
	gate       gate
	buf        []byte
	start, end int // what is read and not yet handed out
	err        error
}

// gate is told of every read, and may end the stream there: what was read
// before is handed out, what comes after is not.
type gate interface {
	beforeRead() (goOn bool)
	afterRead() (goOn bool)
}

func newLineReader(in io.Reader, max int, gate gate) *lineReader {
	return &lineReader{in: in, max: max, gate: gate, buf: make([]byte, chunk)}
}

// next returns the next line without its newline; it is valid until the
// following call. A line that is longer than the limit is thrown away while it
// is read, and what a scan found in it is returned instead. At the end of the
// stream a last line without a newline is a line too. The error is that of the
// reader, io.EOF at the end.
func (l *lineReader) next() (line []byte, long *scan, err error) {
	searched := l.start
	for {
		if i := bytes.IndexByte(l.buf[searched:l.end], '\n'); i >= 0 {
			line, l.start = l.buf[l.start:searched+i], searched+i+1
			if len(line) > l.max {
				long = new(scan)
				long.feed(line)
				return nil, long, nil
			}
			return line, nil, nil
		}
		searched = l.end
		if l.end-l.start > l.max {
			return l.discard()
		}
		if l.err != nil {
			if l.start == l.end {
				return nil, nil, l.err
			}
			line, l.start = l.buf[l.start:l.end], l.end
			return line, nil, nil
		}
		searched -= l.start
		l.fill()
		searched += l.start
	}
}

// fill reads once into free space behind what is kept. It moves what is kept
// to the front, and grows the buffer only when that fills it.
func (l *lineReader) fill() {
	kept := l.buf[l.start:l.end]
	switch {
	case len(kept) == len(l.buf):
		// One byte over the limit is enough to know that a line is over it.
		size := min(2*len(l.buf), max(l.max+1, chunk))
		l.buf = append(make([]byte, 0, size), kept...)[:size]
	case len(kept) == 0 && len(l.buf) > chunk:
		l.buf = make([]byte, chunk)
	case l.start > 0:
		copy(l.buf, kept)
	}
	l.start, l.end = 0, len(kept)
	// A reader may return nothing and no error a few times.
	for range 100 {
		if !l.gate.beforeRead() {
			l.err = io.EOF
			return
		}
		n, err := l.in.Read(l.buf[l.end:])
		if !l.gate.afterRead() {
			l.err = io.EOF
			return
		}
		l.end += n
		if err != nil {
			l.err = err
		}
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}

// discard reads up to the next newline in constant memory.
func (l *lineReader) discard() (line []byte, long *scan, err error) {
	long = new(scan)
	for {
		if i := bytes.IndexByte(l.buf[l.start:l.end], '\n'); i >= 0 {
			long.feed(l.buf[l.start : l.start+i])
			l.start += i + 1
			return nil, long, nil
		}
		long.feed(l.buf[l.start:l.end])
		l.start = l.end
		if l.err != nil {
			return nil, long, nil
		}
		l.fill()
	}
}
