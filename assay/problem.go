package assay

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/assay/internal/policydoc"
)

// ErrorKind is the class of what is wrong with a policy document.
type ErrorKind uint8

const (
	KindSyntax    ErrorKind = iota + 1 // the text is no YAML and no JSON
	KindRoot                           // the root is neither a mapping nor a list that is a sequence policy
	KindStructure                      // a type, a key or a value is wrong
	KindLimit                          // the document is over a limit
	KindRead                           // the file cannot be read; see errors.Unwrap
)

// String returns a word for the kind, such as "syntax".
func (k ErrorKind) String() string {
	switch k {
	case KindSyntax:
		return "syntax"
	case KindRoot:
		return "root"
	case KindStructure:
		return "structure"
	case KindLimit:
		return "limit"
	case KindRead:
		return "read"
	}
	return "unknown"
}

// Problem is one thing that is wrong with a policy, for the person who mends it.
// It stands at the key that its path ends in, or at the item of a list; what is
// wrong with the text itself stands where it is.
type Problem struct {
	Path         string // JSON Pointer (RFC 6901) into the policy
	Line, Column int    // 1-based; 0 when unknown
	Message      string // what is wrong
	Hint         string // what to do; may be empty

	// Tool is the tool whose calls the problem denies, where it is of one
	// tool's schema only; see [Policy.Problems].
	Tool string
}

// inOrder sorts problems by line and column, those without a place last, and
// problems of one place by tool.
func inOrder(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(uint(a.Line-1), uint(b.Line-1)), // no line is the greatest
			cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Tool, b.Tool),
		)
	})
	return problems
}

// String returns the problem as one line: place, message and hint.
func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "line %d, column %d: ", p.Line, p.Column)
	}
	if p.Path != "" {
		b.WriteString(p.Path)
		b.WriteString(": ")
	}
	b.WriteString(p.Message)
	if p.Hint != "" {
		b.WriteString("; ")
		b.WriteString(p.Hint)
	}
	return b.String()
}

// PolicyError says why a document is no policy. It lists every problem found,
// up to 1,000, in the order of the text, and wraps the error of the file system
// where that is the cause. Its texts quote keys of the policy, so they are for
// those who may read it.
type PolicyError struct {
	Kind     ErrorKind
	Problems []Problem
	file     string // "" where the text came from no file
	err      error
}

// Error names the file that [ParseFS] read, the first problem and its place, and
// how many more there are.
func (e *PolicyError) Error() string {
	s := "assay: the policy"
	if e.file != "" {
		s += " " + strconv.Quote(e.file)
	}
	s += " is refused (" + e.Kind.String() + ")"
	if len(e.Problems) > 0 {
		s += ": " + e.Problems[0].String()
	}
	if more := len(e.Problems) - 1; more > 0 {
		s += fmt.Sprintf(" (and %d more)", more)
	}
	if e.err != nil {
		s += ": " + e.err.Error()
	}
	return s
}

// Code returns the code of the denial that this error stands for:
// [CodeLimitExceeded] for KindLimit, else [CodePolicyParse].
func (e *PolicyError) Code() Code {
	if e.Kind == KindLimit {
		return CodeLimitExceeded
	}
	return CodePolicyParse
}

// Message returns the fixed sentence of the kind (docs/policy.md, "How a file
// is read"). Unlike Error it holds nothing of the policy's text, so it may be
// shown to whoever asked for a decision.
func (e *PolicyError) Message() string {
	switch e.Kind {
	case KindSyntax:
		return "Policy YAML is invalid"
	case KindRoot:
		return reasonRoot
	case KindLimit:
		return "Policy is over a size limit"
	case KindRead:
		return "Policy cannot be read"
	}
	return reasonStructure
}

// Unwrap returns the file system's error, or nil.
func (e *PolicyError) Unwrap() error { return e.err }

// refuse is a PolicyError of one problem without a place.
func refuse(kind ErrorKind, message, hint string) *PolicyError {
	return &PolicyError{Kind: kind, Problems: []Problem{{Message: message, Hint: hint}}}
}

// unreadable is a PolicyError about the text itself.
func unreadable(e *policydoc.Error) *PolicyError {
	kinds := map[policydoc.ErrorKind]ErrorKind{
		policydoc.KindSyntax:    KindSyntax,
		policydoc.KindRoot:      KindRoot,
		policydoc.KindStructure: KindStructure,
		policydoc.KindLimit:     KindLimit,
	}
	var problems []Problem
	for _, p := range e.Problems {
		problems = append(problems, Problem{Path: p.Path, Line: p.Line, Column: p.Column, Message: p.Message, Hint: p.Hint})
	}
	return &PolicyError{Kind: kinds[e.Kind], Problems: inOrder(problems)}
}
