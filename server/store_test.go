package server

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"example.com/assay/assay"
)

func storeOver(t *testing.T, limits Limits) (*store, func(name, text string)) {
	t.Helper()
	dir := t.TempDir()
	limits = limits.orDefault()
	s, err := openStore(dir, &limits, nil)
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
	for _, path := range []string{"..", "../x", "/x", "a/../../x"} {
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
