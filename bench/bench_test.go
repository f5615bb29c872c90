package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/assay"
)

func TestEveryContestantAnswersRight(t *testing.T) {
	for _, r := range decisionRows() {
		t.Run(r.name, func(t *testing.T) {
			if testing.Short() && strings.Contains(r.name, "100,000") {
				t.Skip("takes seconds to set up")
			}
			contestants, err := r.make()
			if err != nil {
				t.Fatal(err)
			}
			if contestants[0].name != nameAssay {
				t.Errorf("the first contestant is %s; the reach is judged by the first", contestants[0].name)
			}
			if err := assert(r.name, contestants); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEveryProgramAnswersRight(t *testing.T) {
	if testing.Short() {
		t.Skip("builds five programs")
	}
	p, err := buildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	defer p.remove()
	if _, err := measureStarts(p, 1); err != nil {
		t.Error(err)
	}
	for _, traffic := range p.traffics() {
		for _, inFlight := range []int{1, 64} {
			if _, err := talk(traffic, inFlight); err != nil {
				t.Errorf("%s, %d in flight: %v", traffic.name, inFlight, err)
			}
		}
	}
}

// The small schema by hand is worth comparing with as long as it decides what
// the library decides, hostile texts included.
func TestSmallSchemaByHandDecidesAsTheLibrary(t *testing.T) {
	policy, err := schemaPolicy("apply_discount", discountSchema)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		`{"percent": 15}`:                      true,
		`{"percent":0}`:                        true,
		` { "percent" : 30 } `:                 true,
		`{"percent": 30.0}`:                    true,
		`{"percent": 0.5}`:                     true,
		`{"\u0070ercent": 15}`:                 true,
		`{"percent": -0}`:                      true,
		`{"percent": 31}`:                      false,
		`{"percent": 30.00000000000000000001}`: false,
		`{"percent": -1}`:                      false,
		`{"percent": 015}`:                     false,
		`{"percent": "15"}`:                    false,
		`{"percent": null}`:                    false,
		`{"percent": 15, "percent": 90}`:       false,
		`{"percent": 15, "force": true}`:       false,
		`{"percent": 15} {}`:                   false,
		`{"percent": 15`:                       false,
		`{"percent" 15}`:                       false,
		`{"Percent": 15}`:                      false,
		"{\"percent\": 15, \"\xff\": 1}":       false,
		`{}`:                                   false,
		``:                                     false,
		`[]`:                                   false,
		`15`:                                   false,
	} {
		if got := handDecision("apply_discount", []byte(text)); got != want {
			t.Errorf("by hand, %q: %t, want %t", text, got, want)
		}
		call := assay.Call{Tool: "apply_discount", Arguments: []byte(text)}
		if got := assay.CheckArgs(policy, call).Allowed; got != want {
			t.Errorf("assay, %q: %t, want %t", text, got, want)
		}
	}
}

func TestPatternsByHandDecideAsTheLibrary(t *testing.T) {
	const n = 1_000
	decide, err := assayPatterns(n)
	if err != nil {
		t.Fatal(err)
	}
	hand := newHandPatterns(n)
	exact, prefix, suffix, infix := patternsOf(n)
	random := rand.New(rand.NewPCG(1, 2))
	denied := 0
	for range 5_000 {
		i, j := random.IntN(n/4), random.IntN(n/4)
		parts := []string{exact[i], prefix[i], suffix[j], infix[j], "x", "_", verbs[i%10], "é"}
		name := parts[random.IntN(len(parts))] + parts[random.IntN(len(parts))]
		if random.IntN(4) == 0 {
			name = exact[i]
		}
		want := decide(name)
		if got := hand.allowed(name); got != want {
			t.Fatalf("%q: by hand %t, assay %t", name, got, want)
		}
		if !want {
			denied++
		}
	}
	if denied == 0 || denied == 5_000 {
		t.Errorf("%d of 5,000 names are denied: the names show nothing", denied)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0},
		{[]float64{3}, 3},
		{[]float64{9, 1, 5}, 5},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := median(c.values); got != c.want {
			t.Errorf("median(%v) = %v, want %v", c.values, got, c.want)
		}
	}
}

func TestReachIsMissedByTimeRatioOrMemory(t *testing.T) {
	for _, c := range []struct {
		reach             reach
		ns, ratio, allocs float64
		want              bool
	}{
		{reach{}, 1e9, 1e9, 1e9, true},
		{reach{ratio: 2}, 100, 2, 5, true},
		{reach{ratio: 2}, 100, 2.1, 0, false},
		{reach{ns: 50}, 51, 0, 0, false},
		{reach{ns: 50, allocs: true}, 50, 0, 1, false},
		{reach{ns: 50, allocs: true}, 50, 0, 0, true},
	} {
		if got := c.reach.met(c.ns, c.ratio, c.allocs); got != c.want {
			t.Errorf("%+v with %v ns, %vx, %v allocations: %t", c.reach, c.ns, c.ratio, c.allocs, got)
		}
	}
}

func TestRunRefusesAWrongCommandLine(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-only", "("}, {"-nonsense"}, {"word"}} {
		if code := run(args, io.Discard, io.Discard); code != 2 {
			t.Errorf("run(%q) = %d, want 2", args, code)
		}
	}
}

func TestATableHasARowForEachContestant(t *testing.T) {
	rows := rowNamed(t, "name among 10 blocked")
	r := newReport(1)
	var err error
	if r.Decisions, err = measureRows(rows, regexp.MustCompile(""), 1, io.Discard); err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := r.print(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{nameAssay, nameHand, nameOPA, nameCEL, nameSanthosh, nameCedar, nameCasbin, "name among 10 blocked"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("the table lacks %s:\n%s", want, table.String())
		}
	}
}

// rowNamed returns the one row of that name.
func rowNamed(t *testing.T, name string) []row {
	t.Helper()
	for _, r := range decisionRows() {
		if r.name == name {
			return []row{r}
		}
	}
	t.Fatalf("no row %q", name)
	return nil
}

// BenchmarkDecisions is the first table for benchstat; see main.go for what the
// table's own measurement does differently.
func BenchmarkDecisions(b *testing.B) {
	for _, r := range decisionRows() {
		b.Run(r.name, func(b *testing.B) {
			contestants, err := r.make()
			if err != nil {
				b.Fatal(err)
			}
			if err := assert(r.name, contestants); err != nil {
				b.Fatal(err)
			}
			for _, c := range contestants {
				b.Run(fmt.Sprintf("by=%s", c.name), func(b *testing.B) {
					b.ReportAllocs()
					for i := 0; b.Loop(); i++ {
						if c.fresh != nil && i%c.calls == 0 {
							b.StopTimer()
							c.fresh()
							b.StartTimer()
						}
						if !c.allow() {
							b.Fatal("denied")
						}
					}
				})
			}
		})
	}
}
