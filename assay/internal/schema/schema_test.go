package schema

import (
	"testing"

	"example.com/assay/assay/internal/strictjson"
)

func decode(t testing.TB, text string) any {
	t.Helper()
	v, err := strictjson.Decode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func compile(t testing.TB, text string, opts Options) (*Schema, []Problem) {
	t.Helper()
	return Compile(Source{Doc: decode(t, text), Pointer: "/schemas/t"}, opts)
}

func compiled(t testing.TB, text string) *Schema {
	t.Helper()
	s, problems := compile(t, text, Options{})
	if s == nil {
		t.Fatalf("%s does not compile: %+v", text, problems)
	}
	return s
}

func TestSmoke(t *testing.T) {
	s := compiled(t, `{"type":"object","properties":{"percent":{"type":"number","maximum":30},"k":{"enum":["a","b"]}},"required":["percent"],"additionalProperties":false,"allOf":[{"not":{"required":["z"]}}]}`)
	for _, v := range []string{`{"percent":10}`, `{"percent":31,"x":1,"k":"c"}`, `{"z":1}`, `3`} {
		t.Logf("%s %+v", v, s.Validate(decode(t, v), nil))
	}
}
