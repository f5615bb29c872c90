package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/assay/assay"
	"github.com/cedar-policy/cedar-go"
	"github.com/open-policy-agent/opa/v1/ast"
)

// patternRows ask whether any of many patterns, a quarter of each form, denies
// a name. None does.
func patternRows() []row {
	return []row{
		{"1,000 patterns, no match", reach{ratio: 2, allocs: true}, func() ([]contestant, error) {
			return patternContestants(1_000)
		}},
		// Six times what 1,000 patterns cost by hand: three times the reach of
		// the row above.
		{"100,000 patterns, no match", reach{ratio: 6, allocs: true}, manyPatterns},
	}
}

// patternsOf returns n patterns, a quarter of each form, which share much of
// their text with the names of freeNames and match none of them.
func patternsOf(n int) (exact, prefix, suffix, infix []string) {
	for i := range n / 4 {
		verb, noun := verbs[i%10], nouns[i/10%10]
		exact = append(exact, fmt.Sprintf("%s_%s_x%d", verb, noun, i))
		prefix = append(prefix, fmt.Sprintf("%s_%s_p%d", verb, noun, i))
		suffix = append(suffix, fmt.Sprintf("_s%d_%s", i, noun))
		infix = append(infix, fmt.Sprintf("_%s_i%d_", noun, i))
	}
	return exact, prefix, suffix, infix
}

func starred(n int) []string {
	exact, prefix, suffix, infix := patternsOf(n)
	all := exact
	for i := range prefix {
		all = append(all, prefix[i]+"*", "*"+suffix[i], "*"+infix[i]+"*")
	}
	return all
}

func assayPatterns(n int) (func(tool string) bool, error) {
	policy, err := assay.Compile(&assay.Spec{
		Tools:       &assay.Tools{Deny: starred(n)},
		Enforcement: &assay.Enforcement{UnconstrainedTools: "allow"},
	}, &assay.Options{MaxPolicyBytes: 10_000_000})
	if err != nil {
		return nil, err
	}
	return func(tool string) bool { return assay.CheckArgs(policy, assay.Call{Tool: tool}).Allowed }, nil
}

// patternDenied is what the pattern of the form *_ticket_i3_* denies.
const patternDenied = "list_ticket_i30_all"

func pattern(name string, decide func(tool string) bool) contestant {
	return contestant{name: name, allow: each(freeNames(), decide), deny: func() bool { return decide(patternDenied) }}
}

func patternContestants(n int) ([]contestant, error) {
	decide, err := assayPatterns(n)
	if err != nil {
		return nil, err
	}
	globs := starred(n)
	exact, prefix, suffix, infix := patternsOf(n)
	rego, err := opa(`
default allow := false
allow if {
	not input.tool in data.exact
	not strings.any_prefix_match(input.tool, data.prefix)
	not strings.any_suffix_match(input.tool, data.suffix)
	not infix
}
infix if {
	some part in data.infix
	contains(input.tool, part)
}`, map[string]any{"exact": anys(exact), "prefix": anys(prefix), "suffix": anys(suffix), "infix": anys(infix)})
	if err != nil {
		return nil, err
	}
	inputs := map[string]ast.Value{}
	for _, name := range append(freeNames(), patternDenied) {
		inputs[name] = ast.NewObject([2]*ast.Term{ast.StringTerm("tool"), ast.StringTerm(name)})
	}
	program, err := celProgram(`!(tool in exact || prefix.exists(p, tool.startsWith(p)) ||
		suffix.exists(p, tool.endsWith(p)) || infix.exists(p, tool.contains(p)))`, "tool", "exact", "prefix", "suffix", "infix")
	if err != nil {
		return nil, err
	}
	activation := map[string]any{"exact": exact, "prefix": prefix, "suffix": suffix, "infix": infix}
	var text strings.Builder
	text.WriteString("permit(principal, action, resource);\n")
	for _, glob := range globs {
		fmt.Fprintf(&text, "forbid(principal, action, resource) when { context.tool like %q };\n", glob)
	}
	cedars, err := cedarPolicies(text.String(), nil)
	if err != nil {
		return nil, err
	}
	var branches []string
	for _, glob := range globs {
		branches = append(branches, "^"+strings.ReplaceAll(regexp.QuoteMeta(glob), `\*`, ".*")+"$")
	}
	schema, err := santhoshSchema(jsonText(map[string]any{"not": map[string]any{"pattern": strings.Join(branches, "|")}}))
	if err != nil {
		return nil, err
	}
	enforce, err := casbinDeny("globMatch(r.tool, p.tool)", globs)
	if err != nil {
		return nil, err
	}
	return []contestant{
		pattern(nameAssay, decide),
		pattern(nameHand, newHandPatterns(n).allowed),
		pattern("loop over all", func(tool string) bool {
			return !slices.Contains(exact, tool) &&
				!slices.ContainsFunc(prefix, func(p string) bool { return strings.HasPrefix(tool, p) }) &&
				!slices.ContainsFunc(suffix, func(p string) bool { return strings.HasSuffix(tool, p) }) &&
				!slices.ContainsFunc(infix, func(p string) bool { return strings.Contains(tool, p) })
		}),
		pattern(nameOPA, func(tool string) bool { return rego(inputs[tool]) }),
		pattern(nameCEL, func(tool string) bool {
			activation["tool"] = tool
			return program(activation)
		}),
		pattern(nameSanthosh, func(tool string) bool { return schema.Validate(tool) == nil }),
		pattern(nameCedar, func(tool string) bool {
			return cedars(tool, cedar.NewRecord(cedar.RecordMap{"tool": cedar.String(tool)}))
		}),
		pattern(nameCasbin, enforce),
	}, nil
}

func manyPatterns() ([]contestant, error) {
	decide, err := assayPatterns(100_000)
	if err != nil {
		return nil, err
	}
	return []contestant{
		pattern(nameAssay, decide),
		pattern(nameHand, newHandPatterns(1_000).allowed),
		pattern("hand-written, 100,000 patterns", newHandPatterns(100_000).allowed),
	}, nil
}

func anys(texts []string) []any {
	values := make([]any, len(texts))
	for i, t := range texts {
		values[i] = t
	}
	return values
}

// handPatterns is what somebody would write who knows that there are many
// patterns: a map for the exact ones, a trie for prefixes, one for reversed
// suffixes, and an automaton (Aho and Corasick, 1975) for parts.
type handPatterns struct {
	class                  [256]uint8 // a byte's column, 0 for bytes of no pattern
	columns                int
	exact                  map[string]struct{}
	prefixes, suffixes, in trie
}

// trie is a table of nodes; node 0 is the root and 0 also means no child. A
// child that ends a pattern is stored negative.
type trie []int32

func newHandPatterns(n int) *handPatterns {
	exact, prefix, suffix, infix := patternsOf(n)
	h := &handPatterns{exact: map[string]struct{}{}, columns: 1}
	for _, group := range [][]string{prefix, suffix, infix} {
		for _, p := range group {
			for i := range len(p) {
				if h.class[p[i]] == 0 {
					h.class[p[i]] = uint8(h.columns)
					h.columns++
				}
			}
		}
	}
	for _, p := range exact {
		h.exact[p] = struct{}{}
	}
	h.prefixes, h.suffixes, h.in = h.build(prefix, false), h.build(suffix, true), h.build(infix, false)
	h.link()
	return h
}

// build makes a trie of the patterns, read backwards if reverse is set.
func (h *handPatterns) build(patterns []string, reverse bool) trie {
	t := make(trie, h.columns)
	for _, p := range patterns {
		node := int32(0)
		for i := range len(p) {
			b := p[i]
			if reverse {
				b = p[len(p)-1-i]
			}
			at := int(node)*h.columns + int(h.class[b])
			if t[at] < 0 {
				break // a shorter pattern matches all of this one
			}
			if t[at] == 0 {
				t[at] = int32(len(t) / h.columns)
				t = append(t, make(trie, h.columns)...)
			}
			node = t[at]
			if i == len(p)-1 {
				t[at] = -node
			}
		}
	}
	return t
}

// link turns the trie of parts into an automaton: a missing child is where the
// longest proper suffix would go.
func (h *handPatterns) link() {
	fail := make([]int32, len(h.in)/h.columns)
	queue := []int32{0}
	for len(queue) > 0 {
		node := queue[0]
		queue = queue[1:]
		for c := range h.columns {
			at := int(node)*h.columns + c
			child := h.in[at]
			var other int32 // where the suffix of node goes with c
			if node != 0 {
				other = h.in[int(fail[node])*h.columns+c]
			}
			switch {
			case child == 0:
				h.in[at] = other
			case child < 0: // a match: nothing behind it is ever looked at
			case other < 0:
				h.in[at] = -child
			default:
				fail[child] = other
				queue = append(queue, child)
			}
		}
	}
}

// allowed reports that tool is a valid name and no pattern matches it.
func (h *handPatterns) allowed(tool string) bool {
	if !validName(tool) {
		return false
	}
	if _, found := h.exact[tool]; found {
		return false
	}
	for i, node := 0, int32(0); i < len(tool); i++ {
		if node = h.prefixes[int(node)*h.columns+int(h.class[tool[i]])]; node <= 0 {
			if node < 0 {
				return false
			}
			break
		}
	}
	for i, node := len(tool)-1, int32(0); i >= 0; i-- {
		if node = h.suffixes[int(node)*h.columns+int(h.class[tool[i]])]; node <= 0 {
			if node < 0 {
				return false
			}
			break
		}
	}
	node := int32(0)
	for i := range len(tool) {
		if node = h.in[int(node)*h.columns+int(h.class[tool[i]])]; node < 0 {
			return false
		}
	}
	return true
}
