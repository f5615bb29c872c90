package schema

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"example.com/assay/assay/internal/strictjson"
)

// adversary is a schema and arguments that ask for far more work than their
// size. It has to be decided right or end by the budget.
type adversary struct {
	name   string
	schema string
	value  string
	want   string // "valid", "invalid" or "limit"
}

func repeat(text string, n int) string { return strings.TrimSuffix(strings.Repeat(text+",", n), ",") }

func numbered(format string, n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(all, ",")
}

func nested(open, core, shut string, n int) string {
	return strings.Repeat(open, n) + core + strings.Repeat(shut, n)
}

// doubling makes definitions n0 to nN, of which each applies the next twice and
// the last is leaf.
func doubling(n int, keyword, leaf string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"n%d":{"%s":[{"$ref":"#/$defs/n%d"},{"$ref":"#/$defs/n%d"}]},`, i, keyword, i+1, i+1)
	}
	fmt.Fprintf(&b, `"n%d":%s`, n, leaf)
	return `"$ref":"#/$defs/n0","$defs":{` + b.String() + `}`
}

func adversaries() []adversary {
	long, sevens := strings.Repeat("n", 200_000), strings.Repeat("7", 500)
	chain := make([]string, 60)
	for i := range chain {
		chain[i] = fmt.Sprintf(`"n%d":{"allOf":[{"$ref":"#/$defs/n%d"},{"$ref":"#/$defs/n%d"}]}`, i, i+1, i+1)
	}
	branches := numbered(`{"required":["z%d"],"properties":{"a":{"$ref":"#/$defs/n"}}}`, 3)
	late := repeat(`{"properties":{"a":{"$ref":"#/$defs/n"}},"not":true}`, 3)
	digits := numbered(`%d`, 9000)
	return []adversary{
		{"a recursive anyOf of three branches", `{"$defs":{"n":{"anyOf":[` + branches + `]}},"$ref":"#/$defs/n"}`, nested(`{"a":`, `1`, `}`, 40), "invalid"},
		{"the same under not", `{"$defs":{"n":{"anyOf":[` + branches + `]}},"not":{"$ref":"#/$defs/n"}}`, nested(`{"a":`, `{}`, `}`, 40), "valid"},
		{"a recursive anyOf whose branches fail at their end", `{"$defs":{"n":{"anyOf":[` + late + `]}},"$ref":"#/$defs/n"}`, nested(`{"a":`, `1`, `}`, 40), "limit"},
		{"a recursive anyOf that fails at its end under not", `{"$defs":{"n":{"anyOf":[` + late + `]}},"not":{"$ref":"#/$defs/n"}}`, nested(`{"a":`, `{}`, `}`, 40), "limit"},
		{"a chain of allOf that doubles", `{"$defs":{` + strings.Join(chain, ",") + `,"n60":{}},"$ref":"#/$defs/n0"}`, `1`, "limit"},
		{"the same chain that fails at its end", `{"$defs":{` + strings.Join(chain, ",") + `,"n60":{"type":"string"}},"$ref":"#/$defs/n0"}`, `1`, "limit"},
		{"contains and items of the same recursive schema", `{"$defs":{"n":{"contains":{"$ref":"#/$defs/n"},"items":{"$ref":"#/$defs/n"},"type":"array","minItems":1}},"$ref":"#/$defs/n"}`, nested(`[`, ``, `]`, 120), "invalid"},
		{"contains and items under not", `{"$defs":{"n":{"contains":{"$ref":"#/$defs/n"},"items":{"$ref":"#/$defs/n"},"type":"array","minItems":1}},"not":{"$ref":"#/$defs/n"}}`, nested(`[`, ``, `]`, 120), "valid"},
		{"items and unevaluatedItems of the same schema", `{"$defs":{"n":{"prefixItems":[{"$ref":"#/$defs/n"}],"anyOf":[{"unevaluatedItems":{"$ref":"#/$defs/n"}},{"unevaluatedItems":{"$ref":"#/$defs/n"}}]}},"$ref":"#/$defs/n"}`, nested(`[1,`, `1`, `]`, 120), "limit"},
		{"nested not", `{"$defs":{"n":{"not":{"properties":{"a":{"$ref":"#/$defs/n"}}},"anyOf":[{"properties":{"a":{"$ref":"#/$defs/n"}}},true]}},"$ref":"#/$defs/n"}`, nested(`{"a":`, `1`, `}`, 120), "limit"},
		{"nested if", `{"$defs":{"n":{"if":{"properties":{"a":{"$ref":"#/$defs/n"}}},"then":{"properties":{"a":{"$ref":"#/$defs/n"}}},"else":false}},"$ref":"#/$defs/n"}`, nested(`{"a":`, `1`, `}`, 120), "limit"},
		{"a wide anyOf over many items", `{"items":{"anyOf":[` + repeat(`{"type":"string"}`, 200) + `]}}`, `[` + repeat(`1`, 31000) + `]`, "limit"},
		{"a wide allOf over many items", `{"items":{"allOf":[` + repeat(`{"type":"string"}`, 200) + `]}}`, `[` + repeat(`1`, 300) + `]`, "invalid"},
		{"a wide allOf over too many items", `{"items":{"allOf":[` + repeat(`{"type":"string"}`, 200) + `]}}`, `[` + repeat(`1`, 31000) + `]`, "limit"},
		{"a wide oneOf over one object", `{"oneOf":[` + repeat(`{"properties":{"a":{"type":"string"}}}`, 2000) + `]}`, `{"a":1}`, "invalid"},
		{"every item wrong", `{"items":{"type":"string"}}`, `[` + repeat(`1`, 31000) + `]`, "invalid"},
		{"every item right", `{"items":{"type":"integer"}}`, `[` + repeat(`1`, 31000) + `]`, "valid"},
		{"every property wrong", `{"additionalProperties":{"type":"string"}}`, `{` + numbered(`"p%d":1`, 6000) + `}`, "invalid"},
		{"unevaluatedProperties over many branches", `{"allOf":[` + repeat(`{"properties":{"p1":{}}}`, 500) + `],"unevaluatedProperties":false}`, `{` + numbered(`"p%d":1`, 6000) + `}`, "invalid"},
		{"unevaluatedProperties over many patterns", `{"allOf":[` + repeat(`{"patternProperties":{"^p1$":{}}}`, 500) + `],"unevaluatedProperties":false}`, `{` + numbered(`"p%d":1`, 6000) + `}`, "limit"},
		{"unevaluatedProperties over branches that evaluate all", `{"allOf":[` + repeat(`{"additionalProperties":true}`, 500) + `],"unevaluatedProperties":false}`, `{` + numbered(`"p%d":1`, 6000) + `}`, "limit"},
		{"unevaluatedProperties beside branches of another type", `{"allOf":[{"anyOf":[` + repeat(`{"type":"string"}`, 4000) + `,true]}],"unevaluatedProperties":false}`, `{` + numbered(`"p%d":1`, 6000) + `}`, "invalid"},
		{"dependentSchemas of another type", `{"dependentSchemas":{` + numbered(`"p%d":{"type":"string"}`, 4000) + `},"unevaluatedProperties":false}`, `{` + numbered(`"p%d":1`, 6000) + `}`, "limit"},
		{"unevaluatedItems over many branches", `{"allOf":[` + repeat(`{"contains":{"const":0}}`, 100) + `],"unevaluatedItems":false}`, `[` + digits + `]`, "limit"},
		{"uniqueItems over distinct numbers", `{"uniqueItems":true}`, `[` + digits + `]`, "valid"},
		{"uniqueItems over huge numbers", `{"uniqueItems":true}`, `[` + numbered(`1e-9%02d`, 99) + `,` + repeat(`1e999`, 800) + `]`, "invalid"},
		{"uniqueItems at every level", nested(`{"uniqueItems":true,"items":`, `{}`, `}`, 60), nested(`[`, digits, `]`, 60), "valid"},
		{"uniqueItems over twenty long items", `{"uniqueItems":true}`, `[` + numbered(`["`+strings.Repeat("x", 3000)+`",%d]`, 20) + `]`, "valid"},
		{"an enum of many numbers over many items", `{"items":{"enum":[` + numbered(`%d.5`, 9000) + `]}}`, `[` + repeat(`8999.5`, 9000) + `]`, "valid"},
		{"a large const against itself", `{"items":{"const":[` + digits + `]}}`, `[` + repeat(`[`+digits+`]`, 20) + `]`, "valid"},
		{"many patterns over many properties", `{"patternProperties":{` + numbered(`"^p%d[a-z]*$":{"type":"string"}`, 1000) + `}}`, `{` + numbered(`"p%d":1`, 6000) + `}`, "limit"},
		{"many patterns over one long text", `{"allOf":[` + numbered(`{"pattern":"a%d+b"}`, 1000) + `]}`, `"` + strings.Repeat("a", 62000) + `"`, "limit"},
		{"many lengths of one long text", `{"allOf":[` + repeat(`{"maxLength":100000}`, 2000) + `]}`, `"` + strings.Repeat("é", 31000) + `"`, "limit"},
		{"one expensive pattern over one long text", `{"pattern":"^(a?){1000}$"}`, `"` + strings.Repeat("a", 62000) + `"`, "invalid"},
		{"a backtracking pattern", `{"pattern":"^(a|aa)+\\1$"}`, `"` + strings.Repeat("a", 5000) + `!"`, "limit"},
		{"deep contains", nested(`{"contains":`, `{"const":2}`, `}`, 100), nested(`[`, `1,`+repeat(`1`, 10000), `]`, 100), "invalid"},
		{"integers among huge fractions", `{"items":{"allOf":[` + repeat(`{"type":"integer"}`, 100) + `]}}`, `[` + repeat(`1e-999`, 8000) + `]`, "limit"},
		{"multiples of a tiny number", `{"items":{"multipleOf":1e-999}}`, `[` + repeat(`1e999`, 8000) + `]`, "limit"},
		{"many multiples of one number", `{"allOf":[` + numbered(`{"multipleOf":0.%d}`, 3000)[len(`{"multipleOf":0.0},`):] + `]}`, strings.Repeat("7", 900), "invalid"},
		{"propertyNames over long names", `{"propertyNames":{"allOf":[` + numbered(`{"pattern":"x%d$"}`, 200) + `]}}`, `{` + numbered(`"`+strings.Repeat("p", 1000)+`%d":1`, 60) + `}`, "invalid"},
		{"dependentSchemas of many names", `{"dependentSchemas":{` + numbered(`"p%d":{"required":["q"]}`, 2000) + `}}`, `{` + numbered(`"p%d":1`, 2000) + `}`, "invalid"},
		{"required of many names, many times", `{"items":{"required":[` + numbered(`"r%d"`, 5000) + `]}}`, `[` + repeat(`{}`, 20000) + `]`, "limit"},
		{"a dynamic reference that doubles", `{"$dynamicAnchor":"n","allOf":[{"properties":{"a":{"$dynamicRef":"#n"}}},{"properties":{"a":{"$dynamicRef":"#n"}}}]}`, nested(`{"a":`, `1`, `}`, 120), "limit"},
		{"uniqueItems that the first two items break, over and over", `{` + doubling(15, "anyOf", `{"uniqueItems":true}`) + `}`, `[` + repeat(`1`, 20_000) + `]`, "invalid"},
		{"excuses for a value without parts", `{"unevaluatedItems":true,` + doubling(13, "allOf", `{"type":"string","anyOf":[`+repeat(`{}`, 1000)+`]}`) + `}`, `1`, "invalid"},
		{"marks of one long name", `{"unevaluatedProperties":true,` + doubling(14, "allOf", `{"additionalProperties":{}}`) + `}`, `{"` + long + `":1}`, "limit"},
		{"many names that are refused again and again", `{` + doubling(5, "allOf", `{"additionalProperties":false}`) + `}`, `{` + numbered(`"p%d":1`, 30_000) + `}`, "limit"},
		{"many findings under a long name of the schema", `{"items":{"$ref":"#/$defs/` + long + `"},"$defs":{"` + long + `":{"type":"string"}}}`, `[` + repeat(`1`, 8000) + `]`, "limit"},
		{"a divisor of many digits", `{"items":{"not":{"multipleOf":1.0` + sevens + `e-400}}}`, `[` + repeat(`1`, 30_000) + `]`, "limit"},
		{"an enum of numbers with many zeros", `{"enum":[` + numbered(`1%de995`, 9000) + `]}`, `1`, "invalid"},
		{"required names that are missing again and again", `{` + doubling(12, "anyOf", `{"additionalProperties":false,"required":[`+numbered(`"r%d"`, 4000)+`]}`) + `}`, `{` + numbered(`"p%d":1`, 4001) + `}`, "limit"},
		{"many violations with long names", `{"additionalProperties":{"type":"string"}}`, `{` + numbered(`"`+strings.Repeat("n", 5000)+`%d":1`, 12) + `}`, "invalid"},
	}
}

// TestAdversaries counts, for schemas that are meant to explode, that they are
// decided right or end by the budget, and what they allocate on the way.
func TestAdversaries(t *testing.T) {
	const mostBytes = 200 << 20
	for _, a := range adversaries() {
		t.Run(a.name, func(t *testing.T) {
			s := compiled(t, a.schema)
			v, err := strictjson.Decode([]byte(a.value))
			if err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			budget := NewBudget(1_000_000, nil)
			result := s.Validate(v, budget)
			runtime.ReadMemStats(&after)
			got := map[bool]string{true: "valid", false: "invalid"}[result.Valid()]
			if result.Failure == Limit {
				got = "limit"
			}
			t.Logf("%s, %d steps left, %d MB", got, budget.Steps(), (after.TotalAlloc-before.TotalAlloc)>>20)
			if s.AcceptsValue(v, NewBudget(1_000_000, nil)) && got == "invalid" {
				t.Error("the program accepts")
			}
			if got != a.want {
				t.Errorf("%s, want %s", got, a.want)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > mostBytes {
				t.Errorf("allocated %d MB", used>>20)
			}
		})
	}
}

func BenchmarkAdversaries(b *testing.B) {
	for _, a := range adversaries() {
		b.Run(a.name, func(b *testing.B) {
			s := compiled(b, a.schema)
			v, err := strictjson.Decode([]byte(a.value))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				s.Validate(v, nil)
			}
		})
	}
}

// Making patterns ready is work of the check that does it first.
func TestPatternsAreMadeReadyWithinTheBudget(t *testing.T) {
	several := func(format string, n int) string {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf(format, i))
		}
		return strings.Join(parts, ",")
	}
	for name, schema := range map[string]string{
		"patternProperties": `{"patternProperties":{` + several(`"[ab]*a[ab]{9}%d":true`, 300) + `}}`,
		"anyOf":             `{"additionalProperties":{"anyOf":[` + several(`{"pattern":"\\p{L}+%d"}`, 300) + `]}}`,
		"one large pattern": `{"additionalProperties":{"pattern":"` + strings.Repeat("[a-c]", 10_000) + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := compiled(t, schema)
			v := decode(t, `{"a":"1"}`)
			b := NewBudget(5_000, nil)
			if compiled(t, schema).Accepts([]byte(`{"a":"1"}`), b) {
				t.Error("accepted beyond the budget")
			}
			if r := s.Validate(v, NewBudget(5_000, nil)); r.Failure != Limit {
				t.Error("answered beyond the budget:", r)
			}
			for range 100 {
				if r := s.Validate(v, nil); r.Failure == None {
					break
				}
			}
			ready := NewBudget(5_000, nil)
			if r := s.Validate(v, ready); r.Failure != None {
				t.Error("the patterns are ready, and a check of them takes more than", 5_000-ready.Steps(), "steps")
			}
		})
	}
}
