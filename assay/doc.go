// Package assay decides, before an AI agent's tool call runs, whether a policy
// allows it.
//
// A policy is compiled once and answers for as long as the process lives:
//
//	policy, err := assay.Parse(text, &assay.Options{Strict: true})
//	...
//	session := assay.NewSession(policy)
//	...
//	decision, pending := session.Begin(call)
//	defer pending.Cancel() // does nothing after Done
//	if err := decision.Err(); err != nil {
//		return err // a denial says what would pass; or a person has to approve first
//	}
//	defer pending.Done()
//	return run(call)
//
// Strict is for whoever can refuse a broken file at its start: a schema that does
// not compile is an error of Parse. Without it, as with nil options, every call
// of that schema's tool is denied and the other tools go on working; the server
// loads files so.
//
// [Parse] reads a file, JSON or YAML; [Compile] takes the same document as a
// [Spec]. [CheckArgs] answers by a call's name and arguments, [CheckSequence]
// by the calls before it, [PolicyDecide] by a list of blocked names. A
// [Session] answers the first two at once and remembers: limits count there, and
// the price of a call does not grow with the history. Without one, ask about
// order first and about arguments last, and let neither stand for the other:
// only CheckArgs brings obligations, and an approval is no leave to pass over
// the order.
//
// # What an answer means
//
// A [Decision] is a statement about the input. Its zero value denies, and every
// way to fail is a denial with a code, so that a caller who forgets an error
// cannot proceed. An allow may come with obligations, duties that the caller
// has before the call may run; [Decision.Err] is nil only where there are none.
// No text in a Decision repeats a value of the arguments.
//
// # What is bounded
//
// A check does no I/O and takes no context: it ends by a budget of steps
// ([Options.MaxSteps]) and denies where that is used up. A policy's text, the
// nesting of values, number literals and the list of violations are bounded as
// well. A Policy is immutable, and everything here but the fields of plain
// structs is safe for concurrent use.
//
// The language is described in docs/policy.md, to which the comments refer by
// section; what each key means also stands beside its field in [Spec].
package assay
