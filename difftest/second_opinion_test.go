package difftest

import (
	"encoding/json"

	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/assay"
)

var (
	caseCount = flag.Int("cases", 10_000, "how many pairs of a schema and an instance to compare")
	seed      = flag.Uint64("seed", 1, "seed of the generator")
	first     = flag.Uint64("first", 0, "number of the first schema, to continue a run or repeat a case")
)

// instancesPerSchema is how many instances each generated schema judges.
const instancesPerSchema = 32

// TestSecondOpinions generates schemas around values and judges small changes
// of the values. All of assay's own ways to answer have to agree, and with them
// google/jsonschema-go, qri-io/jsonschema and santhosh-tekuri/jsonschema, where
// those are sound (exclusions).
//
// CI compares 10,000 cases. The long run, once, at commit 4c79d57, with seed
// 20261201: 5,000,000 cases of 156,357 schemas in five drafts and 44 families of
// keywords, 55.5% of them allowed; santhosh-tekuri/jsonschema was heard in 91.7%
// of the cases, google/jsonschema-go in 85.6% and qri-io/jsonschema in 35.8%; no
// disagreement. To repeat it:
//
//	go test -run TestSecondOpinions -timeout 0 . -args -cases=5000000 -seed=20261201
func TestSecondOpinions(t *testing.T) {
	tally := newTally()
	start, shown := time.Now(), time.Now()
	for i := *first; tally.cases < *caseCount; i++ {
		tally.compare(t, *seed, i)
		if tally.wrong >= 10 {
			t.Fatal("so many disagreements: stopped")
		}
		if time.Since(shown) > 10*time.Second {
			shown = time.Now()
			fmt.Fprintf(os.Stderr, "%d cases, next schema %d, %.0f cases/s, %d disagreements\n",
				tally.cases, i+1, float64(tally.cases)/time.Since(start).Seconds(), tally.wrong)
		}
	}
	tally.report(t)
	tally.checkShares(t)
}

// tally counts what a run saw.
type tally struct {
	cases, schemas, refused    int
	allowed, undecided, broken int
	wrong                      int
	heard                      map[string]int
	heardAllowed               map[string]int
	unheard                    map[string]int // by engine and reason
	used                       map[string]int
	drafts                     map[draft]int
}

func newTally() *tally {
	return &tally{heard: map[string]int{}, heardAllowed: map[string]int{}, unheard: map[string]int{}, used: map[string]int{}, drafts: map[draft]int{}}
}

// engines are the second opinions.
var engines = []struct {
	name string
	ask  func(grown) (func(any) opinion, error)
}{{"google", askGoogle}, {"qri", askQri}, {"santhosh", askSanthosh}}

// compare grows the i-th schema of a seed and judges its instances.
func (j *tally) compare(t *testing.T, seed, i uint64) {
	g := newGrower(seed, i)
	s := g.grow()
	j.schemas++
	j.drafts[s.draft]++
	assert := g.chance(4)
	our, err := compile(inDraft(s.doc, s.draft), assert)
	if err != nil {
		j.refused++
		j.unheard["assay: the gate refuses: "+reasonOf(err)]++
		return
	}
	for name, n := range g.used {
		j.used[name] += n
	}
	st := schemaTraits(s)
	assert = assert && st.has("format")
	asked := make([]func(any) opinion, len(engines))
	for e, engine := range engines {
		if assert {
			j.unheard[engine.name+": formats are asserted here, so only assay's ways are compared"] += instancesPerSchema
		} else if why := excluded(engine.name, &st, &traits{}); why != "" {
			j.unheard[engine.name+": "+why] += instancesPerSchema
		} else if asked[e], err = engine.ask(s); err != nil {
			j.wrong++
			t.Errorf("seed %d, schema %d: %s refuses the schema: %v\n%s", seed, i, engine.name, err, shown(s))
		}
	}
	for n := range instancesPerSchema {
		v := g.instance(s, n)
		text := g.text(v)
		j.cases++
		if n == instancesPerSchema-1 {
			j.malformed(t, g, our, text)
			continue
		}
		allowed, undecided, err := our.judge(text, v)
		if allowed {
			j.allowed++
		}
		if undecided {
			j.undecided++
		}
		if err != nil {
			j.disagreement(t, seed, i, s, v, text, err, func(s grown, v any) error {
				our, err := compile(inDraft(s.doc, s.draft), assert)
				if err != nil {
					return nil
				}
				_, _, err = our.judge(encoded(v), v)
				return err
			})
			continue
		}
		if undecided {
			continue
		}
		it := instanceTraits(v)
		for e, engine := range engines {
			if asked[e] == nil {
				continue
			}
			if why := excluded(engine.name, &st, &it); why != "" {
				j.unheard[engine.name+": "+why]++
				continue
			}
			said := asked[e](v)
			if said == silent {
				j.unheard[engine.name+": it panics"]++
				continue
			}
			j.heard[engine.name]++
			if allowed {
				j.heardAllowed[engine.name]++
			}
			if said != opinionOf(allowed) {
				asked[e] = nil // one report of a schema is enough
				j.disagreement(t, seed, i, s, v, text, differ(engine.name, allowed, said), func(s grown, v any) error {
					return disagree(e, s, v)
				})
			}
		}
	}
}

func differ(engine string, allowed bool, said opinion) error {
	return fmt.Errorf("assay %s, %s %s", opinionOf(allowed), engine, said)
}

// disagree reports whether one engine and assay disagree about a case.
func disagree(e int, s grown, v any) error {
	our, err := compile(inDraft(s.doc, s.draft), false)
	if err != nil {
		return nil
	}
	ask, err := engines[e].ask(s)
	if err != nil {
		return nil
	}
	st, it := schemaTraits(s), instanceTraits(v)
	if excluded(engines[e].name, &st, &it) != "" {
		return nil
	}
	allowed, undecided, err := our.judge(encoded(v), v)
	if said := ask(v); err == nil && !undecided && said != silent && said != opinionOf(allowed) {
		return differ(engines[e].name, allowed, said)
	}
	return nil
}

// encoded is v as JSON, written plainly.
func encoded(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// instance returns the n-th instance for a schema: first the values it was
// grown around, then changes of them, at last something else.
func (g *grower) instance(s grown, n int) any {
	if n < len(s.around) {
		return s.around[n]
	}
	if n%16 == 15 {
		return g.value(3)
	}
	v := pick(g, s.around)
	for range 1 + g.IntN(3) {
		v = g.changed(v)
	}
	return v
}

// malformed breaks the text of an instance: assay denies it, and says why.
func (j *tally) malformed(t *testing.T, g *grower, our *ours, text []byte) {
	broken := slices.Clone(text)
	switch g.IntN(6) {
	case 0:
		broken = append(broken, pick(g, []string{"}", "]", ",", "null", "\x00"})...)
	case 1:
		broken = []byte(`{"a":` + string(text) + `,"b":0,"\u0061":1}`)
	case 2:
		broken = []byte(`["\ud800",` + string(text) + `]`)
	case 3:
		broken = append([]byte("\xef\xbb\xbf"), broken...)
	case 4:
		broken = []byte(strings.Repeat("[", 129) + string(text) + strings.Repeat("]", 129))
	default:
		broken = []byte(`{"a":1e1001,"b":` + string(text) + "}")
	}
	j.broken++
	for _, name := range []string{tool, plain} {
		if name == plain && !our.plain {
			continue
		}
		d := assay.CheckArgs(our.policy, assay.Call{Tool: name, Arguments: broken})
		if d.Allowed || d.Code != assay.CodeArgSchema || len(d.Violations) != 1 || d.Violations[0].Constraint != "json" {
			j.wrong++
			t.Errorf("%q is not strict JSON: %s", broken, said(d))
		}
	}
}

// disagreement reports a case after making it small.
func (j *tally) disagreement(t *testing.T, seed, i uint64, s grown, v any, text []byte, err error, again func(grown, any) error) {
	t.Helper()
	j.wrong++
	small, instance := s, v
	if again(s, v) != nil {
		small, instance = shrink(s, v, func(s grown, v any) bool { return again(s, v) != nil })
		err = fmt.Errorf("%w\nat first %w", again(small, instance), err)
	}
	t.Errorf("seed %d, schema %d (-first=%d): %v\nschema   %s\ninstance %s\nfrom     %s", seed, i, i, err, shown(small), encoded(instance), text)
}

// shown is a schema as it was asked about, for people.
func shown(s grown) string {
	text, err := json.Marshal(inDraft(s.doc, s.draft))
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("(draft %d) %s", s.draft, text)
}

// reasonOf is an error without the place it is about.
func reasonOf(err error) string {
	text := err.Error()
	text, _, _ = strings.Cut(text, " (and ") // how many more there are
	return text[strings.LastIndex(text, ": ")+1:]
}

// report logs the run.
func (j *tally) report(t *testing.T) {
	t.Logf("%d cases of %d schemas: %.1f%% allowed, %d undecided, %d malformed; the gate refused %d schemas",
		j.cases, j.schemas, percent(j.allowed, j.cases), j.undecided, j.broken, j.refused)
	for _, e := range engines {
		t.Logf("%s was heard in %.1f%% of the cases, and %.1f%% of those were allowed", e.name, percent(j.heard[e.name], j.cases), percent(j.heardAllowed[e.name], j.heard[e.name]))
	}
	for _, why := range slices.Sorted(maps.Keys(j.unheard)) {
		t.Logf("not heard %8d  %s", j.unheard[why], why)
	}
	for _, d := range slices.Sorted(maps.Keys(j.drafts)) {
		t.Logf("draft %d: %d schemas", d, j.drafts[d])
	}
	var used []string
	for _, name := range slices.Sorted(maps.Keys(j.used)) {
		used = append(used, fmt.Sprintf("%s %d", name, j.used[name]))
	}
	t.Logf("%d families: %s", len(used), strings.Join(used, ", "))
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(1, of)) }

// checkShares fails where the run was too one-sided to prove anything.
func (j *tally) checkShares(t *testing.T) {
	for _, floor := range []struct {
		what     string
		share    float64
		at, most float64
	}{
		{"cases that are allowed", percent(j.allowed, j.cases), 30, 70},
		{"schemas that the gate refuses", percent(j.refused, j.schemas), 0, 2},
		{"cases that are undecided", percent(j.undecided, j.cases), 0, 1},
		{"cases in which google is heard", percent(j.heard["google"], j.cases), 60, 100},
		{"cases in which qri is heard", percent(j.heard["qri"], j.cases), 15, 100},
		{"cases in which santhosh is heard", percent(j.heard["santhosh"], j.cases), 60, 100},
		{"allowed cases of those in which google is heard", percent(j.heardAllowed["google"], j.heard["google"]), 30, 70},
		{"allowed cases of those in which qri is heard", percent(j.heardAllowed["qri"], j.heard["qri"]), 30, 70},
	} {
		if floor.share < floor.at || floor.share > floor.most {
			t.Errorf("%s: %.1f%%, want between %g%% and %g%%", floor.what, floor.share, floor.at, floor.most)
		}
	}
	if j.cases < 10_000 {
		return
	}
	want := map[string]bool{"recursion": true, "boolean schema": true, "$anchor": true, "$dynamicRef": true, "minContains": true, "maxContains": true, "then": true, "else": true}
	for _, f := range families {
		want[f.name] = true
	}
	if len(want) < 25 {
		t.Errorf("%d families, want 25", len(want))
	}
	for name := range want {
		if j.used[name] == 0 {
			t.Errorf("no schema had %s", name)
		}
	}
}

// TestPlainIsNotFast shows that the two tools of a policy are judged by the two
// ways: an allow by the fast program allocates nothing, one by the engine does.
func TestPlainIsNotFast(t *testing.T) {
	for d, url := range draftURL {
		our, err := compile(map[string]any{"$schema": url, "type": "object", "properties": map[string]any{"a": map[string]any{"type": "integer"}}}, false)
		if err != nil {
			t.Fatal(err)
		}
		allocations := func(name string) float64 {
			call := assay.Call{Tool: name, Arguments: []byte(`{"a":1}`)}
			if d := assay.CheckArgs(our.policy, call); !d.Allowed {
				t.Fatal(name, said(d))
			}
			return testing.AllocsPerRun(20, func() { assay.CheckArgs(our.policy, call) })
		}
		if n := allocations(tool); n != 0 {
			t.Errorf("draft %d: the fast program allocates %v times", d, n)
		}
		if n := allocations(plain); n == 0 {
			t.Errorf("draft %d: the plain schema has a fast program", d)
		}
	}
}

// TestShrinkFindsTheKeyword shows that a disagreement becomes readable.
func TestShrinkFindsTheKeyword(t *testing.T) {
	g := newGrower(7, 7)
	s, v := g.grow(), any(map[string]any{"a": json.Number("1"), "b": "x"})
	s.doc = map[string]any{"allOf": []any{s.doc, map[string]any{"properties": map[string]any{"a": map[string]any{"minimum": json.Number("3"), "title": "t"}}}}}
	holds := func(s grown, v any) bool {
		object, ok := v.(map[string]any)
		found := false
		visit(s.doc, func(doc any) {
			o, _ := doc.(map[string]any)
			found = found || o["minimum"] != nil
		})
		return ok && object["a"] != nil && found
	}
	small, instance := shrink(s, v, holds)
	if got := string(encoded(small.doc)); strings.Count(got, `"`) > 10 || !strings.Contains(got, "minimum") {
		t.Errorf("shrunk to %s", got)
	}
	if got := string(encoded(instance)); got != `{"a":null}` && got != `{"a":1}` {
		t.Errorf("shrunk to %s", got)
	}
}
