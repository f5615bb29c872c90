package args

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// brief is a violation as "path constraint schema_path".
func brief(all []Violation) []string {
	var list []string
	for _, v := range all {
		list = append(list, fmt.Sprintf("%q %s %s", v.Path, v.Constraint, v.SchemaPath))
	}
	return list
}

func TestASchemaPathLeadsToWhatTheReaderFindsInThePolicy(t *testing.T) {
	for _, test := range []struct {
		name  string
		rules Rules
		tool  string
		args  string
		want  []string
	}{
		{"a schema",
			Rules{Schemas: map[string]any{"a/b~c": decoded(t, `{"properties":{"n":{"maximum":3}}}`)}}, "a/b~c", `{"n":4}`,
			[]string{`"/n" maximum /schemas/a~1b~0c/properties/n/maximum`}},
		{"a schema that uses a shared definition",
			Rules{Schemas: map[string]any{"t": decoded(t, `{"properties":{"n":{"$ref":"#/$defs/few"}}}`)},
				Defs: map[string]any{"few": decoded(t, `{"maximum":3}`)}}, "t", `{"n":4}`,
			[]string{`"/n" maximum /schemas/$defs/few/maximum`}},
		{"required arguments",
			Rules{RequireArgs: map[string][]string{"t": {"x", "y"}}}, "t", `{"y":1}`,
			[]string{`"" required /tools/require_args/t`}},
		{"required arguments of a call that has none",
			Rules{RequireArgs: map[string][]string{"a/b": {"x", "x"}}}, "a/b", `[]`,
			[]string{`"" type /tools/require_args/a~1b`}},
		{"an argument's constraint",
			Rules{ArgConstraints: map[string]map[string]any{"t": {"a/b": decoded(t, `{"maximum":3}`)}}}, "t", `{"a/b":4}`,
			[]string{`"/a~1b" maximum /tools/arg_constraints/t/a~1b/maximum`}},
		{"an argument's constraint deep down",
			Rules{ArgConstraints: map[string]map[string]any{"t": {"properties": decoded(t, `{"properties":{"n":{"maximum":3}}}`)}}}, "t", `{"properties":{"n":4}}`,
			[]string{`"/properties/n" maximum /tools/arg_constraints/t/properties/properties/n/maximum`}},
		{"an argument's constraint that uses a shared definition",
			Rules{ArgConstraints: map[string]map[string]any{"t": {"n": decoded(t, `{"$ref":"#/$defs/few"}`)}},
				Defs: map[string]any{"few": decoded(t, `{"maximum":3}`)}}, "t", `{"n":4}`,
			[]string{`"/n" maximum /schemas/$defs/few/maximum`}},
		{"constrained arguments of a call that has none",
			Rules{ArgConstraints: map[string]map[string]any{"t": {"n": decoded(t, `{"maximum":3}`)}}}, "t", `3`,
			[]string{`"" type /tools/arg_constraints/t`}},
		{"a legacy parameter that does not match",
			Rules{Constraints: []Constraint{{"t", map[string]string{"c/d": "^ls"}, "/constraints/0/params"}}}, "t", `{"c/d":"rm"}`,
			[]string{`"/c~1d" pattern /constraints/0/params/c~1d`}},
		{"a legacy parameter that is missing",
			Rules{Constraints: []Constraint{{"t", map[string]string{"c": "^ls", "d": "."}, "/constraints/0/params"}}}, "t", `{"c":"ls"}`,
			[]string{`"" required /constraints/0/params`}},
		{"a legacy parameter that is no text",
			Rules{Constraints: []Constraint{{"t", map[string]string{"c": "^ls"}, "/constraints/t"}}}, "t", `{"c":3}`,
			[]string{`"/c" type /constraints/t/c`}},
		{"a legacy parameter that is empty",
			Rules{Constraints: []Constraint{{"t", map[string]string{"c": ""}, "/constraints/t"}}}, "t", `{"c":""}`,
			[]string{`"/c" minLength /constraints/t/c`}},
	} {
		got := compiled(t, &test.rules).Check(&Request{Tool: test.tool, Arguments: []byte(test.args)})
		if got.Code() != CodeArgSchema || !slices.Equal(brief(got.Violations()), test.want) {
			t.Errorf("%s: got %q %q, want %q", test.name, got.Code(), brief(got.Violations()), test.want)
		}
	}
}

func TestLegacyParametersLetOtherArgumentsPass(t *testing.T) {
	c := compiled(t, &Rules{Constraints: []Constraint{{"t", map[string]string{"c": "^ls"}, "/constraints/t"}}})
	if got := c.Check(&Request{Tool: "t", Arguments: []byte(`{"c":"ls -l","more":true}`)}); !got.Allowed || got.WarningCode() != "" {
		t.Errorf("got %+v", got)
	}
}

func TestArgumentsMustPassEachSourceOfTheirTool(t *testing.T) {
	c := compiled(t, &Rules{
		Schemas:        map[string]any{"t": decoded(t, `{"type":"object","additionalProperties":false,"properties":{"n":{"maximum":5}}}`)},
		RequireArgs:    map[string][]string{"t": {"n"}},
		ArgConstraints: map[string]map[string]any{"t": {"n": decoded(t, `{"minimum":2}`), "m": true}},
		Constraints: []Constraint{
			{"u", map[string]string{"c": "^a"}, "/constraints/0/params"},
			{"u", map[string]string{"c": "z$"}, "/constraints/1/params"},
		},
	})
	for _, test := range []struct {
		tool, args string
		want       []string
	}{
		{"t", `{"n":3}`, nil},
		{"t", `{"n":6}`, []string{`"/n" maximum /schemas/t/properties/n/maximum`}},
		{"t", `{"n":1}`, []string{`"/n" minimum /tools/arg_constraints/t/n/minimum`}},
		{"t", `{}`, []string{`"" required /tools/require_args/t`}},
		// What one source names, another that is closed goes on refusing.
		{"t", `{"n":3,"m":1}`, []string{`"" additionalProperties /schemas/t/additionalProperties`}},
		{"t", `{"m":1}`, []string{`"" additionalProperties /schemas/t/additionalProperties`, `"" required /tools/require_args/t`}},
		{"u", `{"c":"abz"}`, nil},
		{"u", `{"c":"ab"}`, []string{`"/c" pattern /constraints/1/params/c`}},
		{"u", `{"c":"b"}`, []string{`"/c" pattern /constraints/0/params/c`, `"/c" pattern /constraints/1/params/c`}},
	} {
		got := c.Check(&Request{Tool: test.tool, Arguments: []byte(test.args)})
		if got.Allowed != (test.want == nil) || !slices.Equal(brief(got.Violations()), test.want) {
			t.Errorf("%s %s: got %+v, want %q", test.tool, test.args, got, test.want)
		}
	}
}

func TestASourceThatSaysNothingDoesNotConstrain(t *testing.T) {
	for name, r := range map[string]*Rules{
		"no required argument":  {RequireArgs: map[string][]string{"t": {}}},
		"no constrained one":    {ArgConstraints: map[string]map[string]any{"t": {}}},
		"no legacy parameter":   {Constraints: []Constraint{{"t", map[string]string{}, "/constraints/t"}}},
		"nothing, defs broken":  {RequireArgs: map[string][]string{"t": nil}, DefsBroken: true},
		"a source of elsewhere": {RequireArgs: map[string][]string{"u": {"x"}}},
	} {
		if got := compiledWith(r).Check(&Request{Tool: "t"}); got.WarningCode() != CodeToolUnconstrained {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func compiledWith(r *Rules) *Checker {
	c, _ := Compile(r, Options{})
	return c
}

func TestAProblemSaysWhereInThePolicyItIs(t *testing.T) {
	c, problems := Compile(&Rules{
		Schemas:        map[string]any{"b": json.Number("3"), "a/x": decoded(t, `{"maxium":30}`), "fine": true},
		ArgConstraints: map[string]map[string]any{"c": {"n": decoded(t, `{"maximum":"x"}`)}},
		Constraints:    []Constraint{{"d", map[string]string{"p": "("}, "/constraints/0/params"}},
	}, Options{})
	var places []string
	for _, p := range problems {
		if p.Message == "" || p.Reason == "" {
			t.Errorf("a problem without a message or a reason: %+v", p)
		}
		places = append(places, p.Tool+" "+p.Path)
	}
	places = slices.Compact(places)
	if len(places) != 4 ||
		!strings.HasPrefix(places[0], "a/x /schemas/a~1x") ||
		places[1] != "b /schemas/b" ||
		!strings.HasPrefix(places[2], "c /tools/arg_constraints/c/n") ||
		places[3] != "d /constraints/0/params/p" {
		t.Errorf("got %q", places)
	}
	for tool, code := range map[string]string{"a/x": CodeSchemaCompile, "b": CodeSchemaCompile, "c": CodeSchemaCompile, "d": CodeSchemaCompile, "fine": ""} {
		if got := c.Check(&Request{Tool: tool, Arguments: []byte(`{"p":"x"}`)}); got.Code() != code {
			t.Errorf("%s: got %+v, want %q", tool, got, code)
		}
	}
}

func TestTheFirstViolationsOfAllSourcesAreListed(t *testing.T) {
	properties := map[string]any{}
	arguments := map[string]any{}
	for i := range 50 {
		name := fmt.Sprintf("p%02d", i)
		properties[name] = map[string]any{"maximum": json.Number("3")}
		arguments[name] = json.Number("4")
	}
	rules := &Rules{
		Schemas:        map[string]any{"t": map[string]any{"properties": properties}},
		ArgConstraints: map[string]map[string]any{"t": properties},
	}
	text, _ := json.Marshal(arguments)
	req := &Request{Tool: "t", Arguments: text}

	got := compiled(t, rules).Check(req)
	if len(got.Violations()) != 64 || !got.Truncated() {
		t.Fatalf("%d violations, truncated %v, want 64 of 100", len(got.Violations()), got.Truncated())
	}
	for i, v := range got.Violations() {
		schema := []string{"/schemas/t/properties/%s/maximum", "/tools/arg_constraints/t/%s/maximum"}[i%2]
		name := fmt.Sprintf("p%02d", i/2)
		if v.Path != "/"+name || v.SchemaPath != fmt.Sprintf(schema, name) {
			t.Errorf("violation %d is %q by %q", i, v.Path, v.SchemaPath)
		}
	}

	for limit, truncated := range map[int]bool{1: true, 99: true, 100: false, 101: false} {
		c, _ := Compile(rules, Options{MaxViolations: limit})
		got := c.Check(req)
		if len(got.Violations()) != min(limit, 100) || got.Truncated() != truncated {
			t.Errorf("limit %d: %d violations, truncated %v", limit, len(got.Violations()), got.Truncated())
		}
	}
}
