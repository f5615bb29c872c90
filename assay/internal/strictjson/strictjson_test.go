package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/assay/internal/race"
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

func TestDecodeReads(t *testing.T) {
	tests := []struct {
		name, text string
		want       any
	}{
		{"words", " [true, false, null] ", []any{true, false, nil}},
		{"numbers as they were written", "[0,-0,1.50,1e400,9007199254740993]",
			[]any{json.Number("0"), json.Number("-0"), json.Number("1.50"), json.Number("1e400"), json.Number("9007199254740993")}},
		{"every escape", `"\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00"`, "\"\\/\b\f\n\r\tAé€😀"},
		{"escapes in both cases of hexadecimal", `"\u00Ff\uFFFF"`, "ÿ\uffff"},
		{"a NUL by escape", `"\u0000"`, "\x00"},
		{"DEL and what YAML refuses", "\"\x7f\u0085\u2028\ufeff\"", "\x7f\u0085\u2028\ufeff"},
		{"empty containers", "[[],{}]", []any{[]any{}, map[string]any{}}},
		{"an empty string", `""`, ""},
		{"an empty name", `{"":""}`, map[string]any{"": ""}},
		{"names that differ in case", `{"a":true,"A":false}`, map[string]any{"a": true, "A": false}},
		{"names that differ in normal form", "{\"\u00e9\":true,\"e\u0301\":false}", map[string]any{"\u00e9": true, "e\u0301": false}},
		{"one name in several objects", `{"a":{"a":{"a":null}},"b":[{"a":true},{"a":false}]}`,
			map[string]any{"a": map[string]any{"a": map[string]any{"a": nil}}, "b": []any{map[string]any{"a": true}, map[string]any{"a": false}}}},
		{"white space everywhere", "\t{ \"a\" :\r\n[ true , false ] }\n", map[string]any{"a": []any{true, false}}},
		{"a literal of 1,000 bytes", strings.Repeat("1", 1000), json.Number(strings.Repeat("1", 1000))},
		{"an exponent of 1,000 with leading zeros", "1e0001000", json.Number("1e0001000")},
		{"an exponent of -1,000", "1E-1000", json.Number("1E-1000")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := Check([]byte(tt.text)); err != nil {
				t.Errorf("Check: %v", err)
			}
			got, err := Decode([]byte(tt.text))
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Decode = %#v, %v; want %#v", got, err, tt.want)
			}
		})
	}
	for _, text := range []string{nested("[", "]", MaxDepth), nested(`{"a":`, "}", MaxDepth)} {
		if _, err := Decode([]byte(text)); err != nil {
			t.Errorf("%d levels: %v", MaxDepth, err)
		}
	}
}

func TestDecodeKeepsNothingOfTheText(t *testing.T) {
	text := []byte(`{"name":["value",12.5]}`)
	got, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	for i := range text {
		text[i] = 'x'
	}
	if want := (map[string]any{"name": []any{"value", json.Number("12.5")}}); !reflect.DeepEqual(got, want) {
		t.Errorf("the value became %v", got)
	}
}

func TestDuplicatesAreFoundAmongAnyNumberOfMembers(t *testing.T) {
	for _, n := range []int{1, 2, 15, 16, 17, 18, 31, 32, 33, 100, 1000, 5000} {
		text := strings.TrimSuffix(manyMembers(n), "}")
		if err := Check([]byte(text + "}")); err != nil {
			t.Fatalf("%d members: %v", n, err)
		}
		// Each member in turn, its name written with an escape.
		for i := 0; i < n; i += 1 + n/50 {
			twice := fmt.Sprintf(`%s,"n\u0061me%d":{}}`, text, i)
			err := Check([]byte(twice))
			if err == nil || err.(*Error).Kind != KindDuplicate || err.(*Error).Offset != len(text)+1 {
				t.Fatalf("%d members and number %d again: %v", n, i, err)
			}
		}
		// Nested objects have names of their own, also behind big ones.
		inner := fmt.Sprintf(`%s,"inner":[%s},%s}],"last":0}`, text, text, text)
		if err := Check([]byte(inner)); err != nil {
			t.Fatalf("%d members, nested: %v", n, err)
		}
		if err := Check([]byte(strings.TrimSuffix(inner, "}") + `,"inner":0}`)); err == nil || err.(*Error).Kind != KindDuplicate {
			t.Fatalf("%d members, nested, inner again: %v", n, err)
		}
	}
}

func TestErrorsHaveLineAndColumn(t *testing.T) {
	for _, tt := range []struct {
		text         string
		line, column int
	}{
		{"x", 1, 1},
		{"[1,\n 2,\n x]", 3, 2},
		{"[1,\r\n x]", 2, 2},
		{"[1,\r x]", 2, 2},
		{"[\"é😀\", x]", 1, 8},
		{"", 1, 1},
		{"\n", 2, 1},
		{"[\"\xff\"]", 1, 3},
	} {
		err := Check([]byte(tt.text)).(*Error)
		if err.Line != tt.line || err.Column != tt.column {
			t.Errorf("%q: %d:%d, want %d:%d", tt.text, err.Line, err.Column, tt.line, tt.column)
		}
	}
}

func TestErrorsRepeatNothing(t *testing.T) {
	for _, text := range []string{`s3cret`, `"s3cret`, `{"s3cret":1,"s3cret":2}`, `["s3cret`, `{} s3cret`, `"s3cret\q"`, `{"s3cret":1e9999}`} {
		if s := Check([]byte(text)).Error(); strings.Contains(s, "s3cret") || s == "" {
			t.Errorf("%s: %q", text, s)
		}
	}
}

func TestPrimitives(t *testing.T) {
	data := []byte(` "a\n" , 12.5e1]`)
	i := SkipSpace(data, 0)
	end, plain, kind := ScanString(data, i)
	if i != 1 || end != 6 || plain || kind != 0 {
		t.Errorf("ScanString = %d, %v, %v from %d", end, plain, kind, i)
	}
	if got := string(AppendUnquoted([]byte("x"), data[i:end])); got != "xa\n" {
		t.Errorf("AppendUnquoted = %q", got)
	}
	if end, kind := ScanNumber(data, 9); end != 15 || kind != 0 {
		t.Errorf("ScanNumber = %d, %v", end, kind)
	}
	if at, plain, kind := ScanString([]byte(`x"\ud800"`), 1); kind != KindSurrogate || at != 2 || plain {
		t.Errorf("ScanString of a lone surrogate = %d, %v, %v", at, plain, kind)
	}
	if at, kind := ScanNumber([]byte(`-x`), 0); kind != KindSyntax || at != 1 {
		t.Errorf("ScanNumber of no number = %d, %v", at, kind)
	}
	if got := SkipSpace(data, len(data)); got != len(data) {
		t.Errorf("SkipSpace at the end = %d", got)
	}
}

func TestCheckAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector makes pools forget, and so allocate")
	}
	text := []byte(`{"a":1,"b":[1,2,{"c":"x","d":null}],"e":"long text long text","f":1.5e3,"g":{"h":{"i":true}}}`)
	if n := testing.AllocsPerRun(100, func() {
		if err := Check(text); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("Check allocates %v times", n)
	}
}
