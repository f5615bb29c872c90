package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
	"unicode/utf8"

	"example.com/assay/assay"
)

// The functions of this file ask and answer outside of a session, as the
// command's check does: payloads are the bytes that a tool answers with, and
// histories and identities are read as a tool reads them.

// CheckArgsPayload returns what assay_check_args answers, as JSON.
func CheckArgsPayload(tool string, d assay.Decision) []byte {
	return newResult(checkArgsAnswer(tool, &d), !d.Allowed).payload
}

// CheckSequencePayload returns what assay_check_sequence answers, as JSON.
func CheckSequencePayload(d assay.Decision) []byte {
	return newResult(checkSequenceAnswer(&d), !d.Allowed).payload
}

// PolicyDecidePayload returns what assay_policy_decide answers, as JSON.
func PolicyDecidePayload(tool string, d assay.Decision) []byte {
	return newResult(policyDecideAnswer(tool, &d), !d.Allowed).payload
}

// FailurePayload returns what a tool answers when it has no decision because
// of err, as JSON: an error of opening or reading the policy, of assay.Parse,
// or of a function of this package. The sequence check has messages of its own.
func FailurePayload(err error, sequence bool) []byte {
	var path *fs.PathError
	switch {
	case errors.As(err, &path) && errors.Is(err, fs.ErrNotExist):
		return failureResult(&failure{Code: codePolicyNotFound, Message: cut("Policy not found: " + validText(path.Path))}).payload
	case path != nil && errors.Is(err, syscall.EISDIR):
		return failureResult(errNotRegular).payload
	case path != nil:
		return failureResult(errUnreadable).payload
	case sequence:
		return failureResult(sequenceLoadFailure(err)).payload
	}
	return failureResult(loadFailure(err)).payload
}

// ErrTimeout is the failure of a question that takes too long.
var ErrTimeout error = errTimeout

// ReadLimited reads all of in, which what names, and no more than limit bytes
// and one. More than limit bytes are an error.
func ReadLimited(in io.Reader, what string, limit int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err == nil && len(text) > limit {
		err = exceeded(what+" is larger than %d bytes", limit)
	}
	if err != nil {
		return nil, err
	}
	return text, nil
}

// ReadHistory reads a history from JSON: a list whose entries are names, or
// objects that hold a tool and, where they are known, its arguments. Errors say
// which entry is wrong, counted from 0, and hold nothing of the text.
func ReadHistory(text []byte) ([]assay.Call, error) {
	text = bytes.TrimLeft(text, " \t\r\n")
	e, ok := elementsOf(text)
	if !ok || !utf8.Valid(text) {
		return nil, errors.New("the history is no JSON list")
	}
	history := []assay.Call{}
	for e.next() {
		past, ok := readPastCall(e.value)
		if !ok {
			return nil, fmt.Errorf("entry %d of the history is neither a name nor an object with a tool and, optionally, a strict JSON object of arguments", len(history))
		}
		if err := checkNames(".", past.Tool); err != nil {
			return nil, fmt.Errorf("entry %d of the history: %w", len(history), err)
		}
		history = append(history, assay.Call{Tool: past.Tool, Arguments: past.Arguments})
	}
	if e.broken || skipSpace(text, e.at) != len(text) {
		return nil, fmt.Errorf("the history is no JSON list: it breaks off after %d entries", len(history))
	}
	return history, nil
}

// ReadIdentity reads an identity from a JSON object with the members server_id,
// tool_name, schema_hash and meta_hash; one that is missing is empty.
func ReadIdentity(text []byte) (*assay.Identity, error) {
	id, ok := readIdentity(text)
	if !ok || !utf8.Valid(text) {
		return nil, errors.New("the identity is no JSON object of texts, each member given once")
	}
	identity := assay.Identity(*id)
	return &identity, nil
}

// IsArguments reports whether text is what a tool takes as the arguments of a
// call in a sequence: one JSON object that strict reading takes, in which no
// name is repeated, no surrogate is alone, and depth and numbers are in bounds.
func IsArguments(text []byte) bool {
	return utf8.Valid(text) && readMembers(text, func(string, []byte) {}) && isStrict(text)
}
