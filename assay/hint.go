package assay

import (
	"strings"

	"example.com/assay/internal/slip"
)

// didYouMean returns a hint that names the known word which word most likely
// was meant to be, or else all of them.
func didYouMean(word string, known []string) string {
	best, least := "", slip.Far
	for _, k := range known {
		if d := slip.Count(strings.ToLower(word), k); d < least && d < len(k) {
			best, least = k, d
		}
	}
	if best == "" {
		for _, k := range known {
			// A word that was cut short, or continued.
			if len(word) >= 4 && (strings.HasPrefix(k, word) || strings.HasPrefix(word, k)) {
				best = k
				break
			}
		}
	}
	if best != "" {
		return "did you mean " + quote(best) + "?"
	}
	if len(known) == 0 {
		return ""
	}
	return "known here: " + strings.Join(known, ", ")
}
