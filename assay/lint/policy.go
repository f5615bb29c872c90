package lint

import (
	"strings"

	"example.com/assay/assay"
	"example.com/assay/assay/args"
	"example.com/assay/assay/blocklist"
	"example.com/assay/assay/internal/policydoc"
)

// policy is what the rules look at: a policy that compiles, as text and as meaning.
type policy struct {
	root     place
	shared   place // schemas.$defs; its node is nil where there are none
	compiled *assay.Policy
	spec     *assay.Spec
	byName   *args.Checker  // decides by the name alone
	fresh    string         // a name with no character of the policy in it
	names    []name         // every name and pattern, in the order of the text by list
	callable []name         // see callableNames
	lost     map[int]string // by index in names, the duties that miss their tool; see lostDuties
	schemas  []*subschema   // every schema that a call may meet, once for each way in which it matters
	facts    map[*policydoc.Node]facts
	keySets  map[*policydoc.Node]map[string]bool
	subsets  map[[2]string]bool // of aliases, see within
	work     int                // what may still be spent
}

// maxWork bounds what the rules compare whose cost is more than linear in the
// text. Whole policies of people stay far below it.
const maxWork = 10_000_000

func newPolicy(root *policydoc.Node, compiled *assay.Policy) *policy {
	p := &policy{
		root:     rootPlace(root),
		compiled: compiled,
		spec:     compiled.Spec(),
		facts:    map[*policydoc.Node]facts{},
		keySets:  map[*policydoc.Node]map[string]bool{},
		subsets:  map[[2]string]bool{},
		work:     maxWork,
	}
	p.shared, _ = p.root.at("schemas", definitions)
	p.byName = nameChecker(p.spec)
	p.names = collectNames(p)
	p.fresh = freshName(p.names)
	p.callable = callableNames(p)
	p.lost = lostDuties(p)
	p.schemas = collectSchemas(p)
	return p
}

// nameChecker decides about names as the policy does.
func nameChecker(s *assay.Spec) *args.Checker {
	r := &args.Rules{
		Allow:   s.Allow,
		Deny:    s.Deny,
		Classes: s.ToolClasses,
		Blocked: blocklist.Compile(s.Blocklist).Contains,
	}
	if t := s.Tools; t != nil {
		if t.Allow != nil {
			r.Allow = append(append([]string{}, r.Allow...), t.Allow...)
		}
		r.Deny = append(append([]string{}, r.Deny...), t.Deny...)
		r.AllowClasses, r.DenyClasses = t.AllowClasses, t.DenyClasses
	}
	checker, _ := args.Compile(r, args.Options{})
	return checker
}

// freshName returns a character that stands in no name of the policy.
func freshName(names []name) string {
	used := map[rune]bool{}
	for _, n := range names {
		for _, r := range n.text {
			if r >= firstPrivate {
				used[r] = true
			}
		}
	}
	r := firstPrivate
	for used[r] {
		r++ // the plane has 65,534 such characters, more than a policy can use up in its names
	}
	return string(r)
}

// firstPrivate is the first character of a plane for private use.
const firstPrivate = rune(0xF0000)

// probe returns a name that stands for all that a pattern matches: whatever
// pattern of the policy matches it and is not exact matches every one of them.
// What the pattern leaves open is filled with a character of no other pattern.
func (p *policy) probe(pattern string) string {
	parsed := args.ParsePattern(pattern)
	switch parsed.Form {
	case args.Prefix:
		return parsed.Literal + p.fresh
	case args.Suffix:
		return p.fresh + parsed.Literal
	case args.Infix:
		return p.fresh + parsed.Literal + p.fresh
	case args.Any:
		return p.fresh
	}
	return parsed.Literal
}

// spend reports whether n steps more may be taken.
func (p *policy) spend(n int) bool {
	p.work -= n
	return p.work >= 0
}

// keys are those of a mapping, as a set that is made once.
func (p *policy) keys(n *policydoc.Node) map[string]bool {
	set, ok := p.keySets[n]
	if !ok {
		set = make(map[string]bool, len(n.Members))
		for _, m := range n.Members {
			set[m.Key] = true
		}
		p.keySets[n] = set
	}
	return set
}

// unconstrained is what becomes of an allowed tool without a schema.
func (p *policy) unconstrained() string {
	if e := p.spec.Enforcement; e != nil && e.UnconstrainedTools != "" {
		return e.UnconstrainedTools
	}
	return "warn"
}

// isExact reports whether a pattern is a whole name.
func isExact(pattern string) bool { return args.ParsePattern(pattern).Form == args.Exact }

// hasInnerStar reports whether a pattern has a star that is only a star.
func hasInnerStar(pattern string) bool {
	return strings.Contains(args.ParsePattern(pattern).Literal, "*")
}
