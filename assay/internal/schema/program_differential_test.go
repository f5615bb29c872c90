package schema

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/assay/assay/internal/policydoc"
	"example.com/assay/assay/internal/strictjson"
)

// The program against the engine. The program may only be silent where the
// engine accepts, never accept where it refuses, and what it calls broken in a
// branch must be broken: not, if and oneOf rely on it.

// tally counts what a comparison saw.
type tally struct {
	pairs    int // of schema and instance
	valid    int // the engine accepts
	accepted int // of those, the program too
	broken   int // the engine refuses
	denied   int // of those, the program is sure
	split    int // the program accepts the text and has no answer to the value
}

// share is how many of the valid cases the program accepts, in percent.
func (j tally) share() float64 { return 100 * float64(j.accepted) / float64(max(1, j.valid)) }

// verdictOf is the answer of a program's root clause, unsure where there is no
// program or the text is not strict.
func verdictOf(s *Schema, data []byte) verdict {
	if s.fast(NewBudget(1_000_000, nil)) == nil || len(data) == 0 {
		return unsure
	}
	var p pass
	p.start(data, plenty())
	defer p.end(false)
	var x instance
	if !p.read(&x, strictjson.SkipSpace(data, 0)) {
		return unsure
	}
	return p.check(s.fast(NewBudget(1_000_000, nil)).root, &x)
}

// judge compares program and engine on one text, which may be no JSON at all.
func (j *tally) judge(t *testing.T, s *Schema, label string, data []byte) {
	t.Helper()
	accepted := s.Accepts(data, plenty())
	v, err := strictjson.Decode(data)
	if (err == nil) != (strictjson.Check(data) == nil) {
		t.Fatalf("Decode and Check differ on %q", data)
	}
	if err != nil {
		if accepted {
			t.Fatalf("%s\naccepts %q,\nwhich is not strict JSON: %v", label, data, err)
		}
		return
	}
	result := s.Validate(v, plenty())
	if result.Failure == Limit {
		return
	}
	j.pairs++
	verdict := verdictOf(s, data)
	if result.Valid() {
		j.valid++
		if accepted {
			j.accepted++
		}
		if verdict == breaks {
			t.Fatalf("%s\nthe program is sure that %s breaks it, the engine accepts", label, data)
		}
	} else {
		j.broken++
		if accepted || verdict == holds {
			t.Fatalf("%s\nthe program accepts %s, the engine refuses: %+v", label, data, result)
		}
		if verdict == breaks {
			j.denied++
		}
	}
	for _, decoded := range []any{v, asFloats(v), asIntegers(v)} {
		// Rounding to float64 changes the value, so it is judged anew.
		valid := result.Valid()
		if normal, changed := normalised(decoded); changed {
			again := s.Validate(normal, plenty())
			if again.Failure == Limit {
				continue
			}
			valid = again.Valid()
		}
		if s.AcceptsValue(decoded, plenty()) {
			if !valid {
				t.Fatalf("%s\nthe program accepts the value %#v, the engine refuses", label, decoded)
			}
		} else if accepted && !hasFloat(decoded) {
			j.split++
		}
	}
}

// asFloats is v as encoding/json decodes it.
func asFloats(v any) any {
	switch v := v.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		if err != nil {
			return v
		}
		return f
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = asFloats(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name := range v {
			out[name] = asFloats(v[name])
		}
		return out
	}
	return v
}

// asIntegers is v with Go integers where they fit.
func asIntegers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			if int64(int8(n)) == n {
				return int8(n)
			}
			return n
		}
		if n, err := strconv.ParseUint(string(v), 10, 64); err == nil {
			return n
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = asIntegers(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name := range v {
			out[name] = asIntegers(v[name])
		}
		return out
	}
	return v
}

// normalised is v with its float64s as their shortest decimals, and its integers
// as literals.
func normalised(v any) (normal any, changed bool) {
	switch v := v.(type) {
	case float64:
		return json.Number(strconv.FormatFloat(v, 'g', -1, 64)), true
	case int8:
		return json.Number(strconv.Itoa(int(v))), true
	case int64:
		return json.Number(strconv.FormatInt(v, 10)), true
	case uint64:
		return json.Number(strconv.FormatUint(v, 10)), true
	case []any:
		out := make([]any, len(v))
		for i := range v {
			var c bool
			out[i], c = normalised(v[i])
			changed = changed || c
		}
		return out, changed
	case map[string]any:
		out := map[string]any{}
		for name := range v {
			var c bool
			out[name], c = normalised(v[name])
			changed = changed || c
		}
		return out, changed
	}
	return v, false
}

func hasFloat(v any) bool {
	switch v := v.(type) {
	case float64:
		return true
	case []any:
		return slices.ContainsFunc(v, hasFloat)
	case map[string]any:
		for _, member := range v {
			if hasFloat(member) {
				return true
			}
		}
	}
	return false
}

// generator makes schemas and instances near them, by a seed.
type generator struct {
	*rand.Rand
	draft draft
	used  map[string]int // how often each keyword was made
}

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 1)), draft: draft2020, used: map[string]int{}}
}

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

var (
	someNames    = []string{"a", "b", "ab", "x-y", "é", "name", "", "a/b", "c~", "k", "l", "m"}
	someTexts    = []string{"", "a", "b", "ab", "aab", "éa", "😀", "\u0000\n\"\\", "1", "2024-02-29", "10:00:00Z", "x-y", "a@b.example", "127.0.0.1", "Name", strings.Repeat("long ", 20)}
	someNumbers  = []string{"0", "-0", "1", "2", "3", "-1", "5", "10", "1.0", "1.5", "0.5", "-2.5", "1e1", "10e-1", "100", "0.1", "0.3", "19.99", "9007199254740993", "9007199254740992", "1e20", "100000000000000000000", "-1e-3", "9223372036854775807", "9223372036854775808", "0.30000000000000000001", "1e400"}
	somePatterns = []string{"a", "^a", "b$", "^[a-z]*$", "^.{1,2}$", "^x-", "é", "\\d", "^$", "(a|b)+", "[^a]", "\\S", "(?=a)b?", "(a)\\1"}
	someFormats  = []string{"date", "time", "ipv4", "email", "uuid", "int8", "uint64", "int32", "password", "float", "regex", "uri-reference", "json-pointer"}
	someTypes    = []string{"null", "boolean", "integer", "number", "string", "array", "object"}
)

// schema makes a schema of the generator's draft.
func (g *generator) schema(depth int) any {
	if g.draft >= draft6 && g.chance(6) {
		return g.chance(70)
	}
	s := map[string]any{}
	for range 1 + g.IntN(4) {
		g.keyword(s, depth)
	}
	if depth > 0 && g.chance(50) {
		// Most schemas of tools say what they are about.
		s["type"] = pick(g, []any{"object", "array", "object", "string", "integer", []any{"object", "null"}})
	}
	return s
}

func (g *generator) schemas(depth int) []any {
	var all []any
	for range 1 + g.IntN(3) {
		all = append(all, g.schema(depth))
	}
	return all
}

func (g *generator) named(names []string, depth int) map[string]any {
	all := map[string]any{}
	for range 1 + g.IntN(4) {
		all[pick(g, names)] = g.schema(depth)
	}
	return all
}

func (g *generator) namesList() []any {
	all := []any{pick(g, someNames)}
	if other := pick(g, someNames); other != all[0] && g.chance(40) {
		all = append(all, other)
	}
	return all
}

func (g *generator) keyword(s map[string]any, depth int) {
	flat := []string{"type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format",
		"minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "required", "dependentRequired", "$ref", "title"}
	deep := []string{"properties", "properties", "properties", "patternProperties", "additionalProperties", "propertyNames", "items", "prefixItems", "contains", "allOf", "anyOf", "oneOf", "not", "if",
		"dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems"}
	name := pick(g, flat)
	if depth > 0 && g.chance(60) {
		name = pick(g, deep)
	}
	if _, known := shapeOf(name, g.draft); !known {
		return
	}
	count := func() any { return json.Number(strconv.Itoa(g.IntN(4))) }
	number := func() any { return json.Number(pick(g, someNumbers)) }
	var v any
	switch name {
	case "type":
		v = pick(g, someTypes)
		if g.chance(30) {
			v = []any{"string", "integer"}
		}
	case "enum":
		values := []any{}
		for range 1 + g.IntN(4) {
			if value := g.value(1); !slices.ContainsFunc(values, func(other any) bool { return !distinct([]any{other, value}) }) {
				values = append(values, value)
			}
		}
		v = values
	case "const":
		v = g.value(2)
	case "minimum", "maximum":
		v = number()
	case "exclusiveMinimum", "exclusiveMaximum":
		if v = number(); g.draft == draft4 {
			s[strings.ToLower(strings.TrimPrefix(name, "exclusive"))] = v
			v = g.chance(50)
		}
	case "multipleOf":
		v = json.Number(pick(g, []string{"1", "2", "3", "0.5", "0.01", "1.5", "1e2", "0.1"}))
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		v = count()
	case "pattern":
		v = pick(g, somePatterns)
		if g.chance(90) { // the last ones take the whole program away
			v = pick(g, somePatterns[:12])
		}
	case "format":
		v = pick(g, someFormats)
	case "uniqueItems":
		v = g.chance(80)
	case "required":
		v = g.namesList()
	case "dependentRequired":
		v = map[string]any{pick(g, someNames): g.namesList()}
	case "$ref":
		if g.draft <= draft7 {
			clear(s)
			v = "#/definitions/" + pick(g, []string{"p", "q", "r"})
		} else {
			v = "#/$defs/" + pick(g, []string{"p", "q", "r"})
		}
	case "title":
		v = "text"
	case "properties":
		v = g.named(someNames, depth-1)
		if g.chance(40) {
			s["additionalProperties"] = false
		}
	case "patternProperties":
		v = g.named(somePatterns[:12], depth-1)
	case "additionalProperties":
		if v = g.schema(depth - 1); g.chance(40) {
			v = false
		}
	case "propertyNames", "contains", "not", "unevaluatedProperties", "unevaluatedItems":
		v = g.schema(depth - 1)
		if name == "contains" && g.draft >= draft2019 && g.chance(50) {
			s[pick(g, []string{"minContains", "maxContains"})] = count()
			g.used["minContains"]++
		}
	case "items":
		if v = g.schema(depth - 1); g.draft < draft2020 && g.chance(50) {
			v = g.schemas(depth - 1)
			if g.chance(50) {
				s["additionalItems"] = g.schema(depth - 1)
				g.used["additionalItems"]++
			}
		}
	case "prefixItems", "allOf", "anyOf", "oneOf":
		v = g.schemas(depth - 1)
	case "if":
		v = g.schema(depth - 1)
		for _, branch := range []string{"then", "else"} {
			if g.chance(70) {
				s[branch] = g.schema(depth - 1)
			}
		}
	case "dependentSchemas":
		v = g.named(someNames, depth-1)
	case "dependencies":
		v = map[string]any{pick(g, someNames): g.namesList(), "b": g.schema(depth - 1)}
	}
	g.used[name]++
	s[name] = v
}

// whole makes a schema with definitions that it and they may refer to.
func (g *generator) whole() any {
	g.draft = pick(g, []draft{draft2020, draft2020, draft2020, draft2019, draft7, draft6, draft4})
	s, ok := g.schema(3).(map[string]any)
	if !ok {
		return g.chance(50)
	}
	definitions := map[string]any{"p": g.schema(1), "q": g.schema(1)}
	definitions["r"] = map[string]any{"type": "object", "properties": map[string]any{"a": g.schema(1), "b": g.schema(0)}}
	home := "$defs"
	if g.draft < draft2019 {
		home = "definitions"
	}
	s[home] = definitions
	if url := map[draft]string{draft4: "http://json-schema.org/draft-04/schema#", draft6: "http://json-schema.org/draft-06/schema", draft7: "http://json-schema.org/draft-07/schema#", draft2019: "https://json-schema.org/draft/2019-09/schema"}[g.draft]; url != "" {
		s["$schema"] = url
	}
	return s
}

// value makes any value.
func (g *generator) value(depth int) any {
	n := 6
	if depth > 0 {
		n = 10
	}
	switch g.IntN(n) {
	case 0:
		return nil
	case 1:
		return g.chance(50)
	case 2, 3:
		return pick(g, someTexts)
	case 4, 5:
		return json.Number(pick(g, someNumbers))
	case 6, 7:
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(depth-1))
		}
		return list
	default:
		object := map[string]any{}
		for range g.IntN(4) {
			object[pick(g, someNames)] = g.value(depth - 1)
		}
		return object
	}
}

// near makes a value that the schema likes, now and then spoilt.
func (g *generator) near(root, schema any, depth int) any {
	s, ok := schema.(map[string]any)
	if !ok || depth <= 0 || g.chance(7) {
		return g.value(min(depth, 2))
	}
	if ref, ok := s["$ref"].(string); ok && g.chance(80) {
		return g.near(root, resolveIn(root, ref), depth-1)
	}
	if values, ok := s["enum"].([]any); ok {
		return pick(g, values)
	}
	if v, ok := s["const"]; ok {
		return v
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		if branches, ok := s[keyword].([]any); ok && g.chance(50) {
			return g.near(root, pick(g, branches), depth-1)
		}
	}
	kind, _ := s["type"].(string)
	if kinds, ok := s["type"].([]any); ok {
		kind = pick(g, kinds).(string)
	}
	if kind == "" {
		for _, hint := range []struct{ keyword, kind string }{{"properties", "object"}, {"required", "object"}, {"patternProperties", "object"}, {"additionalProperties", "object"}, {"items", "array"}, {"prefixItems", "array"}, {"contains", "array"},
			{"pattern", "string"}, {"minLength", "string"}, {"maxLength", "string"}, {"minimum", "number"}, {"maximum", "number"}, {"multipleOf", "number"}} {
			if _, ok := s[hint.keyword]; ok {
				kind = hint.kind
				break
			}
		}
	}
	switch kind {
	case "object":
		object := map[string]any{}
		properties, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if g.chance(60) {
				object[name] = g.near(root, properties[name], depth-1)
			}
		}
		required, _ := s["required"].([]any)
		for _, name := range required {
			if g.chance(90) {
				object[name.(string)] = g.near(root, properties[name.(string)], depth-1)
			}
		}
		if g.chance(15) {
			object[pick(g, someNames)] = g.value(1)
		}
		return object
	case "array":
		list := []any{}
		prefix, _ := s["prefixItems"].([]any)
		if prefix == nil {
			prefix, _ = s["items"].([]any)
		}
		for i := range g.IntN(4) {
			switch {
			case i < len(prefix):
				list = append(list, g.near(root, prefix[i], depth-1))
			case s["items"] != nil:
				list = append(list, g.near(root, s["items"], depth-1))
			default:
				list = append(list, g.near(root, s["contains"], depth-1))
			}
		}
		return list
	case "string":
		return pick(g, someTexts)
	case "integer", "number":
		return json.Number(pick(g, someNumbers))
	case "boolean":
		return g.chance(50)
	case "null":
		return nil
	}
	return g.value(2)
}

func resolveIn(root any, ref string) any {
	at := root
	for _, token := range strings.Split(ref, "/")[1:] {
		object, _ := at.(map[string]any)
		at = object[token]
	}
	return at
}

// text writes a value as some writer might: with spaces, escapes, and other
// spellings of numbers.
func (g *generator) text(v any) []byte {
	var b bytes.Buffer
	odd := g.chance(40)
	space := func() {
		if odd && g.chance(20) {
			b.WriteString(pick(g, []string{" ", "\n", "\t\r ", "  "}))
		}
	}
	quote := func(s string) {
		b.WriteByte('"')
		for _, r := range s {
			switch {
			case r < ' ' || r == '"' || r == '\\' || odd && g.chance(15):
				if r > 0xffff {
					r -= 0x10000
					fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
				} else {
					fmt.Fprintf(&b, `\u%04x`, r)
				}
			default:
				b.WriteRune(r)
			}
		}
		b.WriteByte('"')
	}
	var write func(v any)
	write = func(v any) {
		space()
		switch v := v.(type) {
		case string:
			quote(v)
		case json.Number:
			b.WriteString(string(v))
			if odd && !strings.ContainsAny(string(v), ".e") && g.chance(30) {
				b.WriteString(pick(g, []string{".0", "e0", ".00e+00", "E-0"}))
			}
		case []any:
			b.WriteByte('[')
			for i, item := range v {
				if i > 0 {
					b.WriteByte(',')
				}
				write(item)
			}
			space()
			b.WriteByte(']')
		case map[string]any:
			b.WriteByte('{')
			names := slices.Sorted(maps.Keys(v))
			g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			for i, name := range names {
				if i > 0 {
					b.WriteByte(',')
				}
				space()
				quote(name)
				space()
				b.WriteByte(':')
				write(v[name])
			}
			space()
			b.WriteByte('}')
		default:
			text, _ := json.Marshal(v)
			b.Write(text)
		}
		space()
	}
	write(v)
	return b.Bytes()
}

// corrupt changes a text in one or two places.
func (g *generator) corrupt(text []byte) []byte {
	out := slices.Clone(text)
	for range 1 + g.IntN(2) {
		if len(out) == 0 {
			return out
		}
		i := g.IntN(len(out))
		switch g.IntN(6) {
		case 0:
			out[i] = byte(g.IntN(256))
		case 1:
			out[i] = pick(g, []byte(`{}[],:"\u0123456789eE+-. tfn`))
		case 2:
			out = slices.Delete(out, i, i+1)
		case 3:
			out = slices.Insert(out, i, pick(g, []byte(`{}[],:"\u0123456789eE+-. tfn`)))
		case 4: // a piece again, such as a member
			j := i + g.IntN(len(out)-i)
			out = slices.Insert(out, j, out[i:j]...)
		case 5:
			out = out[:i]
		}
	}
	return out
}

var comparisons = flag.Int("comparisons", 12_000, "how many texts the program and the engine judge")

// Generated schemas, instances near them, and both spoilt. Every text is judged
// again in three decoded forms.
func TestProgramAgreesWithTheEngineOnGeneratedSchemas(t *testing.T) {
	seeds := []uint64{1, 2, 3, 4}
	const floor = 80.0 // percent
	var all tally
	used := map[string]int{}
	programs, schemas := 0, 0
	for _, seed := range seeds {
		g := newGenerator(seed)
		g.used = used
		for start := all.pairs; all.pairs < start+*comparisons/len(seeds); {
			doc := g.whole()
			s, _ := Compile(Source{Doc: doc, Pointer: "/schemas/t"}, Options{})
			if s == nil {
				continue
			}
			label := "seed " + strconv.FormatUint(seed, 10) + ": " + string(mustJSON(t, doc))
			schemas++
			if s.fast(NewBudget(1_000_000, nil)) != none {
				programs++
			}
			for range 12 {
				text := g.text(g.near(doc, doc, 4))
				all.judge(t, s, label, text)
				all.judge(t, s, label, g.corrupt(text))
			}
		}
	}
	t.Logf("%d schemas, %d with a program; %+v; accepts %.1f%% of what is valid", schemas, programs, all, all.share())
	if len(used) < 25 {
		t.Errorf("only %d keywords were made: %v", len(used), used)
	}
	if all.pairs < *comparisons || all.valid < all.pairs/5 || all.broken < all.pairs/5 {
		t.Errorf("the comparison is lopsided: %+v", all)
	}
	if all.share() < floor {
		t.Errorf("accepts %.1f%% of what is valid, less than %v%%", all.share(), floor)
	}
	// The order in which members are looked at decides whether a doubt comes
	// before a certainty.
	if all.split > all.pairs/1000 {
		t.Errorf("too often the text is accepted and the value is not: %+v", all)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Texts that were accepted, with bytes changed: still nothing but what is
// strict and valid is accepted.
func TestProgramAcceptsNoCorruptedText(t *testing.T) {
	g := newGenerator(11)
	var all tally
	for _, f := range fixtures(t) {
		label := f.name + ": " + string(mustJSON(t, f.doc))
		for _, text := range append(f.valid, f.invalid...) {
			for range 300 {
				all.judge(t, f.schema, label, g.corrupt([]byte(text)))
			}
			for range 20 {
				all.judge(t, f.schema, label, g.text(g.near(f.doc, f.doc, 6)))
			}
			// Every prefix, and every byte left out.
			for i := range text {
				all.judge(t, f.schema, label, []byte(text[:i]))
				all.judge(t, f.schema, label, []byte(text[:i]+text[i+1:]))
			}
		}
	}
	t.Logf("%+v; accepts %.1f%% of what is valid", all, all.share())
	if all.share() < 99 || all.valid < 500 || all.broken < 1000 {
		t.Errorf("too little was compared or accepted: %+v", all)
	}
}

// The public suite, with the suite's own verdict as a second opinion.
func TestProgramAgreesWithThePublicSuite(t *testing.T) {
	const floor = 90.0 // percent
	var all tally
	for _, draft := range suiteDrafts {
		for _, file := range suiteFiles(t, draft) {
			for _, group := range readSuite(t, file) {
				doc, err := strictjson.Decode(group.Schema)
				if err != nil {
					continue
				}
				for _, options := range []Options{{}, {AnnotateFormats: true}} {
					s, _ := Compile(Source{Doc: withDraft(draft, doc), Pointer: "/schemas/t"}, options)
					if s == nil {
						continue
					}
					label := file + ": " + group.Description
					for _, test := range group.Tests {
						all.judge(t, s, label, test.Data)
						// The language answers otherwise in one file: 1.0 is an
						// integer in every draft.
						if !options.AnnotateFormats && !test.Valid && filepath.Base(file) != "zeroTerminatedFloats.json" && s.Accepts(test.Data, plenty()) {
							t.Errorf("%s: %s: accepted, and the suite says invalid", label, test.Description)
						}
					}
				}
			}
		}
	}
	t.Logf("%+v; accepts %.1f%% of what is valid", all, all.share())
	if all.share() < floor {
		t.Errorf("accepts %.1f%% of what is valid, less than %v%%", all.share(), floor)
	}
}

// The corpus of right answers: nothing that it denies for its arguments or its
// schema is accepted.
func TestProgramAgreesWithTheCorpus(t *testing.T) {
	for _, tt := range []struct {
		file  string
		floor float64 // percent of what the engine accepts
	}{
		{"schema.jsonl", 95},
		{"schema-generated.jsonl", 95},
		{"numbers.jsonl", 95},
		{"patterns.jsonl", 80},
		{"formats.jsonl", 95},
		{"args.jsonl", 95},
	} {
		t.Run(tt.file, func(t *testing.T) {
			lines, err := os.ReadFile(filepath.Join(shared, "corpus", tt.file))
			if err != nil {
				t.Skip("the corpus is not here: ", err)
			}
			var all tally
			for line := range bytes.Lines(lines) {
				var group struct {
					Name  string
					Files map[string]any
					Calls []struct {
						Tool      string
						Arguments struct {
							Tool      string
							Arguments json.RawMessage
							Policy    string
						}
						Want struct {
							Allowed bool
							Code    string
						}
					}
				}
				if err := json.Unmarshal(line, &group); err != nil {
					continue // a case of wrongly typed calls
				}
				for _, call := range group.Calls {
					text, _ := group.Files[call.Arguments.Policy].(string)
					data := []byte(call.Arguments.Arguments)
					if call.Tool != "assay_check_args" || text == "" || bytes.Contains(data, []byte(`{"$`)) {
						continue
					}
					root, err := policydoc.Parse([]byte(text), 1_000_000)
					if err != nil {
						continue
					}
					policy, _ := root.Value().(map[string]any)
					schemas, _ := policy["schemas"].(map[string]any)
					doc, present := schemas[call.Arguments.Tool]
					if !present || call.Arguments.Tool == "$defs" {
						continue
					}
					enforcement, _ := policy["enforcement"].(map[string]any)
					shared, isMap := schemas["$defs"].(map[string]any)
					s, _ := Compile(Source{Doc: doc, Pointer: "/schemas/t", Defs: shared, DefsPointer: "/schemas/$defs", DefsBroken: schemas["$defs"] != nil && !isMap},
						Options{AnnotateFormats: enforcement["formats"] == "annotate"})
					if s == nil {
						continue
					}
					all.judge(t, s, group.Name+": "+text, data)
					if s.Accepts(data, plenty()) && (call.Want.Code == "E_ARG_SCHEMA" || call.Want.Code == "E_SCHEMA_COMPILE") && policy["tools"] == nil && policy["constraints"] == nil {
						t.Errorf("%s: accepts %s, denied %s", group.Name, data, call.Want.Code)
					}
				}
			}
			t.Logf("%+v; accepts %.1f%% of what is valid", all, all.share())
			if all.share() < tt.floor {
				t.Errorf("accepts %.1f%% of what is valid, less than %v%%", all.share(), tt.floor)
			}
		})
	}
}

// FuzzProgram looks for a schema and a text that the program accepts and the
// engine does not.
func FuzzProgram(f *testing.F) {
	for _, tool := range fixtures(f) {
		schema, err := json.Marshal(tool.doc)
		if err != nil {
			f.Fatal(err)
		}
		for _, text := range append(tool.valid, tool.invalid...) {
			f.Add(schema, []byte(text))
		}
	}
	g := newGenerator(21)
	for range 100 {
		doc := g.whole()
		schema, err := json.Marshal(doc)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(schema, g.text(g.near(doc, doc, 4)))
	}
	f.Fuzz(func(t *testing.T, schema, text []byte) {
		doc, err := strictjson.Decode(schema)
		if err != nil {
			return
		}
		if s, _ := Compile(Source{Doc: doc, Pointer: "/schemas/t"}, Options{}); s != nil {
			new(tally).judge(t, s, string(schema), text)
		}
	})
}
