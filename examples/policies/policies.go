// Package policies holds the example policies, so that the example programs
// run from any directory.
package policies

import "embed"

// FS holds the policy files by their names, such as "discounts.yaml".
//
//go:embed *.yaml
var FS embed.FS
