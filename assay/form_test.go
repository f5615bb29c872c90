package assay

import (
	"strings"
	"testing"

	"example.com/assay/assay/internal/policydoc"
	"example.com/assay/internal/slip"
)

// What a hint tells an author to write must be right.
func TestEveryFormIsReadWithoutAProblem(t *testing.T) {
	for path, form := range forms {
		text := strings.NewReplacer("schema_hash: c", "schema_hash: "+strings.Repeat("c", 64), "meta_hash: d", "meta_hash: "+strings.Repeat("d", 64)).Replace(form)
		parent, key := path[:strings.LastIndexByte(path, '/')], path[strings.LastIndexByte(path, '/')+1:]
		if !strings.HasPrefix(form, key+": ") {
			t.Errorf("the form of %s is %q", path, form)
		}
		if parent != "" {
			text = strings.TrimPrefix(parent, "/") + ": {" + text + "}"
		}
		p, err := Parse([]byte(text), &Options{Strict: true})
		if err != nil {
			t.Errorf("%s: %v", form, err)
		} else if p.Spec() == nil {
			t.Errorf("%s says nothing", form)
		}
	}
}

func TestTextIsWrittenSoThatYAMLReadsItBack(t *testing.T) {
	for _, text := range []string{"rm", "delete_file", "a-b", "9", "1e3", "-", "*", "*_x", "true", "Null", "no", "a b", "a: b", "#x", "~", "é", "'", `"`, "", "0x1F", ".inf", "<<", "_a", "[", "a\nb"} {
		n, err := policydoc.Parse([]byte("["+slip.Written(text)+"]"), 1000)
		if err != nil || len(n.Items) != 1 || n.Items[0].Kind != policydoc.String || n.Items[0].Text != text {
			t.Errorf("%q is written %s (%v)", text, slip.Written(text), err)
		}
	}
}

func TestEveryFormOfARuleIsReadWithoutAProblem(t *testing.T) {
	for _, kind := range ruleKinds {
		form := ruleForms[kind]
		if !strings.HasPrefix(form, "{type: "+kind+", ") {
			t.Errorf("the form of %s is %q", kind, form)
		}
		if _, err := Parse([]byte("sequences: ["+form+"]"), nil); err != nil {
			t.Errorf("%s: %v", form, err)
		}
	}
}
