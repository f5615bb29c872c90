package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The rules about how names look. Names are compared byte for byte, so two that
// look alike are two.

// eachName calls f once for every different name, at its first place, without
// the stars at its ends.
func (p *policy) eachName(f func(at place, text string)) {
	seen := map[string]bool{}
	for _, n := range p.identifiers() {
		text := strings.Trim(n.text, "*")
		if seen[text] {
			continue
		}
		seen[text] = true
		f(n.place, text)
	}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// invisibleCharacter finds names that hold what nobody sees, or what turns the
// direction of reading, so that another name looks the same.
func invisibleCharacter(p *policy, report reporter) {
	p.eachName(func(at place, text string) {
		if i := strings.IndexFunc(text, isInvisible); i >= 0 {
			r, _ := utf8.DecodeRuneInString(text[i:])
			report(at, fmt.Sprintf("the name %s holds the invisible character %U, so it is not the name that a reader sees", quote(text), r),
				"retype the name without it")
		}
	})
}

// isInvisible reports whether a character shows nothing of its own: controls,
// format characters such as those of bidirectional text, every space beyond
// ASCII, and the letters and marks that Unicode leaves without a shape
// (Default_Ignorable_Code_Point of UAX #44, and the empty Braille pattern).
func isInvisible(r rune) bool {
	switch {
	case strings.ContainsRune(space, r):
		return false // these have rules of their own
	case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return true
	}
	return r == '\u2800'
}

// mixedScripts finds names beyond the "highly restrictive" level of UTS #39,
// section 5.2: one script, or Latin with those that are written together with
// it in Japanese, Chinese and Korean.
func mixedScripts(p *policy, report reporter) {
	known := map[rune]string{}
	p.eachName(func(at place, text string) {
		if isASCII(text) {
			return
		}
		scripts := map[string]bool{}
		for _, r := range text {
			script, ok := known[r]
			if !ok {
				script = scriptOf(r)
				known[r] = script
			}
			if script != "" {
				scripts[script] = true
			}
		}
		if names := slices.Sorted(maps.Keys(scripts)); !writtenTogether(names) {
			report(at, fmt.Sprintf("the name %s mixes the scripts %s, so another name may look like it", quote(text), strings.Join(names, " and ")),
				"write the name in one script")
		}
	})
}

// scriptOf returns the script of a character, "" for what all scripts share.
func scriptOf(r rune) string {
	for script, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			if script == "Common" || script == "Inherited" {
				return ""
			}
			return script
		}
	}
	return ""
}

func writtenTogether(scripts []string) bool {
	if len(scripts) < 2 {
		return true
	}
	for _, together := range [][]string{
		{"Latin", "Han", "Hiragana", "Katakana"},
		{"Latin", "Han", "Bopomofo"},
		{"Latin", "Han", "Hangul"},
	} {
		if !slices.ContainsFunc(scripts, func(s string) bool { return !slices.Contains(together, s) }) {
			return true
		}
	}
	return false
}

// notNFKC finds names that a client which normalises text would send otherwise
// (UAX #15).
func notNFKC(p *policy, report reporter) {
	p.eachName(func(at place, text string) {
		if !norm.NFKC.IsNormalString(text) && !strings.ContainsFunc(text, isInvisible) {
			report(at, fmt.Sprintf("the name %s is not in normal form NFKC, so a client that normalises names calls another tool", quote(text)),
				"write "+quote(norm.NFKC.String(text))+", or make sure that the tool's own name is written this way")
		}
	})
}
