package assay

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"
	"sync"

	"example.com/assay/assay/args"
	"example.com/assay/assay/blocklist"
	"example.com/assay/assay/internal/policydoc"
	"example.com/assay/assay/sequence"
	"example.com/assay/internal/stop"
)

// Policy is a compiled policy document: immutable and safe for concurrent use.
// A nil or zero Policy denies everything with [CodeNoPolicy].
type Policy struct {
	compiled *compiled
	stop     *stop.Flag
}

// compiled is what a document becomes. Each check has its engine.
type compiled struct {
	options  Options
	spec     *Spec         // nobody writes to it
	digest   func() string // of spec, made when first asked for
	size     int
	problems []Problem

	args      *args.Checker     // nil: the document is no mapping
	sequence  *sequence.Checker // nil: it is no sequence policy
	decides   bool              // it is a file of a blocklist alone
	isMapping bool
	blocklist *blocklist.List
	tools     []string // every tool that the document names

	// For Options.SuggestFixes, else nil: the document, and whether some schema
	// in it is writeOnly, perhaps by a reference from afar.
	document *policydoc.Node
	secrets  bool
}

// Parse compiles a policy from its text, JSON or YAML
// (docs/policy.md, "How a file is read"). The error is a [*PolicyError].
//
// A schema that does not compile is no error, unless Options.Strict says so: it
// denies the calls of its own tool, and [Policy.Problems] tells of it.
func Parse(data []byte, opts *Options) (*Policy, error) {
	options := opts.resolved()
	d, err := parseDocument(data, options.MaxPolicyBytes)
	if err != nil {
		return nil, err
	}
	return d.compile(options)
}

// ParseFS reads and compiles the policy file name of fsys. It refuses whatever
// is no regular file, and never reads more than the policy limit and one byte.
// The error is a [*PolicyError]; where the file could not be read, its kind is
// [KindRead] and it wraps the error of fsys.
//
// What links lead to is the business of fsys: an [os.Root] keeps them inside,
// [os.DirFS] does not.
func ParseFS(fsys fs.FS, name string, opts *Options) (*Policy, error) {
	data, err := readFile(fsys, name, opts.resolved().MaxPolicyBytes)
	if err != nil {
		return nil, &PolicyError{Kind: KindRead, file: name, err: err}
	}
	p, err := Parse(data, opts)
	var refused *PolicyError
	if errors.As(err, &refused) {
		refused.file = name
	}
	return p, err
}

// readFile returns the content of a regular file, or its first limit+1 bytes.
func readFile(fsys fs.FS, name string, limit int) ([]byte, error) {
	if fsys == nil {
		return nil, errors.New("there is no file system")
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	return io.ReadAll(io.LimitReader(f, int64(min(limit, math.MaxInt-1))+1))
}

// Compile compiles a policy from a Spec. It reads the Spec's JSON form by the
// rules of [Parse], so that a policy written in Go and one written in a file
// obey one language, and keeps nothing of the Spec itself. The error is a
// [*PolicyError] whose problems have a path and no line.
func Compile(spec *Spec, opts *Options) (*Policy, error) {
	if spec == nil {
		return nil, refuse(KindRoot, "the spec is nil", "an empty document is &Spec{}")
	}
	text, err := spec.MarshalJSON()
	if err != nil {
		return nil, &PolicyError{Kind: KindStructure, err: err}
	}
	p, err := Parse(text, opts)
	var problems []Problem
	var refused *PolicyError
	if errors.As(err, &refused) {
		problems = refused.Problems
	} else {
		problems = p.compiled.problems
	}
	for i := range problems {
		problems[i].Line, problems[i].Column = 0, 0
	}
	return p, err
}

// parseDocument reads a document of at most limit bytes.
func parseDocument(data []byte, limit int) (*document, error) {
	root, err := policydoc.Parse(data, limit)
	if err != nil {
		var refused *policydoc.Error
		if errors.As(err, &refused) {
			return nil, unreadable(refused)
		}
		return nil, &PolicyError{Kind: KindSyntax, err: err}
	}
	d, refused := read(root)
	if refused != nil {
		return nil, refused
	}
	return d, nil
}

// compile compiles what the document says for each check.
func (d *document) compile(options Options) (*Policy, error) {
	c := &compiled{
		options:   options,
		spec:      d.spec,
		digest:    sync.OnceValue(d.spec.digest),
		size:      d.size(options),
		isMapping: !d.spec.isList(),
		decides:   d.isBlocklist(),
		blocklist: blocklist.Compile(d.spec.Blocklist),
	}
	checker, problems := d.compileSequence()
	if len(problems) > 0 {
		kind := KindStructure
		if !c.isMapping {
			kind = KindRoot
		}
		return nil, &PolicyError{Kind: kind, Problems: problems}
	}
	c.tools = d.spec.toolNames(checker.Tools())
	if d.isSequence() {
		c.sequence = checker
	}
	if c.isMapping {
		c.args, c.problems = d.compileArgs(c.blocklist, checker.Tools(), options)
	}
	if options.SuggestFixes {
		c.document, c.secrets = d.root, mentions(d.root, "writeOnly")
	}
	if options.Strict && len(c.problems) > 0 {
		return nil, &PolicyError{Kind: KindStructure, Problems: c.problems[:min(len(c.problems), maxProblems)]}
	}
	return &Policy{compiled: c}, nil
}

// compileSequence compiles the rules of any of the three forms. The problems
// are in the order of the text.
func (d *document) compileSequence() (*sequence.Checker, []Problem) {
	s := d.spec
	if s.Exact != nil {
		return sequence.CompileExact(s.Exact), nil
	}
	rules, prefix := s.Sequences, ""
	if s.List != nil {
		rules, prefix = s.List, "/sequences"
	}
	checker, found := sequence.Compile(rules, s.Aliases, sequence.Options{})
	r := &reader{}
	for _, p := range found {
		r.add(Problem{Path: strings.TrimPrefix(p.Path, prefix), Message: p.Message, Hint: p.Hint})
	}
	return checker, placed(d.root, r.problems)
}

// compileArgs compiles what the document says about names and arguments, and
// returns the schemas that do not compile.
func (d *document) compileArgs(blocked *blocklist.List, expected []string, options Options) (*args.Checker, []Problem) {
	checker, found := args.Compile(d.argsRules(blocked), args.Options{
		MaxSteps:       options.MaxSteps,
		MaxViolations:  options.MaxViolations,
		MaxSchemaBytes: options.maxSchemaBytes(),
		Expect:         expected,
	})
	var problems []Problem
	for _, p := range found {
		problems = append(problems, Problem{Path: p.Path, Tool: p.Tool, Message: p.Message, Hint: p.Hint})
	}
	return checker, placed(d.root, problems)
}

// argsRules is the part of the document that args decides by.
func (d *document) argsRules(blocked *blocklist.List) *args.Rules {
	s := d.spec
	t := s.Tools
	if t == nil {
		t = &Tools{}
	}
	r := &args.Rules{
		Allow:          join(s.Allow, t.Allow),
		Deny:           join(s.Deny, t.Deny),
		AllowClasses:   t.AllowClasses,
		DenyClasses:    t.DenyClasses,
		Classes:        s.ToolClasses,
		Blocked:        blocked.Contains,
		Approval:       args.Duty{Tools: t.ApprovalRequired, Classes: t.ApprovalRequiredClasses},
		Scope:          args.Duty{Tools: t.RestrictScope, Classes: t.RestrictScopeClasses, Contract: t.RestrictScopeContract.terms()},
		Redact:         args.Duty{Tools: t.RedactArgs, Classes: t.RedactArgsClasses, Contract: t.RedactArgsContract.terms()},
		RequireArgs:    t.RequireArgs,
		ArgConstraints: t.ArgConstraints,
	}
	if l := s.Limits; l != nil {
		r.MaxRequests, r.MaxCalls = l.MaxRequestsTotal, l.MaxToolCallsTotal
	}
	if e := s.Enforcement; e != nil {
		r.AnnotateFormats = e.Formats == "annotate"
		switch e.UnconstrainedTools {
		case "deny":
			r.Unconstrained = args.Deny
		case "allow":
			r.Unconstrained = args.Allow
		}
	}
	r.Pins = make(map[string]args.Identity, len(s.ToolPins))
	for tool, pin := range s.ToolPins {
		r.Pins[tool] = args.Identity(pin)
	}
	r.Schemas = make(map[string]any, len(s.Schemas))
	for tool, schema := range s.Schemas {
		if tool != definitions {
			r.Schemas[tool] = schema
			continue
		}
		defs, ok := schema.(map[string]any)
		r.Defs, r.DefsBroken = defs, !ok
	}
	for i, c := range s.Constraints {
		params := make(map[string]string, len(c.Params))
		for name, m := range c.Params {
			params[name] = m.Matches
		}
		r.Constraints = append(r.Constraints, args.Constraint{Tool: c.Tool, Params: params, Pointer: d.constraintAt[i]})
	}
	return r
}

// definitions is the key of Spec.Schemas that is no tool.
const definitions = "$defs"

// join joins two lists of which each may be absent.
func join(a, b []string) []string {
	if a == nil {
		return b
	}
	return append(slices.Clip(a), b...)
}

// Spec returns the document that p was compiled from, a deep copy. It is nil
// for a nil or zero policy.
func (p *Policy) Spec() *Spec {
	if p == nil || p.compiled == nil {
		return nil
	}
	spec := new(Spec)
	if err := spec.UnmarshalJSON(p.compiled.spec.canonical()); err != nil {
		panic("assay: a policy's own document is refused: " + err.Error())
	}
	return spec
}

// canonical returns the canonical form of a document that was read.
func (s *Spec) canonical() []byte {
	text, err := s.MarshalJSON()
	if err != nil {
		panic("assay: a policy's own document has no text: " + err.Error())
	}
	return text
}

func (s *Spec) digest() string {
	sum := sha256.Sum256(s.canonical())
	return hex.EncodeToString(sum[:])
}

// Digest returns the SHA-256 of the document's canonical form
// ([Spec.MarshalJSON]), in hexadecimal. Files that say the same, key by key and
// number by number, have one digest, however they are laid out. It is empty for
// a nil or zero policy.
func (p *Policy) Digest() string {
	if p == nil || p.compiled == nil {
		return ""
	}
	return p.compiled.digest()
}

// Problems lists what is wrong with the schemas that do not compile, in the
// order of the text; what is wrong with a shared definition is listed once for
// each tool that reaches it. Every call of such a tool is denied with
// [CodeSchemaCompile]; the rest of the policy is in force. Everything is found
// when the policy is compiled, and with Options.Strict it is the error of
// [Parse], so that this list is empty.
func (p *Policy) Problems() []Problem {
	if p == nil || p.compiled == nil {
		return nil
	}
	return slices.Clone(p.compiled.problems)
}

// Size estimates how many bytes of memory the compiled policy takes, for a cache
// that bounds what it keeps. It is meant to be too large rather than too small,
// and counts what the first call of each tool still adds. It is 0 for a nil or
// zero policy.
func (p *Policy) Size() int {
	if p == nil || p.compiled == nil {
		return 0
	}
	return p.compiled.size
}

// Until returns p with checks that end early, denying with [CodeLimitExceeded],
// once the flag is set. It is for this module's server, which answers within a
// time; the type of the flag is not importable elsewhere.
func (p *Policy) Until(flag *stop.Flag) *Policy {
	if p == nil {
		return nil
	}
	return &Policy{compiled: p.compiled, stop: flag}
}
