package schema

import (
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"example.com/assay/internal/jsonpointer"
)

// node is one position that the gate walked as a schema.
type node struct {
	index    int
	base     string         // JSON Pointer in the policy, "" where it follows from that of parent
	holder   string         // the keyword of parent that holds it, "" for the root
	token    string         // the rest of the pointer below holder, "" or one token
	never    bool           // the schema false
	object   map[string]any // nil for true and false
	parent   *node
	resource *resource
	subs     []*node // in the order of the keywords' names
	ref      *node   // where $ref leads
	dynamic  []*node // where $dynamicRef or $recursiveRef may lead
	height   int     // the longest chain of schemas in place below, 0 unknown

	definition *definition           // the shared one that it is part of, nil in a tool's own schema
	rules      atomic.Pointer[rules] // made when first needed
	clause     *clause               // likewise; see Schema.fast
}

// hasToken reports whether the pointer to n has a token below the keyword.
func (n *node) hasToken() bool {
	return n.token != "" || holdsMap(n.holder) && isMap(n.parent.object[n.holder])
}

// path returns where n stands in the policy, as a JSON Pointer.
func (n *node) path() string { return string(n.appendPath(nil)) }

func (n *node) appendPath(to []byte) []byte {
	if n.parent == nil || n.base != "" {
		return append(to, n.base...)
	}
	to = append(n.parent.appendPath(to), '/')
	to = append(to, jsonpointer.Escape(n.holder)...)
	if n.hasToken() {
		to = append(to, '/')
		to = append(to, jsonpointer.Escape(n.token)...)
	}
	return to
}

// pathLength is about how long path is.
func (n *node) pathLength() int {
	if n.parent == nil || n.base != "" {
		return len(n.base)
	}
	return n.parent.pathLength() + len(n.holder) + len(n.token) + 2
}

// find returns the node at a JSON Pointer below n, which is split into tokens,
// nil if no schema stands there.
func (n *node) find(tokens []string) *node {
	for len(tokens) > 0 {
		var next *node
		used := 1
		for _, sub := range n.subs {
			if sub.holder != tokens[0] {
				continue
			}
			if !sub.hasToken() {
				next = sub
			} else if len(tokens) > 1 && sub.token == tokens[1] {
				next, used = sub, 2
			}
			if next != nil {
				break
			}
		}
		if next == nil {
			return nil
		}
		n, tokens = next, tokens[used:]
	}
	return n
}

// spot is a place in or below a keyword of a schema.
type spot struct {
	node    *node
	keyword string
	name    string // a member of the keyword's value
	named   bool
}

func (s spot) member(name string) spot {
	s.name, s.named = name, true
	return s
}

func (s spot) path() string {
	path := s.node.path() + "/" + jsonpointer.Escape(s.keyword)
	if s.named {
		path += "/" + jsonpointer.Escape(s.name)
	}
	return path
}

// resource is the root or a subschema with an identifier of its own.
type resource struct {
	url     *url.URL
	root    *node
	anchors map[string]*node
	dynamic map[string]*node
}

// has reports whether one of the keywords stands in n.
func (n *node) has(keywords ...string) bool {
	return slices.ContainsFunc(keywords, func(keyword string) bool { _, ok := n.object[keyword]; return ok })
}

// holdsMap reports whether a keyword's value is an object of schemas, in which
// the empty name is a name.
func holdsMap(name string) bool {
	switch name {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return true
	}
	return false
}

// inPlaceTargets calls visit for every schema that judges the same value as n.
func (n *node) inPlaceTargets(visit func(*node)) {
	for _, sub := range n.subs {
		if inPlace(sub.holder) {
			visit(sub)
		}
	}
	if n.ref != nil {
		visit(n.ref)
	}
	for _, target := range n.dynamic {
		visit(target)
	}
}

// before reports whether n stands before m in the merged schema, keywords and
// definitions in the order of their names.
func (n *node) before(m *node) bool {
	if n.definition == m.definition {
		return n.index < m.index
	}
	a, b := n.part(), m.part()
	if a.holder != b.holder {
		return a.holder < b.holder
	}
	return strings.Compare(a.token, b.token) < 0
}

// part returns the schema in the root's keywords that n is part of, or the root.
func (n *node) part() *node {
	for n.parent != nil && n.parent.parent != nil {
		n = n.parent
	}
	return n
}
