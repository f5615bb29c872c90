package args

// Identity is what a policy pins a tool to, and what a caller found at run
// time. Two identities are equal when all four members are. An empty member is
// one that the caller did not give, and equals nothing.
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
	if p == nil || found == nil {
		return false
	}
	given := found.ServerID != "" && found.ToolName != "" && found.SchemaHash != "" && found.MetaHash != ""
	return !given || *found != p.want
}

// unverified reports whether there is a pin that nothing can be compared with.
func (p *pin) unverified(found *Identity) bool {
	return p != nil && found == nil
}
