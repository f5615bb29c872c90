package blocklist_test

import (
	"fmt"
	"testing"

	"example.com/assay/assay/blocklist"
)

func TestAListHoldsWholeNamesOnly(t *testing.T) {
	list := blocklist.Compile([]string{"rm", "rm", "fs.*", "*", "Über", ""})
	for name, want := range map[string]bool{
		"rm": true, "fs.*": true, "*": true, "Über": true, "": true,
		"r": false, "rm ": false, " rm": false, "RM": false, "fs.read": false, "U\u0308ber": false, "rm\x00": false,
	} {
		if got := list.Contains(name); got != want {
			t.Errorf("Contains(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestAListWithoutNamesHoldsNothing(t *testing.T) {
	for name, list := range map[string]*blocklist.List{
		"nil list": nil, "zero list": {}, "no names": blocklist.Compile(nil), "empty names": blocklist.Compile([]string{}),
	} {
		if list.Contains("rm") || list.Contains("") {
			t.Errorf("%s holds a name", name)
		}
	}
}

func TestAListKeepsNothingOfTheSliceItWasMadeFrom(t *testing.T) {
	names := []string{"rm"}
	list := blocklist.Compile(names)
	names[0] = "ls"
	if !list.Contains("rm") || list.Contains("ls") {
		t.Error("a change of the slice changed the list")
	}
}

func TestContainsAllocatesNothing(t *testing.T) {
	list := blocklist.Compile([]string{"rm"})
	if n := testing.AllocsPerRun(100, func() { list.Contains("rm"); list.Contains("ls") }); n != 0 {
		t.Errorf("Contains allocates %v times", n)
	}
}

func BenchmarkContains(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		names := numbered(n)
		list := blocklist.Compile(names)
		b.Run(fmt.Sprintf("hit/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if !list.Contains(names[i%n]) {
					b.Fatal("a name is missing")
				}
			}
		})
		b.Run(fmt.Sprintf("miss/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if list.Contains("read_the_weather") {
					b.Fatal("a name is there that should not be")
				}
			}
		})
	}
}

// BenchmarkMap is the plain map that BenchmarkContains is measured against.
func BenchmarkMap(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		names := numbered(n)
		plain := make(map[string]struct{}, n)
		for _, name := range names {
			plain[name] = struct{}{}
		}
		b.Run(fmt.Sprintf("hit/%d", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, found := plain[names[i%n]]; !found {
					b.Fatal("a name is missing")
				}
			}
		})
		b.Run(fmt.Sprintf("miss/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, found := plain["read_the_weather"]; found {
					b.Fatal("a name is there that should not be")
				}
			}
		})
	}
}

func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("blocked_tool_%06d", i)
	}
	return names
}
