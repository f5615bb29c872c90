package sequence

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What an agent is told when nothing better is known.
const (
	hopeless    = "nothing that follows repairs this trace: end the run"
	sayWhatRan  = "give the arguments of the spanned calls"
	onlyByGuess = "whether this rule holds depends on arguments that are not known"
)

// maxQuoted is how much of an operand a message repeats, in bytes.
const maxQuoted = 128

// quote writes an operand of a rule into a sentence, cut on a character boundary.
func quote(s string) string {
	if len(s) > maxQuoted {
		cut := maxQuoted
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return strconv.Quote(s)
}

// maxMembers is how many members of an alias a message names.
const maxMembers = 8

// words is what advice calls the tool of a selector: its name, and for an alias
// the tools that it stands for, as an agent can call nothing else.
func (p *compiler) words(s Selector) string {
	members := p.aliases[s.Tool]
	if len(members) == 0 {
		return quote(s.Tool)
	}
	if words, ok := p.spoken[s.Tool]; ok {
		return words // one text serves every rule
	}
	var all []string
	for _, member := range members[:min(len(members), maxMembers)] {
		all = append(all, quote(member))
	}
	if len(members) > maxMembers {
		all = append(all, "another tool of the alias "+quote(s.Tool))
	}
	last := len(all) - 1
	words := all[last]
	if last > 0 {
		words = strings.Join(all[:last], ", ") + " or " + words
	}
	p.spoken[s.Tool] = words
	return words
}

// count writes "1 call" or "2 calls".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

func itoa(n int) string { return strconv.Itoa(n) }

// marshal is json.Marshal without the escapes for HTML, so that a rule is
// written as people write it.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
