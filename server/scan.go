package server

// maxScannedID is the longest id, in bytes of its text, that a scan keeps.
const maxScannedID = 256

// scan looks for the top-level id and method of one JSON object that is fed to
// it in pieces, in constant memory. It checks the grammar as it goes: what
// stands behind a break in it does not count. The zero scan is ready.
type scan struct {
	state  state
	broken bool

	depth int
	array [maxDepth/64 + 1]uint64 // bit d: the container at depth d is an array

	want      string // what a literal still lacks
	hex       int    // digits that a \u escape still lacks
	tail      int    // bytes that a UTF-8 sequence still lacks
	low, high byte   // bounds of the next of them

	key     bool // the string at hand is a member's name
	member  member
	keeping bool   // the bytes of the token at hand are kept
	token   []byte // at most maxToken of them; longer ones are none

	ids, methods int // how often the member was met
	idText       []byte
	methodText   []byte
}

// member says which top-level member's value comes.
type member uint8

const (
	otherMember member = iota
	idMember
	methodMember
)

const maxToken = maxScannedID + len(`""`)

type state uint8

const (
	wantObject state = iota // before the line's object
	wantKeyOrEnd
	wantKey
	wantColon
	wantValue
	wantValueOrEnd
	wantCommaOrEnd
	inString
	inEscape
	inHex
	inTail // inside a UTF-8 sequence of a string
	inLiteral
	afterMinus
	afterZero
	inDigits
	afterDot
	inFraction
	afterE
	afterSign
	inExponent
	wantNothing // behind the object
)

// id returns the id as it was written. ok is false when there is none, more
// than one, one that is too long or one that is no string or number.
func (s *scan) id() (id []byte, ok bool) {
	size := len(s.idText)
	if isString(s.idText) {
		size -= len(`""`)
	}
	return s.idText, s.ids == 1 && isID(s.idText) && size <= maxScannedID
}

// method returns the method's text, which is empty where it is longer than any
// that the server knows. ok is false when there is none, or more than one.
func (s *scan) method() (method []byte, ok bool) {
	return s.methodText, s.methods == 1 && s.methodText != nil
}

// feed reads the next piece of the text.
func (s *scan) feed(piece []byte) {
	for i := 0; i < len(piece) && !s.broken; i++ {
		c := piece[i]
		if s.state == inString && !s.keeping {
			// Most of a long line is text that nobody looks at.
			for c >= ' ' && c != '"' && c != '\\' && c < 0x80 {
				if i++; i == len(piece) {
					return
				}
				c = piece[i]
			}
		}
		s.step(c)
	}
}

func (s *scan) step(c byte) {
	switch s.state {
	case inString:
		s.keep(c)
		switch {
		case c == '"':
			s.endString()
		case c == '\\':
			s.state = inEscape
		case c < ' ':
			s.broken = true
		case c >= 0x80:
			s.startTail(c)
		}
		return
	case inEscape:
		s.keep(c)
		switch c {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			s.state = inString
		case 'u':
			s.state, s.hex = inHex, 4
		default:
			s.broken = true
		}
		return
	case inHex:
		s.keep(c)
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			s.broken = true
		} else if s.hex--; s.hex == 0 {
			s.state = inString
		}
		return
	case inTail:
		s.keep(c)
		if c < s.low || c > s.high {
			s.broken = true
		} else if s.low, s.high = 0x80, 0xBF; s.tail == 1 {
			s.state = inString
		}
		s.tail--
		return
	case inLiteral:
		s.keep(c)
		if c != s.want[0] {
			s.broken = true
		} else if s.want = s.want[1:]; s.want == "" {
			s.endValue()
		}
		return
	}
	if s.state >= afterMinus && s.state <= inExponent {
		if s.number(c) {
			return
		}
	}
	if s.broken || c == ' ' || c == '\t' || c == '\r' || c == '\n' {
		return
	}
	switch s.state {
	case wantObject:
		if c == '{' {
			s.open(false)
			return
		}
	case wantKey, wantKeyOrEnd:
		if c == '"' {
			s.startToken(c, s.depth == 1)
			s.key, s.state = true, inString
			return
		}
		if c == '}' && s.state == wantKeyOrEnd {
			s.close()
			return
		}
	case wantColon:
		if c == ':' {
			s.state = wantValue
			return
		}
	case wantCommaOrEnd:
		if array := s.inArray(); c == ',' {
			s.state = wantKey
			if array {
				s.state = wantValue
			}
			return
		} else if array && c == ']' || !array && c == '}' {
			s.close()
			return
		}
	case wantValueOrEnd:
		if c == ']' {
			s.close()
			return
		}
		s.value(c)
		return
	case wantValue:
		s.value(c)
		return
	}
	s.broken = true
}

// value starts a value. Its first byte says what it is.
func (s *scan) value(c byte) {
	s.startToken(c, s.member != otherMember)
	s.key = false
	switch {
	case c == '"':
		s.state = inString
	case c == '{':
		s.open(false)
	case c == '[':
		s.open(true)
	case c == 't':
		s.state, s.want = inLiteral, "rue"
	case c == 'f':
		s.state, s.want = inLiteral, "alse"
	case c == 'n':
		s.state, s.want = inLiteral, "ull"
	case c == '-':
		s.state = afterMinus
	case c == '0':
		s.state = afterZero
	case c >= '1' && c <= '9':
		s.state = inDigits
	default:
		s.broken = true
	}
}

// number takes the next byte of a number and reports whether it was one.
func (s *scan) number(c byte) bool {
	digit := c >= '0' && c <= '9'
	next := s.state
	switch {
	case s.state == afterMinus && c == '0':
		next = afterZero
	case s.state == afterMinus && digit:
		next = inDigits
	case s.state == inDigits && digit:
	case (s.state == afterZero || s.state == inDigits) && c == '.':
		next = afterDot
	case (s.state == afterDot || s.state == inFraction) && digit:
		next = inFraction
	case (s.state == afterZero || s.state == inDigits || s.state == inFraction) && (c == 'e' || c == 'E'):
		next = afterE
	case s.state == afterE && (c == '+' || c == '-'):
		next = afterSign
	case (s.state == afterE || s.state == afterSign || s.state == inExponent) && digit:
		next = inExponent
	case s.state == afterZero || s.state == inDigits || s.state == inFraction || s.state == inExponent:
		s.endValue()
		return false
	default:
		s.broken = true
		return true
	}
	s.keep(c)
	s.state = next
	return true
}

func (s *scan) open(array bool) {
	if s.depth == maxDepth {
		s.broken = true
		return
	}
	s.keeping, s.member = false, otherMember
	s.depth++
	bit := uint64(1) << (s.depth % 64)
	s.array[s.depth/64] &^= bit
	s.state = wantKeyOrEnd
	if array {
		s.array[s.depth/64] |= bit
		s.state = wantValueOrEnd
	}
}

func (s *scan) inArray() bool { return s.array[s.depth/64]>>(s.depth%64)&1 == 1 }

func (s *scan) close() {
	s.depth--
	s.endValue()
}

func (s *scan) endString() {
	if !s.key {
		s.endValue()
		return
	}
	s.state = wantColon
	if s.keeping {
		switch string(unquoted(s.token)) {
		case "id":
			s.member = idMember
			s.ids++
		case "method":
			s.member = methodMember
			s.methods++
		}
	}
	s.keeping = false
}

// endValue ends a value that stands in the container at hand.
func (s *scan) endValue() {
	text := s.state == inString
	switch {
	case s.member == idMember && s.keeping:
		s.idText = append([]byte(nil), s.token...)
	case s.member == methodMember && text && s.keeping:
		s.methodText = append([]byte{}, unquoted(s.token)...)
	case s.member == methodMember && text:
		s.methodText = []byte{}
	}
	s.keeping, s.member = false, otherMember
	s.state = wantCommaOrEnd
	if s.depth == 0 {
		s.state = wantNothing
	}
}

// startToken starts keeping a token from its first byte, where keep says so.
func (s *scan) startToken(c byte, keep bool) {
	s.keeping = keep
	s.token = s.token[:0]
	s.keep(c)
}

func (s *scan) keep(c byte) {
	if !s.keeping {
		return
	}
	if len(s.token) == maxToken {
		s.keeping = false
		return
	}
	s.token = append(s.token, c)
}

// startTail starts a UTF-8 sequence of more than one byte (Unicode, table 3-7).
func (s *scan) startTail(c byte) {
	s.state, s.low, s.high = inTail, 0x80, 0xBF
	switch {
	case c >= 0xC2 && c <= 0xDF:
		s.tail = 1
	case c >= 0xE0 && c <= 0xEF:
		s.tail = 2
		if c == 0xE0 {
			s.low = 0xA0
		} else if c == 0xED {
			s.high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		s.tail = 3
		if c == 0xF0 {
			s.low = 0x90
		} else if c == 0xF4 {
			s.high = 0x8F
		}
	default:
		s.broken = true
	}
}
