package server

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// texts are JSON and nearly JSON, for properties that hold of any text.
var texts = []string{
	``, ` `, `{}`, ` { } `, `[]`, `null`, `nul`, `nulll`, `true`, `false`, `0`, `-0`, `01`, `-`, `1.`, `1.5`, `.5`, `1e`, `1e+`, `1e+5`, `1E-5x`,
	`""`, `"`, `"\"`, `"\u12"`, `"\u12G4"`, `"\u00e9\ud83d\ude00"`, `"\ud800"`, `"\q"`, "\"\t\"", `"é😀"`, "\"\xff\"", "\"\xed\xa0\x80\"", "\xef\xbb\xbf{}",
	`{"a":1,"b":[true,{"c":null}],"d":"e"}`, `{"a":1,}`, `{"a" 1}`, `{a:1}`, `{"a":1 "b":2}`, `{,}`, `[,]`, `[1,]`, `[1 2]`, `{"a":1}}`, `{"a":1}x`, `[[[[]]]]`, `[[[`,
	`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{"tool":"t"}}}`,
	`{"id":{"id":1},"method":["method"],"id":"x"}`, `{"i\u0064":1.50,"me\u0074hod":"a\/b"}`, `{"id":null,"method":3}`, "{\r\n\t\"id\" : -1e+5 , \"method\" : \"m\" }",
}

// addTexts adds what the functions of this file are tested with, as it is and
// cut, for a fuzz target.
func addTexts(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
		f.Add([]byte(text[:len(text)/2]))
	}
	f.Add([]byte(strings.Repeat("[", 512) + strings.Repeat("]", 512)))
	f.Add([]byte(strings.Repeat(`{"a":`, 513) + "1" + strings.Repeat("}", 513)))
}

// depthOf returns how deep valid JSON nests.
func depthOf(text []byte) int {
	d, deepest := 0, 0
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		token, err := dec.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			d++
			deepest = max(deepest, d)
		case json.Delim('}'), json.Delim(']'):
			d--
		}
	}
}

// The reader takes exactly what encoding/json takes, in UTF-8 and within the
// depth.
func FuzzValueEnd(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		start := skipSpace(text, 0)
		end := valueEnd(text, start, maxDepth)
		got := end >= 0 && skipSpace(text, end) == len(text)
		if want := json.Valid(text) && depthOf(text) <= maxDepth; got != want {
			t.Fatalf("%q is taken: %v, want %v", text, got, want)
		}
		if !got || !utf8.Valid(text) {
			return
		}
		value := text[start:end]
		if value[0] == '"' {
			var want string
			if err := json.Unmarshal(value, &want); err != nil {
				t.Fatal(err)
			}
			// encoding/json replaces half a surrogate pair.
			if have := string(unquoted(value)); have != want && utf8.ValidString(have) {
				t.Errorf("%s is %q, want %q", value, have, want)
			} else if utf8.ValidString(have) {
				var again string
				if err := json.Unmarshal(appendQuoted(nil, []byte(have)), &again); err != nil || again != have {
					t.Errorf("%q is quoted as %s", have, appendQuoted(nil, []byte(have)))
				}
			}
		}
		if m, ok := membersOf(text, maxDepth); ok {
			var want, have map[string]any
			if err := json.Unmarshal(text, &want); err != nil {
				t.Skip("a number that encoding/json does not take")
			}
			have = map[string]any{}
			for m.next() {
				name := strings.ToValidUTF8(string(m.name()), "\uFFFD")
				var value any
				if err := json.Unmarshal(m.value, &value); err != nil {
					t.Fatal(err)
				}
				if !utf8.Valid(m.name()) {
					return
				}
				have[name] = value
			}
			if !m.whole() || !reflect.DeepEqual(have, want) {
				t.Errorf("%s has the members %v, want %v", text, have, want)
			}
		}
	})
}

// A scan finds the same however the text is cut, and what a reader of the whole
// text finds.
func FuzzScan(f *testing.F) {
	addTexts(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		var whole scan
		whole.feed(text)
		id, hasID := whole.id()
		method, hasMethod := whole.method()

		random := rand.New(rand.NewPCG(uint64(len(text)), 1))
		var pieces scan
		for rest := text; len(rest) > 0; {
			n := 1 + random.IntN(len(rest))
			pieces.feed(rest[:n])
			rest = rest[n:]
		}
		id2, hasID2 := pieces.id()
		method2, hasMethod2 := pieces.method()
		if string(id) != string(id2) || hasID != hasID2 || string(method) != string(method2) || hasMethod != hasMethod2 {
			t.Fatalf("%q: %s %v, %s %v; in pieces %s %v, %s %v", text, id, hasID, method, hasMethod, id2, hasID2, method2, hasMethod2)
		}

		m, ok := membersOf(text, maxDepth)
		if !ok || !utf8.Valid(text) {
			if hasID && !utf8.Valid(text[:bytes.Index(text, id)]) {
				t.Errorf("%q: an id behind invalid UTF-8", text)
			}
			return
		}
		var wantID, wantMethod once
		for m.next() {
			switch string(m.name()) {
			case "id":
				wantID.set(m.value)
			case "method":
				wantMethod.set(m.value)
			}
		}
		if !m.whole() {
			return // the scan may have found what stands before the break
		}
		if want := !wantID.again && isID(wantID.value) && len(wantID.value) <= maxScannedID; len(wantID.value) <= maxScannedID && hasID != want ||
			hasID && string(id) != string(wantID.value) {
			t.Errorf("%q: id %s %v, want %s %v", text, id, hasID, wantID.value, want)
		}
		if want := !wantMethod.again && isString(wantMethod.value); hasMethod != want ||
			hasMethod && len(wantMethod.value) <= maxScannedID && string(method) != string(unquoted(wantMethod.value)) {
			t.Errorf("%q: method %s %v, want %s %v", text, method, hasMethod, wantMethod.value, want)
		}
	})
}

func TestHalfASurrogatePairIsNoText(t *testing.T) {
	for quoted, want := range map[string]string{
		`"\ud83d\ude00"`:  "😀",
		`"a\ud800"`:       "a\xed\xa0\x80",
		`"\ud800\ud800"`:  "\xed\xa0\x80\xed\xa0\x80",
		`"\udc00\ud800"`:  "\xed\xb0\x80\xed\xa0\x80",
		`"\ud800x\udc00"`: "\xed\xa0\x80x\xed\xb0\x80",
		`"\uFFFD"`:        "\uFFFD",
		`"\u0000\/\b\f"`:  "\x00/\b\f",
	} {
		if got := string(unquoted([]byte(quoted))); got != want {
			t.Errorf("%s is %q, want %q", quoted, got, want)
		}
	}
}

func TestLinesAreCutAtNewlinesAndBounded(t *testing.T) {
	long := strings.Repeat("x", chunk+10)
	for name, test := range map[string]struct {
		text string
		max  int
		want []string // "long" for a line over the limit
	}{
		"nothing":                          {"", 10, nil},
		"lines":                            {"a\nb\r\n\nc\n", 10, []string{"a", "b\r", "", "c"}},
		"a last line without a newline":    {"a\nb", 10, []string{"a", "b"}},
		"a line of the limit":              {"0123456789\na\n", 10, []string{"0123456789", "a"}},
		"a line over the limit":            {"0123456789x\na\n", 10, []string{"long", "a"}},
		"a last line over the limit":       {"a\n0123456789x", 10, []string{"a", "long"}},
		"a line longer than the buffer":    {long + "\na\n" + long + "\nb", 2 * chunk, []string{long, "a", long, "b"}},
		"a line of the buffer's size":      {long[:chunk] + "\na\n", chunk, []string{long[:chunk], "a"}},
		"a line of one more":               {long[:chunk+1] + "\na\n", chunk, []string{"long", "a"}},
		"two long lines over the limit":    {long + "\n" + long + "\na", 100, []string{"long", "long", "a"}},
		"a line over the limit of a chunk": {strings.Repeat(long, 50) + "\na\n", 2 * chunk, []string{"long", "a"}},
	} {
		for kind, in := range map[string]io.Reader{
			"at once":         strings.NewReader(test.text),
			"byte by byte":    iotest.OneByteReader(strings.NewReader(test.text)),
			"half by half":    iotest.HalfReader(strings.NewReader(test.text)),
			"with the end":    iotest.DataErrReader(strings.NewReader(test.text)),
			"with empty ones": &emptyReads{in: strings.NewReader(test.text)},
		} {
			l := newLineReader(in, test.max, openGate{})
			var got []string
			for {
				line, over, err := l.next()
				if err != nil {
					if err != io.EOF {
						t.Errorf("%s, %s: %v", name, kind, err)
					}
					break
				}
				if over != nil {
					got = append(got, "long")
				} else {
					got = append(got, string(line))
				}
				if len(l.buf) > max(test.max+1, chunk) {
					t.Fatalf("%s, %s: the buffer has %d bytes", name, kind, len(l.buf))
				}
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("%s, %s: got %.100q, want %.100q", name, kind, got, test.want)
			}
		}
	}
}

type openGate struct{}

func (openGate) beforeRead() bool { return true }
func (openGate) afterRead() bool  { return true }

// emptyReads returns nothing at every other read.
type emptyReads struct {
	in  io.Reader
	odd bool
}

func (r *emptyReads) Read(p []byte) (int, error) {
	if r.odd = !r.odd; r.odd {
		return 0, nil
	}
	return r.in.Read(p)
}

func TestAnErrorOfTheReaderEndsTheLines(t *testing.T) {
	l := newLineReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(io.ErrUnexpectedEOF)), 10, openGate{})
	for _, want := range []string{"a", "b"} {
		if line, _, err := l.next(); string(line) != want || err != nil {
			t.Errorf("got %q, %v", line, err)
		}
	}
	if _, _, err := l.next(); err != io.ErrUnexpectedEOF {
		t.Errorf("got %v", err)
	}
	if _, _, err := newLineReader(&emptyReads{in: iotest.ErrReader(nil)}, 10, openGate{}).next(); err != io.ErrNoProgress {
		t.Errorf("a reader that returns nothing: %v", err)
	}
}
