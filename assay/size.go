package assay

import (
	"strings"

	"example.com/assay/assay/internal/policydoc"
)

// What a policy takes for itself, for each byte of its document, and for each
// step of a pattern's counted repetitions: measured on the example policies and
// on large generated ones.
const (
	sizeOfPolicy = 4096
	sizePerByte  = 80
	sizePerCount = 320
)

// size estimates the memory of what the document is compiled to. Every schema
// is compiled together with the definitions that it reaches.
func (d *document) size(options Options) int {
	length, repeats := measure(d.root)
	size := sizeOfPolicy + sizePerByte*length + sizePerCount*repeats
	if schemas, ok := d.root.Member("schemas"); ok {
		if defs, ok := schemas.Member(definitions); ok {
			length, repeats := measure(defs)
			size += (sizePerByte*length + sizePerCount*repeats) * min(len(d.spec.Schemas), 1+8*options.maxSchemaBytes()/length)
		}
	}
	return size
}

// measure returns about how long a value is as JSON, and how many repetitions
// the patterns in it count.
func measure(n *policydoc.Node) (length, repeats int) {
	length, repeats = len("null,")+len(n.Text), counts(n.Text)
	add := func(n *policydoc.Node) {
		l, r := measure(n)
		length, repeats = length+l, repeats+r
	}
	for _, item := range n.Items {
		add(item)
	}
	for _, m := range n.Members {
		length, repeats = length+len(m.Key)+len(`"":`), repeats+counts(m.Key)
		add(m.Value)
	}
	return length, repeats
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
