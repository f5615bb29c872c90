package server_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/assay/server"
)

// A server answers what comes in, until its end.
func Example() {
	root, err := os.MkdirTemp("", "policies-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	policy := "blocklist: [drop_table]\n"
	if err := os.WriteFile(filepath.Join(root, "names.yaml"), []byte(policy), 0o644); err != nil {
		fmt.Println(err)
		return
	}

	s, err := server.New(root, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"assay_policy_decide","arguments":{"tool":"drop_table","policy":"names.yaml"}}}`)
	if err := s.Serve(context.Background(), in, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"allowed\":false,\"matches\":[\"Tool 'drop_table' is blocked by policy\"]}"}],"structuredContent":{"allowed":false,"matches":["Tool 'drop_table' is blocked by policy"]},"isError":true}}
}
