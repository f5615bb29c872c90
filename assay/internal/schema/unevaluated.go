package schema

// marks are the parts of one array or object that keywords evaluated (JSON
// Schema 2020-12 core, section 11): what unevaluatedItems and
// unevaluatedProperties leave alone. They are kept only in a schema in which
// one of the two stands somewhere.
type marks struct {
	all   bool
	first int                 // so many items, from the first one on
	items map[int]struct{}    // other items
	names map[string]struct{} // properties
}

func (m *marks) item(i int) {
	if m.items == nil {
		m.items = map[int]struct{}{}
	}
	m.items[i] = struct{}{}
}

func (m *marks) name(name string) {
	if m.names == nil {
		m.names = map[string]struct{}{}
	}
	m.names[name] = struct{}{}
}

// add adds the marks of another schema that judged the same value, and returns
// how many steps that takes.
func (m *marks) add(other *marks) (steps int) {
	m.all = m.all || other.all
	m.first = max(m.first, other.first)
	for i := range other.items {
		m.item(i)
	}
	steps = len(other.items)
	for name := range other.names {
		m.name(name)
		steps += nameSteps(name)
	}
	return steps
}

func (m *marks) hasItem(i int) bool {
	_, ok := m.items[i]
	return ok || m.all || i < m.first
}

func (m *marks) hasName(name string) bool {
	_, ok := m.names[name]
	return ok || m.all
}

// evaluated is where schemas that judge the same value leave their marks, nil
// where nobody reads them.
func (j *judgement) evaluated() *marks {
	if !j.run.schema.unevaluated {
		return nil
	}
	return &j.marks
}

// mark says that a property was evaluated.
func (j *judgement) mark(name string) {
	if j.run.schema.unevaluated {
		j.marks.name(name)
	}
}

func (j *judgement) judgeUnevaluated() {
	switch v := j.value.(type) {
	case []any:
		if j.rules.unevaluatedItems != nil {
			j.judgeUnevaluatedItems(v)
		}
	case map[string]any:
		if j.rules.unevaluatedProperties != nil {
			j.judgeUnevaluatedProperties(v)
		}
	}
}

func (j *judgement) judgeUnevaluatedItems(items []any) {
	sub := j.rules.unevaluatedItems
	j.run.spend(len(items))
	for i, item := range items {
		switch {
		case j.done():
			return
		case j.marks.hasItem(i):
		case sub.never:
			j.failNever(sub)
			return
		default:
			j.item(sub, i, item)
		}
	}
	j.marks.all = true
}

func (j *judgement) judgeUnevaluatedProperties(object map[string]any) {
	sub := j.rules.unevaluatedProperties
	j.run.spend(memberSteps(object))
	var refused []string
	for _, name := range sortedKeys(object) {
		switch {
		case j.done():
			return
		case j.marks.hasName(name):
		case sub.never:
			refused = append(refused, name)
		default:
			j.member(sub, name, object[name])
		}
	}
	if refused != nil {
		j.failNever(sub, refused...)
	}
	j.marks.all = true
}

// excuse marks as evaluated what a schema that failed speaks of. By the letter
// nothing of it counts, so unevaluatedProperties would call its own properties
// not allowed; its findings say better what is wrong. The answer is no in any
// case, so nothing is done where no finding is read.
func (j *judgement) excuse(n *node) {
	run := j.run
	if run.muted > 0 || !run.schema.unevaluated {
		return
	}
	seen := map[*node]bool{}
	var look func(*node)
	look = func(n *node) {
		if seen[n] || n.object == nil {
			return
		}
		seen[n] = true
		run.spend(1)
		r := run.schema.rulesOf(n)
		switch v := j.value.(type) {
		case map[string]any:
			run.spend(memberSteps(v))
			for name := range v {
				if r.speaksOf(name, run) {
					j.marks.name(name)
				}
			}
		case []any:
			if r.items != nil || r.unevaluatedItems != nil || r.contains != nil {
				j.marks.all = true
			}
			j.marks.first = max(j.marks.first, min(len(r.prefix), len(v)))
		default:
			return // it has no parts
		}
		n.inPlaceTargets(look)
	}
	look(n)
}
