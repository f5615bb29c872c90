package main

import (
	"encoding/json"
	"strconv"
)

// jsonText is v as JSON.
func jsonText(v any) string { return string(must(json.Marshal(v))) }

// thousands writes n with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
