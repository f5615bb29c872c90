//go:build race

package assay_test

// raceDetector says that tests run under the race detector, which makes
// sync.Pool forget on purpose.
const raceDetector = true
