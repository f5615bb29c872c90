package server

import (
	"container/list"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"

	"example.com/assay/assay"
)

// store holds the policies below one directory. Each use reads the file, so
// that a changed policy is in force for the next call; what is kept between
// uses is compiled policies by their content. It is safe for concurrent use.
type store struct {
	root    *rootDir
	escapes error // what os.Root says of a path that leads out
	limits  *Limits
	options *assay.Options
	log     *slog.Logger
	slots   chan struct{} // one is taken by each compilation that runs
	texts   sync.Pool     // of *[]byte: space for what is read

	mu      sync.Mutex
	kept    map[digest]*list.Element // of *entry
	recent  *list.List               // the most recently used first
	bytes   int
	large   entry // the last one that is over the cache's bytes by itself
	loading map[digest]*load

	// What tests put something else in the place of.
	parse   func([]byte, *assay.Options) (*assay.Policy, error)
	reading func() // is called between the two looks at a file
}

type digest [sha256.Size]byte

func digestOf(text []byte) digest { return sha256.Sum256(text) }

// entry is a compiled policy that is kept.
type entry struct {
	digest digest
	policy *assay.Policy
	bytes  int
}

// load is a compilation that runs, and that calls may wait for.
type load struct {
	done   chan struct{}
	policy *assay.Policy
	err    error
}

// openStore opens dir, once: no later rename or symlink leads out of it.
func openStore(dir string, limits *Limits, options *assay.Options, log *slog.Logger) (*store, error) {
	root, err := openRootDir(dir)
	if err != nil {
		return nil, err
	}
	// The error is not exported, so ask for one.
	_, err = root.Stat("..")
	var path *fs.PathError
	if !errors.As(err, &path) {
		_ = root.Close()
		return nil, errors.New("assay: the policy root does not confine its paths")
	}
	return &store{
		root:    root,
		escapes: path.Err,
		limits:  limits,
		options: options,
		log:     log,
		slots:   make(chan struct{}, min(limits.Concurrency, maxInFlight)),
		kept:    make(map[digest]*list.Element),
		recent:  list.New(),
		loading: make(map[digest]*load),
		texts:   sync.Pool{New: func() any { return new([]byte) }},
		parse:   assay.Parse,
		reading: func() {},
	}, nil
}

func (s *store) close() error { return s.root.Close() }

// policy returns the compiled policy at path, as its file is now. The error is
// a *failure for a file that cannot be read and a *assay.PolicyError for one
// that is no policy.
//
// A call that is asked to stop waits for no compilation. The compilation itself
// cannot be stopped: it goes on without the call, and its policy is kept for
// the next one. One content is compiled once at a time, and no more contents at
// once than calls, those without a call included.
func (s *store) policy(path string, c *call) (*assay.Policy, error) {
	text := s.texts.Get().(*[]byte)
	if failure := s.read(path, text); failure != nil {
		s.texts.Put(text)
		return nil, failure
	}
	// The options are the same for every policy of a store, so the content
	// alone is the key.
	sum := digestOf(*text)
	for {
		policy, running := s.find(sum)
		if policy != nil {
			s.texts.Put(text)
			return policy, nil
		}
		if running == nil {
			select {
			case s.slots <- struct{}{}:
			case <-c.done:
				return nil, errInternal
			}
			if running = s.begin(sum, *text); running == nil {
				continue
			}
		}
		select {
		case <-running.done:
			return running.policy, running.err
		case <-c.done:
			return nil, errInternal
		}
	}
}

// find returns the policy of a content where it is kept, or else the load that
// is at it, or neither.
func (s *store) find(sum digest) (*assay.Policy, *load) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if element, ok := s.kept[sum]; ok {
		s.recent.MoveToFront(element)
		return element.Value.(*entry).policy, nil
	}
	if s.large.policy != nil && s.large.digest == sum {
		return s.large.policy, nil
	}
	return nil, s.loading[sum]
}

// begin compiles a content beside the caller, who holds a slot for it. It
// returns nil, and gives the slot back, where another caller was faster.
func (s *store) begin(sum digest, text []byte) *load {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, kept := s.kept[sum]
	if kept || s.large.policy != nil && s.large.digest == sum || s.loading[sum] != nil {
		<-s.slots
		return nil
	}
	l := &load{done: make(chan struct{})}
	s.loading[sum] = l
	go s.compile(sum, text, l)
	return l
}

// compile fills in a load. Only a policy is kept, never an error.
func (s *store) compile(sum digest, text []byte, l *load) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic", "at", panicSite())
			l.policy, l.err = nil, errInternal
		}
		s.mu.Lock()
		delete(s.loading, sum)
		if l.err == nil {
			s.keep(&entry{digest: sum, policy: l.policy, bytes: l.policy.Size()})
		}
		s.mu.Unlock()
		<-s.slots
		close(l.done)
	}()
	l.policy, l.err = s.parse(text, s.options)
}

// keep adds an entry and drops the least recently used ones beyond the limits.
// One that is over them by itself has a place of its own, so that it is not
// compiled at each call. It is called with mu held.
func (s *store) keep(e *entry) {
	if e.bytes > s.limits.CacheBytes {
		s.large = *e
		return
	}
	s.kept[e.digest] = s.recent.PushFront(e)
	s.bytes += e.bytes
	for s.recent.Len() > s.limits.CacheEntries || s.bytes > s.limits.CacheBytes {
		last := s.recent.Remove(s.recent.Back()).(*entry)
		delete(s.kept, last.digest)
		s.bytes -= last.bytes
	}
}

// readAttempts is how often a file that changes is read. One that is replaced
// by a rename changes while it is read too, because it loses a link: the next
// attempt opens the file that replaced it.
const readAttempts = 3

// look is what the system says of an open file. Two looks at one file are equal
// while nothing says that it was written between them.
type look struct {
	regular  bool
	size     int64
	modified int64 // nanoseconds since 1970
	changed  int64 // of the inode, which a writer cannot set back
}

// read puts the content of the file at path, as it is now, into text, whose
// space it uses again.
func (s *store) read(path string, text *[]byte) (err *failure) {
	for range readAttempts {
		if err = s.readOnce(path, text); err != errChanged {
			break
		}
	}
	return err
}

func (s *store) readOnce(path string, text *[]byte) *failure {
	file, err := s.root.open(path)
	if err != nil {
		return s.classify(path, err)
	}
	defer file.close()
	before, err := file.look()
	if err != nil {
		return errUnreadable
	}
	if !before.regular {
		return errNotRegular
	}
	if before.size > int64(s.limits.PolicyBytes) {
		return exceeded("policy file is larger than %d bytes", s.limits.PolicyBytes)
	}
	// One byte of room more than the file has shows whether it grew.
	size := int(before.size)
	*text = slices.Grow((*text)[:0], size+1)
	n, room := 0, (*text)[:size+1]
	for n < size {
		more, err := file.Read(room[n:])
		if n += more; err == io.EOF {
			break
		} else if err != nil {
			return errUnreadable
		}
	}
	s.reading()
	after, err := file.look()
	if err != nil {
		return errUnreadable
	}
	if n != size || before != after {
		return errChanged
	}
	*text = room[:n]
	return nil
}

// classify says what an error of opening path means to the caller. It is the
// one place that knows the errors of the file system.
func (s *store) classify(path string, err error) *failure {
	switch {
	case errors.Is(err, s.escapes), !filepath.IsLocal(path):
		// A path that climbs out is refused as one also where what it climbs
		// from does not exist, is no directory or cannot be opened at all.
		return errEscapes
	case errors.Is(err, fs.ErrNotExist):
		return notFound(path)
	}
	return errUnreadable
}
