//go:build !race

package assay_test

const raceDetector = false
