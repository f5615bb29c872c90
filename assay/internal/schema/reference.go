package schema

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"example.com/assay/internal/jsonpointer"
)

// plainName is what $anchor may be (JSON Schema 2020-12 core, section 8.2.2;
// 2019-09 also allows a colon and no leading underscore).
var (
	plainName2019 = regexp.MustCompile(`^[A-Za-z][-A-Za-z0-9.:_]*$`)
	plainName2020 = regexp.MustCompile(`^[A-Za-z_][-A-Za-z0-9._]*$`)
)

// identify gives n its resource, and the resource what n declares.
func (g *gate) identify(n *node) {
	if n.parent != nil {
		n.resource = n.parent.resource
	} else {
		n.resource = g.newResource(n, baseURL)
	}
	if n.object == nil {
		return
	}
	keyword := "$id"
	if g.draft == draft4 {
		keyword = "id"
	}
	if id, ok := n.object[keyword].(string); ok {
		g.declare(spot{node: n, keyword: keyword}, id)
	}
	if g.draft >= draft2019 {
		g.anchor(n, "$anchor")
		if g.draft == draft2020 && g.anchor(n, "$dynamicAnchor") {
			if n.resource.dynamic == nil {
				n.resource.dynamic = map[string]*node{}
			}
			n.resource.dynamic[n.object["$dynamicAnchor"].(string)] = n
		}
	}
}

// declare gives n an anchor.
func (r *resource) declare(anchor string, n *node) {
	if r.anchors == nil {
		r.anchors = map[string]*node{}
	}
	r.anchors[anchor] = n
}

func (g *gate) newResource(n *node, address *url.URL) *resource {
	r := &resource{url: address, root: n}
	g.anchored = append(g.anchored, r)
	if n.parent != nil || address.String() != base {
		g.resources[address.String()] = r
	}
	return r
}

// declare reads an identifier: an address of its own for n, in drafts 4 to 7
// also an anchor.
func (g *gate) declare(at spot, id string) {
	n := at.node
	address, fragment, err := splitReference(id)
	if err != nil {
		g.reportAt(at, BadIdentifier, "the identifier is no URI reference", "")
		return
	}
	if fragment != "" && g.draft >= draft2019 {
		g.reportAt(at, BadIdentifier, "an $id has no fragment in "+g.draft.String(), "write $anchor")
		return
	}
	if address.String() != "" {
		resolved := join(n.resource.url, address)
		name := resolved.String()
		switch {
		case name == base:
			g.reportAt(at, BadIdentifier, "this identifier cannot be declared", "write another")
			return
		case resolved.Host == "json-schema.org":
			g.reportAt(at, BadIdentifier, "the identifier is one of JSON Schema's own", "write an address of your own")
			return
		case g.resources[name] != nil:
			g.reportAt(at, BadIdentifier, "the identifier is declared twice", "")
			return
		}
		if _, isPointer := strings.CutPrefix(fragment, "/"); isPointer {
			g.reportAt(at, BadIdentifier, "an identifier is no JSON Pointer", "")
			return
		}
		n.resource = g.newResource(n, resolved)
	}
	if fragment != "" {
		if strings.HasPrefix(fragment, "/") || n.resource.anchors[fragment] != nil {
			g.reportAt(at, BadIdentifier, "the anchor is a JSON Pointer or declared twice", "")
			return
		}
		n.resource.declare(fragment, n)
	}
}

// anchor declares the anchor that a keyword of n names, and reports whether
// there is one.
func (g *gate) anchor(n *node, keyword string) bool {
	name, ok := n.object[keyword].(string)
	if !ok {
		return false
	}
	form := plainName2020
	if g.draft == draft2019 {
		form = plainName2019
	}
	if !form.MatchString(name) {
		g.reportAt(spot{node: n, keyword: keyword}, BadIdentifier, keyword+" is no plain name", "start with a letter and go on with letters, digits, -, . and _")
		return false
	}
	if other := n.resource.anchors[name]; other != nil && other != n {
		g.reportAt(spot{node: n, keyword: keyword}, BadIdentifier, "the anchor is declared twice", "")
		return false
	}
	n.resource.declare(name, n)
	return true
}

// splitReference parses a URI reference into its address without fragment, and
// the fragment decoded.
func splitReference(ref string) (*url.URL, string, error) {
	address, fragment, _ := strings.Cut(ref, "#")
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, "", err
	}
	if !validURIReference(ref) {
		return nil, "", fmt.Errorf("no URI reference")
	}
	fragment, err = url.PathUnescape(fragment)
	return parsed, fragment, err
}

// join resolves a reference against a base (RFC 3986, section 5), also against
// a base without a path such as a URN, of which nothing but the whole can be
// replaced.
func join(base, ref *url.URL) *url.URL {
	resolved := base.ResolveReference(ref)
	if !ref.IsAbs() && base.Opaque != "" {
		resolved.Opaque = base.Opaque
	}
	return resolved
}

// resolveAll finds the target of every reference of nodes.
func (g *gate) resolveAll(nodes []*node) {
	for _, n := range nodes {
		if ref, ok := n.object["$ref"].(string); ok {
			n.ref = g.resolve(n, "$ref", ref)
		}
		if ref, ok := n.object["$dynamicRef"].(string); ok && g.draft == draft2020 {
			g.resolveDynamic(n, ref)
		}
		if _, ok := n.object["$recursiveRef"].(string); ok && g.draft == draft2019 {
			g.resolveRecursive(n)
		}
	}
}

// resolve returns the position that a reference of n leads to, nil after
// reporting why there is none.
func (g *gate) resolve(n *node, keyword, ref string) *node {
	at := spot{node: n, keyword: keyword}
	if name, rest, ok := definitionName(ref); ok && g.merged.home == "definitions" {
		ref = "#/definitions/" + (&url.URL{Path: jsonpointer.Escape(name) + rest}).EscapedPath()
	}
	address, fragment, err := splitReference(ref)
	if err != nil {
		g.reportAt(at, BadReference, "the reference is no URI reference", "")
		return nil
	}
	target := n.resource
	if address.String() != "" {
		name := join(n.resource.url, address).String()
		if target = g.resources[name]; target == nil {
			g.reportAt(at, OutsideReference, "the reference leads out of the tool's own schema", "copy what it names into $defs and refer to it by #/$defs/NAME")
			return nil
		}
	}
	switch {
	case fragment == "":
		return target.root
	case !strings.HasPrefix(fragment, "/"):
		if found := target.anchors[fragment]; found != nil {
			return found
		}
		g.reportAt(at, BadReference, "there is no such anchor", "")
		return nil
	}
	tokens := strings.Split(fragment[1:], "/")
	for i := range tokens {
		var ok bool
		if tokens[i], ok = jsonpointer.Unescape(tokens[i]); !ok {
			g.reportAt(at, BadReference, "the reference is no JSON Pointer", "write ~0 for ~ and ~1 for /")
			return nil
		}
	}
	found := target.root.find(tokens)
	if found == nil && target.root.parent == nil && g.foundation != nil {
		found = g.foundation.find(tokens, g.call)
	}
	switch {
	case found == nil:
		g.reportAt(at, BadReference, "the reference leads to nothing that is a schema", "define it under $defs")
		return nil
	case found.definition == nil && found.resource != target:
		g.reportAt(at, CrossingReference, "the reference crosses into a subschema with an identifier of its own", "refer to it by that identifier")
		return nil
	case g.draft == draft2019 && target != n.resource && target.root.object["$recursiveAnchor"] == true && found != target.root:
		g.reportAt(at, CrossingReference, "the reference leads into the middle of a recursive schema", "refer to its root")
		return nil
	}
	return found
}

// resolveDynamic collects everything that a $dynamicRef may lead to, whatever
// the way by which it is reached.
func (g *gate) resolveDynamic(n *node, ref string) {
	static := g.resolve(n, "$dynamicRef", ref)
	if static == nil {
		return
	}
	n.dynamic = []*node{static}
	_, fragment, _ := splitReference(ref)
	if static.object["$dynamicAnchor"] != fragment || fragment == "" {
		return
	}
	for _, r := range g.anchored {
		if other := r.dynamic[fragment]; other != nil && other != static {
			n.dynamic = append(n.dynamic, other)
		}
	}
}

func (g *gate) resolveRecursive(n *node) {
	n.dynamic = []*node{n.resource.root}
	if n.resource.root.object["$recursiveAnchor"] != true {
		return
	}
	for _, r := range g.anchored {
		if r.root != n.resource.root && r.root.object["$recursiveAnchor"] == true {
			n.dynamic = append(n.dynamic, r.root)
		}
	}
}

// checkLoops refuses a chain of schemas that judge one value without an end, or
// with more links than a judgement is to follow. It looks at those that begin at
// nodes.
func (g *gate) checkLoops(nodes []*node) {
	report := func(n *node, reason, message, hint string) {
		if g.full() || n.definition != nil && len(n.definition.problems) > maxProblems {
			return
		}
		p := Problem{Path: n.path(), Message: message, Hint: hint, Reason: reason}
		if n.definition != nil {
			// Whoever reaches a part of a loop or chain reaches this one too.
			n.definition.problems = append(n.definition.problems, p)
			return
		}
		g.report(p.Path, p.Reason, p.Message, p.Hint)
	}
	open := map[*node]bool{}
	var visit func(n *node) int
	visit = func(n *node) int {
		if open[n] {
			report(n, ReferenceLoop, "this schema leads back to itself without looking at a part of the value", "put the reference under properties or items")
			return 0
		}
		if n.height == 0 {
			open[n] = true
			tallest := 0
			n.inPlaceTargets(func(target *node) { tallest = max(tallest, visit(target)) })
			delete(open, n)
			n.height = tallest + 1
			if n.height == maxChain+1 {
				report(n, TooDeep, fmt.Sprintf("more than %d schemas in a row judge the same value", maxChain), "shorten the chain of references")
			}
		}
		return n.height
	}
	for _, n := range nodes {
		visit(n)
	}
}
