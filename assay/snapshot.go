package assay

import (
	"encoding/json"
	"errors"
	"fmt"

	"example.com/assay/assay/internal/strictjson"
	"example.com/assay/assay/sequence"
)

// snapshotFormat is the format that Snapshot writes, and the only one that
// Restore reads.
const snapshotFormat = 1

// snapshot is what a session remembers, as JSON. Every member is required, but
// sequence is null where the document is no sequence policy.
type snapshot struct {
	Format   int64           `json:"format"`
	Policy   string          `json:"policy"` // digest
	Requests int64           `json:"requests"`
	Calls    int64           `json:"calls"`
	Sequence json.RawMessage `json:"sequence"` // the state of a sequence.Monitor
}

// Snapshot returns what the session remembers, as JSON for [Restore]. It stays
// small whatever the history is, unless arguments were unknown, and holds no
// tool name and no argument. It is an error if the session has no policy.
//
// A pending call is in it as a call that ran: after a restart nobody can tell.
// Whoever keeps a snapshot between Begin and the call cannot lose a call to a
// crash and so make it twice.
//
// A snapshot is not authenticated. Who can write it can reset every count, so
// keep it where only the program can.
func (s *Session) Snapshot() ([]byte, error) {
	if s == nil || s.policy == nil || s.policy.compiled == nil {
		return nil, errors.New("assay: a session without a policy has nothing to keep")
	}
	digest := s.policy.Digest()
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := snapshot{Format: snapshotFormat, Policy: digest, Requests: s.requests, Calls: s.calls}
	if s.monitor != nil {
		kept.Sequence = s.monitor.State()
	}
	return json.Marshal(kept)
}

// maxRequests is how many requests a session may have counted to be restored:
// far more than can be made, and far from where an int64 wraps to a count that
// no ceiling stops.
const maxRequests = 1 << 53

// Restore returns the session that a snapshot was taken of. It refuses a
// snapshot of another policy or format, whatever is no strict JSON, unknown,
// repeated or missing members, and counts that no session can have. The session
// obeys the options of p.
func Restore(p *Policy, data []byte) (*Session, error) {
	if p == nil || p.compiled == nil {
		return nil, errors.New("assay: there is no policy to restore a session of")
	}
	kept, err := readSnapshot(data)
	if err != nil {
		return nil, fmt.Errorf("assay: the snapshot is refused: %w; start a new session", err)
	}
	if kept.Policy != p.Digest() {
		return nil, errors.New("assay: the snapshot is of another policy; start a new session, or restore with the policy of that digest")
	}
	s := NewSession(p)
	s.requests, s.calls = kept.Requests, kept.Calls
	if (s.monitor == nil) != (string(kept.Sequence) == "null") {
		return nil, errors.New("assay: the snapshot does not fit the policy's rules about order; start a new session")
	}
	if s.monitor != nil {
		var monitor *sequence.Monitor
		if monitor, err = p.compiled.sequence.RestoreMonitor(kept.Sequence); err != nil {
			return nil, err
		}
		if int64(monitor.Len()) != kept.Calls {
			return nil, errors.New("assay: the snapshot counts other calls than its rules about order saw; start a new session")
		}
		s.monitor = monitor
	}
	return s, nil
}

// readSnapshot reads a snapshot by the exact names of its members, which
// encoding/json alone would not insist on.
func readSnapshot(data []byte) (kept snapshot, err error) {
	if err := strictjson.Check(data); err != nil {
		return kept, err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil || members == nil {
		return kept, errors.New("it is not a mapping")
	}
	targets := map[string]any{
		"format": &kept.Format, "policy": &kept.Policy, "requests": &kept.Requests, "calls": &kept.Calls, "sequence": &kept.Sequence,
	}
	for name, value := range members {
		target, known := targets[name]
		if !known {
			return kept, errors.New("it has a member that snapshots do not have")
		}
		if json.Unmarshal(value, target) != nil || string(value) == "null" && name != "sequence" {
			return kept, fmt.Errorf("its %s is of a wrong type", name)
		}
	}
	switch {
	case len(members) != len(targets):
		return kept, errors.New("a member is missing")
	case kept.Format != snapshotFormat:
		return kept, errors.New("its format is not one that this version reads")
	case kept.Calls < 0 || kept.Requests < kept.Calls:
		return kept, errors.New("it counts fewer requests than calls")
	case kept.Requests > maxRequests:
		return kept, errors.New("it counts more requests than a session can")
	}
	return kept, nil
}
