package args

// Identity is what a policy pins a tool to, and what a caller found at run
// time. Two identities are equal when all four members are; a member that a
// caller leaves out is empty and differs from every pinned one that is not.
type Identity struct {
	ServerID   string
	ToolName   string
	SchemaHash string
	MetaHash   string
}

// pin is the identity that a tool must have; nil when the policy has none.
type pin struct{ want Identity }

// drift reports whether the tool is known to be another than the pinned one.
func (p *pin) drift(found *Identity) bool {
	return p != nil && found != nil && *found != p.want
}

// unverified reports whether there is a pin that nothing can be compared with.
func (p *pin) unverified(found *Identity) bool {
	return p != nil && found == nil
}
