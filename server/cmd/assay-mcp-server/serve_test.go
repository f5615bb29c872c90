package main

import (
	"testing"
	"time"

	"example.com/assay/server"
)

func TestTheLogHasNoMoreTimeThanTheAnswersLeave(t *testing.T) {
	for _, test := range []struct {
		timeout     int // in milliseconds
		since, want time.Duration
	}{
		{2000, 0, logPatience},
		{2000, 1750 * time.Millisecond, logPatience},
		{2000, 1900 * time.Millisecond, 100 * time.Millisecond},
		{100, 0, 100 * time.Millisecond},
		{100, 88 * time.Millisecond, 12 * time.Millisecond},
		{100, 100 * time.Millisecond, 0},
		{100, time.Second, 0},
		{1, 0, time.Millisecond},
	} {
		if got := patienceAfter(test.since, server.Limits{TimeoutMS: test.timeout}); got != test.want {
			t.Errorf("%s after a signal, of %d ms: %s, want %s", test.since, test.timeout, got, test.want)
		}
	}
}
