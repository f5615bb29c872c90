// Command hand reads a policy file, decides about one call by it and prints the
// verdict: the cold start of a program written for one form of policy.
//
//	hand POLICY TOOL ARGUMENTS
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// policy is the form of policy that it knows.
type policy struct {
	Version string            `json:"version"`
	Schemas map[string]schema `json:"schemas"`
}

type schema struct {
	Type       string            `json:"type"`
	Properties map[string]bounds `json:"properties"`
	Required   []string          `json:"required"`
	Additional bool              `json:"additionalProperties"`
}

type bounds struct {
	Type    string  `json:"type"`
	Minimum float64 `json:"minimum"`
	Maximum float64 `json:"maximum"`
}

func main() {
	allowed, err := decide(os.Args[1], os.Args[2], os.Args[3])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	fmt.Println(allowed)
	if !allowed {
		os.Exit(1)
	}
}

func decide(file, tool, arguments string) (bool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	var p policy
	if err := strict(text, &p); err != nil {
		return false, err
	}
	s, ok := p.Schemas[tool]
	if !ok || s.Type != "object" || s.Additional {
		return false, nil
	}
	var values map[string]float64
	if err := strict([]byte(arguments), &values); err != nil {
		return false, nil
	}
	for _, name := range s.Required {
		if _, ok := values[name]; !ok {
			return false, nil
		}
	}
	for name, v := range values {
		b, ok := s.Properties[name]
		if !ok || b.Type != "number" || v < b.Minimum || v > b.Maximum {
			return false, nil
		}
	}
	return true, nil
}

// strict decodes the one value that text holds.
func strict(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("more than one value")
	}
	return nil
}
