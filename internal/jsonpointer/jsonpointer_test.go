package jsonpointer

import "testing"

func TestTokens(t *testing.T) {
	for name, token := range map[string]string{
		"": "", "a": "a", "/": "~1", "~": "~0", "~1": "~01", "a/b~c": "a~1b~0c", "é%2F": "é%2F", "~0/~1": "~00~1~01",
	} {
		if got := Escape(name); got != token {
			t.Errorf("%q is written %q, want %q", name, got, token)
		}
		if got, ok := Unescape(token); !ok || got != name {
			t.Errorf("%q reads as %q, %v, want %q", token, got, ok, name)
		}
	}
	for _, token := range []string{"~", "a~", "~2", "~~0"} {
		if _, ok := Unescape(token); ok {
			t.Errorf("%q is read", token)
		}
	}
	if got := Join("/a", "b/c"); got != "/a/b~1c" {
		t.Error(got)
	}
}
