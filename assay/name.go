package assay

import "unicode/utf8"

// validName reports whether a tool name is one that any check looks at: not
// empty, and UTF-8 (docs/policy.md, "What is decided first").
func validName(tool string) bool { return tool != "" && isUTF8(tool) }

// validNames reports whether the tool of every call has a valid name.
func validNames(calls []Call) bool {
	for i := range calls {
		if !validName(calls[i].Tool) {
			return false
		}
	}
	return true
}

// isUTF8 is utf8.ValidString, and quicker for plain names.
func isUTF8(s string) bool { return isPlain(s) || utf8.ValidString(s) }

// isPlain reports whether s is what most names are: 8 to 16 bytes of ASCII. Two
// loads see all of it.
func isPlain(s string) bool {
	return len(s) >= 8 && len(s) <= 16 && (load8(s)|load8(s[len(s)-8:]))&notASCII == 0
}

// notASCII is the bits that no ASCII character has, for eight of them.
const notASCII = 0x8080808080808080

// load8 is one load, once compiled.
func load8(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
