package sequence

import (
	"encoding/binary"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"example.com/assay/assay/internal/ecma"
	"example.com/assay/assay/internal/nametable"
	"example.com/assay/internal/jsonpointer"
)

// MaxOperand is the largest Within and Max.
const MaxOperand = 1_000_000

// maxUses bounds how often all tool names together are used by rules, each name
// counted for every rule that can match it. Beyond it a checker would not fit
// in memory.
const maxUses = 1 << 20

// maxMachines is about how many bytes all patterns of a checker take to match
// with; see [ecma.Set].
const maxMachines = 48 << 20

// Options are the settings of a [Checker]. The zero value is the default.
type Options struct {
	// MaxViolations is how many violations one result lists; 0 means all.
	MaxViolations int
	// MaxSteps bounds a check that is given no budget; 0 means [DefaultMaxSteps].
	MaxSteps int
}

// Problem is one reason why rules do not compile.
type Problem struct {
	// Path is a JSON Pointer (RFC 6901) to the offending value in a policy that
	// holds the rules under /sequences and the aliases under /aliases.
	Path    string
	Message string
	Hint    string
}

// Compile makes a checker of rules, in whose order violations are listed, and of
// aliases: a rule that names an alias means each of its members. A member is a
// plain tool name; the alias's own name among them means the tool of that name,
// and an alias without members matches nothing. Compile keeps nothing of what
// it is given.
//
// It returns a nil checker if there are problems, and then all of them, in the
// order of rules and of alias names.
func Compile(rules []Rule, aliases map[string][]string, opts Options) (*Checker, []Problem) {
	p := &compiler{aliases: aliases, spoken: map[string]string{}, targets: map[string]int{}, atoms: map[string]*atom{},
		patterns: ecma.NewSet(maxMachines)}
	c := &Checker{opts: opts, rules: make([]rule, 0, len(rules)), events: make([]event, 1)}
	for i, r := range rules {
		path := "/sequences/" + itoa(i)
		if r == nil || reflect.TypeOf(r).Kind() == reflect.Pointer {
			p.problem(path, "no rule", "give one of the rule types as a value")
			continue
		}
		p.rule, p.operands = int32(len(c.rules)), 0
		compiled := r.compile(p, path)
		compiled.id, compiled.kind = r.ID(), r.Type()
		if compiled.constraint == "" {
			compiled.constraint = compiled.kind
		}
		compiled.args = p.byArgs
		p.byArgs = false
		c.rules = append(c.rules, compiled)
	}
	p.checkAliases()
	if len(p.problems) == 0 {
		p.build(c)
	}
	if len(p.problems) > 0 {
		return nil, p.problems
	}
	c.scans = p.scans(c.rules)
	for i := range c.rules {
		r := &c.rules[i]
		switch {
		case r.blocks:
			c.blocks = append(c.blocks, int32(i))
		case r.order != nil && r.order.strict:
			c.strict = append(c.strict, int32(i))
		case r.timed:
			c.timed = append(c.timed, int32(i))
		}
	}
	return c, nil
}

// CompileExact makes a checker of the legacy list of names: a trace is allowed
// only when its names are exactly these.
func CompileExact(list []string) *Checker {
	c := &Checker{isExact: true, exact: make([]int32, len(list)), events: make([]event, 1)}
	numbers := map[string]int32{}
	for i, name := range list {
		if numbers[name] == 0 {
			number := int32(len(c.events))
			numbers[strings.Clone(name)] = number
			c.events = append(c.events, event{exact: number})
		}
		c.exact[i] = numbers[name]
	}
	c.names = nametable.Make(numbers)
	return c
}

// scans returns the rules if all of them can be scanned for, else nothing.
func (p *compiler) scans(rules []rule) []before {
	var out []before
	for _, r := range rules {
		a, ok := r.auto.(before)
		if _, alias := p.aliases[a.first]; alias {
			ok = false
		}
		if _, alias := p.aliases[a.then]; alias {
			ok = false
		}
		if !ok || r.args || len(out) == maxScans {
			return nil
		}
		out = append(out, a)
	}
	return out
}

// compiler is the state of one Compile.
type compiler struct {
	aliases  map[string][]string
	spoken   map[string]string // aliases in words; see words
	problems []Problem

	rule     int32 // the rule being compiled
	operands int32 // how many operands it has so far
	byArgs   bool  // whether one of them looks at arguments

	targets  map[string]int // the names that selectors use, aliases among them
	uses     [][]targetUse  // by target
	atoms    map[string]*atom
	patterns *ecma.Set
}

// targetUse is one operand of one rule that names a target.
type targetUse struct {
	rule, operand int32
	atom          *atom // nil: by name alone
}

func (p *compiler) problem(path, message, hint string) {
	p.problems = append(p.problems, Problem{path, message, hint})
}

// operand checks a number of a rule.
func (p *compiler) operand(n int, path string) {
	if n < 0 || n > MaxOperand {
		p.problem(path, "a number out of range", "use an integer from 0 to 1000000")
	}
}

// selector takes the next operand of the rule that is being compiled.
func (p *compiler) selector(s Selector, path string) {
	at := p.check(s, path)
	target, ok := p.targets[s.Tool]
	if !ok {
		target = len(p.uses)
		p.targets[s.Tool] = target
		p.uses = append(p.uses, nil)
	}
	p.uses[target] = append(p.uses[target], targetUse{p.rule, p.operands, at})
	p.operands++
	p.byArgs = p.byArgs || at != nil
}

// check reports what is wrong with a selector and returns its argument part, if
// it has one.
func (p *compiler) check(s Selector, path string) *atom {
	if s.Args == nil {
		return nil
	}
	path += "/args_match"
	if len(s.Args) == 0 {
		p.problem(path, "args_match names no argument",
			"name at least one argument, or write the tool's name alone")
	}
	at := &atom{}
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		pattern, err := p.patterns.Compile(s.Args[name])
		if err != nil {
			message := "the pattern is no ECMA-262 regular expression"
			var syntax *ecma.SyntaxError
			if errors.As(err, &syntax) {
				message += ": " + syntax.Message + " (at byte " + itoa(syntax.Offset) + ")"
			}
			p.problem(path+"/"+jsonpointer.Escape(name), message, "write it by ECMA-262 with the u flag")
		}
		at.args = append(at.args, argument{strings.Clone(name), pattern})
	}
	key := s.key()
	if shared, ok := p.atoms[key]; ok {
		return shared
	}
	p.atoms[key] = at
	return at
}

// key is equal for equal selectors only.
func (s Selector) key() string {
	if s.Args == nil {
		return "n" + s.Tool
	}
	b := binary.AppendUvarint([]byte{'a'}, uint64(len(s.Tool)))
	b = append(b, s.Tool...)
	for _, arg := range slices.Sorted(maps.Keys(s.Args)) {
		for _, part := range []string{arg, s.Args[arg]} {
			b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
		}
	}
	return string(b)
}

// checkAliases reports members that are aliases themselves.
func (p *compiler) checkAliases() {
	for _, name := range slices.Sorted(maps.Keys(p.aliases)) {
		for i, member := range p.aliases[name] {
			if _, is := p.aliases[member]; is && member != name {
				p.problem("/aliases/"+jsonpointer.Escape(name)+"/"+itoa(i),
					"an alias as a member of an alias", "list the tools that it stands for")
			}
		}
	}
}

// build finds for each name what it means to the rules. Names that mean the
// same share a class.
func (p *compiler) build(c *Checker) {
	targetsOf := map[string][]int{}
	for target, i := range p.targets {
		members, isAlias := p.aliases[target]
		if !isAlias {
			members = []string{target}
		}
		for _, name := range members {
			// A member may be listed twice.
			if known := targetsOf[name]; len(known) == 0 || known[len(known)-1] != i {
				targetsOf[name] = append(known, i)
			}
		}
	}
	numbers := make(map[string]int32, len(targetsOf))
	classes := map[string]int32{}
	total := 0
	for _, name := range slices.Sorted(maps.Keys(targetsOf)) {
		targets := targetsOf[name]
		slices.Sort(targets)
		var key []byte
		for _, i := range targets {
			key = binary.AppendUvarint(key, uint64(i))
		}
		number, ok := classes[string(key)]
		if !ok {
			for _, i := range targets {
				total += len(p.uses[i])
			}
			if total > maxUses {
				p.problem("/sequences", "rules and aliases combine to more than "+itoa(maxUses)+" uses of tool names",
					"use fewer rules, or aliases with fewer members")
				return
			}
			number = int32(len(c.events))
			c.events = append(c.events, event{class: p.class(targets)})
			classes[string(key)] = number
		}
		numbers[strings.Clone(name)] = number
	}
	c.tools = slices.Sorted(maps.Keys(numbers))
	c.names = nametable.Make(numbers)
}

// class collects the uses of all targets that a name stands for, by rule.
func (p *compiler) class(targets []int) class {
	var uses []targetUse
	for _, i := range targets {
		uses = append(uses, p.uses[i]...)
	}
	slices.SortFunc(uses, func(a, b targetUse) int {
		if a.rule != b.rule {
			return int(a.rule - b.rule)
		}
		return int(a.operand - b.operand)
	})
	k := class{steps: len(uses)}
	index := map[*atom]int32{}
	for _, u := range uses {
		if n := len(k.mentions); n == 0 || k.mentions[n-1].rule != u.rule {
			k.mentions = append(k.mentions, mention{rule: u.rule})
		}
		m := &k.mentions[len(k.mentions)-1]
		at := int32(byName)
		if u.atom == nil {
			m.named |= first << min(u.operand, 7)
		} else {
			m.args = true
			known, ok := index[u.atom]
			if !ok {
				known = int32(len(k.atoms))
				index[u.atom] = known
				k.atoms = append(k.atoms, u.atom)
			}
			at = known
		}
		m.uses = append(m.uses, use{u.operand, at})
	}
	k.steps += len(k.mentions)
	return k
}

// class is what a name means to the rules of a checker.
type class struct {
	mentions []mention // by rule, ascending
	atoms    []*atom   // the argument parts that its uses look at
	steps    int       // what it costs to look at all mentions
}

// mention is the operands of one rule that a call of a class may match.
type mention struct {
	rule  int32
	named operands // those matched by the name alone; of an automaton
	args  bool     // whether any looks at arguments
	uses  []use
}

// use is one operand: its number in the rule, and the argument part of its
// selector by its place in the class.
type use struct{ operand, atom int32 }

// byName is the atom of a use that does not look at arguments.
const byName = -1
