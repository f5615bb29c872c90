package server

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"example.com/assay/assay"
)

func storeOver(t *testing.T, limits Limits) (*store, func(name, text string)) {
	t.Helper()
	dir := t.TempDir()
	limits = limits.orDefault()
	s, err := openStore(dir, &limits, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.close() })
	return s, func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPoliciesAreKeptByContent(t *testing.T) {
	s, write := storeOver(t, Limits{})
	load := func(name string) *assay.Policy {
		t.Helper()
		p, err := s.policy(name, newCall(nil, "", 0))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	write("a.yaml", "blocklist: [a]\n")
	write("b.yaml", "blocklist: [a]\n")
	first := load("a.yaml")
	if load("a.yaml") != first || load("b.yaml") != first {
		t.Error("the same content is compiled again")
	}
	write("a.yaml", "blocklist: [b]\n")
	if load("a.yaml") == first {
		t.Error("other content of the same length is not compiled")
	}
	write("a.yaml", "blocklist: [a]\n")
	if load("a.yaml") != first {
		t.Error("content that came back is compiled again")
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	for name, test := range map[string]struct {
		limits Limits
		most   int
	}{
		"by entries":              {Limits{CacheEntries: 3}, 3},
		"by bytes":                {Limits{CacheBytes: 50_000}, 50_000/4096 + 1},
		"a policy that is larger": {Limits{CacheBytes: 10}, 0},
	} {
		s, write := storeOver(t, test.limits)
		for i := range 50 {
			write("p.yaml", fmt.Sprintf("blocklist: [tool_%d]\n", i))
			if _, err := s.policy("p.yaml", newCall(nil, "", 0)); err != nil {
				t.Fatal(err)
			}
			if len(s.kept) != s.recent.Len() || len(s.kept) > test.most || s.bytes > s.limits.CacheBytes {
				t.Fatalf("%s: %d entries of %d bytes are kept", name, len(s.kept), s.bytes)
			}
		}
		if test.most > 0 && len(s.kept) == 0 {
			t.Errorf("%s: nothing is kept", name)
		}
	}
}

func TestTheCacheDropsTheLeastRecentlyUsed(t *testing.T) {
	s, write := storeOver(t, Limits{CacheEntries: 2})
	load := func(text string) {
		t.Helper()
		write("p.yaml", text)
		if _, err := s.policy("p.yaml", newCall(nil, "", 0)); err != nil {
			t.Fatal(err)
		}
	}
	a, b, c := "blocklist: [a]\n", "blocklist: [b]\n", "blocklist: [c]\n"
	load(a)
	load(b)
	load(a)
	load(c)
	if s.kept[digestOf([]byte(a))] == nil || s.kept[digestOf([]byte(b))] != nil || s.kept[digestOf([]byte(c))] == nil {
		t.Error("another one than the least recently used is dropped")
	}
}

func TestTheLastPolicyOverTheCacheIsKept(t *testing.T) {
	s, write := storeOver(t, Limits{CacheBytes: 10})
	compiled := 0
	s.parse = func(text []byte, options *assay.Options) (*assay.Policy, error) {
		compiled++
		return assay.Parse(text, options)
	}
	for _, step := range []struct {
		text     string
		compiled int
	}{
		{"blocklist: [a]\n", 1}, {"blocklist: [a]\n", 1}, {"blocklist: [b]\n", 2}, {"blocklist: [b]\n", 2}, {"blocklist: [a]\n", 3},
	} {
		write("p.yaml", step.text)
		if _, err := s.policy("p.yaml", newCall(nil, "", 0)); err != nil {
			t.Fatal(err)
		}
		if compiled != step.compiled {
			t.Errorf("%q: %d compilations, want %d", step.text, compiled, step.compiled)
		}
	}
}

// A call that is stopped leaves at once; what it waited for goes on without it,
// once for a content and within the bound, and is kept.
func TestACallThatIsStoppedLeavesTheCompilationBehind(t *testing.T) {
	s, write := storeOver(t, Limits{Concurrency: 2})
	running, goOn := make(chan string, 10), make(chan struct{})
	s.parse = func(text []byte, options *assay.Options) (*assay.Policy, error) {
		running <- string(text)
		<-goOn
		return assay.Parse(text, options)
	}
	texts := map[string]string{"a.yaml": "blocklist: [a]\n", "b.yaml": "blocklist: [b]\n", "c.yaml": "blocklist: [c]\n"}
	for name, text := range texts {
		write(name, text)
	}
	leave := func(name string, compiles bool) {
		t.Helper()
		c, left := newCall(nil, "", 0), make(chan error)
		go func() {
			_, err := s.policy(name, c)
			left <- err
		}()
		if compiles {
			if text := <-running; text != texts[name] {
				t.Errorf("%q is compiled for %s", text, name)
			}
		}
		c.end(timedOut)
		if err := <-left; err != errInternal {
			t.Errorf("%s: left with %v", name, err)
		}
	}
	leave("a.yaml", true)
	leave("a.yaml", false) // the same content
	leave("b.yaml", true)
	leave("c.yaml", false) // both slots are taken
	close(goOn)
	for name := range texts {
		if p, err := s.policy(name, newCall(nil, "", 0)); err != nil || p == nil {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	if len(running) != 1 || len(s.kept) != 3 || len(s.loading) != 0 || len(s.slots) != 0 {
		t.Errorf("%d more compilations, %d policies kept, %d loading, %d slots taken", len(running), len(s.kept), len(s.loading), len(s.slots))
	}
}

func TestAPanicOfACompilationIsAFailure(t *testing.T) {
	s, write := storeOver(t, Limits{Concurrency: 1})
	write("p.yaml", "blocklist: [a]\n")
	s.parse = func([]byte, *assay.Options) (*assay.Policy, error) { panic("secret") }
	for range 3 {
		if p, err := s.policy("p.yaml", newCall(nil, "", 0)); p != nil || err != errInternal {
			t.Fatalf("got %v, %v", p, err)
		}
	}
	s.parse = assay.Parse
	if p, err := s.policy("p.yaml", newCall(nil, "", 0)); p == nil || err != nil {
		t.Errorf("got %v, %v", p, err)
	}
}

// awaitTick waits until the clock of the file system has moved on since the file
// changed: a change in the same tick does not show.
func awaitTick(t *testing.T, s *store, name string) {
	t.Helper()
	changed := func(name string) int64 {
		f, err := s.root.open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.close()
		l, err := f.look()
		if err != nil {
			t.Fatal(err)
		}
		return l.changed
	}
	last := changed(name)
	for {
		if err := s.root.WriteFile("tick", nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if changed("tick") > last {
			return
		}
		if err := s.root.Remove("tick"); err != nil {
			t.Fatal(err)
		}
	}
}

// The file is changed between the two looks at it.
func TestAFileThatChangesWhileItIsRead(t *testing.T) {
	for name, test := range map[string]struct {
		renames, writes int // of the first attempts
		want            *failure
	}{
		"replaced once":                 {renames: 1},
		"replaced twice":                {renames: 2},
		"replaced at each attempt":      {renames: 3, want: errChanged},
		"written once":                  {writes: 1},
		"written at each attempt":       {writes: 3, want: errChanged},
		"never changed":                 {},
		"replaced once, then written":   {renames: 1, writes: 2},
		"replaced once, written always": {renames: 1, writes: 3, want: errChanged},
	} {
		s, write := storeOver(t, Limits{})
		write("p.yaml", "version ")
		attempt, current := 0, "version "
		s.reading = func() {
			attempt++
			next := "version " + strings.Repeat("x", attempt)
			switch {
			case attempt <= test.renames:
				write("next.yaml", next)
				awaitTick(t, s, "p.yaml")
				if err := s.root.Rename("next.yaml", "p.yaml"); err != nil {
					t.Fatal(err)
				}
			case attempt <= test.writes:
				write("p.yaml", next)
			default:
				return
			}
			current = next
		}
		var text []byte
		err := s.read("p.yaml", &text)
		if err != test.want || err == nil && string(text) != current {
			t.Errorf("%s: read %q and %v, want %q and %v", name, text, err, current, test.want)
		}
		if attempt > readAttempts {
			t.Errorf("%s: %d attempts", name, attempt)
		}
	}
}

func TestAPolicyThatDoesNotParseIsNotKept(t *testing.T) {
	s, write := storeOver(t, Limits{})
	write("p.yaml", "blocklists: [a]\n")
	for range 2 {
		if p, err := s.policy("p.yaml", newCall(nil, "", 0)); err == nil || p != nil {
			t.Fatalf("got %v, %v", p, err)
		}
	}
	if len(s.kept) != 0 || len(s.loading) != 0 {
		t.Errorf("%d entries are kept, %d are loading", len(s.kept), len(s.loading))
	}
}

func TestOneContentIsCompiledByOneCallAtATime(t *testing.T) {
	s, write := storeOver(t, Limits{})
	write("p.yaml", "blocklist: [a]\n")
	var group sync.WaitGroup
	policies := make([]*assay.Policy, 50)
	for i := range policies {
		group.Go(func() { policies[i], _ = s.policy("p.yaml", newCall(nil, "", 0)) })
	}
	group.Wait()
	for _, p := range policies {
		if p == nil || p != policies[0] {
			t.Fatal("the content was compiled more than once")
		}
	}
}

// os.Root does not export its error for a path that leads out.
func TestTheErrorOfAPathThatLeadsOutIsKnown(t *testing.T) {
	s, write := storeOver(t, Limits{})
	write("p.yaml", "")
	for _, path := range []string{"..", "../x", "/x", "a/../../x", "p.yaml/../../x", "\x00/../../x"} {
		_, err := s.root.Open(path)
		if got := s.classify(path, err); got != errEscapes {
			t.Errorf("%s: %v is taken for %s", path, err, got.Code)
		}
	}
	for _, path := range []string{"x", "p.yaml/x", "\x00"} {
		_, err := s.root.Open(path)
		if got := s.classify(path, err); got == errEscapes {
			t.Errorf("%q: %v is taken for a path that leads out", path, err)
		}
	}
}
