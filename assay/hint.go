package assay

import "strings"

// didYouMean returns a hint that names the known word which word most likely
// was meant to be, or else all of them.
func didYouMean(word string, known []string) string {
	best, bestDistance := "", 3 // two slips of the finger at most
	for _, k := range known {
		if d := distance(strings.ToLower(word), k); d < bestDistance && d < len(k) {
			best, bestDistance = k, d
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

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b, up to 3.
func distance(a, b string) int {
	const far = 3
	if len(a)-len(b) >= far || len(b)-len(a) >= far {
		return far
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], far)
}
