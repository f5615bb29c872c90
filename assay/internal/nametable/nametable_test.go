package nametable

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestATableFindsWhatAMapFinds asks for names of every length up to a few more
// than a key holds, which differ in one byte or in length from those of the table.
func TestATableFindsWhatAMapFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	name := func() string {
		b := make([]byte, r.IntN(21))
		for i := range b {
			b[i] = "ab\x00"[r.IntN(3)]
		}
		return string(b)
	}
	for range 200 {
		all := map[string]int32{}
		for range 1 + r.IntN(60) {
			all[name()] = int32(len(all) + 1)
		}
		table := Make(all)
		ask := func(name string) {
			if got := table.Lookup(name); got != all[name] {
				t.Fatalf("%q is number %d, want %d", name, got, all[name])
			}
		}
		for known := range all {
			ask(known)
			ask(known + "a")
			ask(known + "\x00")
			for i := range len(known) {
				ask(known[:i])
				ask(known[:i] + "c" + known[i+1:])
			}
		}
		for range 200 {
			ask(name())
		}
		ask(strings.Repeat("a", 100))
	}
}

func TestNamesThatFallTogetherAreFound(t *testing.T) {
	all := map[string]int32{}
	for i := range 200 {
		// Only the bytes between the ends differ.
		all["prefix--"+strings.Repeat("x", i)+"y"+strings.Repeat("x", 200-i)+"--suffix"] = int32(i + 1)
	}
	table := Make(all)
	if table.slots != nil {
		t.Error("200 names of one key are kept in the table")
	}
	for name, number := range all {
		if got := table.Lookup(name); got != number {
			t.Errorf("number %d, want %d", got, number)
		}
	}
}

func TestManyNamesAreFound(t *testing.T) {
	all := map[string]int32{}
	for i := range maxNames + 1 {
		all["tool"+strings.Repeat("x", i%7)+string(rune('a'+i%26))+strings.Repeat("y", i/26)] = int32(i + 1)
	}
	table := Make(all)
	if table.slots != nil {
		t.Error("so many names are kept in slots")
	}
	for name, number := range all {
		if got := table.Lookup(name); got != number {
			t.Errorf("number %d, want %d", got, number)
		}
	}
	var none Table
	if table.Lookup("other") != 0 || none.Lookup("other") != 0 || none.Lookup("") != 0 {
		t.Error("a name that is not there is found")
	}
}
