//go:build !linux

package server

import (
	"os"
	"syscall"
)

// rootDir is an open directory below which files are opened.
type rootDir struct{ *os.Root }

func openRootDir(name string) (*rootDir, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &rootDir{root}, nil
}

// file is an open file.
type file struct{ *os.File }

// open opens a file for reading.
func (d *rootDir) open(path string) (file, error) {
	// A FIFO must not block the open; what it is shows on the handle.
	f, err := d.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	return file{f}, err
}

func (f file) close() { _ = f.Close() }

// When the inode changed is known on Linux only.
func (f file) look() (look, error) {
	info, err := f.Stat()
	if err != nil {
		return look{}, err
	}
	modified := info.ModTime().UnixNano()
	return look{info.Mode().IsRegular(), info.Size(), modified, modified}, nil
}
