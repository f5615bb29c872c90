package schema

import (
	"encoding/json"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/assay/internal/ecma"
	"example.com/assay/assay/internal/strictjson"
	"example.com/assay/internal/jsonpointer"
	"example.com/assay/internal/slip"
)

// formats are the asserted ones of strings: each is exactly right in the public
// suite's tests for it (docs/policy.md, "Arguments"), in every draft alike.
var formats = map[string]func(string) bool{
	"date":                  validDate,
	"date-time":             validDateTime,
	"time":                  validTime,
	"duration":              validDuration,
	"email":                 validEmail,
	"hostname":              validHostname,
	"ipv4":                  validIPv4,
	"ipv6":                  validIPv6,
	"uri":                   validURI,
	"uri-reference":         validURIReference,
	"uri-template":          validURITemplate,
	"iri":                   validIRI,
	"iri-reference":         validIRIReference,
	"uuid":                  validUUID,
	"json-pointer":          validJSONPointer,
	"relative-json-pointer": validRelativeJSONPointer,
	"regex":                 validRegex,
}

// integerFormats are what generators write for the integer types of programming
// languages: the inclusive range of a number.
var integerFormats = map[string][2]strictjson.Number{
	"int8":   integerRange("-128", "127"),
	"int16":  integerRange("-32768", "32767"),
	"int32":  integerRange("-2147483648", "2147483647"),
	"int64":  integerRange("-9223372036854775808", "9223372036854775807"),
	"uint":   integerRange("0", "18446744073709551615"),
	"uint8":  integerRange("0", "255"),
	"uint16": integerRange("0", "65535"),
	"uint32": integerRange("0", "4294967295"),
	"uint64": integerRange("0", "18446744073709551615"),
}

// annotationFormats say something to people and constrain nothing.
var annotationFormats = []string{"float", "double", "password", "byte", "binary"}

func integerRange(low, high string) [2]strictjson.Number {
	lo, _ := strictjson.ParseNumber(low)
	hi, _ := strictjson.ParseNumber(high)
	return [2]strictjson.Number{lo, hi}
}

func knownFormat(name string) bool {
	return formats[name] != nil || integerFormats[name] != [2]strictjson.Number{} || slices.Contains(annotationFormats, name)
}

// nearestFormat returns the known format that a misspelt one most likely means.
func nearestFormat(name string) string {
	all := append(slices.Collect(maps.Keys(formats)), slices.Collect(maps.Keys(integerFormats))...)
	slices.Sort(all)
	best, least := "", slip.Far
	for _, candidate := range all {
		if n := slip.Count(strings.ToLower(name), candidate); n < least && n < len(candidate)/2 {
			best, least = candidate, n
		}
	}
	return best
}

// satisfiesFormat reports whether v has the format. A format says nothing of
// values of another type than its own.
func satisfiesFormat(name string, v any) bool {
	switch v := v.(type) {
	case string:
		if valid := formats[name]; valid != nil {
			return valid(v)
		}
	case json.Number:
		if limits, ok := integerFormats[name]; ok {
			x, ok := strictjson.ParseNumber(v)
			return ok && x.IsInteger() && x.Cmp(limits[0]) >= 0 && x.Cmp(limits[1]) <= 0
		}
	}
	return true
}

// digits reads exactly n ASCII digits at the start of s.
func digits(s string, n int) (value int, ok bool) {
	if len(s) < n {
		return 0, false
	}
	for i := range n {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		value = value*10 + int(s[i]-'0')
	}
	return value, true
}

// validDate: RFC 3339, section 5.6, full-date.
func validDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	year, ok1 := digits(s, 4)
	month, ok2 := digits(s[5:], 2)
	day, ok3 := digits(s[8:], 2)
	if !ok1 || !ok2 || !ok3 || month < 1 || month > 12 || day < 1 {
		return false
	}
	last := 31
	switch month {
	case 4, 6, 9, 11:
		last = 30
	case 2:
		last = 28
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			last = 29
		}
	}
	return day <= last
}

// validTime: RFC 3339, section 5.6, full-time. A leap second stands only where
// it is 23:59:60 in UTC.
func validTime(s string) bool {
	if len(s) < 9 || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, ok1 := digits(s, 2)
	minute, ok2 := digits(s[3:], 2)
	second, ok3 := digits(s[6:], 2)
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 60 {
		return false
	}
	s = s[8:]
	if s[0] == '.' {
		i := 1
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		if i == 1 {
			return false
		}
		s = s[i:]
	}
	shift := 0
	switch {
	case s == "Z" || s == "z":
	case len(s) == 6 && (s[0] == '+' || s[0] == '-') && s[3] == ':':
		h, ok1 := digits(s[1:], 2)
		m, ok2 := digits(s[4:], 2)
		if !ok1 || !ok2 || h > 23 || m > 59 {
			return false
		}
		shift = h*60 + m
		if s[0] == '+' {
			shift = -shift
		}
	default:
		return false
	}
	const day = 24 * 60
	return second < 60 || (hour*60+minute+shift+2*day)%day == day-1
}

// validDateTime: RFC 3339, section 5.6, date-time.
func validDateTime(s string) bool {
	return len(s) > 11 && (s[10] == 'T' || s[10] == 't') && validDate(s[:10]) && validTime(s[11:])
}

// validDuration: RFC 3339, appendix A.
func validDuration(s string) bool {
	rest, ok := strings.CutPrefix(s, "P")
	if !ok || rest == "" {
		return false
	}
	if weeks, ok := strings.CutSuffix(rest, "W"); ok {
		return allDigits(weeks)
	}
	date, clock, hasTime := strings.Cut(rest, "T")
	if hasTime && !units(clock, "HMS") {
		return false
	}
	return date == "" && hasTime || units(date, "YMD")
}

// units reads a non-empty run of number-and-unit pairs, the units consecutive
// ones of the given.
func units(s, order string) bool {
	last := -1
	for s != "" {
		i := 0
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		if i == 0 || i == len(s) {
			return false
		}
		unit := strings.IndexByte(order, s[i])
		if unit < 0 || last >= 0 && unit != last+1 {
			return false
		}
		last = unit
		s = s[i+1:]
	}
	return last >= 0
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// validIPv4: RFC 2673, section 3.2, dotted-quad, no leading zeros.
func validIPv4(s string) bool {
	address, err := netip.ParseAddr(s)
	return err == nil && address.Is4()
}

// validIPv6: RFC 4291, section 2.2, without a zone.
func validIPv6(s string) bool {
	address, err := netip.ParseAddr(s)
	return err == nil && address.Is6() && address.Zone() == ""
}

// validUUID: RFC 4122, section 3.
func validUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHex(s[i]) {
				return false
			}
		}
	}
	return true
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// validHostname: RFC 1123, section 2.1: labels of ASCII letters, digits and
// hyphens. A label that starts xn-- is refused: whether it is one is a question
// of Unicode versions (docs/policy.md, "Arguments").
func validHostname(s string) bool {
	if len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if len(label) == 0 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if len(label) >= 4 && strings.EqualFold(label[:4], "xn--") {
			return false
		}
		for i := range len(label) {
			if !isAlphanumeric(label[i]) && label[i] != '-' {
				return false
			}
		}
	}
	return true
}

// validEmail: RFC 5321, section 4.1.2, Mailbox.
func validEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 {
		return false
	}
	return validLocalPart(s[:at]) && validMailDomain(s[at+1:])
}

func validLocalPart(s string) bool {
	if s[0] == '"' {
		if len(s) < 2 || s[len(s)-1] != '"' {
			return false
		}
		for i := 1; i < len(s)-1; i++ {
			switch {
			case s[i] == '\\':
				i++
				if i == len(s)-1 || s[i] < ' ' || s[i] > '~' {
					return false
				}
			case s[i] == '"' || s[i] < ' ' || s[i] > '~':
				return false
			}
		}
		return true
	}
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" {
			return false
		}
		for i := range len(atom) {
			if !isAlphanumeric(atom[i]) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", atom[i]) < 0 {
				return false
			}
		}
	}
	return true
}

func validMailDomain(s string) bool {
	if literal, ok := strings.CutPrefix(s, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		if !ok {
			return false
		}
		if len(literal) > 5 && strings.EqualFold(literal[:5], "IPv6:") {
			return validIPv6(literal[5:])
		}
		return validIPv4(literal)
	}
	return validHostname(s)
}

// validJSONPointer: RFC 6901, section 3.
func validJSONPointer(s string) bool {
	if s == "" {
		return true
	}
	if s[0] != '/' {
		return false
	}
	_, ok := jsonpointer.Unescape(s)
	return ok
}

// validRelativeJSONPointer: draft-bhutton-relative-json-pointer-00, section 3,
// without the index manipulation that later drafts of it add.
func validRelativeJSONPointer(s string) bool {
	i := 0
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	if i == 0 || i > 1 && s[0] == '0' {
		return false
	}
	return s[i:] == "#" || validJSONPointer(s[i:])
}

// validRegex: what pattern takes.
func validRegex(s string) bool {
	_, err := ecma.Compile(s)
	return err == nil
}

// validURI: RFC 3986, section 3: a URI with its scheme.
func validURI(s string) bool { return uris(false).absolute(s) }

// validURIReference: RFC 3986, section 4.1.
func validURIReference(s string) bool { return uris(false).reference(s) }

// validIRI: RFC 3987, section 2.2, with a scheme.
func validIRI(s string) bool { return uris(true).absolute(s) }

// validIRIReference: RFC 3987, section 2.2.
func validIRIReference(s string) bool { return uris(true).reference(s) }

// uris is the grammar of URIs, or of IRIs, which differs in the characters.
type uris bool

func (iri uris) absolute(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	return ok && validScheme(scheme) && iri.afterScheme(rest)
}

func (iri uris) reference(s string) bool {
	if iri.absolute(s) {
		return true
	}
	// The first segment of a relative path has no colon (section 4.2).
	first := s
	if i := strings.IndexAny(s, "/?#"); i >= 0 {
		first = s[:i]
	}
	return !strings.Contains(first, ":") && iri.afterScheme(s)
}

func validScheme(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && (i == 0 || strings.IndexByte("+-.", s[i]) < 0) {
			return false
		}
	}
	return true
}

const subDelims = "!$&'()*+,;="

// afterScheme checks authority, path, query and fragment.
func (iri uris) afterScheme(s string) bool {
	s, fragment, _ := strings.Cut(s, "#")
	s, query, _ := strings.Cut(s, "?")
	if !iri.query(query) || !iri.text(fragment, ":@/?"+subDelims) {
		return false
	}
	if rest, ok := strings.CutPrefix(s, "//"); ok {
		authority, path := rest, ""
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			authority, path = rest[:i], rest[i:]
		}
		return iri.authority(authority) && iri.text(path, ":@/"+subDelims)
	}
	return iri.text(s, ":@/"+subDelims)
}

func (iri uris) authority(s string) bool {
	if i := strings.LastIndexByte(s, '@'); i >= 0 {
		if !iri.text(s[:i], ":"+subDelims) {
			return false
		}
		s = s[i+1:]
	}
	port := ""
	if literal, ok := strings.CutPrefix(s, "["); ok {
		address, rest, ok := strings.Cut(literal, "]")
		if !ok || !validIPLiteral(address) {
			return false
		}
		if rest != "" && rest[0] != ':' {
			return false
		}
		port = strings.TrimPrefix(rest, ":")
	} else {
		var host string
		host, port, _ = strings.Cut(s, ":")
		if !iri.text(host, subDelims) {
			return false
		}
	}
	return port == "" || allDigits(port)
}

func validIPLiteral(s string) bool {
	if len(s) > 0 && (s[0] == 'v' || s[0] == 'V') {
		version, rest, ok := strings.Cut(s[1:], ".")
		if !ok || version == "" || rest == "" || strings.Contains(rest, "%") {
			return false
		}
		for i := range len(version) {
			if !isHex(version[i]) {
				return false
			}
		}
		return uris(false).text(rest, ":"+subDelims)
	}
	return validIPv6(s)
}

// text checks a run of unreserved characters, percent escapes and the
// characters of more.
func (iri uris) text(s, more string) bool { return iri.run(s, more, isUCS) }

// query is text that in an IRI may hold private characters too.
func (iri uris) query(s string) bool {
	return iri.run(s, ":@/?"+subDelims, func(r rune) bool {
		return isUCS(r) || r >= 0xE000 && r <= 0xF8FF || r >= 0xF0000 && r <= 0xFFFFD || r >= 0x100000 && r <= 0x10FFFD
	})
}

func (iri uris) run(s, more string, wide func(rune) bool) bool {
	for i, r := range s {
		switch {
		case r >= 0x80:
			if !bool(iri) || !wide(r) {
				return false
			}
		case isAlphanumeric(byte(r)) || r == '-' || r == '.' || r == '_' || r == '~':
		case r == '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
		case strings.IndexByte(more, byte(r)) < 0:
			return false
		}
	}
	return true
}

// isUCS is ucschar of RFC 3987, section 2.2.
func isUCS(r rune) bool {
	switch {
	case r < 0xA0, r > 0xD7FF && r < 0xF900, r > 0xFDCF && r < 0xFDF0, r > 0xFFEF && r < 0x10000, r >= 0xE0000 && r < 0xE1000, r > 0xEFFFD:
		return false
	}
	return r < 0x10000 || r&0xFFFF <= 0xFFFD
}

// validURITemplate: RFC 6570, section 2, with the apostrophe as a literal, which
// its grammar leaves out and the public suite takes.
func validURITemplate(s string) bool {
	for s != "" {
		literal, rest, expression := strings.Cut(s, "{")
		if !templateLiteral(literal) {
			return false
		}
		if !expression {
			return true
		}
		var inner string
		if inner, s, expression = strings.Cut(rest, "}"); !expression || !templateExpression(inner) {
			return false
		}
	}
	return true
}

func templateLiteral(s string) bool {
	for i, r := range s {
		switch {
		case r >= 0x80:
			if !isUCS(r) && (r < 0xE000 || r > 0xF8FF) && (r < 0xF0000 || r&0xFFFF > 0xFFFD) {
				return false
			}
		case r == '%':
			if i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2]) {
				return false
			}
		case r <= ' ' || r == 0x7F || strings.ContainsRune("\"<>\\^`|}", r):
			return false
		}
	}
	return true
}

func templateExpression(s string) bool {
	if s != "" && strings.IndexByte("+#./;?&=,!@|", s[0]) >= 0 {
		s = s[1:]
	}
	for variable := range strings.SplitSeq(s, ",") {
		name, prefix, limited := strings.Cut(variable, ":")
		if limited {
			if !allDigits(prefix) || len(prefix) > 4 || prefix[0] == '0' {
				return false
			}
		} else {
			name = strings.TrimSuffix(name, "*")
		}
		for part := range strings.SplitSeq(name, ".") {
			if part == "" || !templateName(part) {
				return false
			}
		}
	}
	return true
}

func templateName(s string) bool {
	for i := 0; i < len(s); i++ {
		switch {
		case isAlphanumeric(s[i]) || s[i] == '_':
		case s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			i += 2
		default:
			return false
		}
	}
	return true
}

// integerFormatText says what an integer format admits.
func integerFormatText(name string) string {
	limits := integerFormats[name]
	return "an integer from " + limits[0].String() + " to " + limits[1].String()
}

// shown writes a name for a message: quoted, with what does not print escaped,
// cut to 128 bytes.
func shown(name string) string { return shownIn(name, 128) }

// shownIn is shown with another bound, in bytes and without the quotes.
func shownIn(name string, limit int) string {
	var out []byte
	fits := 0 // the longest cut that leaves room for the ellipsis
	for _, r := range name {
		if len(out) <= limit-len("…") {
			fits = len(out)
		}
		switch r {
		case '\'':
			out = append(out, '\'')
		case '"':
			out = append(out, `\"`...)
		default:
			escaped := strconv.QuoteRune(r)
			out = append(out, escaped[1:len(escaped)-1]...)
		}
		if len(out) > limit {
			out = append(out[:fits], "…"...)
			break
		}
	}
	return `"` + string(out) + `"`
}
