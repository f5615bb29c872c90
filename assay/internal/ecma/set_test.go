package ecma

import (
	"fmt"
	"slices"
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

func TestBuildingTakesABoundedAmountOfWork(t *testing.T) {
	for _, pattern := range []string{`\p{L}%d`, `[ab]*a[ab]{9}%d`, `a{300}b?%d`, `^\p{L}+%d`, `(?:\p{L}\p{N}?){9}%d`, `(a)\1x%d`} {
		set := NewSet(0)
		total, last := 0, 0
		for i := range 3000 {
			re, err := set.Compile(fmt.Sprintf(pattern, i))
			if err != nil {
				t.Fatal(err)
			}
			if last = re.Prepare(); last < 1 {
				t.Fatalf("%s: a machine is built in %d steps", re, last)
			}
			total += last
			if again := re.Prepare(); again != 0 {
				t.Fatalf("%s: the machine is there, and takes %d steps", re, again)
			}
		}
		if total > 1_000_000 {
			t.Errorf("%s: %d patterns take %d steps", pattern, 3000, total)
		}
		if last > 200 {
			t.Errorf("%s: when all is used up a pattern takes %d steps", pattern, last)
		}
		if work := set.work.Load(); work > maxAutomata+2*maxWork {
			t.Errorf("%s: automata take %d", pattern, work)
		}
	}
}

// What a pattern runs on is decided once, so that Linear does not change.
func TestAMachineThatIsBuiltAgainIsOfItsKind(t *testing.T) {
	set := NewSet(1) // room for one machine
	var all []*Regexp
	for _, pattern := range []string{`^a+$`, `a|b+c`, `[ab]*a[ab]{30}c`, `\p{L}é`, `(?:[ab]?a?){300}a[ab]{300}c`, `(a)\1`} {
		re, err := set.Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, re)
	}
	var kinds []kind
	for _, re := range all {
		re.Prepare()
		kinds = append(kinds, re.kind)
	}
	set.takeWork(maxAutomata)
	set.takeRoom(maxRoom)
	for i, re := range all {
		if re.Prepare() == 0 && i < len(all)-1 {
			t.Errorf("%s: the machine was not given up", re)
		}
		if re.kind != kinds[i] || re.built.Load().kind != kinds[i] {
			t.Errorf("%s: kind %d, then %d", re, kinds[i], re.kind)
		}
	}
	want := []kind{byShape, byAutomaton, byRE2, byRE2, bySize, byBacktrack}
	if !slices.Equal(kinds, want) {
		t.Errorf("kinds %d, want %d", kinds, want)
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
