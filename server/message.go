package server

import "unicode/utf8"

// message is one JSON-RPC 2.0 request or notification, as text. Its slices are
// parts of the line it was read from.
type message struct {
	id     []byte // as written; nil for a notification
	method []byte // its text
	params []byte // as written; nil when absent
}

// parseMessage reads one line. ok is false for a line that gets no response
// whatever it asks: one that is no JSON in UTF-8, that nests deeper than
// maxDepth, or that is no request of JSON-RPC 2.0 (a batch, a wrong type, a
// repeated member, a response).
func parseMessage(line []byte) (msg message, ok bool) {
	if !utf8.Valid(line) {
		return message{}, false
	}
	m, ok := membersOf(line, maxDepth)
	if !ok {
		return message{}, false
	}
	var version, method, id, params once
	for m.next() {
		switch string(m.name()) {
		case "jsonrpc":
			version.set(m.value)
		case "method":
			method.set(m.value)
		case "id":
			id.set(m.value)
		case "params":
			params.set(m.value)
		}
	}
	if !m.whole() || version.again || method.again || id.again || params.again {
		return message{}, false
	}
	if !isString(version.value) || string(unquoted(version.value)) != "2.0" || !isString(method.value) {
		return message{}, false
	}
	if id.value != nil && !isID(id.value) {
		return message{}, false
	}
	return message{id: id.value, method: unquoted(method.value), params: params.value}, true
}

// once is a member that may stand in an object at most once: two readers of a
// repeated one would see two different objects.
type once struct {
	value []byte // as written; nil when absent
	again bool
}

func (o *once) set(value []byte) {
	o.again = o.again || o.value != nil
	o.value = value
}

func isString(value []byte) bool { return len(value) > 0 && value[0] == '"' }
func isObject(value []byte) bool { return len(value) > 0 && value[0] == '{' }
func isNull(value []byte) bool   { return len(value) > 0 && value[0] == 'n' }

// isID reports whether a JSON value may be an id: a string or a number.
func isID(value []byte) bool {
	return len(value) > 0 && (value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}

// sameID reports whether two ids, as written, are one: strings by their text,
// numbers digit for digit.
func sameID(a, b []byte) bool {
	if isString(a) && isString(b) {
		return string(unquoted(a)) == string(unquoted(b))
	}
	return string(a) == string(b)
}
