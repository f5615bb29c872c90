package ecma

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// allProperties returns every spelling of every property that a pattern may name.
func allProperties() []string {
	var out []string
	for name := range unicode.CategoryAliases {
		out = append(out, name, "gc="+name, "General_Category="+name)
	}
	for name := range unicode.Categories {
		out = append(out, name, "gc="+name)
	}
	for name := range binaryNames {
		out = append(out, name)
	}
	for name := range scriptNames {
		out = append(out, "sc="+name, "Script="+name, "scx="+name, "Script_Extensions="+name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// newerScript reports whether a property names a script of a later Unicode
// version than Go's tables have. Such a name is refused here.
func newerScript(property string) bool {
	_, value, _ := strings.Cut(property, "=")
	script, ok := scriptNames[value]
	return ok && unicode.Scripts[script] == nil && script != "Unknown"
}

func TestPropertyNamesAreThoseOfJavaScript(t *testing.T) {
	names := allProperties()
	// No spelling but the exact one counts (ECMA-262, UnicodeMatchProperty).
	for _, name := range slices.Clone(names) {
		names = append(names, strings.ToLower(name), strings.ToUpper(name), strings.ReplaceAll(name, "_", " "), " "+name,
			"Is"+name, name+"=", "="+name, name+"=Yes", "sc="+name, "gc="+name, "Script ="+name)
	}
	for name := range unicode.Properties {
		names = append(names, name)
	}
	names = append(names, "", "=", "^L", "Block=Basic_Latin", "InBasicLatin", "age=15.0", "Greek", "Line_Break=AL", "RGI_Emoji", "Basic_Emoji", "gc=", "sc=")
	var questions []question
	for _, name := range names {
		questions = append(questions, question{Pattern: `\p{` + name + `}`})
	}
	for i, a := range askNode(t, questions) {
		_, err := Compile(questions[i].Pattern)
		if a.Valid != (err == nil) && !newerScript(names[i]) {
			t.Errorf("%s: node %v, here %v", questions[i].Pattern, a.Valid, err)
		}
	}
}

// revised is how many code points of a property, assigned in Unicode 15.0, a
// later version up to 17.0 moved in or out of it (U+0295 from Ll to Lo, U+1171E
// from Mc to Mn, and revisions of four properties of punctuation and marks).
var revised = map[string]int{
	"gc=Ll": 1, "gc=Lo": 1, "gc=LC": 1, "gc=Mc": 1, "gc=Mn": 1,
	"Diacritic": 54, "Extender": 3, "Sentence_Terminal": 9, "Terminal_Punctuation": 8,
}

// Every property means the same code points to JavaScript, to this package and
// to the backtracking engine, among those that Go's Unicode version assigns and
// save the revised ones. Run against Node 20.20.2, which has Unicode 17.0; where
// another Node has another version, only Go's own properties are compared.
func TestPropertiesHoldTheCodePointsOfJavaScript(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all code points some 400 times")
	}
	var names []string
	for _, name := range allProperties() {
		if p, ok := lookupProperty(name); ok {
			names = append(names, p.name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)

	// What lies between is unassigned or private, and the same to all.
	texts := set{{0, 0xD7FF}, {0xE000, 0x33FFF}, {0xE0000, 0xE01FF}, {0xEFFFF, 0xF00FF}, {0x10FFFD, 0x10FFFF}}
	var all []rune
	for _, sp := range texts {
		for r := sp.lo; r <= sp.hi; r++ {
			all = append(all, r)
		}
	}
	// The answer of a property is the list of where runs of it begin and end,
	// as indices into all.
	var theirs struct {
		Unicode string  `json:"unicode"`
		Runs    [][]int `json:"runs"`
	}
	runNode(t, `
		const all = input.spans.map(([lo, hi]) => {
			const parts = [];
			for (let c = lo; c <= hi; c++) parts.push(String.fromCodePoint(c));
			return parts.join('');
		}).join('');
		const indices = [];
		let n = 0;
		for (let at = 0; at < all.length; n++) { indices[at] = n; at += all.codePointAt(at) > 0xffff ? 2 : 1; }
		indices[all.length] = n;
		const runs = input.names.map(name => {
			const runs = [];
			for (const m of all.matchAll(new RegExp('\\p{' + name + '}+', 'gu')))
				runs.push(indices[m.index], indices[m.index + m[0].length]);
			return runs;
		});
		output = {unicode: process.versions.unicode, runs};`, struct {
		Spans [][2]rune `json:"spans"`
		Names []string  `json:"names"`
	}{pairs(texts), names}, &theirs)

	for i, name := range names {
		p, _ := lookupProperty(name)
		s, known := p.set()
		if !known && theirs.Unicode != "17.0" {
			continue
		}
		want := make([]bool, len(all))
		for j := 0; j < len(theirs.Runs[i]); j += 2 {
			for k := theirs.Runs[i][j]; k < theirs.Runs[i][j+1]; k++ {
				want[k] = true
			}
		}
		differs := func(engine string, got func(int) bool) {
			var at []rune
			for k, r := range all {
				if got(k) != want[k] && !unicode.Is(unicode.Cn, r) {
					at = append(at, r)
				}
			}
			if len(at) > revised[name] {
				t.Errorf("%s: %s differs at %d code points, among them %U", name, engine, len(at), at[:min(len(at), 8)])
			}
		}
		if known {
			differs("the set", func(k int) bool { return s.contains(all[k]) })
		}
		engine, err := compileBacktrack(&node{op: opRepeat, min: 1, max: unlimited, subs: []*node{
			{op: opClass, class: &class{items: []item{{prop: p}}}}}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		runs, err := engine.FindAllRunesIndex(all, -1)
		if err != nil {
			t.Fatal(err)
		}
		found := make([]bool, len(all))
		for _, run := range runs {
			for k := run[0]; k < run[1]; k++ {
				found[k] = true
			}
		}
		differs("the engine", func(k int) bool { return found[k] })
	}
}

func pairs(s set) [][2]rune {
	out := make([][2]rune, len(s))
	for i, sp := range s {
		out[i] = [2]rune{sp.lo, sp.hi}
	}
	return out
}
