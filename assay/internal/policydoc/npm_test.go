package policydoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/assay/internal/strictjson"
)

// readByNPM is the program that reads texts with the npm package yaml: a list
// of texts on stdin, on stdout a list of {value} or {error}, the value as JSON
// with every integer exact.
const readByNPM = `
const YAML = require(process.argv[1]);
const options = {version: '1.2', schema: 'core', intAsBigInt: true, uniqueKeys: true, strict: true, logLevel: 'silent'};
const encode = (v) => {
  if (typeof v === 'bigint') return v.toString();
  if (typeof v === 'number' && !Number.isFinite(v)) throw new Error('not finite');
  if (Array.isArray(v)) return '[' + v.map(encode).join(',') + ']';
  if (v !== null && typeof v === 'object') {
    return '{' + Object.keys(v).map((k) => JSON.stringify(k) + ':' + encode(v[k])).join(',') + '}';
  }
  return v === undefined ? 'null' : JSON.stringify(v);
};
const read = (text) => {
  try {
    const documents = YAML.parseAllDocuments(text, options);
    if (documents.empty || documents.length === 0) return {value: 'null'};
    if (documents.length > 1) return {error: 'several documents'};
    if (documents[0].errors.length > 0) return {error: documents[0].errors[0].code};
    return {value: encode(documents[0].toJS({maxAliasCount: -1}))};
  } catch (e) {
    return {error: String(e.message)};
  }
};
let input = '';
process.stdin.on('data', (chunk) => { input += chunk; });
process.stdin.on('end', () => { process.stdout.write(JSON.stringify(JSON.parse(input).map(read))); });
`

type npmAnswer struct{ Value, Error string }

// npmAnswers reads all texts in one node process, or skips the test.
func npmAnswers(t *testing.T, texts []string) []npmAnswer {
	t.Helper()
	modules := os.Getenv("ASSAY_NODE_MODULES")
	if modules == "" {
		modules = filepath.Join("..", "..", "..", "testdata", "clients", "node_modules")
	}
	module, err := filepath.Abs(filepath.Join(modules, "yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(module, "package.json")); err != nil {
		t.Skipf("the npm package yaml (version 2) is not in %s; ASSAY_NODE_MODULES may name another directory", modules)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	input, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, "-e", readByNPM, module)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, stderr.Bytes())
	}
	var answers []npmAnswer
	if err := json.Unmarshal(output, &answers); err != nil {
		t.Fatal(err)
	}
	if len(answers) != len(texts) {
		t.Fatalf("%d answers to %d texts", len(answers), len(texts))
	}
	return answers
}

// sameValue compares our value with JavaScript's, which holds an integer
// exactly and any other number as a double.
func sameValue(ours, theirs any) bool {
	switch a := ours.(type) {
	case json.Number:
		b, ok := theirs.(json.Number)
		if !ok {
			return false
		}
		x, _ := strictjson.ParseNumber(a)
		y, _ := strictjson.ParseNumber(b)
		if x.Equal(y) {
			return true
		}
		if !strings.ContainsAny(string(a), ".eE") {
			return false
		}
		f, errF := a.Float64()
		g, errG := b.Float64()
		return errF == nil && errG == nil && f == g
	case []any:
		b, ok := theirs.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameValue(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := theirs.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range a {
			v, ok := b[k]
			if !ok || !sameValue(a[k], v) {
				return false
			}
		}
		return true
	}
	return ours == theirs
}

// compare says how the two readers differ about a text: "" where they agree,
// or where only we refuse it.
func compare(text string, theirs npmAnswer) string {
	n, err := Parse([]byte(text), limit)
	if err != nil {
		return ""
	}
	ours := n.Value()
	if theirs.Error != "" {
		return fmt.Sprintf("only npm refuses (%s); ours is %v", theirs.Error, ours)
	}
	dec := json.NewDecoder(strings.NewReader(theirs.Value))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return fmt.Sprintf("npm answers %q: %v", theirs.Value, err)
	}
	if !sameValue(ours, v) {
		return fmt.Sprintf("ours is %v, npm's %s", ours, theirs.Value)
	}
	return ""
}

// Why our reading of a text may differ from npm's.
const (
	leadingZeros = "a number with leading zeros is text (docs/policy.md, the one deviation from the core schema)"
	noLastBreak  = "a block scalar at the end of a file without a line feed has none (YAML 1.2.2, rule b-chomped-last)"
	brackets     = "commas and closing brackets may stand at any indentation; nothing else can be meant by them"
	blankTab     = "a line with nothing but a tab is blank"
	emptyLine    = "an empty line behind an escaped line break is a line feed (YAML 1.2.2, rule s-double-escaped)"
	spaces       = "what stands behind the indentation of a block scalar is text, spaces too (YAML 1.2.2, rule l-nb-literal-text)"
	doubles      = "numbers are exact; JavaScript has no such double"
)

// yamlTexts are the texts that both readers are given. Where the readings
// differ, or only npm refuses, reason says why that is right.
var yamlTexts = []struct{ text, reason string }{
	// Scalars of the core schema.
	{"[no, yes, on, off, y, n, No, ON, Yes, OFF, N, Y]", ""},
	{"[true, True, TRUE, false, False, FALSE, tRUE]", ""},
	{"[null, Null, NULL, ~, nULL, nil]", ""},
	{"[0o17, 0x1F, 0xff, 0o0, 0x00, 0o18, 0xG, 0x, 0o, 0X1F, 0O17]", ""},
	{"[-0x1F, +0x1F, -0o7, 0b11]", ""},
	{"[0777]", leadingZeros},
	{"[00]", leadingZeros},
	{"[-01]", leadingZeros},
	{"[+07]", leadingZeros},
	{"[007.5]", leadingZeros},
	{"[01e5]", leadingZeros},
	{"- 0123456789\n", leadingZeros},
	{"[0, -0, +0, 0.0, -0.0, 0e5]", ""},
	{"[1_000, 1:30, 12:30:45, 2001-12-14]", ""},
	{"[2001-12-14T21:59:43Z, 2001-12-14 21:59:43]", ""},
	{"[9007199254740993, -9007199254740993, 123456789012345678901234567890]", ""},
	{"[19.99, 0.1, 1E+2, 2.5e-3, 1e05, 1.e5, 1., .5, -.5, +.5, +1.5]", ""},
	{"[., +, +., 1e, 1e+, e5, 1.2.3, 1-2, 1a, ..5, +-1, .e5, 1.5x]", ""},
	{"[1 2, 1 #2\n]", ""},
	{"[=, <, >=, a=b, a<b]", ""},
	{"a: <<\nb: '<<'\n", ""},
	{"'<<': a\n", ""},
	{"a: .inf\n", ""},
	{"a: .nan\n", ""},
	{"a: nan\nb: inf\nc: Infinity\nd: NaN\n", ""},

	// Plain scalars.
	{"a: b c\n", ""},
	{"a: b  c\n", ""},
	{"a: b\n  c\n", ""},
	{"a: b\n\n  c\n", ""},
	{"a: b\n  c\n  d\n\n\n  e\n", ""},
	{"a: b#c\n", ""},
	{"a: b #c\n", ""},
	{"a: #c\n", ""},
	{"a:b\n", ""},
	{"a:b: c\n", ""},
	{"a: b:c\n", ""},
	{"a: b: c\n", ""},
	{"a: :b\n", ""},
	{"a: -b\n", ""},
	{"a: - b\n", ""},
	{"a: ?b\n", ""},
	{"a: b?\n", ""},
	{"a: 'b' c\n", ""},
	{"a: b 'c'\n", ""},
	{"a: \"b\" c\n", ""},
	{"a: [b] c\n", ""},
	{"a: b [c]\n", ""},
	{"a: b {c}\n", ""},
	{"a: b, c\n", ""},
	{"a: @b\n", ""},
	{"a: `b\n", ""},
	{"a: %b\n", ""},
	{"a: &b\n", ""},
	{"a: *b\n", ""},
	{"a: !b\n", ""},
	{"a: |b\n", ""},
	{"a: >b\n", ""},
	{"a: b%\nc: d@\ne: f&g\nh: i*j\nk: l!m\nn: o|p\nq: r>s\n", ""},
	{"a: http://example.com:80/x?y=z#f\n", ""},
	{"a: C:\\dir\n", ""},
	{"- -\n- --\n- ---x\n- - -\n", ""},
	{"a: ---\n", ""},
	{"a: ...\n", ""},
	{"a:  b  \n", ""},
	{"a:\tb\t\n", ""},
	{"a b: c d\n", ""},
	{"a : b\n", ""},
	{"é: ü 😀\n", ""},
	{"- a\n b\n", ""},
	{"- a\nb\n", ""},

	// Quoted scalars.
	{"a: 'it''s'\n", ""},
	{"a: ''''\n", ""},
	{"a: 'b\n  c'\n", ""},
	{"a: 'b\n\n  c'\n", ""},
	{"a: '  b  '\n", ""},
	{"a: \"b\\tc\\n\\\"d\\\\\"\n", ""},
	{"a: \"\\x41\\u00e9\\U0001F600\"\n", ""},
	{"a: \"\\0\\a\\b\\e\\f\\v\\N\\_\\L\\P\"\n", ""},
	{"a: \"\\/\"\n", ""},
	{"a: \"\\q\"\n", ""},
	{"a: \"b\\\n  c\"\n", ""},
	{"a: \"b \\\n  \\ c\"\n", ""},
	{"a: \"b\n  c\"\n", ""},
	{"a: \"b\\\n \n  c\"\n", emptyLine},
	{"a: \"b \n \n  c\"\n", ""},
	{"a: \"# b\"\n", ""},
	{"a: 'b: c'\n", ""},
	{"a: \"b\"# c\n", ""},
	{"a: 'x\n", ""},
	{"'a': b\n\"c\": d\n", ""},
	{"\"a\\nb\": c\n", ""},
	{"'a':b\n", ""},
	{"{'a':b, \"c\":d, \"e\": f}", ""},
	{"{\"a\":1,\"b\":[2,{\"c\":null}]}", ""},
	{"a: \"b\nc\"\n", ""},
	{"a: 'b\nc'\n", ""},
	{"a: \"b\n\"\n", ""},
	{"a: \"b\n \"\n", ""},
	{"a: \"b\\\nc\"\n", ""},
	{"a:\n  b: \"c\n  d\"\n", ""},
	{"a:\n  b: \"c\n   d\"\n", ""},
	{"- \"a\nb\"\n", ""},
	{"- 'a\n b'\n", ""},
	{"a: &x \"b\n  c\"\nd: !!str \"e\n f\"\n", ""},
	{"a:\n  \"b\n  c\"\n", ""},
	{"a:\n'b'\n", ""},
	{"-\n'b'\n", ""},
	{"-\n|\n b\n", ""},
	{"? 'a\n  b'\n: c\n", ""},
	{"? 'a\nb'\n: c\n", ""},
	{"name: \"x\ntools:\n  deny: [rm]\ny: \"\n", ""},

	// Block scalars.
	{"a: |\n  b\n  c\n", ""},
	{"a: |-\n  b\n  c\n\n", ""},
	{"a: |+\n  b\n\n\n", ""},
	{"a: |+\n  b\n\nc: d\n", ""},
	{"a: >\n  b\n  c\n\n  d\n", ""},
	{"a: >-\n  b\n    c\n  d\n", ""},
	{"a: >+\n  b\n\n\n  c\n\n", ""},
	{"a: |2\n   b\n  c\n", ""},
	{"a: |1-\n  b\n", ""},
	{"a: |-1\n  b\n", ""},
	{"a: | # c\n  b\n", ""},
	{"a: |#c\n  b\n", ""},
	{"a: |\n\n  b\n", ""},
	{"a: |\n  # b\n", ""},
	{"a: |\n  b: c\n  - d\n", ""},
	{"a: |\nb: c\n", ""},
	{"a: |\n", ""},
	{"a: |\n  b", noLastBreak},
	{"a: >\n  b", noLastBreak},
	{"a: |-\n  b", ""},
	{"a: |+\n  b\n\n  c", noLastBreak},
	{"a: |1-\n  ", spaces},
	{"- |\n b\n- >\n c\n", ""},
	{"- |\nb\n", ""},
	{"a: |\n  b\n c\n", ""},
	{"a: |\n    b\n   c\n", ""},
	{"a: |\n \n  b\n", ""},
	{"a: |\n   \n  b\n", ""},
	{"a: |\n  b\t\n  \tc\n", ""},
	{"a: >\n  b\n  \tc\n  d\n", ""},
	{"a: |9\n         b\n", ""},
	{"a: |0\n  b\n", ""},
	{"? |\n  a\n: b\n", ""},

	// Block collections.
	{"a:\n  b:\n    c: d\n  e: f\n", ""},
	{"a:\n- b\n- c\n", ""},
	{"a:\n  - b\n  - c\nd: e\n", ""},
	{"- - a\n  - b\n- c\n", ""},
	{"- a: b\n  c: d\n- e: f\n", ""},
	{"-\n  a: b\n-\n  - c\n", ""},
	{"- a\n-b\n", ""},
	{"-a\n", ""},
	{"a:\n b\n", ""},
	{"a:\n\n\n  b\n", ""},
	{"a:\nb:\n", ""},
	{"a:\n  b\nc\n", ""},
	{"a: b\n c: d\n", ""},
	{" a: b\nc: d\n", ""},
	{"  a: b\n  c: d\n", ""},
	{"a:\n  b: c\n d: e\n", ""},
	{"a:\n - b\n- c\n", ""},
	{"tools:\n  deny:\n - rm\n  x: y\n", ""},
	{"tools:\n  deny:\n  - rm\n  allow:\n  - ls\n", ""},
	{"? a\n: b\n? c\n: d\n", ""},
	{"? a\n", ""},
	{"? - a\n: b\n", ""},
	{"a\n: b\n", ""},
	{"a: b\na: c\n", ""},
	{"a: b\n'a': c\n", ""},
	{"1: a\n'1': b\n", ""},
	{"- # c\n  a\n", ""},
	{"# c\na: b # c\n# c\n", ""},
	{"a: # c\n  b\n", ""},
	{"a:   # c\n  # c\n  - b\n  # c\n  - d\n# c\n", ""},
	{"a: b\n  # c\n  d\n", ""},
	{"a: b\n\t\nc: d\n", ""},
	{"a:\n\tb: c\n", ""},
	{"a:\n  b: c\n\td: e\n", ""},
	{"a:\n\t\nb:", blankTab},
	{"a: [1e400]\n", doubles},
	{"- \ta\n", ""},
	{"-\ta\n", ""},
	{"-\t- a\n", ""},
	{"- \t- a\n", ""},
	{"?\ta\n:\tb\n", ""},
	{"a:\t\n  b\n", ""},
	{"a: b\r\nc:\r\n  - d\r\n", ""},

	// Flow collections.
	{"[]", ""},
	{"{}", ""},
	{"[a, b]\n", ""},
	{"[a, b,]\n", ""},
	{"[a,,b]\n", ""},
	{"[,]\n", ""},
	{"{a: b, c: d,}\n", ""},
	{"{a, b: c}\n", ""},
	{"{a: , b: }\n", ""},
	{"{a:, b:}\n", ""},
	{"{a:b}\n", ""},
	{"{? a : b, ? c}\n", ""},
	{"[a: b, c: d]\n", ""},
	{"[? a : b]\n", ""},
	{"[a b, c d]\n", ""},
	{"[a\n b,\n c]\n", ""},
	{"[a, [b, {c: [d]}]]\n", ""},
	{"a: [b, c]\nd: {e: f}\n", ""},
	{"a: [\n  b,\n  c\n]\n", ""},
	{"a: {\n  b: c,\n  d: e\n}\n", ""},
	{"a: [\n  b\n  ]\n", ""},
	{"a: [b # c\n  , d]\n", ""},
	{"a: [b#c]\n", ""},
	{"[a]: b\n", ""},
	{"{a: b}: c\n", ""},
	{"[a, 'b', \"c\"]\n", ""},
	{"['a' 'b']\n", ""},
	{"[a] b\n", ""},
	{"[a\n", ""},
	{"{a\n", ""},
	{"a: [\nb]\n", ""},
	{"a:\n  b: {c: 30\n }\n", brackets},
	{"- a: [b\n,\n  ]\n", brackets},
	{"[a, [?, {c: d}]]\n", ""},
	{"{a: ?}\n", ""},
	{"[?]\n", ""},
	{"{?, a: b}\n", ""},
	{"{? , a: b}\n", ""},
	{"[?a, b?, ? c]\n", ""},
	{"[:]\n", ""},
	{"a: {\nb: c\n}\n", ""},
	{"a: [b\nc]\n", ""},
	{"- [b\nc]\n", ""},
	{"- a: [b,\n c]\n", ""},
	{"- a: [b,\n  c]\n", ""},
	{"- a: [b,\n   c]\n", ""},
	{"[a,\nb, {c: d,\ne: 'f\ng'}]\n", ""},
	{"[a}\n", ""},
	{"{\"a\" : 1}\n", ""},
	{"{\"a\"\n : 1}\n", ""},
	{"{a: [b, c], d: {e: f}, g: 'h'}\n", ""},
	{"[-a, - b]\n", ""},
	{"[-, -]\n", ""},
	{"[a:b, :c, d:]\n", ""},
	{"[::, a::b]\n", ""},
	{"{a: b:c}\n", ""},
	{"{a: 'b':c}\n", ""},
	{"{a: b c: d}\n", ""},
	{"{http://a: b}\n", ""},
	{"[http://a, b]\n", ""},
	{"[*a]\n", ""},

	// Anchors, aliases and tags.
	{"a: &x b\nc: *x\n", ""},
	{"a: &x [b]\nc: [*x, *x]\n", ""},
	{"a: &x\n  b: c\nd: *x\n", ""},
	{"&x a: b\nc: *x\n", ""},
	{"a: &x b\nc: &x d\ne: *x\n", ""},
	{"a: &x\nb: *x\n", ""},
	{"a: &x\n|\n b\n", ""},
	{"a: &x\n'b'\n", ""},
	{"a: &x\n[b]\n", ""},
	{"a: &x\n  [b]\n", ""},
	{"a: !!str # c\n\n  'b'\n", ""},
	{"a: &x # c\n- b\n", ""},
	{"a: &x-1.y b\nc: *x-1.y\n", ""},
	{"[&x a, *x , b]\n", ""},
	{"{a: &x b, c: *x}\n", ""},
	{"a: !!str 1\nb: !!str true\nc: !!str\n", ""},
	{"a: !!int 1\nb: !!float 1.5\nc: !!bool true\nd: !!null ~\n", ""},
	{"!!map\na: !!seq\n- b\n", ""},
	{"a: &x !!str 1\nb: !!str &y 2\nc: [*x, *y]\n", ""},
	{"a: !<tag:yaml.org,2002:str> 1\n", ""},

	// Documents.
	{"---\na: b\n", ""},
	{"--- # c\na: b\n", ""},
	{"--- {a: b}\n", ""},
	{"--- [a]\n...\n", ""},
	{"---\n- a\n...\n# c\n", ""},
	{"\ufeffa: b\n", ""},
	{"a: b\n---\n", ""},
	{"a: b\n...\nc: d\n", ""},
	{"---a: b\n", ""},
	{"----\na: b\n", ""},
	{"\n\n  \na: b\n\n", ""},
	{"a: 'b\n--- c'\n", ""},
	{"a: |\n  ---\n  ...\nb: c\n", ""},
}

func TestReadsAsTheNPMPackageYAML(t *testing.T) {
	if len(yamlTexts) < 150 {
		t.Fatalf("%d texts", len(yamlTexts))
	}
	texts := make([]string, len(yamlTexts))
	for i, tt := range yamlTexts {
		texts[i] = tt.text
	}
	both := 0
	for i, theirs := range npmAnswers(t, texts) {
		tt := yamlTexts[i]
		difference := compare(tt.text, theirs)
		switch {
		case difference != "" && tt.reason == "":
			t.Errorf("%q: %s", tt.text, difference)
		case difference == "" && tt.reason != "":
			t.Errorf("%q no longer differs, which it should: %s", tt.text, tt.reason)
		}
		if _, err := Parse([]byte(tt.text), limit); err == nil && theirs.Error == "" {
			both++
		}
	}
	t.Logf("both readers accept %d of %d texts", both, len(texts))
}
