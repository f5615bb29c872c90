package lint_test

import (
	"fmt"

	"example.com/assay/assay/lint"
)

func ExampleLint() {
	report := lint.Lint([]byte(`version: "2.0"
tools:
  deny: ["delete_*_file"]
enforcement: {unconstrained_tools: deny}
`), nil)
	for _, f := range report.Findings {
		fmt.Printf("%d:%d: %s: %s\n", f.Line, f.Column, f.Severity, f.Message)
		fmt.Println(f.Fix)
	}
	// Output:
	// 3:10: error: the star inside "delete_*_file" is a literal star, so the entry blocks nothing it seems to name
	// write "delete_*" or "*_file", which match more, or list the names
}
