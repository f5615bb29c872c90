package slip

import (
	"strings"
	"testing"
)

func TestWhatToWriteForAText(t *testing.T) {
	list := func(text string) string { return List("deny", text) }
	for _, test := range []struct {
		say        func(string) string
		text, want string
	}{
		{Boolean, "no", "YAML 1.2 knows only true and false; write false"},
		{Boolean, "Off", "YAML 1.2 knows only true and false; write false"},
		{Boolean, "yes", "YAML 1.2 knows only true and false; write true"},
		{Boolean, "ON", "YAML 1.2 knows only true and false; write true"},
		{Boolean, "true", "write true without quotation marks"},
		{Boolean, "False", "write false without quotation marks"},
		{Boolean, "tRue", "write true"},
		{Boolean, "maybe", ""},
		{Number, "1", "write it without quotation marks"},
		{Number, "-2.5e3", "write it without quotation marks"},
		{Number, "007", "write a number, such as 3"},
		{Number, "2024-01-01", "write a number, such as 3"},
		{Number, "1.2.3", "write a number, such as 3"},
		{Number, "three", "write a number, such as 3"},
		{Number, "3 MB", "write a number, such as 3"},
		{Number, "", "write a number, such as 3"},
		{Number, "-", "write a number, such as 3"},
		{list, "rm", "write a list: deny: [rm]"},
		{list, "rm -rf", `write a list: deny: ["rm -rf"]`},
		{list, "rm, mv", "write a list: deny: [name, name]"},
		{list, "", "write a list: deny: [name, name]"},
		{list, strings.Repeat("a", 65), "write a list: deny: [name, name]"},
		{Written, "a_b-1", "a_b-1"},
		{Written, "no entry", `"no entry"`},
		{Written, strings.Repeat("a", 65), `"` + strings.Repeat("a", 64) + `…"`},
		{Quote, "a\n\"b\"", `"a\n\"b\""`},
		{Quote, strings.Repeat("é", 32), `"` + strings.Repeat("é", 32) + `"`},
		{Quote, "a" + strings.Repeat("é", 32), `"a` + strings.Repeat("é", 31) + `…"`},
	} {
		if got := test.say(test.text); got != test.want {
			t.Errorf("for %q: %s, want %s", test.text, got, test.want)
		}
	}
}
