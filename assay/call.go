package assay

import "encoding/json"

// Call is one tool call that an agent proposes, or one that it made before.
type Call struct {
	// Tool is the tool's name, compared byte for byte. A name that is empty
	// or not UTF-8 is denied with [CodeInvalidRequest].
	Tool string `json:"tool"`

	// Arguments is the JSON text of the arguments as the agent wrote it. Nil
	// means no arguments: [CheckArgs] reads it as {}, and in a history it
	// leaves every argument match of a sequence rule unknown. Empty non-nil
	// bytes are malformed.
	Arguments json.RawMessage `json:"arguments,omitempty"`

	// Identity says which tool is really behind the name. It is compared with
	// the policy's tool_pins; nil means that the caller does not know.
	Identity *Identity `json:"identity,omitempty"`
}

// Identity is what a policy pins a tool to, and what a caller found at run
// time. Two identities are equal when all four members are.
type Identity struct {
	ServerID   string `json:"server_id"`
	ToolName   string `json:"tool_name"`
	SchemaHash string `json:"schema_hash"` // 64 lowercase hexadecimal digits in a policy
	MetaHash   string `json:"meta_hash"`   // 64 lowercase hexadecimal digits in a policy
}
