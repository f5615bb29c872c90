package strictjson

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestCheckRefuses(t *testing.T) {
	tests := []struct {
		name, text string
		kind       Kind
		offset     int
		path       string
	}{
		{"no text at all", "", KindEmpty, 0, ""},
		{"white space only", " \t\r\n", KindEmpty, 4, ""},
		{"a byte-order mark", "\ufeff{}", KindSyntax, 0, ""},
		{"a second value", "{} {}", KindTrailing, 3, ""},
		{"a letter behind the value", "1x", KindTrailing, 1, ""},
		{"a NUL behind the value", "1\x00", KindTrailing, 1, ""},
		{"an unclosed object", `{"a":1`, KindSyntax, 6, "/a"},
		{"an unclosed array", `[1,2`, KindSyntax, 4, "/1"},
		{"an unclosed string", `"abc`, KindSyntax, 4, ""},
		{"an unclosed escape", `"abc\`, KindSyntax, 5, ""},
		{"a comma before the brace", `{"a":1,}`, KindSyntax, 7, ""},
		{"a comma before the bracket", `[1,]`, KindSyntax, 3, "/1"},
		{"two commas", `[1,,2]`, KindSyntax, 3, "/1"},
		{"no comma", `[1 2]`, KindSyntax, 3, "/0"},
		{"a bracket that closes a brace", `{"a":1]`, KindSyntax, 6, "/a"},
		{"a missing colon", `{"a" 1}`, KindSyntax, 5, "/a"},
		{"a missing value", `{"a":}`, KindSyntax, 5, "/a"},
		{"a name without quotes", `{a:1}`, KindSyntax, 1, ""},
		{"single quotes", `'a'`, KindSyntax, 0, ""},
		{"a comment", `{} // x`, KindTrailing, 3, ""},
		{"a misspelt word", `[tru]`, KindSyntax, 1, "/0"},
		{"a word in capitals", `True`, KindSyntax, 0, ""},
		{"a longer word", `nullx`, KindTrailing, 4, ""},
		{"NaN", `NaN`, KindSyntax, 0, ""},
		{"a plus sign", `+1`, KindSyntax, 0, ""},
		{"a leading zero", `01`, KindSyntax, 1, ""},
		{"a negative leading zero", `-01`, KindSyntax, 2, ""},
		{"a lone minus", `-`, KindSyntax, 1, ""},
		{"a point without digits behind it", `1.`, KindSyntax, 2, ""},
		{"a point without digits before it", `.5`, KindSyntax, 0, ""},
		{"an exponent without digits", `1e+`, KindSyntax, 3, ""},
		{"a hexadecimal number", `0x1F`, KindTrailing, 1, ""},
		{"a tab in a string", "\"\t\"", KindSyntax, 1, ""},
		{"a line end in a string", "\"aaaaaaaaaa\n\"", KindSyntax, 11, ""},
		{"an unknown escape", `"\x41"`, KindSyntax, 2, ""},
		{"a short unicode escape", `"\u12"`, KindSyntax, 1, ""},
		{"a vertical tab as white space", "\v1", KindSyntax, 0, ""},
		{"a no-break space as white space", "\u00a01", KindSyntax, 0, ""},

		{"a member twice", `{"a":1,"b":2,"a":3}`, KindDuplicate, 13, ""},
		{"a member twice in an inner object", `{"x":[0,{"a":1,"a":1}]}`, KindDuplicate, 15, "/x/1"},
		{"a member twice after an escape", `{"allow":[],"all\u006fw":["*"]}`, KindDuplicate, 12, ""},
		{"a member twice, both with escapes", `{"\u0061\n":1,"a\u000A":2}`, KindDuplicate, 14, ""},
		{"the empty name twice", `{"":1,"":2}`, KindDuplicate, 6, ""},
		{"a surrogate pair and the character itself", `{"\ud83d\ude00":1,"😀":2}`, KindDuplicate, 18, ""},
		{"a member twice behind an inner object of that name", `{"a":{"a":1},"a":2}`, KindDuplicate, 13, ""},

		{"invalid UTF-8", "\"\xff\"", KindUTF8, 1, ""},
		{"an overlong form", "\"\xc0\xaf\"", KindUTF8, 1, ""},
		{"an encoded surrogate", "\"\xed\xa0\x80\"", KindUTF8, 1, ""},
		{"a character cut off by the end of the text", "\"\xf0\x9f\x98", KindUTF8, 1, ""},
		{"invalid UTF-8 in a name", "{\"a\":{\"b\xff\":1}}", KindUTF8, 8, "/a"},
		{"a code point beyond Unicode", "\"\xf4\x90\x80\x80\"", KindUTF8, 1, ""},

		{"a lone high surrogate", `"\ud83d"`, KindSurrogate, 1, ""},
		{"a lone low surrogate", `"\ude00"`, KindSurrogate, 1, ""},
		{"surrogates in the wrong order", `"\ude00\ud83d"`, KindSurrogate, 1, ""},
		{"a high surrogate twice", `"\ud83d\ud83d"`, KindSurrogate, 1, ""},
		{"a high surrogate before another escape", `"\ud83d\n"`, KindSurrogate, 1, ""},
		{"a lone surrogate in a name", `{"\ud83d":1}`, KindSurrogate, 2, ""},

		{"129 arrays", nested("[", "]", 129), KindDepth, 128, strings.Repeat("/0", 128)},
		{"129 objects", nested(`{"a":`, "}", 129), KindDepth, 128 * 5, strings.Repeat("/a", 128)},
		{"a megabyte of opening brackets", strings.Repeat("[", 1e6), KindDepth, 128, strings.Repeat("/0", 128)},

		{"a literal of 1,001 bytes", strings.Repeat("1", 1001), KindNumber, 0, ""},
		{"an exponent of 1,001", `{"a":{"b":[0, 1e1001]}}`, KindNumber, 14, "/a/b/1"},
		{"an exponent of -1,001", `1e-1001`, KindNumber, 0, ""},
		{"an exponent beyond 64 bits", `1e18446744073709551617`, KindNumber, 0, ""},
		{"a path whose names need escapes", `{"a/b":{"~":[1e1001]}}`, KindNumber, 13, "/a~1b/~0/0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Check([]byte(tt.text))
			var got *Error
			if !errors.As(err, &got) {
				t.Fatalf("Check = %v, want an *Error", err)
			}
			if got.Kind != tt.kind || got.Offset != tt.offset {
				t.Errorf("Check: kind %q at %d, want %q at %d", got.Kind, got.Offset, tt.kind, tt.offset)
			}
			if got.Path != tt.path {
				t.Errorf("Check: path %q, want %q", got.Path, tt.path)
			}
			v, err := Decode([]byte(tt.text))
			if v != nil || err == nil || fmt.Sprintf("%+v", *err.(*Error)) != fmt.Sprintf("%+v", *got) {
				t.Errorf("Decode = %v, %+v; Check says %+v", v, err, got)
			}
		})
	}
}

func nested(open, shut string, n int) string {
	inner := ""
	if open != "[" {
		inner = "1"
	}
	return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
}

func TestCheckAllocatesNothing(t *testing.T) {
	text := []byte(`{"a":1,"b":[1,2,{"c":"x","d":null}],"e":"long text long text","f":1.5e3,"g":{"h":{"i":true}}}`)
	if n := testing.AllocsPerRun(100, func() {
		if err := Check(text); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("Check allocates %v times", n)
	}
}
