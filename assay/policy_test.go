package assay_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/assay/assay"
)

func TestParseFSReadsAFile(t *testing.T) {
	fsys := fstest.MapFS{"sub/p.yaml": {Data: []byte("blocklist: [rm]\n")}}
	p, err := assay.ParseFS(fsys, "sub/p.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := assay.PolicyDecide(p, "rm"); d.Code != assay.CodeToolBlocked {
		t.Errorf("rm is answered %q", d.Code)
	}
}

func TestParseFSWrapsTheErrorOfTheFileSystem(t *testing.T) {
	fsys := fstest.MapFS{"dir/p.yaml": {Data: []byte("{}")}}
	for name, want := range map[string]error{"none.yaml": fs.ErrNotExist, "../p.yaml": fs.ErrNotExist, "dir": nil} {
		p, err := assay.ParseFS(fsys, name, nil)
		var e *assay.PolicyError
		if p != nil || !errors.As(err, &e) || e.Kind != assay.KindRead {
			t.Errorf("%s: %v, %v", name, p, err)
			continue
		}
		if want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %v does not wrap %v", name, err, want)
		}
	}
	if _, err := assay.ParseFS(nil, "p.yaml", nil); err == nil {
		t.Error("no file system is no error")
	}
}

func TestParseFSNamesTheFileInEveryError(t *testing.T) {
	fsys := fstest.MapFS{
		"syntax.yaml":    {Data: []byte("a: [")},
		"root.yaml":      {Data: []byte("text")},
		"structure.yaml": {Data: []byte("denny: [rm]")},
		"strict.yaml":    {Data: []byte("schemas: {t: {type: str}}")},
		"limit.yaml":     {Data: []byte(strings.Repeat("#", 5001))},
		"dir/p.yaml":     {Data: []byte("{}")},
	}
	for name, kind := range map[string]assay.ErrorKind{
		"syntax.yaml": assay.KindSyntax, "root.yaml": assay.KindRoot, "structure.yaml": assay.KindStructure,
		"strict.yaml": assay.KindStructure, "limit.yaml": assay.KindLimit, "none.yaml": assay.KindRead, "dir": assay.KindRead,
	} {
		_, err := assay.ParseFS(fsys, name, &assay.Options{MaxPolicyBytes: 5000, Strict: true})
		var e *assay.PolicyError
		want := fmt.Sprintf("assay: the policy %q is refused (%s): ", name, kind)
		if !errors.As(err, &e) || e.Kind != kind || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", name, err, want)
		}
	}
	if _, err := assay.ParseFS(&broken{}, "p.yaml", nil); err == nil || !strings.Contains(err.Error(), `"p.yaml"`) {
		t.Errorf("the error is %v", err)
	}
}

// endless is a file that never ends and counts what is read of it.
type endless struct {
	fs.FileInfo
	read int
}

func (f *endless) Open(string) (fs.File, error) { return f, nil }
func (f *endless) Stat() (fs.FileInfo, error)   { return f, nil }
func (f *endless) Close() error                 { return nil }
func (f *endless) Mode() fs.FileMode            { return 0o444 }
func (f *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '#'
	}
	f.read += len(b)
	return len(b), nil
}

// broken is a file that fails while it is read.
type broken struct{ endless }

func (f *broken) Open(string) (fs.File, error) { return f, nil }
func (f *broken) Read([]byte) (int, error)     { return 0, io.ErrUnexpectedEOF }

func TestParseFSReadsNoMoreThanTheLimit(t *testing.T) {
	f := &endless{}
	_, err := assay.ParseFS(f, "p.yaml", &assay.Options{MaxPolicyBytes: 5000})
	var e *assay.PolicyError
	if !errors.As(err, &e) || e.Kind != assay.KindLimit {
		t.Errorf("the error is %v", err)
	}
	if f.read > 5001 {
		t.Errorf("%d bytes were read", f.read)
	}
	if _, err := assay.ParseFS(&broken{}, "p.yaml", nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the error is %v", err)
	}
}

func TestTheSizeLimitIsInclusive(t *testing.T) {
	const head = "blocklist: [rm]\n#"
	for _, limit := range []int{0, 100, 5000} {
		size := limit
		if size == 0 {
			size = assay.DefaultMaxPolicyBytes
		}
		opts := &assay.Options{MaxPolicyBytes: limit}
		text := head + strings.Repeat("x", size-len(head))
		if _, err := assay.Parse([]byte(text), opts); err != nil {
			t.Errorf("limit %d: %d bytes are refused: %v", limit, len(text), err)
		}
		_, err := assay.Parse([]byte(text+"x"), opts)
		var e *assay.PolicyError
		if !errors.As(err, &e) || e.Kind != assay.KindLimit {
			t.Errorf("limit %d: one byte more: %v", limit, err)
		}
	}
}

func TestOptionsThatAreNotPositiveAreTheDefaults(t *testing.T) {
	const text = `{"schemas": {"t": {"items": {"maximum": 3}}}}`
	call := assay.Call{Tool: "t", Arguments: []byte("[" + strings.Repeat("4,", 99) + "4]")}
	for _, opts := range []*assay.Options{nil, {}, {MaxPolicyBytes: -1, MaxSteps: -1, MaxViolations: -1}} {
		p, err := assay.Parse([]byte(text), opts)
		if err != nil {
			t.Fatalf("%+v: %v", opts, err)
		}
		if d := assay.CheckArgs(p, call); len(d.Violations) != assay.DefaultMaxViolations || !d.Truncated {
			t.Errorf("%+v: %d violations, truncated %v", opts, len(d.Violations), d.Truncated)
		}
	}
	p, err := assay.Parse([]byte(text), &assay.Options{MaxViolations: 3})
	if err != nil {
		t.Fatal(err)
	}
	if d := assay.CheckArgs(p, call); len(d.Violations) != 3 || !d.Truncated {
		t.Errorf("%d violations, truncated %v", len(d.Violations), d.Truncated)
	}
	p, err = assay.Parse([]byte(text), &assay.Options{MaxSteps: 50})
	if err != nil {
		t.Fatal(err)
	}
	call.Arguments = []byte("[" + strings.Repeat("1,", 99) + "1]")
	if d := assay.CheckArgs(p, call); d.Code != assay.CodeLimitExceeded {
		t.Errorf("100 items in 50 steps are answered %q", d.Code)
	}
}

func TestEveryFormOfADocumentIsReadByItsChecks(t *testing.T) {
	const (
		root      = "Policy root must be a mapping"
		structure = "Policy structure is invalid"
		order     = "Invalid sequence policy format"
	)
	for name, test := range map[string]struct{ text, args, sequence, decide string }{
		"an empty mapping":                  {"{}", "", order, ""},
		"names":                             {"tools: {allow: ['*']}", "", order, structure},
		"a blocklist":                       {"{version: '1.0', name: n, description: d, metadata: 1, blocklist: [rm], x-a: 1}", "", order, ""},
		"rules":                             {"sequences: []", "", "", structure},
		"everything":                        {full, "E_TOOL_UNCONSTRAINED", "E_SEQUENCE", structure},
		"version 1.1 without sequences":     {"version: 1.1\nname: n", "", "", ""},
		"version 1.1 with tools":            {"version: '1.1'\ntools: {}\naliases: {}\non_error: x\nmetadata: {}", "", "", structure},
		"version 1.1 with a description":    {"version: '1.1'\ndescription: ''", "", order, ""},
		"version 1.1 with null description": {"version: '1.1'\ndescription: null", "", "", ""},
		"version 1.1 with an extension":     {"version: '1.1'\nx-a: null", "", order, ""},
		"version 2.0 without sequences":     {"version: '2.0'\nname: n", "", order, ""},
		"a null deny is absent":             {"deny: null\nblocklist: []", "", order, ""},
		"an empty deny is there":            {"deny: []\nblocklist: []", "", order, structure},
		"a list of rules":                   {"[{type: require, tool: x}]", root, "", root},
		"a list of names":                   {"[x]", root, "", root},
	} {
		p := mustParse(t, test.text)
		check := func(what, want string, d assay.Decision) {
			if want == "" && !d.Allowed || want != "" && d.Allowed {
				t.Errorf("%s: %s answers %+v", name, what, d)
			}
			if want != "" && d.Reason != want && string(d.Code) != want {
				t.Errorf("%s: %s answers %s %q, want %q", name, what, d.Code, d.Reason, want)
			}
		}
		check("CheckArgs", test.args, assay.CheckArgs(p, assay.Call{Tool: "x"}))
		check("CheckSequence", test.sequence, assay.CheckSequence(p, nil, assay.Call{Tool: "x"}))
		check("PolicyDecide", test.decide, assay.PolicyDecide(p, "x"))
	}
}

func TestSizeOfWhatToolsShareIsBounded(t *testing.T) {
	policy := func(tools int) string {
		var b strings.Builder
		b.WriteString(`{"schemas":{"$defs":{"d":{"properties":{`)
		for i := range 500 {
			fmt.Fprintf(&b, `"p%d":{"type":"string","pattern":"^[a-z]{1,100}-%[1]d$"},`, i)
		}
		b.WriteString(`"last":true}}}`)
		for i := range tools {
			fmt.Fprintf(&b, `,"t%d":{"$ref":"#/$defs/d"}`, i)
		}
		return b.String() + `}}`
	}
	few, many := mustParse(t, policy(1)).Size(), mustParse(t, policy(500)).Size()
	if many <= few || many > few+4<<20 {
		t.Errorf("one tool has size %d, 500 tools of the same definition %d", few, many)
	}
}

func TestSizeGrowsWithThePolicy(t *testing.T) {
	var none *assay.Policy
	if none.Size() != 0 || new(assay.Policy).Size() != 0 {
		t.Error("no policy has a size")
	}
	last := 0
	for _, n := range []int{1, 100, 10_000} {
		var b strings.Builder
		b.WriteString("blocklist:\n")
		for i := range n {
			fmt.Fprintf(&b, "- tool%d\n", i)
		}
		size := mustParse(t, b.String()).Size()
		if size <= last || size < b.Len() {
			t.Errorf("%d names have size %d, fewer had %d", n, size, last)
		}
		last = size
	}
}

// A path under a long name is long, and many of them would be far more than the file.
func TestPathsOfManyProblemsAreBounded(t *testing.T) {
	var many strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&many, `"p%d":5,`, i)
	}
	members, long := strings.TrimSuffix(many.String(), ","), strings.Repeat("k", 800_000)
	for name, text := range map[string]string{
		"a tool":       `{"schemas":{"` + long + `":{"properties":{` + members + `}}}}`,
		"nested names": `{"schemas":{"t":` + strings.Repeat(`{"properties":{"`+long[:20_000]+`":`, 30) + `{"properties":{` + members + `}}` + strings.Repeat("}}", 30) + `}}`,
		"constraints":  `{"tools":{"arg_constraints":{"` + long + `":{` + members + `}}}}`,
		"arguments":    `{"tools":{"require_args":{"` + long + `":[5` + strings.Repeat(",5", 10_000) + `]}}}`,
	} {
		p, err := assay.Parse([]byte(text), nil)
		problems := p.Problems()
		if refused := (*assay.PolicyError)(nil); errors.As(err, &refused) {
			problems = refused.Problems
		}
		size := 0
		for _, problem := range problems {
			size += len(problem.Path)
		}
		if len(problems) == 0 || size > 4<<20 {
			t.Errorf("%s: %d problems, %d bytes of paths", name, len(problems), size)
		}
	}
}
