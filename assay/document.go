package assay

import (
	"slices"
	"strings"

	"example.com/assay/assay/internal/policydoc"
)

// document is a policy as it was read.
type document struct {
	spec *Spec
	root *policydoc.Node
	// constraintAt holds where the Params of each of spec.Constraints stand, as
	// JSON Pointers: a file has two forms for them.
	constraintAt []string
}

// read reads one of the three forms of a document. Nobody may write to its spec,
// in which equal values are one.
func read(root *policydoc.Node) (*document, *PolicyError) {
	return readWith(new(policydoc.Values).Of, root)
}

// ownSpec returns the spec of d again, with values of its own everywhere.
func (d *document) ownSpec() *Spec {
	again, _ := readWith((*policydoc.Node).Value, d.root)
	return again.spec
}

// readWith reads a document, and the plain data in it by value.
func readWith(value func(*policydoc.Node) any, root *policydoc.Node) (*document, *PolicyError) {
	r := &reader{value: value}
	d := &document{spec: &Spec{}, root: root}
	kind := KindStructure
	if root.Kind == policydoc.List {
		// Whatever is wrong with a list, it is no mapping either, and the
		// checks that need one say so.
		kind = KindRoot
		d.list(field{r: r, node: root})
	} else {
		d.mapping(field{r: r, node: root})
	}
	if len(r.problems) > 0 {
		return nil, &PolicyError{Kind: kind, Problems: placed(root, r.problems)}
	}
	return d, nil
}

// list reads the two forms without a mapping. The first item says which one it is.
func (d *document) list(f field) {
	switch {
	case len(f.node.Items) == 0:
		f.r.report(f.path, "the document is an empty list, which says neither what is allowed nor in which form",
			"write a mapping with the key sequences")
	case f.node.Items[0].Kind == policydoc.String:
		d.spec.Exact = f.names()
	default:
		d.spec.List = f.rules()
	}
}

// mapping reads the form that nearly all documents have. The lines are the keys
// of docs/policy.md, "A whole file", and what each may hold.
func (d *document) mapping(f field) {
	s, m := d.spec, f.mapping()
	s.Version = m.key("version").version()
	s.Name = m.nullable("name").text()
	s.Description = m.nullable("description").text()
	s.Metadata = m.nullable("metadata").value()
	s.Tools = m.key("tools").tools()
	s.Allow = m.key("allow").names()
	s.Deny = m.nullable("deny").names()
	s.ToolClasses = m.key("tool_classes").nameLists()
	s.Schemas = m.key("schemas").values()
	s.Constraints, d.constraintAt = m.key("constraints").constraints()
	s.Enforcement = m.key("enforcement").enforcement()
	s.Limits = m.key("limits").limits()
	s.ToolPins = members(m.key("tool_pins"), field.identity)
	s.Sequences = m.key("sequences").rules()
	s.Aliases = m.key("aliases").nameLists()
	s.OnError = m.key("on_error").text()
	s.Blocklist = m.key("blocklist").names()
	s.Signatures = m.key("signatures").values()
	s.Discovery = m.key("discovery").values()
	s.RuntimeMonitor = m.key("runtime_monitor").values()
	s.KillSwitch = m.key("kill_switch").values()
	for _, member := range f.node.Members {
		if isExtension(member.Key) {
			if s.Extensions == nil {
				s.Extensions = make(map[string]any)
			}
			s.Extensions[member.Key] = f.member(member).value()
			m.known = append(m.known, member.Key)
		}
	}
	m.close()
}

// isSequence reports whether the document is one of the forms that
// CheckSequence reads.
func (d *document) isSequence() bool {
	s := d.spec
	return s.isList() || s.Sequences != nil ||
		s.Version == "1.1" && d.holdsOnly("version", "name", "metadata", "tools", "sequences", "aliases", "on_error")
}

// isBlocklist reports whether the document is of the form that PolicyDecide reads.
func (d *document) isBlocklist() bool {
	return !d.spec.isList() && d.holdsOnly("version", "name", "description", "metadata", "blocklist", "x-")
}

// holdsOnly reports whether a mapping has no other keys; "x-" stands for every
// extension. A key that is null is absent: where it would not be, the document
// was refused.
func (d *document) holdsOnly(keys ...string) bool {
	for _, m := range d.root.Members {
		key := m.Key
		if isExtension(key) {
			key = "x-"
		} else if m.Value.Kind == policydoc.Null {
			continue
		}
		if !slices.Contains(keys, key) {
			return false
		}
	}
	return true
}

// placed gives every problem the place that its path leads to: the key, or the
// item of a list. It returns them in the order of the text.
func placed(root *policydoc.Node, problems []Problem) []Problem {
	places := policydoc.NewPlaces(root)
	for i := range problems {
		p := &problems[i]
		p.Line, p.Column = places.Of(p.Path)
	}
	return inOrder(problems)
}

// isExtension reports whether a key of the root is the author's own.
func isExtension(key string) bool { return strings.HasPrefix(key, "x-") }

// version reads a version by its text, so that 1.1 and "1.1" are one.
func (f field) version() string {
	if f.node != nil && f.node.Kind == policydoc.Number {
		text := *f.node
		text.Kind = policydoc.String
		f.node = &text
	}
	if !f.is(policydoc.String, "text") {
		return ""
	}
	if versions := []string{"1.0", "1.1", "2.0", "1", "2"}; !slices.Contains(versions, f.node.Text) {
		f.r.report(f.path, "must be "+either(versions), "write "+forms["/version"])
	}
	return f.node.Text
}

func (f field) tools() *Tools {
	if f.node == nil {
		return nil
	}
	m := f.mapping()
	defer m.close()
	return &Tools{
		Allow:                   m.key("allow").names(),
		AllowClasses:            m.key("allow_classes").names(),
		Deny:                    m.nullable("deny").names(),
		DenyClasses:             m.nullable("deny_classes").names(),
		RequireArgs:             m.key("require_args").nameLists(),
		ArgConstraints:          members(m.key("arg_constraints"), field.values),
		ApprovalRequired:        m.key("approval_required").names(),
		ApprovalRequiredClasses: m.key("approval_required_classes").names(),
		RestrictScope:           m.key("restrict_scope").names(),
		RestrictScopeClasses:    m.key("restrict_scope_classes").names(),
		RestrictScopeContract:   m.key("restrict_scope_contract").scopeContract(),
		RedactArgs:              m.key("redact_args").names(),
		RedactArgsClasses:       m.key("redact_args_classes").names(),
		RedactArgsContract:      m.key("redact_args_contract").redactionContract(),
	}
}

func (f field) scopeContract() *ScopeContract {
	if f.node == nil {
		return nil
	}
	m := f.mapping()
	defer m.close()
	return &ScopeContract{
		ScopeType:      m.key("scope_type").text(),
		ScopeValue:     m.key("scope_value").text(),
		ScopeMatchMode: m.key("scope_match_mode").text(),
	}
}

func (f field) redactionContract() *RedactionContract {
	if f.node == nil {
		return nil
	}
	m := f.mapping()
	defer m.close()
	return &RedactionContract{
		RedactionTarget: m.key("redaction_target").text(),
		RedactionMode:   m.key("redaction_mode").text(),
		RedactionScope:  m.key("redaction_scope").text(),
	}
}

func (f field) enforcement() *Enforcement {
	if f.node == nil {
		return nil
	}
	m := f.mapping()
	defer m.close()
	return &Enforcement{
		UnconstrainedTools: m.key("unconstrained_tools").word("warn", "deny", "allow"),
		Formats:            m.key("formats").word("assert", "annotate"),
	}
}

func (f field) limits() *Limits {
	if f.node == nil {
		return nil
	}
	m := f.mapping()
	defer m.close()
	const most = 1<<63 - 1
	return &Limits{
		MaxRequestsTotal:  m.key("max_requests_total").count(most),
		MaxToolCallsTotal: m.key("max_tool_calls_total").count(most),
	}
}

func (f field) identity() Identity {
	m := f.mapping()
	defer m.close()
	return Identity{
		ServerID:   deref(m.required("server_id").text()),
		ToolName:   deref(m.required("tool_name").text()),
		SchemaHash: m.required("schema_hash").hash(),
		MetaHash:   m.required("meta_hash").hash(),
	}
}

// hash reads a SHA-256 in lowercase hexadecimal.
func (f field) hash() string {
	text := f.text()
	if text == nil {
		return ""
	}
	if len(*text) != 64 || strings.Trim(*text, "0123456789abcdef") != "" {
		f.r.report(f.path, "must be 64 lowercase hexadecimal digits", "")
	}
	return *text
}

// constraints reads the list {tool, params: {name: {matches}}} and the mapping
// tool -> name -> pattern or {matches}; at is where each one's params stand.
func (f field) constraints() (all []Constraint, at []string) {
	if f.node == nil {
		return nil, nil
	}
	all = []Constraint{}
	switch f.node.Kind {
	case policydoc.List:
		for i := range f.node.Items {
			m := f.item(i).mapping()
			tool, params := m.required("tool"), m.required("params")
			all = append(all, Constraint{deref(tool.text()), members(params, field.matcher)})
			at = append(at, params.path)
			m.close()
		}
	case policydoc.Map:
		for _, member := range f.node.Members {
			params := f.member(member)
			all = append(all, Constraint{member.Key, members(params, field.patternOrMatcher)})
			at = append(at, params.path)
		}
	default:
		f.wrong("a list or a mapping")
	}
	return all, at
}

func (f field) matcher() Matcher {
	m := f.mapping()
	defer m.close()
	return Matcher{deref(m.required("matches").text())}
}

func (f field) patternOrMatcher() Matcher {
	if f.node.Kind == policydoc.String {
		return Matcher{f.node.Text}
	}
	return f.matcher()
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
