package ecma

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a pattern. A pattern beyond one is a [SyntaxError].
const (
	MaxBytes = 1 << 16 // of the pattern's own text
	MaxDepth = 200     // of groups in groups
	MaxSpans = 1 << 17 // of all its classes together: `\p{L}` has 650
)

// SyntaxError says why a pattern does not compile.
type SyntaxError struct {
	Offset  int    // in bytes, where the offending part starts
	Message string // one short sentence, with at most a few characters of the pattern
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("pattern, offset %d: %s", e.Offset, e.Message)
}

// parser reads one pattern by the grammar of ECMA-262 section 22.2.1. Its
// methods are named after the productions.
type parser struct {
	text   string
	syntax bool // only the syntax matters: classes are not resolved
	pos    int
	depth  int
	spans  int
	groups int            // capturing groups so far
	names  map[string]int // their names
	refs   []reference    // to be checked when all groups are known
}

type reference struct {
	node   *node
	name   string // "": by number
	offset int
}

// parse returns the tree of a pattern.
func parse(pattern string) (*node, error) { return read(pattern, false) }

// check reports what parse would refuse, at a fraction of the cost.
func check(pattern string) error {
	_, err := read(pattern, true)
	return err
}

func read(pattern string, syntax bool) (*node, error) {
	if len(pattern) > MaxBytes {
		return nil, &SyntaxError{MaxBytes, fmt.Sprintf("a pattern has at most %d bytes", MaxBytes)}
	}
	if !utf8.ValidString(pattern) {
		return nil, &SyntaxError{0, "a pattern is valid UTF-8"}
	}
	p := &parser{text: pattern, syntax: syntax}
	n, err := p.disjunction()
	if err != nil {
		return nil, err
	}
	if p.pos < len(p.text) { // only a ')' ends a disjunction early
		return nil, p.fail(p.pos, "`)` closes no group")
	}
	for _, ref := range p.refs {
		if ref.name != "" {
			ref.node.index = p.names[ref.name]
		}
		if ref.node.index < 1 || ref.node.index > p.groups {
			return nil, p.fail(ref.offset, "a backreference names a group that does not exist")
		}
	}
	if n.width() >= unlimited {
		return nil, p.fail(0, "no text is long enough to match")
	}
	return n, nil
}

func (p *parser) fail(offset int, message string) error {
	return &SyntaxError{Offset: offset, Message: message}
}

// peek returns the next character, or -1 at the end.
func (p *parser) peek() rune {
	if p.pos == len(p.text) {
		return -1
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
	return r
}

func (p *parser) next() rune {
	if p.pos == len(p.text) {
		return -1
	}
	r, size := utf8.DecodeRuneInString(p.text[p.pos:])
	p.pos += size
	return r
}

// accept skips prefix if it comes next.
func (p *parser) accept(prefix string) bool {
	if !strings.HasPrefix(p.text[p.pos:], prefix) {
		return false
	}
	p.pos += len(prefix)
	return true
}

func (p *parser) disjunction() (*node, error) {
	var options []*node
	for {
		n, err := p.alternative()
		if err != nil {
			return nil, err
		}
		options = append(options, n)
		if !p.accept("|") {
			break
		}
	}
	if len(options) == 1 {
		return options[0], nil
	}
	return &node{op: opAlternate, subs: options}, nil
}

func (p *parser) alternative() (*node, error) {
	var terms []*node
	for {
		switch p.peek() {
		case -1, '|', ')':
			switch len(terms) {
			case 0:
				return &node{op: opEmpty}, nil
			case 1:
				return terms[0], nil
			}
			return &node{op: opConcat, subs: terms}, nil
		}
		n, err := p.term()
		if err != nil {
			return nil, err
		}
		terms = append(terms, n)
	}
}

func (p *parser) term() (*node, error) {
	start := p.pos
	n, err := p.atom()
	if err != nil {
		return nil, err
	}
	quantifier := p.pos
	q, err := p.quantifier()
	if q == nil || err != nil {
		return n, err
	}
	switch n.op {
	case opBegin, opEnd, opWord, opNotWord, opLook:
		return nil, p.fail(quantifier, fmt.Sprintf("the assertion at offset %d cannot be repeated", start))
	}
	q.subs = []*node{n}
	return q, nil
}

// atom reads an Atom or an Assertion.
func (p *parser) atom() (*node, error) {
	start := p.pos
	switch c := p.next(); c {
	case '^':
		return &node{op: opBegin}, nil
	case '$':
		return &node{op: opEnd}, nil
	case '.':
		return p.classNode(start, &class{items: lineEnds.items(false), negated: true})
	case '[':
		return p.class(start)
	case '(':
		return p.group(start)
	case '\\':
		return p.atomEscape(start)
	case '*', '+', '?', '{':
		return nil, p.fail(start, fmt.Sprintf("`%c` repeats nothing; write `\\%c` for the character itself", c, c))
	case ']', '}':
		return nil, p.fail(start, fmt.Sprintf("a lone `%c`; write `\\%c` for the character itself", c, c))
	default:
		return &node{op: opChar, char: c}, nil
	}
}

// quantifier reads a Quantifier; nil where there is none.
func (p *parser) quantifier() (*node, error) {
	q := &node{op: opRepeat}
	switch start := p.pos; p.peek() {
	case '*':
		p.pos++
		q.min, q.max = 0, unlimited
	case '+':
		p.pos++
		q.min, q.max = 1, unlimited
	case '?':
		p.pos++
		q.min, q.max = 0, 1
	case '{':
		p.pos++
		low := p.digits()
		high, comma := low, p.accept(",")
		if comma {
			high = p.digits()
		}
		if low == "" || !p.accept("}") {
			return nil, p.fail(start, "a `{` starts no repetition `{n}`, `{n,}` or `{n,m}`; write `\\{` for the character itself")
		}
		q.min, q.max = count(low), count(high)
		if comma && high == "" {
			q.max = unlimited
		} else if less(high, low) {
			return nil, p.fail(start, "a repetition's bounds are out of order")
		}
	default:
		return nil, nil
	}
	q.lazy = p.accept("?")
	return q, nil
}

func (p *parser) digits() string {
	start := p.pos
	for p.pos < len(p.text) && '0' <= p.text[p.pos] && p.text[p.pos] <= '9' {
		p.pos++
	}
	return p.text[start:p.pos]
}

// count returns the value of digits, at most unlimited.
func count(digits string) int {
	n := 0
	for _, d := range digits {
		n = times(n, 10)
		n += min(int(d-'0'), unlimited-n)
	}
	return n
}

// less compares two decimal numbers of any length.
func less(a, b string) bool {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// group reads what follows a `(` at start.
func (p *parser) group(start int) (*node, error) {
	n := &node{op: opGroup}
	switch {
	case !p.accept("?"):
		p.groups++
		n.index = p.groups
	case p.accept(":"):
	case p.accept("="):
		n.op = opLook
	case p.accept("!"):
		n.op, n.negated = opLook, true
	case p.accept("<="):
		n.op, n.behind = opLook, true
	case p.accept("<!"):
		n.op, n.behind, n.negated = opLook, true, true
	case p.accept("<"):
		offset := p.pos
		name, err := p.groupName()
		if err != nil {
			return nil, err
		}
		if p.names[name] != 0 {
			return nil, p.fail(offset, "two groups have the same name")
		}
		if p.names == nil {
			p.names = make(map[string]int)
		}
		p.groups++
		n.index = p.groups
		p.names[name] = n.index
	default:
		return nil, p.fail(start, "a group starts with `(`, `(?:`, `(?<name>`, `(?=`, `(?!`, `(?<=` or `(?<!`; there are no inline flags")
	}
	if p.depth++; p.depth > MaxDepth {
		return nil, p.fail(start, fmt.Sprintf("groups nest deeper than %d", MaxDepth))
	}
	sub, err := p.disjunction()
	if err != nil {
		return nil, err
	}
	p.depth--
	if !p.accept(")") {
		return nil, p.fail(start, "a group is not closed")
	}
	n.subs = []*node{sub}
	return n, nil
}

// groupName reads a RegExpIdentifierName and the `>` after it.
func (p *parser) groupName() (string, error) {
	var name strings.Builder
	for start := p.pos; ; {
		offset := p.pos
		c := p.next()
		if c == '>' && name.Len() > 0 {
			return name.String(), nil
		}
		if c == '\\' {
			if !p.accept("u") {
				return "", p.fail(offset, "a group's name has no escapes but `\\u`")
			}
			var err error
			if c, err = p.unicodeEscape(offset); err != nil {
				return "", err
			}
		}
		if !identifier(c, name.Len() == 0) {
			return "", p.fail(start, "a group's name is an identifier between `<` and `>`")
		}
		name.WriteRune(c)
	}
}

// identifier reports whether c is an IdentifierStartChar, or an
// IdentifierPartChar where it is not the first (ECMA-262 section 12.7; ID_Start
// and ID_Continue as UAX #31 defines them).
func identifier(c rune, first bool) bool {
	switch {
	case c == '$', c == '_':
		return true
	case c < 0, unicode.In(c, unicode.Pattern_Syntax, unicode.Pattern_White_Space):
		return false
	case unicode.In(c, unicode.L, unicode.Nl, unicode.Other_ID_Start):
		return true
	case first:
		return false
	}
	return c == 0x200C || c == 0x200D ||
		unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}

// atomEscape reads what follows a `\` at start, outside a class.
func (p *parser) atomEscape(start int) (*node, error) {
	switch c := p.peek(); c {
	case 'b':
		p.pos++
		return &node{op: opWord}, nil
	case 'B':
		p.pos++
		return &node{op: opNotWord}, nil
	case 'k':
		p.pos++
		if !p.accept("<") {
			return nil, p.fail(start, "`\\k` is followed by a group's name: `\\k<name>`")
		}
		name, err := p.groupName()
		if err != nil {
			return nil, err
		}
		n := &node{op: opBackref}
		p.refs = append(p.refs, reference{n, name, start})
		return n, nil
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		n := &node{op: opBackref, index: count(p.digits())}
		p.refs = append(p.refs, reference{n, "", start})
		return n, nil
	}
	if items, err := p.classEscape(start); items != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return p.classNode(start, &class{items: items})
	}
	c, err := p.characterEscape(start)
	return &node{op: opChar, char: c}, err
}

// classEscape reads a CharacterClassEscape after the `\` at start; nil where
// there is none.
func (p *parser) classEscape(start int) ([]item, error) {
	c := p.peek()
	switch c {
	case 'd', 'D', 's', 'S', 'w', 'W', 'p', 'P':
		p.pos++
	}
	switch c {
	case 'd', 'D':
		return digits.items(c == 'D'), nil
	case 's', 'S':
		return spaces.items(c == 'S'), nil
	case 'w', 'W':
		return words.items(c == 'W'), nil
	case 'p', 'P':
		name, _, closed := strings.Cut(p.text[p.pos:], "}")
		if !closed || !strings.HasPrefix(name, "{") {
			return nil, p.fail(start, "a property is written `\\p{name}` or `\\p{name=value}`")
		}
		prop, ok := lookupProperty(name[1:])
		if !ok {
			return nil, p.fail(start, "no such Unicode property, or a script newer than Unicode "+unicode.Version)
		}
		p.pos += len(name) + 1
		return []item{{prop: prop, not: c == 'P'}}, nil
	}
	return nil, nil
}

// characterEscape reads a CharacterEscape after the `\` at start.
func (p *parser) characterEscape(start int) (rune, error) {
	switch c := p.next(); c {
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'v':
		return '\v', nil
	case 'c':
		letter := p.next()
		if letter |= 0x20; letter < 'a' || letter > 'z' {
			return 0, p.fail(start, "`\\c` is followed by an ASCII letter")
		}
		return letter & 0x1F, nil
	case '0':
		if d := p.peek(); '0' <= d && d <= '9' {
			return 0, p.fail(start, "`\\0` is not followed by a digit; there are no octal escapes")
		}
		return 0, nil
	case 'x':
		r, ok := p.hex(2)
		if !ok {
			return 0, p.fail(start, "`\\x` is followed by two hexadecimal digits")
		}
		return r, nil
	case 'u':
		return p.unicodeEscape(start)
	case -1:
		return 0, p.fail(start, "the pattern ends in a lone `\\`")
	default:
		if c <= unicode.MaxASCII && (c == ' ' || unicode.IsPunct(c) || unicode.IsSymbol(c)) {
			return c, nil
		}
		return 0, p.fail(start, "only ASCII punctuation and the space stand for themselves after a `\\`; this is no escape")
	}
}

// unicodeEscape reads what follows the `\u` at start. Two escapes of four digits
// that are a surrogate pair are one character.
func (p *parser) unicodeEscape(start int) (rune, error) {
	if p.accept("{") {
		digits, _, closed := strings.Cut(p.text[p.pos:], "}")
		r := rune(0)
		for _, d := range digits {
			v := hexValue(d)
			if r = r<<4 | v; v < 0 || r > unicode.MaxRune {
				closed = false
				break
			}
		}
		if !closed || digits == "" {
			return 0, p.fail(start, "`\\u{…}` holds the hexadecimal digits of a code point")
		}
		p.pos += len(digits) + 1
		return r, nil
	}
	r, ok := p.hex(4)
	if !ok {
		return 0, p.fail(start, "`\\u` is followed by four hexadecimal digits, or `{…}`")
	}
	if 0xD800 <= r && r < 0xDC00 {
		back := p.pos
		if p.accept(`\u`) {
			if low, ok := p.hex(4); ok && 0xDC00 <= low && low < 0xE000 {
				return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00), nil
			}
		}
		p.pos = back
	}
	return r, nil
}

// hex reads exactly n hexadecimal digits.
func (p *parser) hex(n int) (rune, bool) {
	if len(p.text)-p.pos < n {
		return 0, false
	}
	r := rune(0)
	for _, d := range p.text[p.pos : p.pos+n] {
		v := hexValue(d)
		if v < 0 {
			return 0, false
		}
		r = r<<4 | v
	}
	p.pos += n
	return r, true
}

func hexValue(d rune) rune {
	switch {
	case '0' <= d && d <= '9':
		return d - '0'
	case 'a' <= d && d <= 'f':
		return d - 'a' + 10
	case 'A' <= d && d <= 'F':
		return d - 'A' + 10
	}
	return -1
}

// class reads what follows a `[` at start.
func (p *parser) class(start int) (*node, error) {
	c := &class{negated: p.accept("^")}
	for !p.accept("]") {
		offset := p.pos
		low, err := p.classAtom(start)
		if err != nil {
			return nil, err
		}
		// A `-` is a range's unless it is the last character of the class.
		if !strings.HasPrefix(p.text[p.pos:], "-") || strings.HasPrefix(p.text[p.pos:], "-]") {
			c.items = append(c.items, low...)
			continue
		}
		p.pos++
		high, err := p.classAtom(start)
		if err != nil {
			return nil, err
		}
		if !single(low) || !single(high) {
			return nil, p.fail(offset, "a range in a class runs between two characters")
		}
		if low[0].lo > high[0].lo {
			return nil, p.fail(offset, "a range in a class is out of order")
		}
		c.items = append(c.items, item{span: span{low[0].lo, high[0].lo}})
	}
	return p.classNode(start, c)
}

// single reports whether items are one character. A class escape never is: each
// stands for more than one, or for a property.
func single(items []item) bool {
	return len(items) == 1 && items[0].prop == nil && items[0].lo == items[0].hi
}

// classAtom reads one member of the class that starts at start, as its items.
func (p *parser) classAtom(start int) ([]item, error) {
	offset := p.pos
	c := p.next()
	switch {
	case c < 0:
		return nil, p.fail(start, "a class is not closed")
	case c != '\\':
	case p.accept("b"):
		c = '\b'
	default:
		if items, err := p.classEscape(offset); items != nil || err != nil {
			return items, err
		}
		var err error
		if c, err = p.characterEscape(offset); err != nil {
			return nil, err
		}
	}
	return []item{{span: span{c, c}}}, nil
}

// classNode makes a node of a class, and keeps count of what classes take.
func (p *parser) classNode(start int, c *class) (*node, error) {
	for _, it := range c.items {
		p.spans++
		if it.prop != nil {
			p.spans += it.prop.size()
		}
	}
	if p.spans > MaxSpans {
		return nil, p.fail(start, fmt.Sprintf("the classes up to here have more than %d ranges", MaxSpans))
	}
	if !p.syntax {
		c.resolve()
	}
	return &node{op: opClass, class: c}, nil
}
