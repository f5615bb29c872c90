package policydoc

import (
	"fmt"
	"strings"
	"testing"
)

func TestPlacesAreThoseOfKeysAndItems(t *testing.T) {
	var large strings.Builder
	for i := range 100 {
		fmt.Fprintf(&large, ", k%d: {v: %d}", i, i)
	}
	text := "a:\n  b/c: [x,  y]\n  '': 1\n  d: &d {e: f}\n  g: *d\nh: {i: 1" + large.String() + "}\n"
	root, err := Parse([]byte(text), limit)
	if err != nil {
		t.Fatal(err)
	}
	places := NewPlaces(root)
	for pointer, want := range map[string]string{
		"":              "1:1",
		"/a":            "1:1",
		"/a/b~1c":       "2:3",
		"/a/b~1c/1":     "2:14",
		"/a/":           "3:3",
		"/a/d/e":        "4:10",
		"/a/g":          "5:3",
		"/a/g/e":        "4:10", // an alias has nothing of its own inside
		"/h/i":          "6:5",
		"/h/k0/v":       "6:16",
		"/none":         "1:1",
		"/a/none/x":     "1:1",
		"/a/b~1c/2":     "2:3",
		"/a/b~1c/01":    "2:3",
		"/a/b~1c/1/x/y": "2:14",
		"/h/none":       "6:1",
		"/h/k1~2":       "6:1",
	} {
		line, column := places.Of(pointer)
		if got := fmt.Sprintf("%d:%d", line, column); got != want {
			t.Errorf("the place of %q is %s, want %s", pointer, got, want)
		}
	}
}

// FuzzPlaces holds Of to Lookup: a value that one finds, the other places.
func FuzzPlaces(f *testing.F) {
	f.Add("a: [x, {b: 1}]\n", "/a/1/b")
	f.Add(manyKeys(40), "/k17")
	f.Fuzz(func(t *testing.T, text, pointer string) {
		root, err := Parse([]byte(text), limit)
		if err != nil || pointer != "" && pointer[0] != '/' {
			t.Skip()
		}
		line, column := NewPlaces(root).Of(pointer)
		slash := strings.LastIndexByte(pointer, '/')
		if slash < 0 {
			return
		}
		holder := root.Lookup(pointer[:slash])
		if n := root.Lookup(pointer); n != nil && holder.Kind == List && (line != n.Line || column != n.Column) {
			t.Errorf("the item %q is at %d:%d, placed at %d:%d", pointer, n.Line, n.Column, line, column)
		}
		if holder == nil || holder.Kind != Map {
			return
		}
		for _, m := range holder.Members {
			if holder.Lookup(pointer[slash:]) == m.Value && m.Value != nil && line == m.Line && column == m.Column {
				return
			}
		}
		if holder.Lookup(pointer[slash:]) != nil {
			t.Errorf("%q is placed at %d:%d, where none of its keys stands", pointer, line, column)
		}
	})
}
