package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/assay/internal/ecma"
)

// flips are schemas that could turn the failure of %s into an allow: over any
// secretText.
var flips = []string{
	`%s`,
	`{"not":%s}`,
	`{"not":{"not":%s}}`,
	`{"if":%s,"then":false}`,
	`{"if":%s,"then":false,"else":true}`,
	`{"if":%s}`,
	`{"oneOf":[%s,true]}`,
	`{"oneOf":[true,%s]}`,
	`{"anyOf":[%s,true]}`,
	`{"anyOf":[%s,false]}`,
	`{"allOf":[%s]}`,
	`{"$defs":{"d":%s},"not":{"$ref":"#/$defs/d"}}`,
	`{"$defs":{"d":{"$dynamicAnchor":"d","allOf":[%s]}},"not":{"$dynamicRef":"#d"}}`,
	`{` + in2019 + `,"$recursiveAnchor":true,"not":%s}`,
	`{` + in4 + `,"not":%s}`,
}

// partFlips are the same over {"p": [secretText]}.
var partFlips = []string{
	`{"properties":{"p":{"contains":%s,"minContains":0}}}`,
	`{"properties":{"p":{"contains":%s,"minContains":0,"maxContains":0}}}`,
	`{` + in7 + `,"not":{"properties":{"p":{"contains":%s}}}}`,
	`{"not":{"properties":{"p":{"items":%s}}}}`,
	`{"not":{"properties":{"p":{"prefixItems":[%s]}}}}`,
	`{"not":{"additionalProperties":{"items":%s}}}`,
	`{"patternProperties":{"^p$":{"not":{"items":%s}}}}`,
	`{"properties":{"p":{"not":{"unevaluatedItems":%s}}}}`,
	`{"not":{"unevaluatedProperties":{"items":%s}}}`,
	`{"not":{"dependentSchemas":{"p":{"properties":{"p":{"items":%s}}}}}}`,
	`{` + in7 + `,"not":{"dependencies":{"p":{"properties":{"p":{"items":%s}}}}}}`,
}

func expectLimit(t *testing.T, s *Schema, schema string, v any, b *Budget) {
	t.Helper()
	if r := s.Validate(v, b); r.Failure != Limit || r.Valid() || len(r.Violations) > 0 {
		t.Errorf("%s: %+v", schema, r)
	}
}

// explosive is a pattern that needs more than its time for secretText.
const explosive = `{"pattern":"^(?:(a+)+)+\\1b$"}`

var secretText = strings.Repeat("a", 300)

func TestPatternBeyondItsBoundIsNeverAnAnswer(t *testing.T) {
	check := func(schema string, v any) {
		t.Helper()
		// A shorter time than the default keeps the test short.
		b := &Budget{steps: 1_000_000, bound: ecma.NewBound(5 * time.Millisecond)}
		expectLimit(t, compiled(t, schema), schema, v, b)
	}
	for _, flip := range flips {
		check(fmt.Sprintf(flip, explosive), secretText)
	}
	for _, flip := range partFlips {
		check(fmt.Sprintf(flip, explosive), map[string]any{"p": []any{secretText}})
	}
	object := map[string]any{secretText: true}
	check(`{"not":{"propertyNames":`+explosive+`}}`, object)
	check(`{"not":{"patternProperties":{"^(?:(a+)+)+\\1b$":false}}}`, object)
	check(`{"patternProperties":{"^(?:(a+)+)+\\1b$":false}}`, object)
	check(`{"patternProperties":{"^(?:(a+)+)+\\1b$":true},"additionalProperties":false}`, object)
	check(`{"patternProperties":{"^(?:(a+)+)+\\1b$":true},"unevaluatedProperties":false}`, object)
}

// TestExhaustedBudgetIsNeverAnAnswer gives each schema every budget below the
// one that it needs.
func TestExhaustedBudgetIsNeverAnAnswer(t *testing.T) {
	check := func(schema string, v any) {
		t.Helper()
		s := compiled(t, schema)
		s.Validate(v, nil) // its patterns are ready
		full := NewBudget(1_000_000, nil)
		if r := s.Validate(v, full); r.Failure != None {
			t.Fatal(schema, r)
		}
		for steps := range 1_000_000 - full.Steps() {
			expectLimit(t, s, schema, v, NewBudget(steps, nil))
		}
	}
	for _, flip := range flips {
		check(fmt.Sprintf(flip, `{"type":"string","maxLength":3,"enum":["b","c"],"format":"date"}`), secretText)
	}
	for _, flip := range partFlips {
		check(fmt.Sprintf(flip, `{"type":"string","maxLength":3,"enum":["b","c"],"format":"date"}`), map[string]any{"p": []any{secretText}})
	}
}

func TestPanicIsNeverAnAnswer(t *testing.T) {
	formats["boom"] = func(string) bool { panic("boom") }
	t.Cleanup(func() { delete(formats, "boom") })
	for _, flip := range flips {
		schema := fmt.Sprintf(flip, `{"format":"boom"}`)
		expectLimit(t, compiled(t, schema), schema, secretText, nil)
	}
	for _, flip := range partFlips {
		schema := fmt.Sprintf(flip, `{"format":"boom"}`)
		expectLimit(t, compiled(t, schema), schema, map[string]any{"p": []any{secretText}}, nil)
	}
	schema := `{"not":{"propertyNames":{"format":"boom"}}}`
	expectLimit(t, compiled(t, schema), schema, map[string]any{secretText: true}, nil)
}

func TestValuesThatAreNoJSONAreNeverAnAnswer(t *testing.T) {
	for _, flip := range flips {
		schema := fmt.Sprintf(flip, `{"type":"integer"}`)
		s := compiled(t, schema)
		for _, v := range []any{struct{}{}, []any{1.5}, map[string]any{"a": func() {}}, json.Number("x"), json.Number("1e1000001"), json.Number("")} {
			expectLimit(t, s, schema, v, nil)
		}
	}
}

func TestStopFlagEndsAnEvaluation(t *testing.T) {
	s := compiled(t, `{"items":{"type":"integer"}}`)
	var stop atomic.Bool
	stop.Store(true)
	b := NewBudget(1_000_000, &stop)
	if r := s.Validate(decode(t, `[1,2,3]`), b); r.Failure != Limit {
		t.Error(r)
	}
	stop.Store(false)
	if r := s.Validate(decode(t, `[1,2,3]`), b); r.Failure != Limit {
		t.Error("a stopped budget goes on:", r)
	}
}

func TestBudgetIsSharedByTheSchemasOfACheck(t *testing.T) {
	s := compiled(t, `{"items":{"type":"integer"}}`)
	v := decode(t, `[1,2,3,4,5,6,7,8,9]`)
	b := NewBudget(100, nil)
	before := b.Steps()
	if r := s.Validate(v, b); !r.Valid() {
		t.Fatal(r)
	}
	used := before - b.Steps()
	for b.Steps() >= used {
		if r := s.Validate(v, b); !r.Valid() {
			t.Fatal(r)
		}
	}
	if r := s.Validate(v, b); r.Failure != Limit || b.Steps() != 0 {
		t.Error(r, b.Steps())
	}
}

// TestStepsDoNotDependOnOrder: Go's maps and the library's iterate in random
// order, and the same check has to end the same way each time.
func TestStepsDoNotDependOnOrder(t *testing.T) {
	for _, schema := range []string{
		`{"properties":{` + numbered(`"p%d":{"not":{"properties":{"a":{"type":"string"},"b":{"items":{"type":"integer"}},"c":false}}}`, 20) + `},"unevaluatedProperties":false}`,
		`{"allOf":[{"maxProperties":1,"patternProperties":{` + numbered(`"^p%d":true`, 9) + `}}],"unevaluatedProperties":false}`,
		`{"additionalProperties":{"if":{"properties":{"a":{"const":1},"b":{"contains":{"const":3}}}},"then":{"required":["z"]}},"dependentSchemas":{"p1":{"maxProperties":3},"p2":{"maxProperties":4}}}`,
	} {
		s := compiled(t, schema)
		v := decode(t, `{`+numbered(`"p%d":{"a":1,"b":[1,2,3],"c":4}`, 25)+`}`)
		s.Validate(v, nil) // its patterns are ready
		steps, secretText := -1, ""
		for range 30 {
			b := NewBudget(1_000_000, nil)
			r := s.Validate(v, b)
			if now := fmt.Sprintf("%+v", r); steps >= 0 && (b.Steps() != steps || now != secretText) {
				t.Fatalf("%d steps left, then %d;\n%s\n%s", steps, b.Steps(), secretText, now)
			} else {
				steps, secretText = b.Steps(), now
			}
		}
	}
}

func TestSchemaIsSafeForConcurrentUse(t *testing.T) {
	s := compiled(t, `{"type":"object","properties":{"percent":{"maximum":30},"code":{"pattern":"^[a-z]+$"}},"additionalProperties":false,"anyOf":[{"required":["percent"]},{"required":["code"]}]}`)
	good, bad := decode(t, `{"percent":3,"code":"x"}`), decode(t, `{"percent":31,"code":"X"}`)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for range 50 {
				if r := s.Validate(good, nil); !r.Valid() {
					t.Error(r)
				}
				if r := s.Validate(bad, nil); len(r.Violations) != 2 {
					t.Error(r)
				}
				if r := s.Validate(good, NewBudget(3, nil)); r.Failure != Limit {
					t.Error(r)
				}
			}
		})
	}
	group.Wait()
}

func TestPatternTimeIsSharedByACheck(t *testing.T) {
	b := NewBudget(1_000_000, nil)
	expectLimit(t, compiled(t, explosive), explosive, secretText, b)
	const quick = `{"pattern":"^(a)\\1$"}`
	s := compiled(t, quick)
	expectLimit(t, s, quick, "aa", b)
	if r := s.Validate("aa", nil); !r.Valid() {
		t.Error(r)
	}
}
