package server

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever comes in: the server does not crash, writes nothing but responses,
// and answers only requests that were asked, each at most once. Requests that
// are well-formed beyond doubt are answered.
func FuzzWire(f *testing.F) {
	root := f.TempDir()
	if err := os.WriteFile(filepath.Join(root, "p.yaml"), []byte("tools: {allow: [t]}\nschemas: {t: {type: object}}\n"), 0o644); err != nil {
		f.Fatal(err)
	}
	s, err := New(root, &Options{Limits: Limits{MessageBytes: 400}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })

	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"assay_check_args","arguments":{"tool":"t","arguments":{"a":1},"policy":"p.yaml"}}}`
	for _, text := range append(texts, call, strings.Replace(call, "7", `"\ud800"`, 1), call+"\n"+pingLine("7")+"\n"+cancelLine("7"),
		strings.Replace(call, `"a":1`, `"a":"`+strings.Repeat("x", 400)+`"`, 1), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`) {
		f.Add([]byte(text))
		f.Add([]byte(text + "\n" + text))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		if err := s.Serve(context.Background(), bytes.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		answers := make(map[string]int)
		for line := range bytes.Lines(out.Bytes()) {
			var response struct {
				Version string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
				Result  json.RawMessage `json:"result"`
				Error   json.RawMessage `json:"error"`
			}
			if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &response) != nil ||
				response.Version != "2.0" || !isID(response.ID) || (response.Result == nil) == (response.Error == nil) {
				t.Fatalf("%q is answered with %q", in, line)
			}
			answers[string(response.ID)]++
		}
		asked, must := make(map[string]int), make(map[string]int)
		for line := range bytes.SplitSeq(in, []byte("\n")) {
			msg, ok := parseMessage(line)
			switch {
			case len(line) > 400:
				// What a scan finds is tested by FuzzScan.
				var long scan
				long.feed(line)
				if id, ok := long.id(); ok {
					asked[string(id)]++
				}
			case ok && msg.id != nil:
				asked[string(msg.id)]++
				must[string(msg.id)]++
			}
		}
		for id, n := range answers {
			if n > asked[id] {
				t.Errorf("%q: id %s is answered %d times, asked %d times", in, id, n, asked[id])
			}
		}
		for id, n := range must {
			if answers[id] < n {
				t.Errorf("%q: id %s is answered %d times, asked %d times", in, id, answers[id], n)
			}
		}
	})
}
