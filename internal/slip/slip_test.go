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
		{"ab", "ba", 1},
		{"", "ab", 2},
		{"", "abc", Far},
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
