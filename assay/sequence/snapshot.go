package sequence

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"

	"example.com/assay/assay/internal/strictjson"
)

// stateVersion is the first number of a monitor's state.
const stateVersion = 1

// maxTrace is the longest trace whose state is restored; adding a window to one
// of its indices does not wrap.
const maxTrace = math.MaxInt >> 10

var errState = errors.New("assay: the sequence state is not one that these rules can have; start a new session")

// State returns the trace so far as the rules see it, as compact JSON of which
// [Checker.RestoreMonitor] makes an equal monitor: for ten rules it stays under
// 4 KB whatever the history, unless arguments are unknown. Pending calls are in
// it as calls that ran. It holds no name and no argument.
//
// The form is nested arrays of integers: the version, the number of calls,
// whether the monitor has failed, whether the trace is a prefix of an exact
// list, and for each rule its run, its readings and its two lists of indices,
// each index as its distance from the one before.
func (m *Monitor) State() json.RawMessage {
	if !m.usable() {
		return json.RawMessage("null")
	}
	w := &m.machine
	t := tape{[]byte{'['}}
	t.ints(stateVersion, w.n, bit(w.failed()), bit(w.matching))
	for i := range w.states {
		s := &w.states[i]
		t.open()
		t.run(s.base)
		t.open()
		if s.split != nil {
			if w.c.rules[i].order == nil {
				t.run(s.split.worst)
				t.run(s.split.best)
			} else {
				t.ints(bit(s.split.lost))
				for _, c := range s.split.cursors {
					t.ints(int(c))
				}
			}
		}
		t.close()
		t.list(s.spanned)
		t.list(s.unknown)
		t.close()
	}
	t.close()
	return t.text
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// tape writes nested arrays of integers.
type tape struct{ text []byte }

func (t *tape) comma() {
	if t.text[len(t.text)-1] != '[' {
		t.text = append(t.text, ',')
	}
}

func (t *tape) open() {
	t.comma()
	t.text = append(t.text, '[')
}

func (t *tape) close() { t.text = append(t.text, ']') }

func (t *tape) ints(numbers ...int) {
	for _, n := range numbers {
		t.comma()
		t.text = strconv.AppendInt(t.text, int64(n), 10)
	}
}

func (t *tape) run(r run) {
	t.open()
	t.ints(r.x, r.y, bit(r.bad))
	t.close()
}

// list writes how many indices there are, and those that are kept.
func (t *tape) list(l *indices) {
	t.open()
	if l != nil {
		t.ints(l.count)
		last := 0
		for _, i := range l.list() {
			t.ints(i - last)
			last = i
		}
	}
	t.close()
}

// RestoreMonitor returns the monitor whose State it is given. It has to come
// from the same rules in the same order; the error says that it cannot, for
// every state that they could not have come to. Whether they did come to it is
// not checked: a state is not authenticated.
func (c *Checker) RestoreMonitor(state []byte) (*Monitor, error) {
	if !c.usable() {
		return nil, errors.New("assay: no rules to restore a session for")
	}
	value, err := strictjson.Decode(state)
	if err != nil {
		return nil, errState
	}
	all, _ := value.([]any)
	if len(all) != 4+len(c.rules) {
		return nil, errState
	}
	m := c.NewMonitor()
	w := &m.machine
	r := reader{n: maxTrace}
	version, n := r.int(all[0], 0, stateVersion), r.int(all[1], 0, maxTrace)
	r.n = n
	tooMany, matching := r.bool(all[2]), r.bool(all[3])
	if version != stateVersion || !c.isExact && !matching || c.isExact && matching && n > len(c.exact) {
		return nil, errState
	}
	w.summary = summary{n: n, deadline: never, tooMany: tooMany, matching: matching, open: len(c.rules)}
	for i := range c.rules {
		r.state(&c.rules[i], &w.states[i], all[4+i])
		if r.failed {
			return nil, errState
		}
		if w.states[i].settled {
			w.open--
		}
		w.account(&c.rules[i], &w.states[i])
	}
	if r.failed {
		return nil, errState
	}
	return m, nil
}

// reader reads the arrays of a state; failed says that some value was not one
// that it can have.
type reader struct {
	n      int // calls in the trace
	failed bool
}

func (r *reader) check(ok bool) bool {
	r.failed = r.failed || !ok
	return !r.failed
}

// int reads an integer from low to high, or returns low.
func (r *reader) int(v any, low, high int) int {
	literal, _ := v.(json.Number)
	n, err := strconv.Atoi(string(literal))
	if !r.check(err == nil && low <= n && n <= high && strconv.Itoa(n) == string(literal)) {
		return low
	}
	return n
}

func (r *reader) bool(v any) bool { return r.int(v, 0, 1) == 1 }

// array reads an array of low to high elements, or returns nil.
func (r *reader) array(v any, low, high int) []any {
	a, ok := v.([]any)
	if !r.check(ok && low <= len(a) && len(a) <= high) {
		return nil
	}
	return a
}

func (r *reader) run(v any) run {
	a := r.array(v, 3, 3)
	if a == nil {
		return run{}
	}
	return run{x: r.int(a[0], -1, r.n), y: r.int(a[1], -1, r.n), bad: r.bool(a[2])}
}

func (r *reader) state(u *rule, s *state, v any) {
	a := r.array(v, 4, 4)
	if a == nil {
		return
	}
	// The rest of it is derived; nothing of it is in the summary yet.
	*s = state{base: r.run(a[0]), spanned: s.spanned, unknown: s.unknown}
	readings := r.array(a[1], 0, MaxReadings+2)
	r.list(s.spanned, a[2])
	r.list(s.unknown, a[3])
	if r.failed {
		return
	}
	if len(readings) > 0 {
		if !r.check(u.args) {
			return
		}
		s.split = &split{}
	}
	if u.order != nil {
		if s.split != nil {
			r.cursors(u.order, s, readings)
		}
		listed := s.base.x + bit(s.base.bad)
		r.check(u.order.valid(s.base, r.n) && s.spanned.count == listed)
		s.settled = s.split == nil && u.order.settled(s.base)
		return
	}
	r.check(u.auto.valid(s.base, r.n))
	if s.split != nil {
		if !r.check(len(readings) == 2) {
			return
		}
		s.split.worst, s.split.best = r.run(readings[0]), r.run(readings[1])
		rank := u.auto.rank
		r.check(u.auto.valid(s.split.worst, r.n) && u.auto.valid(s.split.best, r.n) &&
			rank(s.split.worst) <= rank(s.base) && rank(s.base) <= rank(s.split.best))
	}
	if _, isAfter := u.auto.(after); s.spanned != nil && !isAfter {
		r.check(s.spanned.count == s.base.x) // of those that count
	}
	s.settled = s.split == nil && u.auto.settled(s.base)
}

// cursors reads whether a reading is violated, and the cursors of the others.
func (r *reader) cursors(o *order, s *state, readings []any) {
	s.split.lost = r.bool(readings[0])
	for _, v := range readings[1:] {
		c := int32(r.int(v, 0, len(o.at)))
		k := len(s.split.cursors)
		r.check(k == 0 || s.split.cursors[k-1] < c)
		s.split.cursors = append(s.split.cursors, c)
	}
	if s.base.bad {
		r.check(s.split.lost)
	} else {
		r.check(slices.Contains(s.split.cursors, int32(s.base.x)))
	}
}

// list reads a list into l, which is nil where the rule has none.
func (r *reader) list(l *indices, v any) {
	a := r.array(v, 0, 1+2*ends)
	if l == nil || len(a) == 0 {
		r.check(l == nil && len(a) == 0)
		return
	}
	count := r.int(a[0], 0, r.n)
	if !r.check(len(a)-1 == min(count, 2*ends)) {
		return
	}
	last := -1
	for k, v := range a[1:] {
		i := max(last, 0) + r.int(v, 0, r.n)
		// Between the ends are the indices that are not kept.
		gap := 1
		if k == ends {
			gap += count - (len(a) - 1)
		}
		if !r.check(last+gap <= i && i < r.n) {
			return
		}
		if k == ends {
			l.count = count - (len(a) - 1) + ends
		}
		l.add(i)
		last = i
	}
}
