package schema

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
)

// commonsOf begins a policy with the given definitions.
func commonsOf(t testing.TB, defs string, opts Options) *Commons {
	t.Helper()
	return NewCommons(Source{Defs: valueOf(t, defs).(map[string]any), DefsPointer: "/schemas/$defs"}, opts)
}

func compileTool(t testing.TB, c *Commons, text string) *Schema {
	t.Helper()
	s, problems := c.Compile(valueOf(t, text), "/schemas/t")
	if s == nil {
		t.Fatalf("%.200s: %+v", text, problems)
	}
	return s
}

func TestSharedDefinitionsAreCheckedOnceForAllTools(t *testing.T) {
	c := commonsOf(t, `{"big":{"properties":{`+numbered(`"p%d":{"maximum":%[1]d}`, 1000)+`}},"list":{"items":{"$ref":"#/$defs/big"}}}`, Options{})
	nodes := 0
	for range 1000 {
		nodes += len(compileTool(t, c, `{"$ref":"#/$defs/list"}`).nodes)
	}
	for _, f := range c.foundations {
		for _, d := range f.definitions {
			nodes += len(d.nodes)
		}
	}
	if want := 1000 + 1001 + 2; nodes != want {
		t.Errorf("%d schemas were walked, want %d", nodes, want)
	}
	if c.merging != c.options.MaxMerging {
		t.Error("definitions were merged")
	}
}

func TestClausesOfSharedDefinitionsAreOne(t *testing.T) {
	c := commonsOf(t, `{"n":{"type":"integer","maximum":3}}`, Options{})
	a := compileTool(t, c, `{"properties":{"p":{"$ref":"#/$defs/n"}}}`)
	b := compileTool(t, c, `{"items":{"$ref":"#/$defs/n"}}`)
	if !a.Accepts([]byte(`{"p":3}`), nil) || a.Accepts([]byte(`{"p":4}`), nil) || !b.Accepts([]byte(`[3]`), nil) || b.Accepts([]byte(`[4]`), nil) {
		t.Error("a wrong answer")
	}
	if n := c.foundations[draft2020].definitions["n"].root; n.clause == nil || a.nodes[1].ref != n || b.nodes[1].ref != n {
		t.Error("the definition is not shared")
	}
}

func TestNothingDecidesBeforeTheFirstCall(t *testing.T) {
	s := compileTool(t, commonsOf(t, `{}`, Options{}), `{"properties":{"p":{"pattern":"^a{3,50}[\\p{L}]{1,50}x"}}}`)
	if s.program.Load() != nil || s.root.rules.Load() != nil || s.commons.patterns.Size() != 0 {
		t.Error("a program, a rule or a pattern was built by Compile")
	}
}

// What a definition says for a tool does not depend on whether it is shared.
func TestSharingChangesNoAnswer(t *testing.T) {
	const defs = `{
		"a":{"type":"object","properties":{"x":{"$ref":"#/$defs/b"},"s":{"enum":["one","two"]}},"additionalProperties":false},
		"b":{"type":["integer","null"],"maximum":5},
		"c":{"anyOf":[{"$ref":"#/$defs/b"},{"type":"string","pattern":"^(?=k)k+$"}]},
		"d":{"type":"array","items":{"$ref":"#/$defs/d"},"maxItems":2},
		"e":{"unevaluatedProperties":false,"$ref":"#/$defs/f"},
		"f":{"properties":{"y":{"$ref":"#/$defs/a/properties/x"}}},
		"g":false}`
	tools := []string{
		`{"$ref":"#/$defs/a"}`, `{"properties":{"p":{"$ref":"#/$defs/a"},"q":{"$ref":"#/$defs/c"}}}`, `{"$ref":"#/$defs/d"}`,
		`{"$ref":"#/$defs/e"}`, `{"properties":{"p":{"$ref":"#/$defs/g"}}}`, `{"writeOnly":true,"$ref":"#/$defs/a"}`,
		`{"$defs":{"k":{"$ref":"#/$defs/b"}},"properties":{"x":{"allOf":[{"$ref":"#/$defs/k"},{"$ref":"#/$defs/b"}]}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"p":{"$ref":"#/$defs/a"}},"definitions":{"z":{}}}`,
	}
	values := []string{`{}`, `{"x":3}`, `{"x":6}`, `{"x":null,"s":"three","t":1}`, `{"p":{"x":9},"q":"kk"}`, `{"p":{"s":"one"},"q":"x"}`,
		`[[],[[]]]`, `[[],[],[]]`, `{"y":5}`, `{"y":7,"z":1}`, `{"p":1}`, `7`}
	shared := commonsOf(t, defs, Options{})
	// An anchor that nobody uses keeps a definition from being shared.
	merged := commonsOf(t, strings.ReplaceAll(defs, `"$ref":"#/$defs/f"`, `"$anchor":"u","$ref":"#/$defs/f"`), Options{})
	for _, definition := range merged.source.Defs {
		if object, ok := definition.(map[string]any); ok {
			object["$comment"] = "apart"
		}
	}
	for i, tool := range tools {
		// Its own reference to the anchored one makes every closure apart.
		apart := strings.Replace(tool, "{", `{"x-apart":{"$ref":"#/$defs/e"},`, 1)
		if strings.Contains(tool, "draft-07") {
			apart = tool // there an anchor is no keyword
		}
		a, b := compileTool(t, shared, tool), compileTool(t, merged, apart)
		if !strings.Contains(tool, "draft-07") && (a.foundation == nil || b.foundation != nil) {
			t.Fatalf("tool %d is not shared in one and merged in the other", i)
		}
		for _, text := range values {
			v := valueOf(t, text)
			x, y := a.Validate(v, nil), b.Validate(v, nil)
			if x.Failure != y.Failure || !slices.Equal(x.Violations, y.Violations) {
				t.Errorf("tool %d, %s:\nshared %+v\nmerged %+v", i, text, x, y)
			}
			if p, q := a.Accepts([]byte(text), nil), b.Accepts([]byte(text), nil); p != q || p && !x.Valid() {
				t.Errorf("tool %d, %s: accepted %v shared, %v merged", i, text, p, q)
			}
		}
	}
}

func TestProblemsOfSharedDefinitionsComeToEveryToolThatReachesThem(t *testing.T) {
	c := commonsOf(t, `{"bad":{"maxium":3},"loop":{"$ref":"#/$defs/pool"},"pool":{"$ref":"#/$defs/loop"},"far":{"items":{"$ref":"#/$defs/bad"}},"deep":{"$ref":"#/$defs/bad/none"},"good":{}}`, Options{})
	for range 2 {
		for name, want := range map[string]string{"bad": UnknownKeyword, "far": UnknownKeyword, "loop": ReferenceLoop, "pool": ReferenceLoop, "good": ""} {
			s, problems := c.Compile(valueOf(t, `{"$ref":"#/$defs/`+name+`"}`), "/schemas/t")
			switch {
			case want == "" && s == nil, want != "" && (s != nil || len(problems) != 1 || problems[0].Reason != want):
				t.Errorf("%s: %v, %+v", name, s != nil, problems)
			}
		}
		if s, problems := c.Compile(valueOf(t, `{"$ref":"#/$defs/deep"}`), "/schemas/t"); s != nil || len(problems) != 2 {
			t.Errorf("deep: %+v", problems)
		}
	}
}

func TestSchemasOfOnePolicyDecideConcurrently(t *testing.T) {
	c := commonsOf(t, `{"n":{"type":"object","properties":{"x":{"maximum":3,"pattern":"^a+"}}}}`, Options{})
	var all []*Schema
	for i := range 20 {
		all = append(all, compileTool(t, c, fmt.Sprintf(`{"$ref":"#/$defs/n","required":["t%d"]}`, i)))
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i, s := range all {
				if text := fmt.Sprintf(`{"t%d":1,"x":3}`, i); !s.Accepts([]byte(text), nil) {
					t.Errorf("%s is not accepted", text)
				}
				if r := s.Validate(map[string]any{"x": "b"}, nil); len(r.Violations) != 2 {
					t.Errorf("%+v", r)
				}
			}
		})
	}
	group.Wait()
}

func BenchmarkCompileManyToolsOfOneDefinition(b *testing.B) {
	defs := `{"big":{"properties":{` + numbered(`"p%d":{"maximum":%[1]d}`, 300) + `}}}`
	for range b.N {
		c := commonsOf(b, defs, Options{})
		for range 1000 {
			compileTool(b, c, `{"$ref":"#/$defs/big"}`)
		}
	}
}
