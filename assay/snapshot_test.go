package assay_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"example.com/assay/assay"
)

func snapshotOf(t testing.TB, s *assay.Session) string {
	t.Helper()
	data, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestARestoredSessionAnswersLikeTheOneThatWasKept(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		text := orderPolicy(r) + "limits: {max_requests_total: 9, max_tool_calls_total: 7}\n"
		p := mustParse(t, text)
		s := assay.NewSession(p)
		for range 12 {
			again, err := assay.Restore(p, []byte(snapshotOf(t, s)))
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if got := snapshotOf(t, again); got != snapshotOf(t, s) {
				t.Fatalf("the snapshot %s becomes %s", snapshotOf(t, s), got)
			}
			if got, want := again.Available(), s.Available(); !reflect.DeepEqual(got, want) {
				t.Fatalf("%q is available, want %q", got, want)
			}
			call := assay.Call{Tool: string(rune('a' + r.IntN(4)))}
			if n := r.IntN(4); n > 0 {
				call.Arguments = fmt.Appendf(nil, `{"n": %d}`, n)
			}
			got := again.Next(call)
			want, pending := s.Begin(call)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%v is answered %+v, want %+v\n%s", call, got, want, text)
			}
			if r.IntN(3) == 0 {
				pending.Cancel()
			} else {
				pending.Done()
			}
		}
	}
}

func TestASnapshotStaysSmall(t *testing.T) {
	p := mustParse(t, `sequences:
- {type: max_calls, tool: a, max: 1000000}
- {type: after, trigger: a, then: b, within: 1000000}
- {type: sequence, tools: [a, b]}
- {type: before, first: a, then: b}
`)
	s := assay.NewSession(p)
	for range 20_000 {
		d, pending := s.Begin(assay.Call{Tool: "a"})
		if !d.Allowed {
			t.Fatal(d.Err())
		}
		pending.Done()
	}
	if n := len(snapshotOf(t, s)); n > 4096 {
		t.Errorf("after 20,000 calls a snapshot has %d bytes", n)
	}
}

func TestAPendingCallIsKeptAsOneThatRan(t *testing.T) {
	p := mustParse(t, "sequences: [{type: max_calls, tool: a, max: 1}]")
	s := assay.NewSession(p)
	_, pending := s.Begin(assay.Call{Tool: "a"})
	kept := snapshotOf(t, s)
	pending.Cancel()
	again, err := assay.Restore(p, []byte(kept))
	if err != nil {
		t.Fatal(err)
	}
	if d := again.Next(assay.Call{Tool: "a"}); d.Allowed {
		t.Error("a call that was pending can be made again")
	}
	if d := s.Next(assay.Call{Tool: "a"}); !d.Allowed {
		t.Error("a call that was cancelled cannot be made again")
	}
}

func TestRestoreRefusesWhatIsNoSnapshotOfThePolicy(t *testing.T) {
	p := mustParse(t, "sequences: [{type: max_calls, tool: a, max: 3}]")
	s := assay.NewSession(p)
	_, pending := s.Begin(assay.Call{Tool: "a"})
	pending.Done()
	good := snapshotOf(t, s)
	if _, err := assay.Restore(p, []byte(good)); err != nil {
		t.Fatal(err)
	}
	without := func(member string) string {
		from := strings.Index(good, `"`+member+`"`)
		to := strings.Index(good[from:], `,"`)
		return good[:from] + good[from+to+1:]
	}
	for name, text := range map[string]string{
		"nothing":              "",
		"null":                 "null",
		"a list":               "[]",
		"no member":            "{}",
		"text behind":          good + " {}",
		"cut short":            good[:len(good)-1],
		"an unknown member":    strings.Replace(good, "{", `{"x":1,`, 1),
		"a member in capitals": strings.Replace(good, `"calls"`, `"Calls"`, 1),
		"a repeated member":    strings.Replace(good, "{", `{"calls":0,`, 1),
		"a missing member":     without("requests"),
		"another format":       strings.Replace(good, `"format":1`, `"format":2`, 1),
		"a null count":         strings.Replace(good, `"calls":1`, `"calls":null`, 1),
		"a negative count":     strings.Replace(good, `"calls":1`, `"calls":-1`, 1),
		"a count as text":      strings.Replace(good, `"calls":1`, `"calls":"1"`, 1),
		"too few requests":     strings.Replace(good, `"requests":1`, `"requests":0`, 1),
		"requests that wrap":   strings.Replace(good, `"requests":1`, `"requests":9223372036854775807`, 1),
		"calls nobody saw":     strings.Replace(good, `"calls":1`, `"calls":0`, 1),
		"no sequence":          good[:strings.Index(good, `"sequence":`)] + `"sequence":null}`,
		"another sequence":     good[:strings.Index(good, `"sequence":`)] + `"sequence":[9]}`,
	} {
		if got, err := assay.Restore(p, []byte(text)); err == nil || got != nil || !strings.HasPrefix(err.Error(), "assay:") {
			t.Errorf("%s: %v, %v\n%s", name, got, err, text)
		}
	}
	other := mustParse(t, "sequences: [{type: max_calls, tool: a, max: 4}]")
	if _, err := assay.Restore(other, []byte(good)); err == nil {
		t.Error("the snapshot of another policy is restored")
	}
	if _, err := assay.Restore(nil, []byte(good)); err == nil {
		t.Error("a snapshot is restored without a policy")
	}
	if _, err := assay.NewSession(nil).Snapshot(); err == nil {
		t.Error("a session without a policy has a snapshot")
	}
}
