package server_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// corpusDir holds cases with right answers; its README says what they mean.
const corpusDir = "../../shared/corpus"

type corpusGroup struct {
	Name  string                     `json:"name"`
	Files map[string]json.RawMessage `json:"files"`
	Calls []struct {
		Tool      string                     `json:"tool"`
		Arguments json.RawMessage            `json:"arguments"`
		Want      map[string]json.RawMessage `json:"want"`
	} `json:"calls"`
}

// Every case of the corpus through the built command: one process for a group,
// all calls of a group in flight together.
func TestTheCommandAnswersTheCorpus(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(corpusDir, "*.jsonl"))
	if len(files) == 0 {
		t.Skipf("the corpus of right answers is not at %s", corpusDir)
	}
	schemas := outputSchemas(t)
	var groups []func()
	calls := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, len(data)+1)
		for lines.Scan() {
			g := new(corpusGroup)
			if err := json.Unmarshal(lines.Bytes(), g); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			calls += len(g.Calls)
			groups = append(groups, func() { runGroup(t, schemas, filepath.Base(file), g) })
		}
	}
	// Two at once: more would only share the CPUs.
	work := make(chan func())
	done := make(chan struct{})
	for range 2 {
		go func() {
			defer func() { done <- struct{}{} }()
			for run := range work {
				run()
			}
		}()
	}
	for _, g := range groups {
		work <- g
	}
	close(work)
	<-done
	<-done
	t.Logf("%d calls in %d groups", calls, len(groups))
}

func runGroup(t *testing.T, schemas map[string]*jsonschema.Schema, file string, g *corpusGroup) {
	dir, err := os.MkdirTemp(buildDir, "corpus-")
	if err != nil {
		t.Error(err)
		return
	}
	defer os.RemoveAll(dir)
	root := filepath.Join(dir, "root")
	if err := layOut(root, g.Files); err != nil {
		t.Errorf("%s, %s: %v", file, g.Name, err)
		return
	}
	var in bytes.Buffer
	for i, c := range g.Calls {
		line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": i, "method": "tools/call",
			"params": map[string]any{"name": c.Tool, "arguments": json.RawMessage("0")}})
		if err != nil {
			t.Error(err)
			return
		}
		// The arguments go in as they are: number literals are cases.
		in.Write(bytes.Replace(line, []byte(`"arguments":0`), append([]byte(`"arguments":`), expand(c.Arguments)...), 1))
		in.WriteByte('\n')
	}
	p := newProcess(t, root, "--timeout", "60000") // a busy machine is no reason to fail
	p.cmd.Stdin = &in
	out, err := p.cmd.Output()
	if err != nil {
		t.Errorf("%s, %s: %v", file, g.Name, err)
		return
	}
	answered := make(map[int]bool)
	for line := range bytes.Lines(out) {
		a, err := decodeAnswer(strings.TrimSuffix(string(line), "\n"))
		if err != nil {
			t.Errorf("%s, %s: %v: %s", file, g.Name, err, line)
			continue
		}
		var i int
		if err := json.Unmarshal(a.ID, &i); err != nil || i < 0 || i >= len(g.Calls) || answered[i] {
			t.Errorf("%s, %s: id %s was not asked for", file, g.Name, a.ID)
			continue
		}
		answered[i] = true
		if schema := schemas[g.Calls[i].Tool]; schema != nil {
			if err := conforms(schema, a.text); err != nil {
				t.Errorf("%s, %s: the payload does not satisfy the output schema: %v: %s", file, g.Name, err, a.text)
			}
		}
		for key, want := range g.Calls[i].Want {
			if got := observe(a, key); !equalJSON(got, want) {
				t.Errorf("%s, %s: %s %.200s: %s is %.300s, want %.300s", file, g.Name,
					g.Calls[i].Tool, g.Calls[i].Arguments, key, got, want)
			}
		}
	}
	if len(answered) != len(g.Calls) {
		t.Errorf("%s, %s: %d answers to %d calls", file, g.Name, len(answered), len(g.Calls))
	}
}

// observe returns what a member of want is compared with.
func observe(a answer, key string) json.RawMessage {
	var v any
	switch key {
	case "isError":
		v = a.isError
	case "allowed":
		v = a.payload.Allowed
	case "code":
		v = a.payload.Code
	case "reason":
		v = a.payload.Reason
	case "matches":
		v = a.payload.Matches
	case "warning":
		if a.payload.Warning != nil {
			v = a.payload.Warning.Code
		}
	case "error":
		v = a.failure()
	case "message":
		if a.payload.Error != nil {
			v = a.payload.Error.Message
		}
	case "obligations":
		v = cutDown(a.payload.Obligations, "kind", "source")
	case "paths":
		var violations []struct{ Path string }
		_ = json.Unmarshal(a.payload.Violations, &violations)
		paths := []string{}
		for _, violation := range violations {
			paths = append(paths, violation.Path)
		}
		slices.Sort(paths)
		v = slices.Compact(paths)
	case "violations":
		var violations []map[string]any
		_ = json.Unmarshal(a.payload.Violations, &violations)
		v = cutDown(violations, "rule_type", "constraint", "tool", "spanned", "event_index", "context")
	}
	text, _ := json.Marshal(v)
	return text
}

// cutDown keeps the members of each object that keys name.
func cutDown(objects []map[string]any, keys ...string) []map[string]any {
	out := []map[string]any{}
	for _, object := range objects {
		kept := map[string]any{}
		for _, key := range keys {
			if value, ok := object[key]; ok {
				kept[key] = value
			}
		}
		out = append(out, kept)
	}
	return out
}

func equalJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// layOut writes files below root; a name that starts with ../ lies beside it.
func layOut(root string, files map[string]json.RawMessage) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		var special struct {
			Link string `json:"$link"`
			Hex  string `json:"$hex"`
			Dir  bool   `json:"$dir"`
		}
		_ = json.Unmarshal(content, &special)
		var err error
		switch {
		case special.Link != "":
			err = os.Symlink(special.Link, path)
		case special.Dir:
			err = os.MkdirAll(path, 0o755)
		case special.Hex != "":
			var data []byte
			if data, err = hex.DecodeString(special.Hex); err == nil {
				err = os.WriteFile(path, data, 0o644)
			}
		default:
			var text string
			if err = json.Unmarshal(expand(content), &text); err == nil {
				err = os.WriteFile(path, []byte(text), 0o644)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// expand replaces the directives that keep long inputs short. Text without one
// stays byte for byte what it was.
func expand(raw json.RawMessage) json.RawMessage {
	if !bytes.Contains(raw, []byte(`"$`)) {
		return raw
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw
	}
	text, err := json.Marshal(expandValue(v))
	if err != nil {
		return raw
	}
	return text
}

func expandValue(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = expandValue(v[i])
		}
	case map[string]any:
		times := func(pair any) (any, int) {
			p := pair.([]any)
			n, _ := p[1].(json.Number).Int64()
			return expandValue(p[0]), int(n)
		}
		if pair, ok := v["$repeat"]; ok {
			text, n := times(pair)
			return strings.Repeat(text.(string), n)
		}
		if pair, ok := v["$items"]; ok {
			value, n := times(pair)
			return slices.Repeat([]any{value}, n)
		}
		if parts, ok := v["$concat"]; ok {
			var b strings.Builder
			for _, part := range parts.([]any) {
				b.WriteString(expandValue(part).(string))
			}
			return b.String()
		}
		for key := range v {
			v[key] = expandValue(v[key])
		}
	}
	return v
}
