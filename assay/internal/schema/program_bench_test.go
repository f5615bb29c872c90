package schema

import "testing"

const discountSchema = `{"type":"object","properties":{"percent":{"type":"number","minimum":0,"maximum":30}},"required":["percent"],"additionalProperties":false}`

func BenchmarkProgramTools(b *testing.B) {
	for _, f := range fixtures(b) {
		data, v, budget := []byte(f.valid[0]), valueOf(b, f.valid[0]), plenty()
		b.Run(f.name+"/text", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				budget.steps = 1_000_000
				if !f.schema.Accepts(data, budget) {
					b.Fatal("not accepted")
				}
			}
		})
		b.Run(f.name+"/value", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				budget.steps = 1_000_000
				if !f.schema.AcceptsValue(v, budget) {
					b.Fatal("not accepted")
				}
			}
		})
	}
}

func BenchmarkProgramDiscountText(b *testing.B) {
	s := schemaFor(b, discountSchema)
	data := []byte(`{"percent": 15}`)
	b.ReportAllocs()
	budget := plenty()
	for b.Loop() {
		budget.steps = 1_000_000
		if !s.Accepts(data, budget) {
			b.Fatal("not accepted")
		}
	}
}

func BenchmarkProgramDiscountValue(b *testing.B) {
	s := schemaFor(b, discountSchema)
	v := map[string]any{"percent": 15.0}
	b.ReportAllocs()
	budget := plenty()
	for b.Loop() {
		budget.steps = 1_000_000
		if !s.AcceptsValue(v, budget) {
			b.Fatal("not accepted")
		}
	}
}
