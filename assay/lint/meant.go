package lint

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"example.com/assay/assay/args"
	"example.com/assay/internal/slip"
)

// The rules about names of tools that are most likely slips for other names, or
// speak of a tool that no call reaches.

// longestSlip is how many bytes of a name are compared.
const longestSlip = 128

// nearest returns the word of known that another word is most likely a slip
// for, the first one of several, or "". Letters that differ only by case are
// the smallest slip of all. Two letters more in front are none: they make
// another word (undo, resend).
func (p *policy) nearest(word string, known iter.Seq[string]) string {
	if len(word) > longestSlip {
		return ""
	}
	folded := strings.ToLower(word)
	best, least := "", slip.Far
	for k := range known {
		apart := max(len(k)-len(word), len(word)-len(k))
		switch {
		case apart >= slip.Far:
			if !p.spend(1) {
				return ""
			}
			continue
		case !p.spend(1 + len(k)*len(word)/8):
			return ""
		case k == word || apart == 2 && (strings.HasSuffix(word, k) || strings.HasSuffix(k, word)):
			continue
		}
		if d := slip.Count(folded, strings.ToLower(k)); d < least && !anotherWord(folded, strings.ToLower(k)) {
			best, least = k, d
		}
	}
	return best
}

// anotherWord reports whether two names differ in a whole word of theirs, as
// get_user and set_user do, rather than by a slip in one: words of few letters
// are seldom misspelt, and in longer ones a slip leaves most letters.
func anotherWord(a, b string) bool {
	inWords := func(r rune) bool { return strings.ContainsRune("_-./ ", r) }
	x, y := strings.FieldsFunc(a, inWords), strings.FieldsFunc(b, inWords)
	if len(x) != len(y) || len(x) < 2 {
		return false
	}
	for i := range x {
		if x[i] != y[i] && (min(len(x[i]), len(y[i])) < 4 || 2*slip.Count(x[i], y[i]) >= min(len(x[i]), len(y[i]))) {
			return true
		}
	}
	return false
}

func didYouMean(meant string) string { return "did you mean " + quote(meant) + "?" }

// callableNames are the names of tools that the policy gives a place of their
// own and lets pass, each as often as it stands there.
func callableNames(p *policy) []name {
	return slices.DeleteFunc(slices.Clone(p.names), func(n name) bool {
		return n.role != allows && n.role != governs && n.role != sorts ||
			!isExact(n.text) || hasInnerStar(n.text) || p.byName.CheckName(n.text) != ""
	})
}

// texts are those of names, without the ones that drop says.
func texts(names []name, drop func(tool string) bool) []string {
	var kept []string
	for _, n := range names {
		if !drop(n.text) {
			kept = append(kept, n.text)
		}
	}
	return kept
}

// meant returns the callable tool, or for an operand of a rule the alias too,
// that a name is most likely a slip for, or "".
func (p *policy) meant(n name) string {
	return p.nearest(n.text, func(yield func(string) bool) {
		for _, tool := range p.callable {
			if !yield(tool.text) {
				return
			}
		}
		if named, ok := p.root.at("aliases"); ok && n.role == mentions {
			for alias := range named.members() {
				if !yield(alias.key) {
					return
				}
			}
		}
	})
}

// lostDuties finds the names under a duty that nothing else in the policy
// speaks of, and that are near a callable tool without that duty.
func lostDuties(p *policy) map[int]string {
	lost := map[int]string{}
	if p.spec.Tools == nil {
		return lost
	}
	elsewhere := map[string]bool{}
	for _, n := range p.names {
		if n.role != obliges && n.role != aliases {
			elsewhere[n.text] = true
		}
	}
	t := p.spec.Tools
	free := map[string][]string{
		"tools.approval_required": p.withoutDuty(t.ApprovalRequired, t.ApprovalRequiredClasses),
		"tools.restrict_scope":    p.withoutDuty(t.RestrictScope, t.RestrictScopeClasses),
		"tools.redact_args":       p.withoutDuty(t.RedactArgs, t.RedactArgsClasses),
	}
	for i, n := range p.names {
		if n.role != obliges || elsewhere[n.text] || !isExact(n.text) || strings.ContainsAny(n.text, space+"*") {
			continue // white space and stars have rules of their own
		}
		if meant := p.nearest(n.text, slices.Values(free[n.list])); meant != "" {
			lost[i] = meant
		}
	}
	return lost
}

// withoutDuty are the callable tools that neither patterns nor classes put a
// duty on.
func (p *policy) withoutDuty(patterns, classes []string) []string {
	duty, _ := args.Compile(&args.Rules{Allow: append([]string{}, patterns...), AllowClasses: classes, Classes: p.spec.ToolClasses}, args.Options{})
	return texts(p.callable, func(tool string) bool { return duty.CheckName(tool) == "" })
}

func lostDuty(p *policy, report reporter) {
	for i, n := range p.names {
		if meant, ok := p.lost[i]; ok {
			report(n.place, fmt.Sprintf("%s speaks of %s, which stands nowhere else, and puts no duty on the tool %s", n.list, quote(n.text), quote(meant)),
				didYouMean(meant)+" If it is another tool, name it under schemas or tool_classes too")
		}
	}
}

// notAllowed finds rules for tools that the names decide against.
func notAllowed(p *policy, report reporter) {
	free := map[string][]string{} // by list, what an entry of it may have been meant for
	for _, m := range nameMaps {
		list := strings.Join(m.keys, ".")
		free[list] = p.withoutRule(list)
	}
	for i, n := range p.names {
		if n.text == "" || n.role != governs && (n.role != obliges || !isExact(n.text) || hasInnerStar(n.text)) {
			continue
		}
		if _, lost := p.lost[i]; lost {
			continue
		}
		why, fix := "", "allow the tool, or remove the entry"
		switch p.byName.CheckName(n.text) {
		case args.CodeToolDenied:
			why = "denied"
		case args.CodeToolNotAllowed:
			why = "not allowed"
			if meant := p.nearest(n.text, slices.Values(free[n.list])); meant != "" {
				fix = didYouMean(meant)
			}
		default:
			continue
		}
		report(n.place, fmt.Sprintf("%s speaks of the tool %s, which is %s, so it has no effect", n.list, quote(n.text), why), fix)
	}
	mentionedNotAllowed(p, report)
}

// withoutRule are the callable tools that have no entry in a mapping of tools.
func (p *policy) withoutRule(list string) []string {
	has := map[string]bool{}
	for _, n := range p.names {
		if n.list == list {
			has[n.text] = true
		}
	}
	return texts(p.callable, func(tool string) bool { return has[tool] })
}

// mentionedNotAllowed finds operands of sequence rules, and members of aliases
// that are operands, that the names decide against. A misspelt one opens the
// rule without a word.
func mentionedNotAllowed(p *policy, report reporter) {
	operands := map[string]bool{}
	for s := range p.selectors() {
		operands[s.tool.text()] = true
	}
	for _, n := range p.names {
		_, isAlias := p.spec.Aliases[n.text]
		switch {
		case n.text == "" || strings.Contains(n.text, "*"): // these have rules of their own
			continue
		case n.role == mentions && !isAlias:
		case n.role == groups && operands[n.in.key]:
		default:
			continue
		}
		why, fix := "", "allow the tool, or correct its name"
		switch p.byName.CheckName(n.text) {
		case args.CodeToolDenied:
			why, fix = "denied", "allow the tool, or take it out of the rule"
		case args.CodeToolNotAllowed:
			why = "not allowed"
			if meant := p.meant(n); meant != "" {
				fix = didYouMean(meant)
			}
		default:
			continue
		}
		report(n.place, fmt.Sprintf("%s speaks of the tool %s, which is %s", n.list, quote(n.text), why), fix)
	}
}
