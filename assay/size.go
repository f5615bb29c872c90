package assay

import (
	"strings"

	"example.com/assay/assay/internal/policydoc"
)

// What a policy takes, in bytes: for itself, for each byte of its document, and
// for each of its patterns, with the rules and the machines of patterns that
// checks add. Measured on the example policies and on large generated ones.
const (
	sizeOfPolicy  = 4096
	sizePerByte   = 80
	sizeOfPattern = 2048
	sizeOfMerged  = 10 // for what merging counts as a byte

	// A pattern may also have an automaton, or a program that grows with its
	// counts; these have one ceiling for arguments and one for sequences.
	sizeOfAutomaton = 33 << 10
	sizePerCount    = 320
	maxMachines     = 2 * 8 << 20
)

// size estimates the memory of what the document is compiled to.
func (d *document) size(options Options) int {
	var all extent
	all.measure("", d.root)
	for _, c := range d.spec.Constraints {
		all.patterns += len(c.Params)
	}
	size := sizeOfPolicy + sizePerByte*all.length + sizeOfPattern*all.patterns +
		min(maxMachines, sizeOfAutomaton*all.patterns+sizePerCount*all.counts)
	schemas, ok := d.root.Member("schemas")
	if !ok {
		return size
	}
	if node, ok := schemas.Member(definitions); ok {
		var defs extent
		defs.measure("", node)
		if defs.apart {
			// They are merged into each schema, and how much all of them may
			// merge is bounded too.
			size += sizeOfMerged * min((defs.length+64*defs.containers)*len(schemas.Members), 4*options.maxSchemaBytes())
		}
	}
	return size
}

// extent is what of a document takes memory.
type extent struct {
	length     int // about, as JSON
	patterns   int
	containers int  // arrays and objects
	counts     int  // of the repetitions in its texts
	apart      bool // something in it may keep schemas from sharing definitions
}

// measure adds n, the value of a member called key, to e.
func (e *extent) measure(key string, n *policydoc.Node) {
	e.length += len("null,") + len(n.Text)
	e.counts += counts(n.Text)
	switch key {
	case "pattern":
		e.patterns++
	case "patternProperties", "args_match":
		e.patterns += len(n.Members)
	case "$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef", "$recursiveAnchor", "$ref":
		local := key == "$ref" && strings.HasPrefix(n.Text, "#/$defs/")
		e.apart = e.apart || n.Kind != policydoc.Map && !local
	}
	if n.Kind == policydoc.Map || n.Kind == policydoc.List {
		e.containers++
	}
	for _, item := range n.Items {
		e.measure("", item)
	}
	for _, m := range n.Members {
		e.length += len(m.Key) + len(`"":`)
		e.counts += counts(m.Key)
		e.measure(m.Key, m.Value)
	}
}

// counts sums up what stands in the braces of {m}, {m,} and {m,n}. A text with
// digits in braces is nearly always a pattern.
func counts(text string) (sum int) {
	for {
		_, rest, found := strings.Cut(text, "{")
		if !found {
			return sum
		}
		total, n, i := 0, 0, 0
		for ; i < len(rest) && (rest[i] == ',' || '0' <= rest[i] && rest[i] <= '9'); i++ {
			if rest[i] == ',' {
				total, n = total+n, 0
			} else {
				n = min(10*n+int(rest[i]-'0'), 1000) // RE2 repeats no more often
			}
		}
		if i < len(rest) && rest[i] == '}' {
			sum += total + n
		}
		text = rest[i:]
	}
}
