// Mcpclient is the retry loop over MCP: the official SDK's client starts the
// server, asks, reads the suggestion, and asks again.
//
//	go run ./examples/mcpclient
//
// With -server it starts a binary that exists; without, it builds the server
// of this module first.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	server := flag.String("server", "", "path of an assay-mcp-server binary (default: build it)")
	root := flag.String("policy-root", "examples/policies", "directory of the policies")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *server, *root); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run starts the server, walks through both stories, and closes it.
func run(ctx context.Context, w io.Writer, server, root string) error {
	if server == "" {
		dir, err := os.MkdirTemp("", "assay")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		server = filepath.Join(dir, "assay-mcp-server")
		build := exec.CommandContext(ctx, "go", "build", "-o", server, "example.com/assay/server/cmd/assay-mcp-server")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building the server: %w", err)
		}
	}

	client := mcp.NewClient(&mcp.Implementation{Name: "mcpclient", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{
		Command: exec.Command(server, "--policy-root", root, "--log-level", "error"),
	}, nil)
	if err != nil {
		return err
	}
	defer session.Close()

	// Arguments: ask, read what would pass, ask again, a bounded number of times.
	percent := 50
	for try := 1; try <= 3; try++ {
		a, err := ask(ctx, session, "assay_check_args", map[string]any{
			"policy": "discounts.yaml", "tool": "apply_discount", "arguments": map[string]any{"percent": percent},
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "apply_discount %d%%: %s\n", percent, a)
		if a.cleared() {
			break
		}
		// A model would read the suggestion; this one knows a single lower number.
		percent = 30
	}

	// Order: the prerequisite runs, and then the same question has another answer.
	history := []string{}
	for try := 1; try <= 2; try++ {
		a, err := ask(ctx, session, "assay_check_sequence", map[string]any{
			"policy": "sequence.yaml", "history": history, "next_tool": "delete_customer",
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "delete_customer after %v: %s\n", history, a)
		if a.cleared() {
			break
		}
		history = append(history, "verify_identity")
	}
	return session.Close()
}

// answer is the part of a payload that a caller branches on.
type answer struct {
	isError     bool
	Allowed     bool              `json:"allowed"`
	Obligations []json.RawMessage `json:"obligations"`
	Violations  []struct {
		Message    string `json:"message"`
		Suggestion string `json:"suggestion"`
	} `json:"violations"`
	Error *struct {
		Code string `json:"code"`
	} `json:"error"`
}

// cleared says whether the call may run: an allow, told twice, with no duty left.
func (a answer) cleared() bool { return !a.isError && a.Allowed && len(a.Obligations) == 0 }

func (a answer) String() string {
	switch {
	case a.cleared():
		return "allowed"
	case a.Error != nil:
		return "no decision, " + a.Error.Code
	case len(a.Violations) > 0:
		return "denied: " + a.Violations[0].Message + "; " + a.Violations[0].Suggestion
	}
	return "denied"
}

// ask calls one tool and reads the payload from the first content item.
func ask(ctx context.Context, s *mcp.ClientSession, tool string, arguments map[string]any) (answer, error) {
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return answer{}, err
	}
	if len(result.Content) == 0 {
		return answer{}, fmt.Errorf("%s: no content", tool)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		return answer{}, fmt.Errorf("%s: the first content item is no text", tool)
	}
	a := answer{isError: result.IsError}
	if err := json.Unmarshal([]byte(text.Text), &a); err != nil {
		return answer{}, fmt.Errorf("%s: %w", tool, err)
	}
	return a, nil
}
