//go:build !linux

package server

import "os"

// When the inode changed is known on Linux only.
func lookAt(file *os.File) (look, error) {
	info, err := file.Stat()
	if err != nil {
		return look{}, err
	}
	modified := info.ModTime().UnixNano()
	return look{info.Mode().IsRegular(), info.Size(), modified, modified}, nil
}
