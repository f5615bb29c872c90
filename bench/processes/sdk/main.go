// Command sdk is a server on the MCP Go SDK, with the SDK's own transport, that
// answers every call of its one tool with a fixed text: the SDK's floor.
package main

import (
	"context"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "floor", Version: "0"}, nil)
	server.AddTool(
		&mcp.Tool{Name: "floor", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: `{"allowed":true}`}}}, nil
		})
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		log.Fatal(err)
	}
}
