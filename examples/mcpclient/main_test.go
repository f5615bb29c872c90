package main

import (
	"context"
	"os"
)

// The client builds the server of this module and speaks to it for real.
func Example() {
	if err := run(context.Background(), os.Stdout, "", "../policies"); err != nil {
		panic(err)
	}
	// Output:
	// apply_discount 50%: denied: the number must be <= 30; use a number <= 30
	// apply_discount 30%: allowed
	// delete_customer after []: denied: "delete_customer" was called without an earlier call of "verify_identity"; call "verify_identity" before "delete_customer"
	// delete_customer after [verify_identity]: allowed
}
