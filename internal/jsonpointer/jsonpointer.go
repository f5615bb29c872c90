// Package jsonpointer writes and reads the reference tokens of JSON Pointers
// (RFC 6901): in them ~0 stands for ~, and ~1 for /.
package jsonpointer

import "strings"

// Join returns the pointer to a member of what parent points to.
func Join(parent, name string) string { return parent + "/" + Escape(name) }

// Escape writes a member's name as a token.
func Escape(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return escaper.Replace(name)
}

// Unescape is the inverse of Escape, false for a ~ that escapes nothing.
func Unescape(token string) (name string, ok bool) {
	if strings.IndexByte(token, '~') < 0 {
		return token, true
	}
	for i := range len(token) {
		if token[i] == '~' && (i+1 == len(token) || token[i+1] != '0' && token[i+1] != '1') {
			return "", false
		}
	}
	return unescaper.Replace(token), true
}

// A Replacer makes one pass, so that ~01 becomes ~1 (RFC 6901, section 4).
var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~0", "~", "~1", "/")
)
