package assay

// ErrorKind is the class of what is wrong with a policy document.
type ErrorKind uint8

const (
	KindSyntax    ErrorKind = iota + 1 // the text is no YAML and no JSON
	KindRoot                           // the root is neither a mapping nor a list
	KindStructure                      // a type, a key or a value is wrong
	KindLimit                          // the document is over a limit
)

// Problem is one thing that is wrong with a policy, for the person who mends it.
type Problem struct {
	Path         string // JSON Pointer (RFC 6901) into the policy
	Line, Column int    // 1-based; 0 when unknown
	Message      string // what is wrong
	Hint         string // what to do; may be empty
}

// PolicyError says why a document is no policy. It lists every problem found,
// in the order of the text, and wraps the error of the file system where that
// is the cause.
type PolicyError struct {
	Kind     ErrorKind
	Problems []Problem
	err      error
}

// Unwrap returns the file system's error, or nil.
func (e *PolicyError) Unwrap() error { return e.err }
