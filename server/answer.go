package server

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The JSON-RPC errors that a client can meet. The SDK's own messages quote the
// request, so their codes are kept and their words are not.
var (
	invalidRequest = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request"}
	methodNotFound = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found"}
	invalidParams  = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "Invalid params"}
	internalError  = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error"}
)

// errorFor returns the error that a client gets for one of the SDK's.
func errorFor(method string, err error) *jsonrpc.Error {
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) {
		wire = internalError
	}
	switch {
	case wire.Code == mcp.CodeUnsupportedProtocolVersion:
		// The data holds the versions that would do.
		return &jsonrpc.Error{Code: wire.Code, Message: "Unsupported protocol version", Data: wire.Data}
	case wire.Code == jsonrpc.CodeMethodNotFound:
		return methodNotFound
	case wire.Code == jsonrpc.CodeInvalidParams || method == "initialize":
		// The SDK gives params of initialize that it cannot decode no code.
		return invalidParams
	case wire.Code == jsonrpc.CodeInvalidRequest:
		return invalidRequest
	}
	return internalError
}

// appendResult appends the line of a response.
func appendResult(out, id, result []byte) []byte {
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	out = append(out, id...)
	out = append(out, `,"result":`...)
	out = append(out, result...)
	return append(out, "}\n"...)
}

// appendToolResult appends the line of a response to a tools/call.
func appendToolResult(out, id []byte, result *toolResult) []byte {
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	out = append(out, id...)
	out = append(out, `,"result":`...)
	out = result.appendText(out)
	return append(out, "}\n"...)
}

// appendError appends the line of an error response.
func appendError(out, id []byte, err *jsonrpc.Error) []byte {
	out = append(out, `{"jsonrpc":"2.0","id":`...)
	out = append(out, id...)
	out = append(out, `,"error":{"code":`...)
	out = strconv.AppendInt(out, err.Code, 10)
	out = append(out, `,"message":`...)
	out = appendQuoted(out, []byte(err.Message))
	if json.Valid(err.Data) {
		out = append(out, `,"data":`...)
		out = append(out, err.Data...)
	}
	return append(out, "}}\n"...)
}
