// Command bare answers every line on stdin with one fixed line: what the pipes
// and a reader cost by themselves.
package main

import (
	"bufio"
	"os"
)

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<16)
	answer := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"allowed\":true}"}],"isError":false}}` + "\n")
	for {
		if _, err := in.ReadSlice('\n'); err != nil {
			return
		}
		if _, err := os.Stdout.Write(answer); err != nil {
			return
		}
	}
}
