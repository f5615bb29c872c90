package assay

import (
	"strings"

	"example.com/assay/internal/slip"
)

// didYouMean returns a hint that names the known word which word most likely
// was meant to be, or else all of them.
func didYouMean(word string, known []string) string {
	if meant := nearest(word, known); meant != "" {
		return "did you mean " + slip.Quote(meant) + "?"
	}
	if len(known) == 0 {
		return ""
	}
	return "known here: " + strings.Join(known, ", ")
}

// nearest returns the known word which word most likely was meant to be, or "".
func nearest(word string, known []string) string {
	best, least := "", slip.Far
	for _, k := range known {
		if d := slip.Count(strings.ToLower(word), k); d < least && d < len(k) {
			best, least = k, d
		}
	}
	if best != "" {
		return best
	}
	for _, k := range known {
		// A word that was cut short, or continued.
		if len(word) >= 4 && (strings.HasPrefix(k, word) || strings.HasPrefix(word, k)) {
			return k
		}
	}
	return ""
}
