package schema

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"
	"unicode/utf8"

	"example.com/assay/assay/internal/strictjson"
)

// isJSON says in the plainest way what AcceptsValue proves of a value.
func isJSON(v any, depth int) bool {
	switch v := v.(type) {
	case nil, bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return true
	case string:
		return utf8.ValidString(v)
	case json.Number:
		_, err := strictjson.Decode([]byte(v))
		return err == nil && string(v) != "" && (v[0] == '-' || v[0]-'0' <= 9) && v[len(v)-1]-'0' <= 9
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	case []any:
		ok := v != nil && depth < strictjson.MaxDepth
		for _, item := range v {
			ok = ok && isJSON(item, depth+1)
		}
		return ok
	case map[string]any:
		ok := v != nil && depth < strictjson.MaxDepth
		for name, member := range v {
			ok = ok && utf8.ValidString(name) && isJSON(member, depth+1)
		}
		return ok
	}
	return false
}

// poisons are values that no encoding/json makes, and one that is too deep
// wherever it stands.
func poisons() map[string]any {
	list, object := any("x"), any("x")
	for range strictjson.MaxDepth + 1 {
		list, object = []any{list}, map[string]any{"a": object}
	}
	loop := map[string]any{}
	loop["a"] = loop
	return map[string]any{
		"text of invalid UTF-8":     "a\xff",
		"a name of invalid":         map[string]any{"a\xff": 1},
		"an empty name beside":      map[string]any{"": 1, "\xc0\x80": nil},
		"a nil map":                 map[string]any(nil),
		"a nil slice":               []any(nil),
		"a nil map in a list":       []any{1, map[string]any(nil)},
		"a channel":                 make(chan int),
		"a function":                func() {},
		"NaN":                       math.NaN(),
		"infinity":                  math.Inf(1),
		"NaN in an object":          map[string]any{"a": math.NaN()},
		"float32":                   float32(1),
		"a struct":                  struct{}{},
		"a pointer":                 new(int),
		"a typed map":               map[string]string{},
		"a typed list":              []int{},
		"bytes":                     []byte("{}"),
		"a Number that is none":     json.Number("0x1"),
		"a Number that is empty":    json.Number(""),
		"a Number with a space":     json.Number("1 "),
		"a Number out of bounds":    json.Number("1e1001"),
		"a Number that is text":     json.Number(`"1"`),
		"a Number that is true":     json.Number("true"),
		"lists too deep":            list,
		"objects too deep":          object,
		"a value that holds itself": loop,
	}
}

// spoilt returns copies of v with the poison in the place of each value in it,
// and as one more item or member of each array and object.
func spoilt(v, poison any) []any {
	all := []any{poison}
	switch v := v.(type) {
	case []any:
		for i := range v {
			for _, item := range spoilt(v[i], poison) {
				list := slices.Clone(v)
				list[i] = item
				all = append(all, list)
			}
		}
		all = append(all, append(slices.Clip(v), poison), append([]any{poison}, v...))
	case map[string]any:
		for name := range v {
			for _, member := range spoilt(v[name], poison) {
				object := maps.Clone(v)
				object[name] = member
				all = append(all, object)
			}
		}
		for _, name := range append([]string{"other"}, someNames...) {
			if _, there := v[name]; !there {
				object := maps.Clone(v)
				object[name] = poison
				all = append(all, object)
			}
		}
		for _, name := range []string{"\xff", "a\xff", "\xed\xa0\x80"} {
			object := maps.Clone(v)
			object[name] = 1
			all = append(all, object)
		}
	}
	return all
}

// refusesSpoilt holds a schema to what AcceptsValue proves: whatever it accepts
// is JSON, and nothing of it is any more once it is spoilt in any place. It returns
// whether v itself is accepted.
func refusesSpoilt(t *testing.T, s *Schema, label string, v any) bool {
	t.Helper()
	if !s.AcceptsValue(v, plenty()) {
		return false
	}
	if !isJSON(v, 0) {
		t.Fatalf("%s\naccepts %#v, which is no JSON", label, v)
	}
	for name, poison := range poisons() {
		for _, bad := range spoilt(v, poison) {
			if s.AcceptsValue(bad, plenty()) {
				t.Fatalf("%s\naccepts %#v with %s in it", label, v, name)
			}
		}
	}
	return true
}

func TestAnAcceptedValueIsJSONInEveryPart(t *testing.T) {
	values := []string{
		`1`, `"a"`, `null`, `true`, `[]`, `{}`, `[1,"a",null,[],{}]`, `{"a":1}`, `{"b":{"c":[{"d":"e"},2.5]}}`,
		`{"a":{"x":[1,[2]]},"b":[{"y":{}}],"z":null}`, `{"a":[],"b":"b","ab":{"a":{"a":[]}}}`,
	}
	for _, text := range []string{
		`true`, `{}`, `{"title":"t"}`, `{"type":["object","array","string","number","null","boolean"]}`,
		`{"properties":{"a":true}}`, `{"properties":{"a":{},"b":{"type":["object","array","string"]}},"additionalProperties":{}}`,
		`{"properties":{"a":true,"b":true,"z":true,"ab":true,"other":true},"additionalProperties":false}`,
		`{"properties":{"a":true,"b":true,"c":true,"d":true,"e":true,"f":true,"g":true,"h":true,"i":true,"z":true}}`,
		`{"additionalProperties":true}`, `{"additionalProperties":{"not":{"const":7}}}`,
		`{"patternProperties":{"a":true,"^.*$":{}}}`, `{"patternProperties":{"":{"not":{"type":"boolean"}}},"additionalProperties":false}`,
		`{"propertyNames":{"maxLength":9}}`, `{"maxProperties":5}`, `{"minProperties":0,"required":[]}`,
		`{"dependentSchemas":{"a":{"minProperties":1}},"dependentRequired":{"a":[]}}`,
		`{"items":true}`, `{"items":{"items":{}}}`, `{"prefixItems":[true]}`, `{"prefixItems":[true,{}],"items":{}}`, `{"maxItems":5}`,
		`{"contains":true,"minContains":0}`, `{"contains":{"type":"null"},"minContains":0}`, `{"uniqueItems":true}`,
		`{"anyOf":[true,{"properties":{"a":{"type":"string"}}}]}`, `{"anyOf":[{"type":"string"},{}]}`,
		`{"oneOf":[{},false]}`, `{"oneOf":[{"type":"object"},{"type":["array","string","number","null","boolean"]}]}`,
		`{"allOf":[{},{"minProperties":0}]}`, `{"not":{"const":"nothing"}}`, `{"not":{"type":"object","required":["nothing"]}}`,
		`{"not":{"properties":{"a":{"type":"string"}},"required":["a"]}}`, `{"not":{"not":{}}}`,
		`{"if":{"type":"object"},"then":{"maxProperties":9},"else":{}}`, `{"if":{"required":["a"]},"then":true}`,
		`{"$ref":"#/$defs/any","$defs":{"any":{"additionalProperties":{"$ref":"#/$defs/any"},"items":{"$ref":"#/$defs/any"}}}}`,
		`{"enum":[1,"a",null,true,[],{},[1,"a",null,[],{}],{"a":1},{"b":{"c":[{"d":"e"},2.5]}}]}`,
		`{"const":{"a":{"x":[1,[2]]},"b":[{"y":{}}],"z":null}}`,
	} {
		s, accepted := schemaFor(t, text), 0
		for _, value := range values {
			if refusesSpoilt(t, s, text, valueOf(t, value)) {
				accepted++
			}
		}
		if accepted == 0 {
			t.Errorf("%s accepts nothing, so it proves nothing", text)
		}
	}
}

func TestAnAcceptedValueIsJSONUnderGeneratedSchemas(t *testing.T) {
	g, accepted := newGenerator(31), 0
	for range 800 {
		doc := g.whole()
		s, _ := Compile(Source{Doc: doc, Pointer: "/schemas/t"}, Options{})
		if s == nil {
			continue
		}
		label := string(mustJSON(t, doc))
		for range 4 {
			v := g.near(doc, doc, 3)
			if g.chance(30) {
				v = asFloats(v)
			}
			if refusesSpoilt(t, s, label, v) {
				accepted++
			}
		}
	}
	if accepted < 200 {
		t.Errorf("only %d values were accepted", accepted)
	}
}

// A schema that is a Go value can hold a name that no text can. A member of that
// name is found without a look at its name.
func TestANameInASchemaThatIsNotUTF8AdmitsNothing(t *testing.T) {
	const name = "a\xff"
	for label, doc := range map[string]any{
		"properties": map[string]any{"properties": map[string]any{name: true}},
		"required":   map[string]any{"required": []any{name}},
		"dependent":  map[string]any{"dependentRequired": map[string]any{name: []any{name}}},
		"dependency": map[string]any{"dependentSchemas": map[string]any{name: true}},
	} {
		s, _ := Compile(Source{Doc: doc, Pointer: "/schemas/t"}, Options{})
		if s != nil && s.AcceptsValue(map[string]any{name: 1}, plenty()) {
			t.Errorf("%s: accepted", label)
		}
	}
}
