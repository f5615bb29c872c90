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
		"/a/b~1c/1":     "2:13",
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
		"/a/b~1c/1/x/y": "2:13",
		"/h/none":       "6:1",
		"/h/k1~2":       "6:1",
		"/a/~2":         "1:1", // no pointer, and so not to the empty key
	} {
		line, column := places.Of(pointer)
		if got := fmt.Sprintf("%d:%d", line, column); got != want {
			t.Errorf("the place of %q is %s, want %s", pointer, got, want)
		}
	}
}
