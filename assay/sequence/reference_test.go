package sequence_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"example.com/assay/assay/sequence"
)

// The reference is the table of docs/policy.md, "Order", written down once more as
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

// matcher says whether call i matches the k-th operand of a rule, in one reading.
type matcher func(k, i int) bool

// refPatterns are the patterns that tests use, in Go's dialect, which is the same for them.
var refPatterns = map[string]*regexp.Regexp{
	"^1$":    regexp.MustCompile("^1$"),
	"^[12]$": regexp.MustCompile("^[12]$"),
}

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
		if !ok || !refPatterns[pattern].MatchString(value) {
			return false, true
		}
	}
	return true, true
}

// refOperands lists the selectors of a rule in the order of its fields.
func refOperands(r sequence.Rule) []sequence.Selector {
	switch r := r.(type) {
	case sequence.Require:
		return []sequence.Selector{r.Tool}
	case sequence.Before:
		return []sequence.Selector{r.First, r.Then}
	case sequence.After:
		return []sequence.Selector{r.Trigger, r.Then}
	case sequence.NeverAfter:
		return []sequence.Selector{r.Trigger, r.Forbidden}
	case sequence.Eventually:
		return []sequence.Selector{r.Tool}
	case sequence.MaxCalls:
		return []sequence.Selector{r.Tool}
	case sequence.Sequence:
		return r.Tools
	}
	return nil
}

func refEqual(a, b sequence.Selector) bool {
	return a.Tool == b.Tool && (a.Args == nil) == (b.Args == nil) && maps.Equal(a.Args, b.Args)
}

// reference judges one rule over all readings.
func reference(r sequence.Rule, aliases map[string][]string, trace []refCall, extent sequence.Extent) refVerdict {
	operands := refOperands(r)
	match := make([][]bool, len(operands)) // equal selectors share a row
	var doubts []*bool
	doubtful := map[int]bool{}
	for k, s := range operands {
		if same := slices.IndexFunc(operands, func(o sequence.Selector) bool { return refEqual(s, o) }); same < k {
			match[k] = match[same]
			continue
		}
		match[k] = make([]bool, len(trace))
		for i, c := range trace {
			var known bool
			if match[k][i], known = refTruth(s, c, aliases); !known {
				doubts = append(doubts, &match[k][i])
				doubtful[i] = true
			}
		}
	}
	var ordinary refVerdict
	some, every := false, true
	for reading := range 1 << len(doubts) {
		for k, d := range doubts {
			*d = reading>>k&1 == 1
		}
		v := refRule(r, trace, extent, func(k, i int) bool { return match[k][i] })
		if reading == 0 { // no unknown matches
			ordinary = v
		}
		some = some || v.status == sequence.Violated
		every = every && v.status == sequence.Violated
		if some && !every {
			return refVerdict{status: sequence.Violated, constraint: "arguments_unknown",
				spanned: slices.Sorted(maps.Keys(doubtful))}
		}
	}
	return ordinary
}

// refRule is the table, row by row.
func refRule(r sequence.Rule, trace []refCall, extent sequence.Extent, matches matcher) refVerdict {
	n := len(trace)
	complete := extent == sequence.Complete
	find := func(k, from int) int {
		for i := from; i < n; i++ {
			if matches(k, i) {
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
		if find(0, 0) < 0 {
			return violated("sequence_rule")
		}
		return held

	case sequence.Before:
		f, t := find(0, 0), find(1, 0)
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
			if a := find(1, i+1); a >= 0 && a <= i+r.Within {
				return a
			}
			return -1
		}
		unanswered, answered := -1, false
		for i := range n {
			if !matches(0, i) {
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
				if matches(0, i) {
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
		t := find(0, 0)
		if t < 0 {
			return idle
		}
		if f := find(1, t+1); f >= 0 {
			return violated("never_after", t, f)
		}
		return held

	case sequence.Eventually:
		m := find(0, 0)
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
			if matches(0, i) {
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
			if cursor < len(r.Tools) && matches(cursor, i) {
				cursor++
				advanced = append(advanced, i)
				continue
			}
			offends := false
			if r.Strict {
				offends = cursor >= 1 && cursor < len(r.Tools)
			} else {
				for later := cursor + 1; later < len(r.Tools); later++ {
					offends = offends || matches(later, i)
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
