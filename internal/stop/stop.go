// Package stop lets the module's server end a check early. The public checks
// take no context: they stop by their step budget, and that budget also reads
// the flag of a [Flag].
package stop

import "sync/atomic"

// Flag ends the checks that watch it. The zero value is ready, and it is safe
// for concurrent use. Once set it stays set.
type Flag struct {
	raised atomic.Bool
}

// Set raises the flag.
func (f *Flag) Set() { f.raised.Store(true) }

// IsSet reports whether the flag is raised.
func (f *Flag) IsSet() bool { return f.raised.Load() }

// Watch returns what a step budget reads; nil for a nil Flag.
func (f *Flag) Watch() *atomic.Bool {
	if f == nil {
		return nil
	}
	return &f.raised
}
