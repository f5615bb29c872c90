package assay_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "example.com/assay"

// listed is what go list says of a package.
type listed struct {
	ImportPath                               string
	Imports, Deps, TestImports, XTestImports []string
}

// packages lists every package of this module.
func packages(t *testing.T) []listed {
	t.Helper()
	command := exec.Command("go", "list", "-e", "-json", "./...")
	out, err := command.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Skipf("the go command is not here: %v", err)
	}
	var all []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) == 0 {
		t.Fatal("go list names no package")
	}
	return all
}

// rel is a package's place in the module, "" for one of another module.
func rel(importPath string) string {
	if importPath == module {
		return "."
	}
	place, ok := strings.CutPrefix(importPath, module+"/")
	if !ok {
		return ""
	}
	return place
}

func under(place, dir string) bool { return place == dir || strings.HasPrefix(place, dir+"/") }

// mayImport lists, for each package that decisions are made of, which packages
// of this module it may import. The map in doc.go says why. What stands on the
// library, such as assay/lint, is not in it: nothing in it may import that.
var mayImport = map[string][]string{
	".":                         {},
	"assay":                     {"assay/args", "assay/sequence", "assay/blocklist", "assay/internal/policydoc", "assay/internal/strictjson", "internal/jsonpointer", "internal/slip", "internal/stop"},
	"assay/args":                {"assay/internal/nametable", "assay/internal/schema", "assay/internal/strictjson", "internal/jsonpointer"},
	"assay/sequence":            {"assay/internal/ecma", "assay/internal/nametable", "assay/internal/strictjson", "internal/jsonpointer"},
	"assay/blocklist":           {},
	"assay/lint":                {"assay", "assay/args", "assay/blocklist", "assay/internal/ecma", "assay/internal/policydoc", "internal/jsonpointer", "internal/slip"},
	"assay/internal/schema":     {"assay/internal/ecma", "assay/internal/strictjson", "internal/jsonpointer", "internal/slip"},
	"assay/internal/ecma":       {},
	"assay/internal/nametable":  {},
	"assay/internal/strictjson": {"internal/jsonpointer"},
	"assay/internal/policydoc":  {"assay/internal/strictjson", "internal/jsonpointer"},
	"internal/jsonpointer":      {},
	"internal/slip":             {},
	"internal/stop":             {},
}

func TestImportsRunToTheRightOnly(t *testing.T) {
	for _, p := range packages(t) {
		place := rel(p.ImportPath)
		allowed, pinned := mayImport[place]
		if !pinned {
			continue
		}
		for _, path := range p.Imports {
			if other := rel(path); other != "" && !slices.Contains(allowed, other) {
				t.Errorf("%s imports %s", place, other)
			}
		}
	}
}

func TestOnlyTheServersCommandAndExamplesImportTheServer(t *testing.T) {
	for _, p := range packages(t) {
		place := rel(p.ImportPath)
		if under(place, "server") || under(place, "examples") {
			continue
		}
		for _, path := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if under(rel(path), "server") {
				t.Errorf("%s imports %s", place, rel(path))
			}
		}
	}
}

func TestTheLibraryHoldsNoProtocol(t *testing.T) {
	const protocol = "github.com/modelcontextprotocol"
	seen := false
	for _, p := range packages(t) {
		if !under(rel(p.ImportPath), "assay") {
			continue
		}
		seen = true
		for _, path := range p.Deps {
			if under(path, protocol) || path == "net/http" {
				t.Errorf("%s depends on %s", p.ImportPath, path)
			}
		}
	}
	if !seen {
		t.Fatal("go list names no package of the library")
	}
}

// A package that moved would escape the tests above.
func TestEveryPackageOfTheMapExists(t *testing.T) {
	var places []string
	for _, p := range packages(t) {
		places = append(places, rel(p.ImportPath))
	}
	for place := range mayImport {
		if !slices.Contains(places, place) {
			t.Errorf("there is no package at %s", place)
		}
	}
}
