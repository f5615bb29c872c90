package policydoc

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"example.com/assay/assay/internal/strictjson"
)

// FuzzParse looks for a text that makes Parse panic, that it refuses without
// saying why, or whose value changes on the way through JSON or Values.
func FuzzParse(f *testing.F) {
	for _, tt := range yamlTexts {
		f.Add([]byte(tt.text))
	}
	for _, text := range []string{
		`{"a": [1, "\ud83d\ude00", null, true, 1e400], "b": {"\u0061": -0}}`,
		"a: &a [*a]\n", laughs(9), "\ufeff{}", "a: .nan\n<<: b\n1: c\n", "a: \"\\ud83d\"", "\xff\xfea\x00",
		"a:\r\n  - |\r\n    b\r\n  - c: 0x1F\r\n",
	} {
		f.Add([]byte(text))
	}
	if names, err := filepath.Glob("../../../../shared/corpus/yaml.jsonl"); err == nil && len(names) == 1 {
		data, err := os.ReadFile(names[0])
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var group struct{ Files map[string]any }
			if json.Unmarshal([]byte(line), &group) == nil {
				for _, text := range group.Files {
					if s, ok := text.(string); ok {
						f.Add([]byte(s))
					}
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const limit = 10_000
		n, err := Parse(data, limit)
		if err != nil {
			var e *Error
			if n != nil || !errors.As(err, &e) {
				t.Fatalf("%v, %v", n, err)
			}
			if e.Kind == 0 || len(e.Problems) == 0 || len(e.Problems) > maxProblems {
				t.Fatalf("%+v", e)
			}
			for _, p := range e.Problems {
				if p.Message == "" || (p.Line > 0) != (p.Column > 0) || p.Line < 0 || p.Column < 0 {
					t.Fatalf("%+v", p)
				}
			}
			return
		}
		if n.Kind != List && n.Kind != Map {
			t.Fatalf("root of kind %d", n.Kind)
		}
		// A value left out at the end of the text may stand on the line behind it.
		lines := 2 + strings.Count(string(data), "\n") + strings.Count(string(data), "\r")
		checkNode(t, n, lines, 0)
		value := n.Value()
		if once := new(Values).Of(n); !reflect.DeepEqual(once, value) {
			t.Fatalf("%v became %v", value, once)
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(encoded, 100*limit)
		if err != nil {
			t.Fatalf("%s: %v", encoded, err)
		}
		if !reflect.DeepEqual(again.Value(), value) {
			t.Fatalf("%v became %v", value, again.Value())
		}
	})
}

// checkNode checks what Node promises.
func checkNode(t *testing.T, n *Node, lines, depth int) {
	if depth > strictjson.MaxDepth+1 {
		t.Fatal("too deep")
	}
	if n.Line < 1 || n.Line > lines || n.Column < 1 {
		t.Fatalf("a node at %d:%d of %d lines", n.Line, n.Column, lines)
	}
	if n.Kind == Number {
		if _, ok := strictjson.ParseNumber(n.Text); !ok {
			t.Fatalf("number %q", n.Text)
		}
	}
	for _, item := range n.Items {
		checkNode(t, item, lines, depth+1)
	}
	keys := map[string]bool{}
	for _, m := range n.Members {
		if keys[m.Key] {
			t.Fatalf("key %q twice", m.Key)
		}
		keys[m.Key] = true
		if m.Line < 1 || m.Line > lines || m.Column < 1 {
			t.Fatalf("a key at %d:%d of %d lines", m.Line, m.Column, lines)
		}
		checkNode(t, m.Value, lines, depth+1)
	}
}
