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

// askNode puts questions to `new RegExp(pattern, 'u')` in one Node process, and
// skips the test without one. It searches by trying each code point's place with
// the sticky flag: left to search by itself, V8 also tries the place between the
// two halves of a surrogate pair, where ECMA-262 (RegExpBuiltinExec with
// fullUnicode) has none, and finds `\B` there.
func askNode(t *testing.T, questions []question) []answer {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the right answers come from a JavaScript engine")
	}
	const script = `
		const ask = q => {
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
		};
		const questions = JSON.parse(require('fs').readFileSync(0, 'utf8'));
		process.stdout.write(JSON.stringify(questions.map(ask)));`
	input, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "-e", script)
	cmd.Stdin = bytes.NewReader(input)
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var answers []answer
	if err := json.Unmarshal(output, &answers); err != nil || len(answers) != len(questions) {
		t.Fatalf("node gave %d answers to %d questions: %v", len(answers), len(questions), err)
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
