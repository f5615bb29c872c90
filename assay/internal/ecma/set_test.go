package ecma

import (
	"fmt"
	"sync"
	"testing"
)

func TestCompilingBuildsNoMachine(t *testing.T) {
	set := NewSet(1 << 20)
	for i := range 100 {
		re, err := set.Compile(fmt.Sprintf(`a{50}[\p{L}]{1,50}%d`, i))
		if err != nil {
			t.Fatal(err)
		}
		if re.built.Load() != nil {
			t.Fatal("a machine was built before anything was matched")
		}
	}
	if size := set.Size(); size != 0 {
		t.Errorf("the set takes %d bytes for machines, and none was built", size)
	}
}

func TestEqualPatternsOfASetAreOne(t *testing.T) {
	set := NewSet(1 << 20)
	a, _ := set.Compile("^a+$")
	b, _ := set.Compile("^a+$")
	if a == nil || a != b {
		t.Errorf("%p and %p", a, b)
	}
}

func TestTheMachinesOfASetStayWithinItsLimit(t *testing.T) {
	const limit = 200_000
	set := NewSet(limit)
	var all []*Regexp
	for i := range 40 {
		re, err := set.Compile(fmt.Sprintf(`a{20}[\p{L}]{1,5}%dx`, i))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, re)
	}
	const head = "aaaaaaaaaaaaaaaaaaaa"
	for range 2 { // the second time the first machines are built again
		for i, re := range all {
			for text, want := range map[string]bool{fmt.Sprintf("%sé%dx", head, i): true, fmt.Sprintf("%s%dx", head, i): false} {
				if got, err := re.MatchString(text, nil); got != want || err != nil {
					t.Fatalf("%s on %q: %v, %v", re, text, got, err)
				}
			}
			if size := set.Size(); size == 0 || size > limit {
				t.Fatalf("after %d patterns the machines take %d bytes of %d", i+1, size, limit)
			}
		}
	}
	built := 0
	for _, re := range all {
		if re.built.Load() != nil {
			built++
		}
	}
	if built == 0 || built == len(all) {
		t.Errorf("%d of %d machines are there", built, len(all))
	}
}

func TestASetIsSafeForConcurrentUse(t *testing.T) {
	set := NewSet(50_000)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 60 {
				re, err := set.Compile(fmt.Sprintf(`(?:b|[\p{Lu}]{1,3})%dx`, i%20))
				if err != nil {
					t.Error(err)
					return
				}
				if ok, err := re.MatchString(fmt.Sprintf("É%dx", i%20), nil); !ok || err != nil {
					t.Errorf("%s: %v, %v", re, ok, err)
				}
			}
		})
	}
	group.Wait()
}

func TestAPatternThatCannotBeBuiltIsNoAnswer(t *testing.T) {
	// Compile refuses it, so that only a fault of this package leads here.
	re := &Regexp{pattern: "(", set: NewSet(0)}
	if re.Linear() {
		t.Error("it is said to be linear")
	}
	if _, err := re.MatchString("a", nil); err != ErrBound {
		t.Errorf("error %v", err)
	}
	if _, err := re.Match([]byte("a"), nil); err != ErrBound {
		t.Errorf("error %v", err)
	}
}

func BenchmarkCompileManyPatterns(b *testing.B) {
	for range b.N {
		set := NewSet(1 << 24)
		for i := range 1000 {
			if _, err := set.Compile(fmt.Sprintf(`a{50}[\p{L}]{1,50}%d`, i)); err != nil {
				b.Fatal(err)
			}
		}
	}
}
