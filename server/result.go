package server

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolResult is the result of a tools/call. The SDK's own leaves isError out
// where it is false, and clients test for an explicit false.
//
// [connection.Write] finds it in its call, with what the SDK added to it. What
// encoding/json makes of it is a placeholder without the payload: the SDK would
// check and copy that, twice, on the way.
type toolResult struct {
	mcp.ResultBase
	payload  []byte // one JSON object
	isError  bool
	complete bool // say that the result is complete, as protocol revisions from 2026-07-28 on want it
}

// newResult returns the result that holds a payload. A json.RawMessage is one
// as it is.
func newResult(payload any, isError bool) *toolResult {
	if text, ok := payload.(json.RawMessage); ok {
		return &toolResult{payload: text, isError: isError}
	}
	text, err := marshal(payload)
	if err != nil {
		// No payload holds anything that JSON cannot; a doubt denies.
		text, _ = marshal(failurePayload{Error: errInternal})
		isError = true
	}
	return &toolResult{payload: text, isError: isError}
}

func failureResult(err *failure) *toolResult {
	return newResult(&failurePayload{Error: err}, true)
}

// appendText appends the result as JSON: its payload once as text and once as an
// object.
func (r *toolResult) appendText(out []byte) []byte {
	out = slices.Grow(out, 2*len(r.payload)+len(r.payload)/4+128)
	out = append(out, `{"content":[{"type":"text","text":`...)
	out = appendQuoted(out, r.payload)
	out = append(out, `}],"structuredContent":`...)
	out = append(out, r.payload...)
	if r.isError {
		out = append(out, `,"isError":true`...)
	} else {
		out = append(out, `,"isError":false`...)
	}
	if r.complete {
		out = append(out, `,"resultType":"complete"`...)
	}
	if len(r.Meta) > 0 {
		if meta, err := marshal(r.Meta); err == nil {
			out = append(append(out, `,"_meta":`...), meta...)
		}
	}
	return append(out, '}')
}

// toolList is the result of tools/list: the tools in their order, and nothing
// about caching.
type toolList struct {
	mcp.ResultBase
	Tools      []*mcp.Tool `json:"tools"`
	ResultType string      `json:"resultType,omitempty"`
}

// marshal is json.Marshal without HTML's escapes, which would make a payload
// longer and harder to read.
func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
