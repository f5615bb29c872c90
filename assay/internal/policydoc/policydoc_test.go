package policydoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

const limit = 1_000_000

// canonical returns the document's value as JSON.
func canonical(t *testing.T, n *Node) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(n.Value()); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func repeat(s string, n int) string { return strings.Repeat(s, n) }

func TestParseReads(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"words that YAML 1.1 takes for booleans are text",
			"[no, yes, on, off, y, n, No, ON, Yes, OFF, N, Y]",
			`["no","yes","on","off","y","n","No","ON","Yes","OFF","N","Y"]`},
		{"the three core spellings of each boolean",
			"[true, True, TRUE, false, False, FALSE, tRUE, FaLSE]",
			`[true,true,true,false,false,false,"tRUE","FaLSE"]`},
		{"the core spellings of null",
			"[null, Null, NULL, ~, nULL, nil]\n", `[null,null,null,null,"nULL","nil"]`},
		{"nothing is null", "a:\nb: \n- \n"[:3], `{"a":null}`},
		{"an empty list item is null", "-\n- a\n", `[null,"a"]`},
		{"octal and hexadecimal integers", "[0o17, 0x1F, 0xff, 0o0, 0x00]", `[15,31,255,0,0]`},
		{"a hexadecimal integer beyond 64 bits", "[0xFFFFFFFFFFFFFFFFFF]", `[4722366482869645213695]`},
		{"what only looks octal or hexadecimal is text",
			"[0o18, 0xG, 0x, 0o, 0X1F, 0O17, -0x1F, +0o7, 0b11]",
			`["0o18","0xG","0x","0o","0X1F","0O17","-0x1F","+0o7","0b11"]`},
		{"leading zeros, underscores, sexagesimals and dates are text",
			"[0777, 00, -01, +07, 007.5, 01e5, 1_000, '1:30', 12:30:45, 2001-12-14, 2001-12-14T21:59:43Z]",
			`["0777","00","-01","+07","007.5","01e5","1_000","1:30","12:30:45","2001-12-14","2001-12-14T21:59:43Z"]`},
		{"integers and decimals are exact",
			"[9007199254740993, -9007199254740993, 123456789012345678901234567890, 19.99, 0.1, 1e400, 1E+2, 2.5e-3, 1e05]",
			`[9007199254740993,-9007199254740993,123456789012345678901234567890,19.99,0.1,1e400,1E+2,2.5e-3,1e05]`},
		{"numbers that JSON writes otherwise",
			"[+1, .5, -.5, +.5, 1., -1., 1.e5, .5E3, +1.5, -0, +0, -0.0]",
			`[1,0.5,-0.5,0.5,1,-1,1e5,0.5E3,1.5,0,0,-0.0]`},
		{"what only looks like a number is text",
			"[., +, '-', +., 1e, 1e+, e5, 1.2.3, 1-2, 1a, ..5, +-1, .e5, 1.5x, +.inff]",
			`[".","+","-","+.","1e","1e+","e5","1.2.3","1-2","1a","..5","+-1",".e5","1.5x","+.inff"]`},
		{"quoted and block scalars are text",
			"a: '1'\nb: \"true\"\nc: |\n  1\nd: >-\n  null\ne: ''\n",
			`{"a":"1","b":"true","c":"1\n","d":"null","e":""}`},
		{"the str tag on a scalar", "[!!str 12, !!str true, !!str, !!str '', !<tag:yaml.org,2002:str> ~]",
			`["12","true","","","~"]`},
		{"the core tag that a node has anyway",
			"!!map\na: !!seq [!!int 1, !!float 1.5, !!float 1e3, !!bool true, !!null ~, !!str x]\n",
			`{"a":[1,1.5,1e3,true,null,"x"]}`},
		{"a quoted merge key is a name", "'<<': a\n", `{"<<":"a"}`},
		{"two angle brackets as a value are text", "a: <<\n", `{"a":"<<"}`},
		{"quoted keys", "'1': a\n\"true\": b\n'': c\n", `{"":"c","1":"a","true":"b"}`},
		{"a key with the str tag", "!!str 1: a\n", `{"1":"a"}`},
		{"a key behind a question mark", "? a\n: b\n? c\n", `{"a":"b","c":null}`},
		{"anchors and aliases as values", "a: &x [1, {b: c}]\nd: *x\ne: [*x, *x]\n",
			`{"a":[1,{"b":"c"}],"d":[1,{"b":"c"}],"e":[[1,{"b":"c"}],[1,{"b":"c"}]]}`},
		{"an anchor given twice means the last before the alias", "a: &x 1\nb: *x\nc: &x 2\nd: *x\n", `{"a":1,"b":1,"c":2,"d":2}`},
		{"an anchor on a key", "&k a: 1\nb: *k\n", `{"a":1,"b":"a"}`},
		{"an alias within a later anchor", "a: &x y\nb: &z [*x]\nc: *z\n", `{"a":"y","b":["y"],"c":["y"]}`},
		{"a byte-order mark before YAML", "\ufeffa: b\n", `{"a":"b"}`},
		{"a byte-order mark before JSON", "\ufeff{\"a\":\"\\/\"}", `{"a":"/"}`},
		{"CR LF", "a:\r\n  - b\r\n  - c\r\n", `{"a":["b","c"]}`},
		{"CR LF in a block scalar is a line feed", "a: |\r\n  b\r\n  c\r\n", `{"a":"b\nc\n"}`},
		{"a document start line", "--- \na: b\n", `{"a":"b"}`},
		{"a document end line", "a: b\n...\n", `{"a":"b"}`},
		{"only comments and blank lines behind the document end", "a: b\n... # x\n\n  # y\n...\n", `{"a":"b"}`},
		{"dots that are text", "a: ...\nb:\n  ...x\n", `{"a":"...","b":"...x"}`},
		{"escapes for the characters that may not stand themselves", `a: "\N\L\P\uFEFF\x85"`, `{"a":"` + "\u0085\\u2028\\u2029\ufeff\u0085" + `"}`},
		{"a tab between key and value", "a:\tb\n", `{"a":"b"}`},
		{"a tab before a comment", "a: b\t# c\n", `{"a":"b"}`},
		{"flow collections over several lines", "a: [b,\n  c,\n]\nd: {e: f,\n  g: h}\n", `{"a":["b","c"],"d":{"e":"f","g":"h"}}`},
		{"JSON with a comment is YAML", "{\"a\": 1} # x\n", `{"a":1}`},
		{"JSON with a trailing comma is YAML", "{\"a\": [1,],}\n", `{"a":[1]}`},
		{"JSON's escapes", `{"a": ["\ud83d\ude00", "a\/b", "\u00e9"]}`, `{"a":["😀","a/b","é"]}`},
		{"a JSON text may hold U+2028 in a string", "{\"a\": \"\u2028\"}", `{"a":"\u2028"}`},
		{"a JSON text keeps its literals", `[-0, 1.0, 1E5]`, `[-0,1.0,1E5]`},
		{"JSON behind blank lines", "\r\n\t [1]", `[1]`},
		{"a list of rules", "- type: require\n  tool: a\n", `[{"tool":"a","type":"require"}]`},
		{"an empty list", "[]", `[]`},
		{"an empty mapping", "{}", `{}`},
		{"128 levels of JSON", repeat("[", 128) + repeat("]", 128), repeat("[", 128) + repeat("]", 128)},
		{"128 levels of YAML", repeat("[", 128) + repeat("]", 128) + " #\n", repeat("[", 128) + repeat("]", 128)},
		{"128 levels of block lists", repeat("- ", 128) + "a", repeat("[", 128) + `"a"` + repeat("]", 128)},
		{"128 levels through an alias", "- &a " + repeat("[", 127) + repeat("]", 127) + "\n- *a\n",
			"[" + repeat("[", 127) + repeat("]", 127) + "," + repeat("[", 127) + repeat("]", 127) + "]"},
		{"a literal of 1,000 bytes", "[" + repeat("1", 1000) + " ] #", "[" + repeat("1", 1000) + "]"},
		{"exponents of 1,000", "[1e1000, 1e-1000, 1e0001000] #", "[1e1000,1e-1000,1e0001000]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := Parse([]byte(tt.text), limit)
			if err != nil {
				t.Fatalf("Parse: %v", err)
			}
			if got := canonical(t, n); got != tt.want {
				t.Errorf("Parse = %s\n   want %s", got, tt.want)
			}
		})
	}
}

// laughs is a document of n anchors, each nine times the one before.
func laughs(n int) string {
	var b strings.Builder
	b.WriteString("x-0: &a0 [l,l,l,l,l,l,l,l,l]\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "x-%d: &a%d [%s*a%d]\n", i, i, repeat(fmt.Sprintf("*a%d,", i-1), 8), i-1)
	}
	return b.String()
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		name, text string
		kind       ErrorKind
		path       string
		line, col  int
	}{
		{"not a number", "a: {b: .nan}", KindStructure, "/a/b", 1, 8},
		{"infinity", "- .inf\n", KindStructure, "/0", 1, 3},
		{"negative infinity", "- x\n- -.INF\n", KindStructure, "/1", 2, 3},
		{"positive infinity", "- +.Inf\n", KindStructure, "/0", 1, 3},
		{"a literal of 1,001 bytes", "a: " + repeat("1", 1001), KindStructure, "/a", 1, 4},
		{"a hexadecimal literal of 1,001 bytes", "a: 0x" + repeat("1", 999), KindStructure, "/a", 1, 4},
		{"a hexadecimal literal whose decimal form has 1,001 bytes", "a: 0x" + repeat("F", 832), KindStructure, "/a", 1, 4},
		{"an exponent of 1,001", "a: 1e1001", KindStructure, "/a", 1, 4},
		{"an exponent of -1,001", "a: 1e-1001", KindStructure, "/a", 1, 4},
		{"an exponent of 1,001 in JSON", `{"a": 1e1001}`, KindStructure, "/a", 1, 7},
		{"an exponent beyond 64 bits", "a: 1.5e99999999999999999999", KindStructure, "/a", 1, 4},

		{"a custom tag", "tools: !mine {deny: [rm]}\n", KindStructure, "/tools", 1, 8},
		{"a non-specific tag", "a: ! 12\n", KindStructure, "/a", 1, 4},
		{"a non-specific tag on a mapping", "a: ! {b: c}\n", KindStructure, "/a", 1, 4},
		{"the binary tag", "a: !!binary aGk=\n", KindStructure, "/a", 1, 4},
		{"the bool tag on a word of YAML 1.1", "a: !!bool yes\n", KindStructure, "/a", 1, 4},
		{"the int tag on quoted text", "a: !!int '1'\n", KindStructure, "/a", 1, 4},
		{"the int tag on a number with leading zeros", "a: !!int 0777\n", KindStructure, "/a", 1, 4},
		{"the float tag on an integer", "a: !!float 1\n", KindStructure, "/a", 1, 4},
		{"the null tag on text", "a: !!null x\n", KindStructure, "/a", 1, 4},
		{"the str tag on a list", "a: !!str [b]\n", KindStructure, "/a", 1, 4},
		{"the seq tag on a mapping", "a: !!seq {b: c}\n", KindStructure, "/a", 1, 4},
		{"the set tag", "a: !!set {b}\n", KindStructure, "/a", 1, 4},
		{"the omap tag", "a: !!omap [b: c]\n", KindStructure, "/a", 1, 4},
		{"the timestamp tag", "a: !!timestamp 2001-12-14\n", KindStructure, "/a", 1, 4},
		{"a verbatim tag", "a: !<x> b\n", KindStructure, "/a", 1, 4},
		{"a custom tag on a key", "!x a: b\n", KindStructure, "/a", 1, 1},

		{"a key twice", "a: 1\nb: 2\na: 3\n", KindSyntax, "/a", 3, 1},
		{"a key twice in an inner mapping", "t:\n  - a: 1\n    a: 2\n", KindSyntax, "/t/0/a", 3, 5},
		{"a key twice in a flow mapping", "{a: 1, a: 2}", KindSyntax, "/a", 1, 8},
		{"a key twice, once quoted", "a: 1\n'a': 2\n", KindSyntax, "/a", 2, 1},
		{"a key twice after an escape", "allow: []\n\"all\\u006fw\": ['*']\n", KindSyntax, "/allow", 2, 1},
		{"a key twice, once tagged", "'1': a\n!!str 1: b\n", KindSyntax, "/1", 2, 1},
		{"a key twice in JSON", `{"a": 1, "a": 2}`, KindSyntax, "/a", 1, 10},
		{"a key twice after an escape in JSON", `{"allow": [], "all\u006fw": ["*"]}`, KindSyntax, "/allow", 1, 15},
		{"a key twice among many", manyKeys(1000) + "k500: x\n", KindSyntax, "/k500", 1001, 1},

		{"a merge key", "b: &b {deny: [rm]}\ntools:\n  <<: *b\n", KindStructure, "/tools/<<", 3, 3},
		{"a merge key in a flow mapping", "b: &b {c: d}\ne: {<<: *b}\n", KindStructure, "/e/<<", 2, 5},
		{"a merge key with the str tag", "!!str <<: a\n", KindStructure, "/<<", 1, 1},
		{"a merge key with the merge tag", "!!merge <<: {a: b}\n", KindStructure, "/<<", 1, 1},
		{"a merge key that merges nothing", "<<: x\n", KindStructure, "/<<", 1, 1},

		{"a number as a key", "1: a\n", KindStructure, "/1", 1, 1},
		{"a boolean as a key", "a:\n  true: b\n", KindStructure, "/a/true", 2, 3},
		{"null as a key", "null: a\n", KindStructure, "/null", 1, 1},
		{"a tilde as a key", "~: a\n", KindStructure, "/~0", 1, 1},
		{"no key", ": a\n", KindStructure, "/", 1, 1},
		{"a list as a key", "? [a]\n: b\n", KindStructure, "/?", 1, 3},
		{"a mapping as a key", "{{a: b}: c}", KindStructure, "/?", 1, 2},
		{"an alias as a key", "a: &x b\n*x : c\n", KindStructure, "/*x", 2, 1},

		{"a billion laughs", laughs(10), KindSyntax, "/x-5/6", 6, 35},
		{"a billion laughs within one value", "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [" + repeat("*a,", 30000) + "]\nc: [*b]\n", KindSyntax, "/c/0", 3, 5},
		{"a long text by alias", "a: &a " + repeat("x", 300_000) + "\nb: [*a, *a, *a]\n", KindSyntax, "/b/2", 2, 13},
		{"an alias inside its own anchor", "a: &a [*a]\n", KindSyntax, "/a/0", 1, 8},
		{"an alias inside its own anchor, deeper", "a: &a {b: [c, {d: *a}]}\n", KindSyntax, "/a/b/1/d", 1, 19},
		{"an alias without an anchor", "a: *b\n", KindSyntax, "", 1, 4},
		{"an alias before its anchor", "a: *b\nc: &b d\n", KindSyntax, "", 1, 4},
		{"129 levels through an alias", "- &a " + repeat("[", 127) + repeat("]", 127) + "\n- [*a]\n", KindSyntax, "/1/0", 2, 4},

		{"a second document", "a: 1\n---\nb: 2\n", KindSyntax, "", 2, 1},
		{"an empty second document", "a: 1\n---\n", KindSyntax, "", 2, 1},
		{"two empty documents", "---\n---\n", KindSyntax, "", 2, 1},
		{"content behind the document end", "a: 1\n...\nb: 2\n", KindSyntax, "", 3, 1},
		{"content behind a document end that comes first", "...\na: 1\n", KindSyntax, "", 2, 1},
		{"content on the document end line", "a: 1\n... b\n", KindSyntax, "", 2, 5},
		{"a version directive of YAML 1.2", "%YAML 1.2\n---\na: 1\n", KindSyntax, "", 1, 1},
		{"a version directive of YAML 1.1", "%YAML 1.1\n---\na: 1\n", KindSyntax, "", 1, 1},
		{"a tag directive", "%TAG ! tag:x:\n---\na: 1\n", KindSyntax, "", 1, 1},
		{"an unknown directive", "%FOO bar\n---\na: 1\n", KindSyntax, "", 1, 5},
		{"a directive behind a comment", "# x\n%YAML 1.1\n---\na: 1\n", KindSyntax, "", 2, 1},
		{"a directive without a document", "a: 1\n...\n%YAML 1.1\n", KindSyntax, "", 3, 1},

		{"an empty file", "", KindRoot, "", 0, 0},
		{"only comments", "# nothing\n\n", KindRoot, "", 0, 0},
		{"only a byte-order mark", "\ufeff", KindRoot, "", 0, 0},
		{"null", "null\n", KindRoot, "", 1, 1},
		{"an empty document", "---\n", KindRoot, "", 2, 1},
		{"text", "hello\n", KindRoot, "", 1, 1},
		{"a number", "3\n", KindRoot, "", 1, 1},
		{"quoted text", "\"a: b\"\n", KindRoot, "", 1, 1},
		{"a tagged scalar", "!mine x\n", KindRoot, "", 1, 1},

		{"UTF-16, little endian", "\xff\xfea\x00:\x00 \x001\x00\n\x00", KindSyntax, "", 1, 1},
		{"UTF-16, big endian", "\xfe\xff\x00a\x00:\x00 \x001\x00\n", KindSyntax, "", 1, 1},
		{"UTF-16 without a mark", "a\x00:\x00 \x001\x00\n\x00", KindSyntax, "", 1, 2},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00", KindSyntax, "", 1, 1},
		{"invalid UTF-8", "tools: {deny: [r\xff]}\n", KindSyntax, "", 1, 17},
		{"invalid UTF-8 in JSON", "{\"a\": \"\xff\"}\n", KindSyntax, "", 1, 8},
		{"a surrogate in UTF-8", "a: \"\xed\xa0\x80\"\n", KindSyntax, "", 1, 5},
		{"a next line character in a string", "name: \"a\u0085b\"\n", KindSyntax, "", 1, 9},
		{"a line separator in a comment", "x-a: 1 # c\u2028tools: {deny: [rm]}\n", KindSyntax, "", 1, 11},
		{"a paragraph separator in a plain scalar", "a: b\u2029c\n", KindSyntax, "", 1, 5},
		{"a byte-order mark inside", "a: \ufeffrm\n", KindSyntax, "", 1, 4},
		{"two byte-order marks", "\ufeff\ufeffa: b\n", KindSyntax, "", 1, 1},
		{"a carriage return alone", "a: 1 # c\rdeny: [rm]\n", KindSyntax, "", 1, 9},
		{"a control character", "a: b\n\x01: c\n", KindSyntax, "", 2, 1},
		{"a NUL", "a: \x00\n", KindSyntax, "", 1, 4},

		{"a tab as indentation", "a:\n\tb: c\n", KindSyntax, "", 2, 1},
		{"a tab as indentation of a list", "a:\n\t- b\n", KindSyntax, "", 2, 1},
		{"a tab first", "\ta: 1\n", KindSyntax, "", 1, 1},
		{"an unclosed list", "a: [1, 2\n", KindSyntax, "", 2, 1},
		{"an unclosed mapping", "a: {b: 1\n", KindSyntax, "", 2, 1},
		{"an unclosed quote", "name: \"x\ntools: {}\n", KindSyntax, "", 1, 7},
		{"an unclosed quote in a list", "tools:\n  deny: [\"*_admin]\n  allow: [a]\n", KindSyntax, "", 2, 10},
		{"a quote closed by the next one", "tools:\n  deny: [\"*_admin]\n  allow: [\"a\"]\n", KindSyntax, "", 2, 10},
		{"a quote closed by the next one, behind others", "a: ['it''s', b'c, # '\n \"d\", 'e]\nf: ['g']\n", KindSyntax, "", 2, 7},
		{"a key without a colon", "version: 1\nschemas\nname: x\n", KindSyntax, "", 2, 1},
		{"a quote that swallows the next keys", "name: \"x\ntools:\n  deny: [rm]\ny: \"\n", KindSyntax, "/name", 1, 7},
		{"a quote closed at the indentation of its key", "a:\n  b: 'c\n  d'\n", KindSyntax, "/a/b", 2, 6},
		{"a flow list that goes on at the indentation of its key", "a: [b,\nc]\n", KindSyntax, "/a/1", 2, 1},
		{"a plain scalar in a flow list that goes on there", "a: [b\nc]\n", KindSyntax, "/a/0", 1, 5},
		{"a block scalar whose mark stands there, behind an anchor", "a: &x\n|\n b: c\n", KindSyntax, "/a", 1, 4},
		{"a lone question mark in a flow list", "[a, ?, b]", KindSyntax, "/1", 1, 5},
		{"bad indentation", "tools:\n  deny:\n - rm\n  x: y\n", KindSyntax, "", 3, 2},
		{"a mapping within a plain scalar", "a: b: c\n", KindSyntax, "", 1, 5},
		{"a lone surrogate escape in JSON", `{"a": "\ud83d"}`, KindSyntax, "", 1, 10},
		{"JSON with two values", `{} {}`, KindSyntax, "", 1, 4},
		{"JSON that is not closed", `{"a": 1`, KindSyntax, "", 1, 8},
		{"129 levels of JSON", repeat("[", 129) + repeat("]", 129), KindSyntax, repeat("/0", 128), 1, 129},
		{"129 levels of YAML", repeat("[", 129) + repeat("]", 129) + " #", KindSyntax, repeat("/0", 128), 1, 129},
		{"129 levels of block lists", repeat("- ", 129) + "a", KindSyntax, repeat("/0", 128), 1, 257},
		{"a hundred thousand open brackets", repeat("[", 100_000), KindSyntax, "", 1, 257},
		{"a hundred thousand block lists", repeat("- ", 100_000), KindSyntax, "", 1, 513},

		{"more bytes than the limit", "a: " + repeat("x", limit), KindLimit, "", 0, 0},
		{"more bytes than the limit, none of them YAML", repeat("\xff", limit+1), KindLimit, "", 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := Parse([]byte(tt.text), limit)
			var got *Error
			if n != nil || !errors.As(err, &got) {
				t.Fatalf("Parse = %v, %v; want an *Error", n, err)
			}
			if got.Kind != tt.kind {
				t.Errorf("kind %q, want %q (%v)", got.Kind, tt.kind, err)
			}
			p := got.Problems[0]
			if p.Path != tt.path || p.Line != tt.line || p.Column != tt.col {
				t.Errorf("%q at %d:%d, want %q at %d:%d (%s)", p.Path, p.Line, p.Column, tt.path, tt.line, tt.col, p.Message)
			}
			if p.Message == "" {
				t.Error("no message")
			}
		})
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: %d\n", i, i)
	}
	return b.String()
}

func TestParseOfExactlyTheLimitPasses(t *testing.T) {
	text := []byte("a: " + repeat("x", 97))
	if _, err := Parse(text, 100); err != nil {
		t.Errorf("100 bytes of 100: %v", err)
	}
	if _, err := Parse(text, 99); err == nil {
		t.Error("100 bytes of 99 pass")
	}
}

func TestExpandedAliasesCountAgainstTheLimit(t *testing.T) {
	text := []byte("a: &a [bc, d]\nb: *a\n") // 20 bytes; the list is 1 + 1+2 + 1+1
	if _, err := Parse(text, 26); err != nil {
		t.Errorf("20 bytes and 6 by alias, of 26: %v", err)
	}
	if _, err := Parse(text, 25); err == nil {
		t.Error("20 bytes and 6 by alias, of 25, pass")
	}
}

func TestEveryStructureProblemIsListed(t *testing.T) {
	_, err := Parse([]byte("a: .nan\n1: b\nc: [!x d, {<<: e}]\nf: 1e9999\n"), limit)
	var got *Error
	if !errors.As(err, &got) {
		t.Fatal(err)
	}
	var paths []string
	for _, p := range got.Problems {
		paths = append(paths, fmt.Sprintf("%s %d:%d", p.Path, p.Line, p.Column))
	}
	want := []string{"/a 1:4", "/1 2:1", "/c/0 3:5", "/c/1/<< 3:12", "/f 4:4"}
	if !reflect.DeepEqual(paths, want) {
		t.Errorf("problems at %q, want %q", paths, want)
	}
	for _, p := range got.Problems {
		if p.Hint == "" {
			t.Errorf("%s has no hint", p.Path)
		}
	}
}

func TestSyntaxErrorsSayWhatToDo(t *testing.T) {
	for text, want := range map[string]string{
		"a:\n\tb: c\n":               "indent with spaces, not with a tab",
		"a:\n  b:\n\t- c\n":          "indent with spaces, not with a tab",
		"a: b\n\tc\n":                "indent with spaces",
		"a:\n  \tb: c\n":             "indent with spaces",
		"a: @b\n":                    "quote text that starts with @",
		"a: [`b]\n":                  "quote text that starts with `",
		"a: %b\n":                    "quote text that starts with %",
		"a: *\n":                     "quote text that starts with * or &",
		"a: [*b]\n":                  "quote text that starts with *",
		"a: b: c\n":                  "quote text that holds a colon and a space, and indent the keys of one mapping alike",
		"a: [b\nc: d\n":              "separate the entries in [] or {} by commas, and close the bracket",
		"{\n\t\"a\": 1\n\t\"b\": 2}": "separate the entries in [] or {} by commas, and close the bracket",
		"a:\n  b: c\n d: e\n":        "indent the entries of one mapping or list alike",
		"a: 'b\n":                    "close the quote",
		"a: ['b]\nc: ['d']\n":        "close the quote",
		"a: {b: 1, b: 2}\n":          "join both under one key",
		`a: "\d+"`:                   `in double quotes write \\d for \d, or use single quotes: '\d'`,
		`{"a": ["x", "\."]}`:         `in double quotes write \\. for \., or use single quotes: '\.'`,
		"a: \"\\é\"":                 `in double quotes write \\d for \d, or use single quotes: '\d'`,
		"a: 1\nb\n  c: {d: e}\n":     "line 2 may lack the colon behind its key",
		"a:\n  b\n  - c\n\n  d: e\n": "line 2 may lack the colon behind its key",
		"- a\n- b\n  c: d\n":         "line 2 may lack the colon behind its key",
		"a: 1\nb\nc: 2\n":            "write a colon behind the key",
		"a: 1\nb\n":                  "write a colon behind the key",
		"a: {b: what: it is}\n":      "quote text that holds a colon and a space, and separate the entries in [] or {} by commas",
		"a: [{\n  b: 1 c: 2}]\n":     "quote text that holds a colon and a space, and separate the entries in [] or {} by commas",
		"a:b\n":                      "write keys and their values, with a space behind the colon; an empty mapping is {}",
	} {
		_, err := Parse([]byte(text), limit)
		var got *Error
		if !errors.As(err, &got) {
			t.Errorf("%q: %v", text, err)
		} else if got.Problems[0].Hint != want {
			t.Errorf("%q: %q, hint %q, want %q", text, got.Problems[0].Message, got.Problems[0].Hint, want)
		}
	}
}

func TestSyntaxProblemsComeFirst(t *testing.T) {
	_, err := Parse([]byte("a: .nan\nb: 1\nb: 2\n"), limit)
	var got *Error
	if !errors.As(err, &got) {
		t.Fatal(err)
	}
	if got.Kind != KindSyntax || len(got.Problems) != 2 || got.Problems[0].Path != "/b" || got.Problems[1].Path != "/a" {
		t.Errorf("%v %+v", got.Kind, got.Problems)
	}
}

func TestNothingIsSaidOfWhatWasNotReadAnyMore(t *testing.T) {
	for name, text := range map[string]string{
		"too deep":                           "a: " + repeat("[", 129) + repeat("]", 129) + "\nb: 1\n",
		"an alias inside its own anchor":     "a: &a [*a, {b: 1}]\n&c d: 1\n",
		"aliases that stand for a megabyte":  laughs(9) + "b: 1\n",
		"a key that is a list, but too deep": repeat("[", 128) + "? [b]\n: c" + repeat("]", 128),
	} {
		_, err := Parse([]byte(text), limit)
		var got *Error
		if !errors.As(err, &got) {
			t.Fatalf("%s: %v", name, err)
		}
		if len(got.Problems) != 1 || got.Kind != KindSyntax {
			t.Errorf("%s: %v, %+v", name, got.Kind, got.Problems)
		}
	}
}

func TestProblemsAreBounded(t *testing.T) {
	text := repeat("k", 200_000) + ":\n" + repeat("- .nan\n", 100_000)
	_, err := Parse([]byte(text), limit)
	var got *Error
	if !errors.As(err, &got) {
		t.Fatal(err)
	}
	if len(got.Problems) != maxProblems {
		t.Errorf("%d problems, want %d", len(got.Problems), maxProblems)
	}
	if n := len(got.Problems[0].Path); n > 200 {
		t.Errorf("a path of %d bytes", n)
	}
}

func TestProblemsRepeatNoValue(t *testing.T) {
	for _, text := range []string{
		"a: !s3cret s3cret", "a: *s3cret", "a: 's3cret", "a: [s3cret", "a: s3cret: s3cret", "a: !s3cret[ b",
		"a: \"s3cret\\q\"", "a: {b: s3cret", "- s3cret\nb", "a: &s3cret [*s3cret]", "s3cret", "%s3cret", "a: !s3cret^ x",
		"a: !s3cret! x", "a: |s3cret\n", "a: 1\n... s3cret\n", "a: @s3cret", "a: `s3cret", "a: %s3cret", "a: s3cret\x01",
		"? [s3cret]\n: a\n", "? {a: s3cret}\n: a\n", "a: !!int s3cret", "a: 1\n---\ns3cret\n", "a: !<s3cret x", "a: !s3cret\" x",
	} {
		_, err := Parse([]byte(text), limit)
		var got *Error
		if !errors.As(err, &got) {
			t.Errorf("%q passes", text)
			continue
		}
		if s := fmt.Sprintf("%v %+v", err, got.Problems); strings.Contains(s, "s3cret") {
			t.Errorf("%q: %s", text, s)
		}
	}
}

func TestPositionsAreTheSameInBothReaders(t *testing.T) {
	for _, text := range []string{
		"{\"a\": [1, \"b\", true, null],\n \"é\": {\"x\": {}},\r\n\t\"c\": [[], 1.5]}",
		"[\"é\\n\", \"ü\", {\"a\":1,\"b\":2}, -3]",
		"\ufeff[1,\n2]",
	} {
		fromJSON, err := Parse([]byte(text), limit)
		if err != nil {
			t.Fatal(err)
		}
		fromYAML, err := Parse([]byte(text+" #"), limit)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := positions(fromJSON), positions(fromYAML); a != b {
			t.Errorf("%q\nJSON %s\nYAML %s", text, a, b)
		}
	}
	n, err := Parse([]byte("{\"é\": [1,\r\n \"ü\", 2]}"), limit)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := positions(n), "1:1{1:2 1:7[1:8 2:2 2:7]}"; got != want {
		t.Errorf("positions %s, want %s", got, want)
	}
}

func positions(n *Node) string {
	s := fmt.Sprintf("%d:%d", n.Line, n.Column)
	switch n.Kind {
	case List:
		s += "["
		for i, item := range n.Items {
			if i > 0 {
				s += " "
			}
			s += positions(item)
		}
		s += "]"
	case Map:
		s += "{"
		for i, m := range n.Members {
			if i > 0 {
				s += " "
			}
			s += fmt.Sprintf("%d:%d %s", m.Line, m.Column, positions(m.Value))
		}
		s += "}"
	}
	return s
}

func TestLookup(t *testing.T) {
	root, err := Parse([]byte("a: [x, {b/c: 1, m~n: 2, '': 3, '~1': 4}]\n"), limit)
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"/a/0": `"x"`, "/a/1/b~1c": "1", "/a/1/m~0n": "2", "/a/1/": "3", "/a/1/~01": "4",
	} {
		n := root.Lookup(pointer)
		if n == nil {
			t.Errorf("Lookup(%q) finds nothing", pointer)
		} else if got := canonical(t, n); got != want {
			t.Errorf("Lookup(%q) = %s, want %s", pointer, got, want)
		}
	}
	if root.Lookup("") != root {
		t.Error("the empty pointer is not the root")
	}
	for _, pointer := range []string{"a", "/", "/b", "/a/2", "/a/-1", "/a/00", "/a/+0", "/a/-", "/a/0/x", "/a/x"} {
		if n := root.Lookup(pointer); n != nil {
			t.Errorf("Lookup(%q) finds %s", pointer, canonical(t, n))
		}
	}
}

// TestCorpus holds the reader to the shared corpus: each of its files that is
// refused as a text or a value is refused here with the kind of that message.
func TestCorpus(t *testing.T) {
	data, err := os.ReadFile("../../../../shared/corpus/yaml.jsonl")
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("the shared corpus is not beside the repository (../shared/corpus)")
	} else if err != nil {
		t.Fatal(err)
	}
	// Refused for what they hold rather than how they are written; the facade's.
	above := map[string]bool{"refused: list": true, "depth 128 passes": true}
	files := 0
	for line := range bytes.Lines(data) {
		var group struct {
			Name  string
			Files map[string]json.RawMessage
			Calls []struct {
				Arguments struct{ Policy string }
				Want      struct{ Error, Message string }
			}
		}
		if err := json.Unmarshal(line, &group); err != nil {
			t.Fatal(err)
		}
		for name, raw := range group.Files {
			var text string
			var hex struct {
				Hex string `json:"$hex"`
			}
			if json.Unmarshal(raw, &text) != nil {
				if json.Unmarshal(raw, &hex) != nil || hex.Hex == "" {
					t.Fatalf("%s: file %s", group.Name, raw)
				}
				if _, err := fmt.Sscanf(hex.Hex, "%x", &text); err != nil {
					t.Fatal(err)
				}
			}
			want := ErrorKind(0)
			for _, call := range group.Calls {
				if call.Arguments.Policy == name && call.Want.Error != "" {
					want = map[string]ErrorKind{
						"Policy YAML is invalid":        KindSyntax,
						"Policy root must be a mapping": KindRoot,
						"Policy structure is invalid":   KindStructure,
					}[call.Want.Message]
				}
			}
			if above[group.Name] {
				want = 0
			}
			files++
			got := ErrorKind(0)
			if _, err := Parse([]byte(text), limit); err != nil {
				got = err.(*Error).Kind
			}
			if got != want {
				t.Errorf("%s: %v, want %v", group.Name, got, want)
			}
		}
	}
	if files < 30 {
		t.Errorf("only %d files in the corpus", files)
	}
}
