package policydoc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// names is a policy of about n bytes that lists names to deny.
func names(n int) []byte {
	var b bytes.Buffer
	b.WriteString("version: \"2.0\"\ntools:\n  deny:\n")
	for i := 0; b.Len() < n-30; i++ {
		fmt.Fprintf(&b, "    - some_tool_name_%d\n", i)
	}
	return b.Bytes()
}

// schemas is a policy of about n bytes with a schema for each of its tools.
func schemas(n int) []byte {
	var b bytes.Buffer
	b.WriteString("schemas:\n")
	for i := 0; b.Len() < n-200; i++ {
		fmt.Fprintf(&b, "  tool_%d:\n    type: object\n    required: [percent]\n    properties:\n      percent: {type: number, minimum: 0, maximum: 30}\n      reason: {type: string, maxLength: 200}\n", i)
	}
	return b.Bytes()
}

func asJSON(b *testing.B, text []byte) []byte {
	n, err := Parse(text, len(text))
	if err != nil {
		b.Fatal(err)
	}
	data, err := json.Marshal(n.Value())
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func BenchmarkParse(b *testing.B) {
	small := []byte("version: \"2.0\"\ntools:\n  allow: [apply_discount]\n  deny: [\"rm*\"]\nschemas:\n  apply_discount:\n    type: object\n    properties:\n      percent: {type: number, maximum: 30}\n")
	for _, tt := range []struct {
		name string
		text []byte
	}{
		{"a small YAML policy", small},
		{"a small JSON policy", asJSON(b, small)},
		{"1 MB of names in YAML", names(1_000_000)},
		{"1 MB of names in JSON", asJSON(b, names(1_000_000))},
		{"1 MB of schemas in YAML", schemas(1_000_000)},
		{"1 MB of schemas in JSON", asJSON(b, schemas(1_000_000))},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(tt.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(tt.text, limit); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLibraryNodes is what the YAML library alone takes for its nodes.
func BenchmarkLibraryNodes(b *testing.B) {
	for _, tt := range []struct {
		name string
		text []byte
	}{
		{"1 MB of names", names(1_000_000)},
		{"1 MB of schemas", schemas(1_000_000)},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(tt.text)))
			b.ReportAllocs()
			for b.Loop() {
				var n yaml.Node
				if err := yaml.Load(tt.text, &n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkHostile holds texts of a megabyte that a reader could be slow at;
// none should be far from the others.
func BenchmarkHostile(b *testing.B) {
	fill := func(s string) string { return strings.Repeat(s, limit/len(s)) }
	for _, tt := range []struct{ name, text string }{
		{"empty items", fill("-\n")},
		{"empty flow items", "a: [" + fill("[],")[:limit-10] + "]"},
		{"question marks", fill("?\n")},
		{"flow question marks", "a: [" + fill("?,")[:limit-10] + "]"},
		{"open brackets", fill("[")},
		{"open braces", fill("{")},
		{"open quote", "a: \"" + fill("x")[:limit-10]},
		{"open quote over lines", "a: \"" + fill("x\n")[:limit-10]},
		{"blank lines", "a: b\n" + fill("\n")[:limit-10]},
		{"comment lines", fill("# x\n")[:limit-10] + "\na: b"},
		{"comment lines before keys", fill("# x\na: b\n")},
		{"one long comment", "a: b #" + fill("x")[:limit-10]},
		{"indented comments", "a:\n" + fill(" # x\n")[:limit-10] + " b: c"},
		{"one long plain scalar", "a: " + fill("x")[:limit-10]},
		{"a plain scalar of many words", "a: " + fill("x ")[:limit-10]},
		{"a plain scalar over lines", "a: " + fill("x\n ")[:limit-10]},
		{"a block scalar", "a: |\n" + fill(" x\n")[:limit-10]},
		{"a block scalar of blank lines", "a: |\n" + fill(" \n")[:limit-10]},
		{"spaces", "a: b" + fill(" ")[:limit-10]},
		{"tabs", "a: b" + fill("\t")[:limit-10]},
		{"anchors", fill("- &a\n")},
		{"aliases", "- &a\n" + fill("- *a\n")[:limit-10]},
		{"tags", fill("- !a b\n")},
		{"str tags", fill("- !!str\n")},
		{"long tags", "- !" + fill("a")[:limit-10]},
		{"percent in tags", "- !" + fill("%41")[:limit-10]},
		{"escapes", "a: \"" + fill(`\x41`)[:limit-10] + "\""},
		{"equal keys", fill("a: b\n")},
		{"colons", fill(":")},
		{"colons and spaces", fill(": ")},
		{"keys within keys", fill("? ")},
		{"flow pairs", "a: [" + fill("a: b,")[:limit-10] + "]"},
		{"directives", fill("%YAML 1.1\n")},
		{"tag directives", fill("%TAG !a! b\n")},
		{"documents", fill("---\n")},
		{"document ends", fill("...\n")},
		{"quoted items on one line", "a: [" + fill("'x',")[:limit-10] + "''"},
		{"quoted items on lines of their own", "a: [" + fill("'x',\n ")[:limit-10]},
		{"words on one line", "a: [" + fill("x y,")[:limit-10] + "]"},
		{"a quoted scalar over lines", "a: \"" + fill("x\n ")[:limit-10] + "\""},
		{"numbers with many digits", fill("- " + strings.Repeat("9", 990) + "\n")},
		{"hexadecimal numbers with many digits", fill("- 0x" + strings.Repeat("F", 820) + "\n")},
		{"number look-alikes", fill("- 1.1.1\n")},
		{"dates", fill("- 2001-12-14 1\n")},
		{"many keys", manyKeys(70_000)},
		{"many keys in flow", "{" + strings.ReplaceAll(manyKeys(60_000), "\n", ",") + "}"},
		{"long keys", fill(strings.Repeat("k", 1000) + "1: a\n")},
		{"indentation ever deeper", func() string {
			var s strings.Builder
			for i := 0; s.Len() < limit-2000; i++ {
				s.WriteString(strings.Repeat(" ", i) + "a:\n")
			}
			return s.String()
		}()},
	} {
		b.Run(tt.name, func(b *testing.B) {
			data := []byte(tt.text)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				Parse(data, limit)
			}
		})
	}
}
