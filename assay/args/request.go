package args

import "sync/atomic"

// Request is one call to decide about.
type Request struct {
	Tool string

	// Arguments is the JSON text of the arguments. Nil reads as {}; empty
	// non-nil bytes are malformed.
	Arguments []byte

	// With HasValue, Value is judged instead of Arguments. It is made of
	// map[string]any, []any, string, json.Number, bool and nil. With Plain,
	// numbers may also be of other kinds that schema.AcceptsValue reads, and
	// Plain returns the value without them. It is called where nothing less
	// than the whole engine decides.
	Value    any
	HasValue bool
	Plain    func(value any) any

	// Identity is what the caller found behind the name; nil when unknown.
	Identity *Identity

	// Requests and Calls are the counts that the ceilings apply to, this
	// request and call included: a count below 1 is read as 1.
	Requests, Calls int64

	// Stop ends the evaluation early once it is set, as if the budget were
	// used up; nil never does.
	Stop *atomic.Bool
}

// noArguments is what absent arguments read as.
var noArguments = []byte("{}")

// text returns the JSON text of the arguments.
func (r *Request) text() []byte {
	if r.Arguments == nil {
		return noArguments
	}
	return r.Arguments
}
