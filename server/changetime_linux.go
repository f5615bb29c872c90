package server

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime returns when the file's inode last changed, which a writer cannot
// set back.
func changeTime(info fs.FileInfo) time.Time {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(stat.Ctim.Unix())
	}
	return time.Time{}
}
