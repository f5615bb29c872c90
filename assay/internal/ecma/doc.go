// Package ecma matches the regular expressions of JSON Schema: ECMA-262 (the
// 15th edition, 2024) with the `u` flag, as a yes or no whether a text holds a
// match anywhere.
//
// Accepted is the grammar of ECMA-262 section 22.2.1 with [+UnicodeMode,
// +NamedCaptureGroups], and one thing more: an identity escape of any ASCII
// punctuation character or the space (`\-`, `\@`, `\_`), which stands for that
// character everywhere. All else is a [SyntaxError]: inline flags, `\A`,
// atomic groups, a lone brace, and what later editions add.
//
// A pattern is read by this package's own parser and handed on as a tree, never
// as its own text, so that no engine's dialect can slip in:
//
//	parse.go       the grammar, and the tree (node.go) it makes
//	class.go       character classes as exact sets of code points
//	property.go    \p{…}
//	shape.go       plain sequences of classes and literals, matched by a loop
//	automaton.go   small patterns, matched by a table look-up a byte
//	re2.go         what else Go's regexp can say with the same meaning
//	backtrack.go   all the rest, on regexp2 under a [Bound]
//	set.go         the patterns of one policy, and what their machines may take
//
// A pattern runs on the first of these that can. All give the same answers; the
// tests hold them against each other and against a JavaScript engine.
//
// A text is a sequence of Unicode code points, in valid UTF-8; whether another
// matches is not specified. A lone surrogate, which a pattern can name, matches
// nothing.
package ecma
