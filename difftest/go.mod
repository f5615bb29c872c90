// Second and third opinions on JSON Schema. A module of its own, so that users
// of the library never see these dependencies.
module example.com/assay/difftest

go 1.26.0

require (
	example.com/assay v0.0.0
	github.com/dlclark/regexp2/v2 v2.13.0
	github.com/google/jsonschema-go v0.4.3
	github.com/qri-io/jsonschema v0.2.1
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
)

require (
	github.com/qri-io/jsonpointer v0.1.1 // indirect
	go.yaml.in/yaml/v4 v4.0.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace example.com/assay => ../
