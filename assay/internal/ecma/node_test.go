package ecma

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unicode"
)

// question asks a JavaScript engine about one pattern.
type question struct {
	Pattern string   `json:"p"`
	Texts   []string `json:"s"`
}

// answer is what it says: whether the pattern compiles, and which texts match.
type answer struct {
	Valid   bool   `json:"v"`
	Matches []bool `json:"m"`
}

// runNode runs script in one Node process, where the value input is `input`, and
// reads what its `output` is. Without node it skips the test.
func runNode(t *testing.T, script string, input, output any) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the right answers come from a JavaScript engine")
	}
	encoded, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "-e", `
		const input = JSON.parse(require('fs').readFileSync(0, 'utf8'));
		let output;
		`+script+`
		process.stdout.write(JSON.stringify(output));`)
	cmd.Stdin = bytes.NewReader(encoded)
	decoded, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	if err := json.Unmarshal(decoded, output); err != nil {
		t.Fatalf("node: %v", err)
	}
}

// askNode puts questions to `new RegExp(pattern, 'u')`. The search tries each
// code point's place with the sticky flag: left to search by itself, V8 also
// tries the place between the two halves of a surrogate pair, where ECMA-262
// (RegExpBuiltinExec with fullUnicode) has none, and finds `\B` there.
func askNode(t *testing.T, questions []question) []answer {
	t.Helper()
	var answers []answer
	runNode(t, `output = input.map(q => {
		let re;
		try { re = new RegExp(q.p, 'uy'); } catch { return {v: false, m: []}; }
		const search = s => {
			for (let at = 0; at <= s.length; at += s.codePointAt(at) > 0xffff ? 2 : 1) {
				re.lastIndex = at;
				if (re.test(s)) return true;
			}
			return false;
		};
		return {v: true, m: (q.s ?? []).map(search)};
	})`, questions, &answers)
	if len(answers) != len(questions) {
		t.Fatalf("node gave %d answers to %d questions", len(answers), len(questions))
	}
	return answers
}

// plainEscapes writes the identity escapes that ECMA-262 lacks (`\-`, `\@`) as
// hexadecimal ones, which mean the same everywhere.
func plainEscapes(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '\\' || i+1 == len(pattern) {
			b.WriteByte(pattern[i])
			continue
		}
		i++
		c := rune(pattern[i])
		punctuation := c == ' ' || c < 0x80 && (unicode.IsPunct(c) || unicode.IsSymbol(c))
		if punctuation && !strings.ContainsRune(`^$\.*+?()[]{}|/`, c) {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			fmt.Fprintf(&b, `\%c`, pattern[i])
		}
	}
	return b.String()
}
