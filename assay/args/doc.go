// Package args decides by its name and its arguments whether a tool call is
// allowed: the part of the policy language that docs/policy.md describes in
// its sections 2 and 3. It knows the forms of name patterns, the classes of
// tools, pins, ceilings, the schemas of arguments and the duties that ride on an
// allow; it knows nothing of files, of sequences or of the facade above it.
//
// [Compile] turns [Rules] into a [Checker], once; [Checker.Check] answers for
// one [Request]. A doubt denies, and no text of an answer repeats a value of
// the arguments.
package args
