package strictjson

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// texts are the shapes that the benchmarks read.
var texts = []struct{ name, text string }{
	{"discount call", `{"percent":25,"customer":"c-1042","reason":"loyalty programme"}`},
	{"tool call of 12 arguments", `{"owner":"example","repo":"assay","title":"A title of ordinary length","body":"Some text that explains.\nOn two lines.","labels":["bug","help wanted"],"assignees":["a","b"],"milestone":3,"draft":false,"base":"main","head":"fix/numbers","maintainer_can_modify":true,"options":{"retries":3,"timeout":1.5e3,"tags":null}}`},
	{"64 KB of ASCII text", `{"text":"` + strings.Repeat("plain words, ", 5000) + `"}`},
	{"64 KB of text beyond ASCII", `{"text":"` + strings.Repeat("größere Wörter, ", 3600) + `"}`},
	{"64 KB of escapes", `{"text":"` + strings.Repeat(`\u00e9\n\ud83d\ude00`, 3200) + `"}`},
	{"64 KB of numbers", "[" + strings.Repeat("12345,-0.5e-3,", 4600) + "0]"},
	{"1 MB of nested lists", strings.Repeat("[", 127) + strings.Repeat("[],", 333000) + "[]" + strings.Repeat("]", 127)},
	{"100,000 members", manyMembers(100000)},
}

func manyMembers(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"name%d":%d`, i, i)
	}
	b.WriteByte('}')
	return b.String()
}

func benchmark(b *testing.B, read func([]byte) error) {
	for _, tt := range texts {
		b.Run(tt.name, func(b *testing.B) {
			data := []byte(tt.text)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if err := read(data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) { benchmark(b, Check) }

func BenchmarkDecode(b *testing.B) {
	benchmark(b, func(data []byte) error { _, err := Decode(data); return err })
}

// BenchmarkStandardValid is the peer of BenchmarkCheck that sees no duplicates,
// no UTF-8 and no surrogates.
func BenchmarkStandardValid(b *testing.B) {
	benchmark(b, func(data []byte) error {
		if !json.Valid(data) {
			return fmt.Errorf("not valid")
		}
		return nil
	})
}

func BenchmarkNumber(b *testing.B) {
	long := strings.Repeat("1234567890", 100)
	for _, tt := range []struct{ name, literal, divisor string }{
		{"cents", "19.99", "0.01"},
		{"beyond a double", "9007199254740993", "3"},
		{"a thousand digits", long, "7"},
		{"a thousand digits by as many", long, long[:999] + "7"},
		{"exponents far apart", "1e1000", "3e-1000"},
	} {
		b.Run(tt.name, func(b *testing.B) {
			divisor, _ := ParseNumber(tt.divisor)
			b.ReportAllocs()
			for b.Loop() {
				n, ok := ParseNumber(tt.literal)
				if !ok {
					b.Fatal(tt.literal)
				}
				n.MultipleOf(divisor)
				n.Cmp(divisor)
			}
		})
	}
}
