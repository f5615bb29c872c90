package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzPath reads policies by any path: what is read stands below the root, and
// what is refused tells nothing of where the root is.
func FuzzPath(f *testing.F) {
	const inside, outside = "blocklist: [inside]\n", "blocklist: [outside]\n"
	dir := f.TempDir()
	root := filepath.Join(dir, "root")
	for path, text := range map[string]string{
		"root/p.yaml": inside, "root/sub/p.yaml": inside, "out/p.yaml": outside, "p.yaml": outside,
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"in": "sub", "out": "../out", "abs": filepath.Join(dir, "out"), "loop": "loop", "up": "..", "sub/back": "../p.yaml", "sub/far": "../../p.yaml",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			f.Fatal(err)
		}
	}
	limits := Limits{}.orDefault()
	s, err := openStore(root, &limits, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.close() })

	for _, path := range []string{
		"p.yaml", "./p.yaml", "sub/../p.yaml", "in/p.yaml", "in/back", "in/far", "in/../../p.yaml", "out/p.yaml", "abs/p.yaml", "up/p.yaml", "up/root/p.yaml",
		"loop", "loop/x", "../p.yaml", "../root/p.yaml", "/etc/passwd", "sub", "sub/", "p.yaml/", "p.yaml/x", "", ".", "..", "//p.yaml",
		"p.yaml\x00", "\xff", "sub\\p.yaml", "C:p.yaml", "nul", strings.Repeat("a/", 3000), strings.Repeat("a", 300), "sub/./././p.yaml", root + "/p.yaml",
	} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		var text []byte
		failed := s.read(path, &text)
		switch {
		case failed == nil && string(text) != inside:
			t.Fatalf("%q read %q", path, text)
		case failed == nil:
			return
		case !strings.Contains(path, dir) && strings.Contains(failed.Message, dir):
			t.Fatalf("%q: the message tells where the root is: %s", path, failed.Message)
		}
		switch failed.Code {
		case codePolicyNotFound, codePolicyRead, codePermissionDenied:
		default:
			t.Fatalf("%q: code %s", path, failed.Code)
		}
	})
}
