// Package sequence decides whether a tool call may come next, from the calls
// that came before it: what docs/policy.md, "Order", says.
//
// A trace is the calls in order, indices from 0; in a check the last one is the
// call that is proposed. A [Rule] says something about the trace; [Compile]
// turns rules into a [Checker], which is asked in three ways:
//
//	Checker.Check   may the last call of this trace run? All at once.
//	Monitor         the same, one call at a time, at a cost that does not
//	                grow with the history; for sessions.
//	Evaluate        what became of every rule, for reports about past runs.
//
// Each kind of rule stands in the file of its name: what it means is the doc
// comment of its type, and how it is decided is the automaton below it. The
// automata are stepped by machine.go, which is the one engine under all three.
//
// A rule may look at arguments ([Selector]). Where the arguments of a call are
// not known, whether it matches is unknown, and a rule has to hold whichever
// way every unknown match falls; otherwise it is violated, with the constraint
// [ArgumentsUnknown]. Calls of one trace are many, so the readings are not
// enumerated: see machine.go.
package sequence
