// Package difftest asks other JSON Schema engines for a second opinion on what
// assay decides, and compares assay's fast path with its full engine.
//
// It holds tests only, in a module of its own, so that users of the library
// never see the dependencies:
//
//   - TestSecondOpinions generates schemas and instances and compares;
//   - TestExclusionsAreNeeded asks about an example of everything for which an
//     opinion is not heard;
//   - TestWhyQriDoesNotDecide pins the wrong accepts of qri-io/jsonschema;
//   - TestPublicSuite and TestCorpus ask assay in every way about the public
//     suite and the shared corpus.
//
// A wrong answer of assay's becomes a row in the tests of assay/internal/schema.
package difftest
