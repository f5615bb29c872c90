// Package assay decides, before an AI agent's tool call runs, whether a policy
// allows it. (Skeleton: everything denies.)
package assay

import (
	"errors"
	"io/fs"
)

// Policy is a compiled policy document: immutable and safe for concurrent use.
// A nil or zero Policy denies everything.
type Policy struct {
	spec *Spec
}

// Spec is the typed policy document.
type Spec struct{}

var errSkeleton = errors.New("assay: skeleton")

// Parse compiles a policy from its text, JSON or YAML. The error is a [*PolicyError].
func Parse(data []byte, opts *Options) (*Policy, error) { return nil, errSkeleton }

// ParseFS reads and compiles the policy file name of fsys; it never reads more than the policy limit.
func ParseFS(fsys fs.FS, name string, opts *Options) (*Policy, error) { return nil, errSkeleton }

// Compile compiles a policy from a Spec, of which it keeps a copy.
func Compile(spec *Spec, opts *Options) (*Policy, error) { return nil, errSkeleton }

// Spec returns a deep copy of the document.
func (p *Policy) Spec() *Spec { return nil }

// Digest returns the hex SHA-256 of the canonical document.
func (p *Policy) Digest() string { return "" }

// Problems lists the schemas that do not compile, by tool.
func (p *Policy) Problems() []Problem { return nil }

// CheckArgs answers whether the call's name and arguments are allowed.
func CheckArgs(p *Policy, call Call) Decision { return Decision{} }

// CheckArgsValue is CheckArgs over a decoded value.
func CheckArgsValue(p *Policy, tool string, arguments any) Decision { return Decision{} }

// CheckSequence answers whether next may come after history.
func CheckSequence(p *Policy, history []Call, next Call) Decision { return Decision{} }

// PolicyDecide answers whether the name is on the policy's blocklist.
func PolicyDecide(p *Policy, tool string) Decision { return Decision{} }
