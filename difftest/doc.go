// Package difftest asks other JSON Schema engines for a second opinion on what
// assay decides, and compares assay's fast path with its full engine.
//
// It holds tests only, in a module of its own, so that users of the library
// never see the dependencies. The tests:
//
//   - TestSecondOpinions generates schemas and instances and compares;
//   - TestGeneratorIsHealthy says what the generator has to cover;
//   - TestPublicSuite and TestCorpus compare all ways to ask assay itself on
//     the public suite and the shared corpus;
//   - TestWhyQriDoesNotDecide and TestWhyGoogleDoesNotDecide pin the wrong
//     answers for which an opinion is not heard.
package difftest
