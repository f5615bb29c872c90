package sequence

import (
	"bytes"
	"encoding/json"
	"strconv"
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
