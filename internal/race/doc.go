// Package race tells tests whether the race detector is on: under it pools
// forget at random, so that what allocates nothing may allocate.
package race
