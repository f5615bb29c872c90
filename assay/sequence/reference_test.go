package sequence_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.com/assay/assay/sequence"
)

// The reference is the table of sequence-rules.md, written down once more as
// literally as Go allows: each rule looks at the whole trace, and unknown
// matches are enumerated. It shares nothing with the package.

// refCall is one call. Nil args are unknown.
type refCall struct {
	tool string
	args map[string]string
}

type refVerdict struct {
	status     sequence.Status
	constraint string
	spanned    []int
	context    map[string]int
}

// matcher says whether call i matches a selector, in one reading.
type matcher func(s sequence.Selector, i int) bool

// refTruth is the selector's match as far as it is known.
func refTruth(s sequence.Selector, c refCall, aliases map[string][]string) (match, known bool) {
	named := s.Tool == c.tool
	if members, ok := aliases[s.Tool]; ok {
		named = slices.Contains(members, c.tool)
	}
	if s.Args == nil || !named {
		return named, true
	}
	if c.args == nil {
		return false, false
	}
	for name, pattern := range s.Args {
		value, ok := c.args[name]
		if !ok || !regexp.MustCompile(pattern).MatchString(value) {
			return false, true
		}
	}
	return true, true
}

// refSelectors lists the different selectors of a rule.
func refSelectors(r sequence.Rule) []sequence.Selector {
	var all []sequence.Selector
	switch r := r.(type) {
	case sequence.Require:
		all = []sequence.Selector{r.Tool}
	case sequence.Before:
		all = []sequence.Selector{r.First, r.Then}
	case sequence.After:
		all = []sequence.Selector{r.Trigger, r.Then}
	case sequence.NeverAfter:
		all = []sequence.Selector{r.Trigger, r.Forbidden}
	case sequence.Eventually:
		all = []sequence.Selector{r.Tool}
	case sequence.MaxCalls:
		all = []sequence.Selector{r.Tool}
	case sequence.Sequence:
		all = r.Tools
	}
	var different []sequence.Selector
	for _, s := range all {
		if !slices.ContainsFunc(different, func(o sequence.Selector) bool { return refEqual(s, o) }) {
			different = append(different, s)
		}
	}
	return different
}

func refEqual(a, b sequence.Selector) bool {
	return a.Tool == b.Tool && (a.Args == nil) == (b.Args == nil) && maps.Equal(a.Args, b.Args)
}

// reference judges one rule over all readings.
func reference(r sequence.Rule, aliases map[string][]string, trace []refCall, extent sequence.Extent) refVerdict {
	type doubt struct{ selector, call int }
	selectors := refSelectors(r)
	fixed := map[doubt]bool{}
	var doubts []doubt
	var doubtful []int
	for i, c := range trace {
		for k, s := range selectors {
			match, known := refTruth(s, c, aliases)
			fixed[doubt{k, i}] = match
			if !known {
				doubts = append(doubts, doubt{k, i})
				if len(doubtful) == 0 || doubtful[len(doubtful)-1] != i {
					doubtful = append(doubtful, i)
				}
			}
		}
	}
	var ordinary refVerdict
	some, every := false, true
	for reading := range 1 << len(doubts) {
		for k, d := range doubts {
			fixed[d] = reading>>k&1 == 1
		}
		v := refRule(r, trace, extent, func(s sequence.Selector, i int) bool {
			k := slices.IndexFunc(selectors, func(o sequence.Selector) bool { return refEqual(s, o) })
			return fixed[doubt{k, i}]
		})
		if reading == 0 { // no unknown matches
			ordinary = v
		}
		some = some || v.status == sequence.Violated
		every = every && v.status == sequence.Violated
	}
	if some && !every {
		return refVerdict{status: sequence.Violated, constraint: "arguments_unknown", spanned: doubtful}
	}
	return ordinary
}

// refRule is the table, row by row.
func refRule(r sequence.Rule, trace []refCall, extent sequence.Extent, matches matcher) refVerdict {
	n := len(trace)
	complete := extent == sequence.Complete
	find := func(s sequence.Selector, from int) int {
		for i := from; i < n; i++ {
			if matches(s, i) {
				return i
			}
		}
		return -1
	}
	violated := func(constraint string, spanned ...int) refVerdict {
		return refVerdict{status: sequence.Violated, constraint: constraint, spanned: spanned}
	}
	held := refVerdict{status: sequence.Held}
	idle := refVerdict{status: sequence.NotExercised}

	switch r := r.(type) {
	case sequence.Require:
		if find(r.Tool, 0) < 0 {
			return violated("sequence_rule")
		}
		return held

	case sequence.Before:
		f, t := find(r.First, 0), find(r.Then, 0)
		switch {
		case t < 0:
			return idle
		case f < 0:
			return violated("before", t)
		case f > t:
			return violated("before", f, t)
		}
		return held

	case sequence.After:
		answer := func(i int) int { // the first answer in the window behind i
			if a := find(r.Then, i+1); a >= 0 && a <= i+r.Within {
				return a
			}
			return -1
		}
		unanswered, answered := -1, false
		for i := range n {
			if !matches(r.Trigger, i) {
				continue
			}
			if answer(i) >= 0 {
				answered = true
			} else if unanswered < 0 && (n > i+r.Within || complete) {
				unanswered = i
			}
		}
		switch {
		case unanswered >= 0:
			set := map[int]bool{}
			for i := range n {
				if matches(r.Trigger, i) {
					set[i] = true
					if a := answer(i); a >= 0 && i < unanswered {
						set[a] = true
					}
				}
			}
			return violated("after", slices.Sorted(maps.Keys(set))...)
		case answered:
			return held
		}
		return idle

	case sequence.NeverAfter:
		t := find(r.Trigger, 0)
		if t < 0 {
			return idle
		}
		if f := find(r.Forbidden, t+1); f >= 0 {
			return violated("never_after", t, f)
		}
		return held

	case sequence.Eventually:
		m := find(r.Tool, 0)
		switch {
		case m >= r.Within:
			return violated("eventually", m)
		case m >= 0:
			return held
		case n >= r.Within || complete:
			all := []int{}
			for i := range n {
				all = append(all, i)
			}
			return violated("eventually", all...)
		}
		return idle

	case sequence.MaxCalls:
		var all []int
		for i := range n {
			if matches(r.Tool, i) {
				all = append(all, i)
			}
		}
		if len(all) <= r.Max {
			return held
		}
		v := violated("max_calls", all...)
		v.context = map[string]int{"max": r.Max, "actual": len(all)}
		return v

	case sequence.Blocklist:
		var all []int
		for i, c := range trace {
			if strings.Contains(c.tool, r.Pattern) {
				all = append(all, i)
			}
		}
		if len(all) == 0 {
			return held
		}
		return violated("blocklist", all...)

	case sequence.Sequence:
		constraint := "sequence_order"
		if r.Strict {
			constraint = "sequence_strict"
		}
		cursor := 0
		var advanced []int
		for i := range n {
			if cursor < len(r.Tools) && matches(r.Tools[cursor], i) {
				cursor++
				advanced = append(advanced, i)
				continue
			}
			offends := false
			if r.Strict {
				offends = cursor >= 1 && cursor < len(r.Tools)
			} else {
				for later := cursor + 1; later < len(r.Tools); later++ {
					offends = offends || matches(r.Tools[later], i)
				}
			}
			if offends {
				return violated(constraint, append(advanced, i)...)
			}
		}
		switch {
		case cursor == 0:
			return idle
		case cursor < len(r.Tools) && complete:
			return violated(constraint, advanced...)
		}
		return held
	}
	panic("no such rule")
}
