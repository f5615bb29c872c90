package slip

import "testing"

func TestCount(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"deny", "deny", 0},
		{"dney", "deny", 1},  // neighbours swapped
		{"den", "deny", 1},   // a letter left out
		{"denyy", "deny", 1}, // one too many
		{"demy", "deny", 1},  // another letter
		{"maxium", "maximum", 1},
		{"ednyy", "deny", 2},
		{"abc", "acb", 1},
		{"", "a", Far},
		{"", "abc", Far},
		{"a", "pay", Far}, // shares one letter and lacks two
		{"a", "b", Far},
		{"ls", "rm", Far},
		{"ls", "l", Far}, // half of the word
		{"pa", "pay", 1},
		{"pyy", "pay", 1},
		{"pagx", "pay", Far},
		{"refdn", "refund", 2},
		{"unset", "set", 2},
		{"allow", "deny", Far},
		{"a", "abcdefgh", Far},
	} {
		if got := Count(test.a, test.b); got != test.want {
			t.Errorf("Count(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
		if got := Count(test.b, test.a); got != test.want {
			t.Errorf("Count(%q, %q) = %d, want %d", test.b, test.a, got, test.want)
		}
	}
}
