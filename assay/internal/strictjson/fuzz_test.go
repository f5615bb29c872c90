package strictjson

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"
)

// agree checks one text against encoding/json: the two read the same syntax,
// and what is refused beyond it is refused for a reason of this package.
func agree(t *testing.T, data []byte) {
	t.Helper()
	checked := Check(data)
	v, decoded := Decode(data)
	if (checked == nil) != (decoded == nil) || checked != nil && *checked.(*Error) != *decoded.(*Error) {
		t.Fatalf("%q: Check says %v, Decode %v", data, checked, decoded)
	}
	valid := json.Valid(data)
	if checked != nil {
		err := checked.(*Error)
		if err.Kind == 0 || err.Offset < 0 || err.Offset > len(data) || err.Line < 1 || err.Column < 1 {
			t.Fatalf("%q: %+v", data, err)
		}
		switch err.Kind {
		case KindSyntax, KindTrailing, KindEmpty:
			if valid {
				t.Fatalf("%q is JSON: %+v", data, err)
			}
		}
		return
	}
	if !valid {
		t.Fatalf("%q is no JSON", data)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var want any
	if err := dec.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(v, want) {
		t.Fatalf("%q: %#v, encoding/json %#v", data, v, want)
	}
}

func seeds() []string {
	list := []string{
		`{"a":[1,-2.5e3,{"b":null}],"c":"\u00e9\ud83d\ude00\n","d":true}`, `[]`, `{}`, `""`, `0`, " \t\r\n1 ", `{"a":1,"a":2}`,
		`"\ud83d"`, "\"\xff\"", `[[[[[[]]]]]]`, `1e1001`, `{"a":{"a":{"a":1}}}`, `{"\u0061":1,"a":2}`, `[1,2,`, `tru`, `nul`, `-`, `01`, `1.e`,
		manyMembers(20), manyMembers(40),
	}
	for _, tt := range texts[:2] {
		list = append(list, tt.text)
	}
	return list
}

// FuzzDecode looks for a text about which Check, Decode and encoding/json
// disagree for no reason of this package.
func FuzzDecode(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(agree)
}

func TestAgreesWithTheStandardLibraryOnMutatedTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	alphabet := []string{"{", "}", "[", "]", ",", ":", `"`, `\`, `\u`, "d83d", "0", "1", "-", ".", "e", "a", "true", "null", " ", "\n", "\x00", "\xff", "é", "\u2028"}
	list := seeds()
	for range 30_000 {
		b := []byte(list[r.IntN(len(list))])
		for range 1 + r.IntN(3) {
			i := r.IntN(len(b) + 1)
			j := min(len(b), i+r.IntN(3))
			b = append(append(append([]byte{}, b[:i]...), alphabet[r.IntN(len(alphabet))]...), b[j:]...)
		}
		agree(t, b)
	}
}
