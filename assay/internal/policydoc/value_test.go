package policydoc

import (
	"reflect"
	"strings"
	"testing"
)

func TestValuesAreThoseOfTheNodes(t *testing.T) {
	for name, text := range map[string]string{
		"nothing to share":         `{"a": 1, "b": [true, false, null, "", 1.50]}`,
		"equal mappings":           `{"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "strin"}}`,
		"equal but for the kind":   `[["1"], [1], [null], [""], [true], [false], [{}], [[]]]`,
		"equal but for the order":  `[{"a": 1, "b": 2}, {"b": 2, "a": 1}]`,
		"equal but for the nest":   `[["a", ["b"]], [["a"], "b"], ["a", "b"], [["a", "b"]]]`,
		"equal but for the border": `[["ab", "c"], ["a", "bc"], {"ab": "c"}, {"a": "bc"}]`,
		"large and equal":          "[" + strings.Repeat("["+strings.Repeat("7, ", 100)+"8], ", 3) + "9]",
		"aliases":                  "a: &a [b, {c: d}]\ne: *a\nf: [*a, *a]\n",
	} {
		n, err := Parse([]byte(text), limit)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := new(Values).Of(n), n.Value(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestUnequalNodesAreNotTakenForEqual(t *testing.T) {
	n, err := Parse([]byte(`["1", 1, null, "", true, false, {}, [], ["a", ["b"]], [["a"], "b"], ["a", "b"], [["a", "b"]],
		["ab", "c"], ["a", "bc"], {"ab": "c"}, {"a": "bc"}, {"a": "bc", "d": 1}, {"a": {"bc": 1}}, {"a": ["bc"]}]`), limit)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range n.Items {
		for j, b := range n.Items {
			if a.equal(b) != (i == j) {
				t.Errorf("item %d equals item %d: %t", i, j, a.equal(b))
			}
		}
	}
}

func TestValuesMakesEqualSmallOnesOnce(t *testing.T) {
	n, err := Parse([]byte(`{"a": {"b": {"type": "string"}, "c": [1]}, "d": {"b": {"type": "string"}, "c": [1]}}`), limit)
	if err != nil {
		t.Fatal(err)
	}
	same := func(m any) bool {
		a, d := m.(map[string]any)["a"].(map[string]any), m.(map[string]any)["d"].(map[string]any)
		a["new"] = true
		return d["new"] != nil
	}
	if !same(new(Values).Of(n)) {
		t.Error("Values makes equal mappings twice")
	}
	if same(n.Value()) {
		t.Error("Value shares a mapping")
	}
}
