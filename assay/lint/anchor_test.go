package lint

import "testing"

func TestWhereExpressionsAreAnchored(t *testing.T) {
	for _, test := range []struct {
		expression string
		start, end bool
	}{
		{"^a$", true, true},
		{"a", false, false},
		{"", false, false},
		{"^", true, false},
		{"^a|b$", false, false},
		{"^a$|^b$", true, true},
		{"^(a|b)$", true, true},
		{"(^a|^b)$", true, true},
		{"(^a|b)$", false, true},
		{"(?:^a)?b$", false, true},
		{"(?:^a){0,1}b$", false, true},
		{"(?:^a){2}b$", true, true},
		{"(?<name>^a)b$", true, true},
		{`\^a\$`, false, false},
		{`[^a]$`, false, true},
		{`[$]^[(|]$`, true, true},
		{`^[\]$]`, true, false},
		{`^(?=.*\d)[a-z]+$`, true, true},
		{`^(?!x)a`, true, false},
		{`^a(?=$)`, true, true},
		{`^(?=.*x$)a`, true, false},
		{`^a(?!.)`, true, true},
		{`(?<!.)a$`, true, true},
		{`(?<=^)a$`, true, true},
		{`\b^a$\b`, true, true},
		{`^\u{24}a{2,}?$`, true, true},
		{`^é$`, true, true},
		{`(`, true, true}, // no expression: a problem of the schema
	} {
		if got := anchors(test.expression); got.start != test.start || got.end != test.end {
			t.Errorf("%s: %+v, want start %v, end %v", test.expression, got, test.start, test.end)
		}
	}
}
