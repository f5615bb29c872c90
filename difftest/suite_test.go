package difftest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"example.com/assay/assay"
)

// shared holds the public suite and the corpus, beside the repository.
const shared = "../../shared"

// TestPublicSuite asks assay in every way about the schemas of the public
// JSON-Schema-Test-Suite, each with all instances of its file: the text, the
// value, with the fast program and without it. On a schema's own instances of
// the required tests the suite says what is right.
func TestPublicSuite(t *testing.T) {
	root := filepath.Join(shared, "suites/json-schema/tests")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the public suite is not here: ", err)
	}
	judged, refused := 0, 0
	for d, folder := range map[draft]string{draft4: "draft4", draft6: "draft6", draft7: "draft7", draft2019: "draft2019-09", draft2020: "draft2020-12"} {
		for _, below := range []string{"*.json", "optional/*.json", "optional/format/*.json"} {
			files, err := filepath.Glob(filepath.Join(root, folder, below))
			if err != nil || len(files) == 0 {
				t.Fatalf("no files %s: %v", filepath.Join(folder, below), err)
			}
			for _, file := range files {
				j, r := judgeSuite(t, d, file, below == "*.json")
				judged, refused = judged+j, refused+r
			}
		}
	}
	t.Logf("%d pairs judged, %d schemas refused", judged, refused)
	if judged < 20_000 {
		t.Error("so few pairs prove little")
	}
}

func judgeSuite(t *testing.T, d draft, file string, required bool) (judged, refused int) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"schema"`
		Tests       []struct {
			Description string          `json:"description"`
			Data        json.RawMessage `json:"data"`
			Valid       bool            `json:"valid"`
		} `json:"tests"`
	}
	if err := json.Unmarshal(text, &groups); err != nil {
		t.Fatal(err)
	}
	var others []json.RawMessage
	for _, group := range groups {
		for _, test := range group.Tests {
			if len(others) < 40 && len(test.Data) < 2_000 {
				others = append(others, test.Data)
			}
		}
	}
	annotate := filepath.Base(file) == "format.json"
	for _, group := range groups {
		schema := decode(t, string(group.Schema))
		if object, ok := schema.(map[string]any); ok && object["$schema"] == nil {
			object["$schema"] = draftURL[d]
		} else if !ok && d != draft2020 {
			continue // a boolean cannot name its draft
		}
		our, err := compile(schema, !annotate)
		if err != nil {
			refused++
			continue
		}
		judge := func(data json.RawMessage) opinion {
			judged++
			allowed, undecided, err := our.judge(data, decode(t, string(data)))
			if err != nil || undecided {
				t.Errorf("%s: %s: %.200s: undecided %v, %v", file, group.Description, data, undecided, err)
			}
			return opinionOf(allowed)
		}
		for _, test := range group.Tests {
			if said := judge(test.Data); required && said != opinionOf(test.Valid) {
				t.Errorf("%s: %s: %s: assay %s", file, group.Description, test.Description, said)
			}
		}
		for _, data := range others {
			judge(data)
		}
	}
	return judged, refused
}

// TestCorpus asks about every call of the corpus in the two ways that there are
// to give arguments, and once more with schemas that have no fast program.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared, "corpus/*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skip("the corpus is not here: ", shared)
	}
	values, plains := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, len(data)+1)
		for lines.Scan() {
			v, p := judgeGroup(t, file, lines.Bytes())
			values, plains = values+v, plains+p
		}
	}
	t.Logf("%d calls compared with their values, %d without a fast program", values, plains)
	if values < 5_000 || plains < 3_000 {
		t.Error("so few calls prove little")
	}
}

// corpusCall is the arguments of assay_check_args.
type corpusCall struct {
	Tool      *string         `json:"tool"`
	Policy    string          `json:"policy"`
	Arguments json.RawMessage `json:"arguments"`
	Identity  json.RawMessage `json:"identity"`
}

func judgeGroup(t *testing.T, file string, line []byte) (values, plains int) {
	var group struct {
		Name  string                     `json:"name"`
		Files map[string]json.RawMessage `json:"files"`
		Calls []struct {
			Tool      string          `json:"tool"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"calls"`
	}
	if err := json.Unmarshal(line, &group); err != nil {
		t.Fatal(err)
	}
	policies := map[string][2]*assay.Policy{}
	for name, raw := range group.Files {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			continue // a directive: a link, bytes, a folder
		}
		if policy, err := assay.Parse([]byte(text), nil); err == nil {
			policies[name] = [2]*assay.Policy{policy, withoutPrograms(policy)}
		}
	}
	for _, c := range group.Calls {
		var call corpusCall
		if c.Tool != "assay_check_args" || bytes.Contains(c.Arguments, []byte(`"$`)) || json.Unmarshal(c.Arguments, &call) != nil ||
			call.Tool == nil || call.Identity != nil || call.Arguments == nil || policies[call.Policy][0] == nil {
			continue
		}
		policy, twin := policies[call.Policy][0], policies[call.Policy][1]
		label := fmt.Sprintf("%s: %s: %s %.200s", filepath.Base(file), group.Name, *call.Tool, call.Arguments)
		d := assay.CheckArgs(policy, assay.Call{Tool: *call.Tool, Arguments: call.Arguments})
		if len(d.Violations) != 1 || d.Violations[0].Constraint != "json" {
			values++
			if dv := assay.CheckArgsValue(policy, *call.Tool, decode(t, string(call.Arguments))); !reflect.DeepEqual(d, dv) {
				t.Errorf("%s: the text: %s; the value: %s", label, said(d), said(dv))
			}
		}
		if twin != nil {
			plains++
			if p := assay.CheckArgs(twin, assay.Call{Tool: *call.Tool, Arguments: call.Arguments}); p.Allowed != d.Allowed || p.Code != d.Code {
				t.Errorf("%s: with a fast program: %s; without one: %s", label, said(d), said(p))
			}
		}
	}
	return values, plains
}

// withoutPrograms returns the policy with schemas that have no fast program, nil
// if it has no schema that can be changed so.
func withoutPrograms(policy *assay.Policy) *assay.Policy {
	spec := policy.Spec()
	changed := false
	for name, schema := range spec.Schemas {
		if twin, ok := withoutProgram(schema); ok && name != "$defs" {
			spec.Schemas[name], changed = twin, true
		}
	}
	if !changed {
		return nil
	}
	twin, err := assay.Compile(spec, nil)
	if err != nil || len(twin.Problems()) != len(policy.Problems()) {
		return nil
	}
	return twin
}
