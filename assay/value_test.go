package assay_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/assay"
)

func TestCheckArgsValueJudgesWhatGoHoldsLikeJSON(t *testing.T) {
	p := mustParse(t, `{"schemas": {
		"int": {"type": "integer", "maximum": 9007199254740992},
		"cent": {"multipleOf": 0.01},
		"null": {"type": "null"},
		"object": {"type": "object"},
		"nested": {"properties": {"a": {"items": {"maximum": 3}}}}
	}}`)
	deep := func(levels int) any {
		var v any = "x"
		for range levels {
			v = []any{v}
		}
		return v
	}
	for name, test := range map[string]struct {
		tool  string
		value any
		code  assay.Code
	}{
		"int":                       {"int", 3, ""},
		"int8":                      {"int", int8(-3), ""},
		"int16":                     {"int", int16(3), ""},
		"int32":                     {"int", int32(3), ""},
		"int64 over":                {"int", int64(9007199254740993), assay.CodeArgSchema},
		"uint":                      {"int", uint(3), ""},
		"uint8":                     {"int", uint8(3), ""},
		"uint16":                    {"int", uint16(3), ""},
		"uint32":                    {"int", uint32(3), ""},
		"uint64 over":               {"int", uint64(math.MaxUint64), assay.CodeArgSchema},
		"Number":                    {"int", json.Number("9007199254740992"), ""},
		"Number over":               {"int", json.Number("9007199254740993"), assay.CodeArgSchema},
		"float64 integer":           {"int", 3.0, ""},
		"float64 of 19.99":          {"cent", 19.99, ""},
		"float64 of 19.999":         {"cent", 19.999, assay.CodeArgSchema},
		"nil":                       {"null", nil, ""},
		"nil map":                   {"null", map[string]any(nil), ""},
		"nil map is no object":      {"object", map[string]any(nil), assay.CodeArgSchema},
		"nil slice":                 {"null", []any(nil), ""},
		"empty map":                 {"object", map[string]any{}, ""},
		"nested float":              {"nested", map[string]any{"a": []any{1.0, 3}}, ""},
		"nested float over":         {"nested", map[string]any{"a": []any{1.0, 3.5}}, assay.CodeArgSchema},
		"128 levels":                {"object", map[string]any{"a": deep(127)}, ""},
		"129 levels":                {"object", map[string]any{"a": deep(128)}, assay.CodeValue},
		"NaN":                       {"int", math.NaN(), assay.CodeValue},
		"infinity":                  {"int", math.Inf(-1), assay.CodeValue},
		"invalid UTF-8":             {"nested", "\xff", assay.CodeValue},
		"invalid UTF-8 in a key":    {"nested", map[string]any{"\xff": 1}, assay.CodeValue},
		"invalid UTF-8 in a list":   {"nested", []any{"\xff"}, assay.CodeValue},
		"a Number that is none":     {"int", json.Number("0x1"), assay.CodeValue},
		"an empty Number":           {"int", json.Number(""), assay.CodeValue},
		"a Number out of bounds":    {"int", json.Number("1e1001"), assay.CodeValue},
		"float32":                   {"int", float32(1), assay.CodeValue},
		"a named integer":           {"int", time.Second, assay.CodeValue},
		"a struct":                  {"nested", struct{ A int }{1}, assay.CodeValue},
		"a pointer":                 {"nested", new(int), assay.CodeValue},
		"a typed list":              {"nested", []string{"a"}, assay.CodeValue},
		"a typed map":               {"nested", map[string]string{"a": "b"}, assay.CodeValue},
		"raw JSON":                  {"nested", json.RawMessage("{}"), assay.CodeValue},
		"a channel inside":          {"nested", map[string]any{"b": make(chan int)}, assay.CodeValue},
		"a value for a free tool":   {"free", map[string]any{"b": 1}, ""},
		"no object, for a free one": {"free", []any{}, assay.CodeArgSchema},
	} {
		d := assay.CheckArgsValue(p, test.tool, test.value)
		if d.Code != test.code || d.Allowed != (test.code == "") {
			t.Errorf("%s: %q %v, want %q", name, d.Code, d.Reason, test.code)
		}
		if want := d.Code == assay.CodeValue; d.Failed() != want {
			t.Errorf("%s: Failed is %v", name, d.Failed())
		}
	}
}

func TestAValueThatHoldsItselfIsRefusedInBoundedTime(t *testing.T) {
	p := mustParse(t, "schemas: {t: true}")
	loop := map[string]any{}
	loop["a"], loop["b"] = loop, loop
	var wide any = "x"
	for range 100 {
		wide = []any{wide, wide}
	}
	for name, v := range map[string]any{"a loop": loop, "a list of itself, and so on": wide} {
		d := assay.CheckArgsValue(p, "t", v)
		if d.Allowed || d.Code != assay.CodeLimitExceeded && d.Code != assay.CodeValue {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestCheckArgsValueLeavesTheValueAlone(t *testing.T) {
	p := mustParse(t, "{}")
	v := map[string]any{"a": []any{1, 2.5, nil}, "b": map[string]any(nil)}
	if d := assay.CheckArgsValue(p, "t", v); !d.Allowed {
		t.Fatal(d.Err())
	}
	if v["a"].([]any)[0] != 1 || v["a"].([]any)[1] != 2.5 || v["b"] == nil {
		t.Errorf("the value became %v", v)
	}
}

// What encoding/json makes of a text must be judged as the text is, unless the
// text is one that encoding/json should not have read.
func TestValuesAndTextsAreJudgedAlike(t *testing.T) {
	values := 0
	eachCorpusGroup(t, func(file string, g corpusGroup) {
		policies := map[string]*assay.Policy{}
		for _, c := range g.Calls {
			if c.Tool != "assay_check_args" || c.serverOnly() != "" {
				continue
			}
			r, err := readRequest(expand(t, c.Arguments))
			if err != nil {
				continue
			}
			text, ok := g.policyText(t, r.Policy)
			if !ok {
				continue
			}
			if _, ok := policies[r.Policy]; !ok {
				policies[r.Policy], _ = assay.Parse(text, nil)
			}
			decoder := json.NewDecoder(bytes.NewReader(r.Arguments))
			decoder.UseNumber()
			var v any
			if decoder.Decode(&v) != nil || policies[r.Policy] == nil {
				continue
			}
			values++
			byText := assay.CheckArgs(policies[r.Policy], assay.Call{Tool: r.Tool, Arguments: r.Arguments})
			byValue := assay.CheckArgsValue(policies[r.Policy], r.Tool, v)
			unread := len(byText.Violations) > 0 && byText.Violations[0].Constraint == "json"
			if byText.Allowed != byValue.Allowed && !unread {
				t.Errorf("%s: %s: %.200s is answered %q, its value %q", file, g.Name, r.Arguments, byText.Code, byValue.Code)
			}
		}
	})
	t.Logf("%d values", values)
}

func TestAStructIsRefusedWithWhatToDo(t *testing.T) {
	type refund struct{ Amount int }
	p := mustParse(t, "schemas: {refund: {type: object}}")
	for _, v := range []any{refund{Amount: 7}, &refund{Amount: 7}} {
		d := assay.CheckArgsValue(p, "refund", v)
		if d.Code != assay.CodeValue || !strings.Contains(d.Reason, "assay_test.refund") || !strings.Contains(d.Reason, "CheckArgs") || strings.Contains(d.Reason, "7") {
			t.Errorf("%T: %s: %s", v, d.Code, d.Reason)
		}
	}
}

// A value that is no JSON is refused as one before anything else is asked, and
// however little the policy asks of the place where it stands.
func TestAValueThatIsNoJSONIsRefusedAsOneByEveryTool(t *testing.T) {
	p := mustParse(t, `
schemas:
  "true": true
  empty: {}
  closed: {properties: {a: true, b: {}}, additionalProperties: false}
  named: {properties: {a: {properties: {b: true}}}}
  additional: {additionalProperties: {}}
  patterned: {patternProperties: {"": true}}
  items: {properties: {a: {items: true}}}
  any: {anyOf: [{type: string}, {}]}
  not: {not: {type: string}}
  if: {if: {required: [a]}, then: {minProperties: 1}}
  once: {properties: {a: true}}
  denied: true
  pinned: true
  approved: true
  broken: {type: nothing}
  refused: false
tools: {deny: [denied, denied_too], approval_required: [approved]}
tool_pins:
  pinned: {server_id: s, tool_name: t, schema_hash: "`+strings.Repeat("0", 64)+`", meta_hash: "`+strings.Repeat("0", 64)+`"}
`)
	free := mustParse(t, "schemas: {empty: true, closed: {properties: {a: true, b: {}}, additionalProperties: false}}") // no duties
	var deep any = "x"
	for range 129 {
		deep = []any{deep}
	}
	tools := append(slices.Collect(maps.Keys(p.Spec().Schemas)), "unnamed", "denied_too")
	for name, bad := range map[string]any{
		"a channel": make(chan int), "NaN": math.NaN(), "invalid UTF-8": "\xff", "a Number that is none": json.Number("1 "),
		"a name of invalid UTF-8": map[string]any{"\xff": 1}, "too deep": deep, "a typed nil map": map[string]string(nil),
	} {
		for _, v := range []any{
			bad, []any{bad}, map[string]any{"a": bad}, map[string]any{"z": bad}, map[string]any{"a": map[string]any{"b": bad}},
			map[string]any{"a": []any{1, bad}, "b": "x"}, map[string]any{"a": 1, "b": map[string]any{"c": []any{[]any{bad}}}},
			map[string]any{"a": []any(nil), "b": bad},
		} {
			for _, tool := range tools {
				for _, p := range []*assay.Policy{p, free} {
					if d := assay.CheckArgsValue(p, tool, v); d.Allowed || d.Code != assay.CodeValue {
						t.Errorf("%s: %s in %T: %q, allowed %v", tool, name, v, d.Code, d.Allowed)
					}
				}
			}
		}
	}
}

// A nil map or slice is null for each schema, wherever it stands.
func TestANilMapOrSliceIsNullWhereverItStands(t *testing.T) {
	p := mustParse(t, `
schemas:
  nulls: {properties: {a: {type: "null"}, b: {items: {type: "null"}}, c: {additionalProperties: {const: null}}}, additionalProperties: {type: "null"}}
  objects: {properties: {a: {type: [object, array]}, b: {items: {type: [object, array]}}, c: {additionalProperties: {not: {type: "null"}}}}, additionalProperties: {type: [object, array]}}
`)
	for _, null := range []any{map[string]any(nil), []any(nil)} {
		for _, v := range []any{
			map[string]any{"a": null}, map[string]any{"b": []any{null}}, map[string]any{"c": map[string]any{"d": null}},
			map[string]any{"other": null},
		} {
			if d := assay.CheckArgsValue(p, "nulls", v); !d.Allowed {
				t.Errorf("%#v is not null: %v", v, d.Err())
			}
			if d := assay.CheckArgsValue(p, "objects", v); d.Code != assay.CodeArgSchema {
				t.Errorf("%#v is more than null: %+v", v, d)
			}
		}
	}
}

func TestAReasonSaysWhatIsNoValueAndWhere(t *testing.T) {
	p := mustParse(t, `{"schemas":{"t":{"type":"object"}}}`)
	shared := any("x")
	for range 40 {
		shared = []any{shared, shared}
	}
	deep := any("x")
	for range 129 {
		deep = []any{deep}
	}
	for _, test := range []struct {
		name string
		v    any
		want string
	}{
		{"a struct", struct{ Limit int }{1}, "a value of the Go type struct { Limit int } is not a JSON value; marshal the arguments and ask CheckArgs"},
		{"a typed slice in a map", map[string]any{"to": map[string]any{"a/b": []string{"x"}}}, "at \"/to/a~1b\": a value of the Go type []string is not a JSON value; marshal the arguments and ask CheckArgs"},
		{"a typed map in a list", []any{1, map[string]int{}}, "at \"/1\": a value of the Go type map[string]int is not a JSON value; marshal the arguments and ask CheckArgs"},
		{"the first of two, in the order of names", map[string]any{"b": make(chan int), "a": math.NaN()}, "at \"/a\": a number is NaN or infinite"},
		{"text", map[string]any{"a": "\xff"}, "at \"/a\": a text is not valid UTF-8"},
		{"a name", map[string]any{"a": map[string]any{"\xff": 1}}, "at \"/a\": a name is not valid UTF-8"},
		{"a name that a terminal would obey", map[string]any{"a\x1b\n": math.NaN()}, `at "/a\x1b\n": a number is NaN or infinite`},
		{"a number", json.Number("1_0"), "a json.Number is not a JSON number, or beyond the bound of one"},
		{"what nests too deep under long names", map[string]any{strings.Repeat("n", 300): deep}, "the arguments nest deeper than 128"},
		{"what is behind more than can be looked at", map[string]any{"a": shared, "z": make(chan int)}, ""},
	} {
		d := assay.CheckArgsValue(p, "t", test.v)
		switch {
		case test.want == "" && (d.Code == assay.CodeValue && d.Reason == "the arguments are not a JSON value" || d.Code == assay.CodeLimitExceeded):
			// The order of a map decides how soon the channel is seen.
		case d.Allowed || d.Code != assay.CodeValue || d.Reason != test.want:
			t.Errorf("%s: %s %q, want %q", test.name, d.Code, d.Reason, test.want)
		}
	}
}
