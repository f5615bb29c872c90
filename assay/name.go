package assay

import "unicode/utf8"

// validName reports whether a tool name is one that any check looks at: not
// empty, and UTF-8 (policy-language.md, "Argument decisions").
func validName(tool string) bool { return tool != "" && isUTF8(tool) }

// validNames reports whether the tool of every call has a valid name.
func validNames(calls []Call) bool {
	for i := range calls {
		if name := calls[i].Tool; !isShortASCII(name) && !validName(name) {
			return false
		}
	}
	return true
}

// isUTF8 is utf8.ValidString, and quicker for what most names are.
func isUTF8(s string) bool { return isShortASCII(s) || utf8.ValidString(s) }

// isShortASCII reports whether s is of 8 to 16 bytes, all of them ASCII: one
// look at its first eight and its last eight.
func isShortASCII(s string) bool {
	return len(s)-8 <= 8 && len(s) >= 8 && (load8(s)|load8(s[len(s)-8:]))&0x8080808080808080 == 0
}

// load8 is one load, once compiled.
func load8(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
