package server

import (
	"io"
	"os"
	"strings"
	"syscall"
)

// rootDir is an open directory below which files are opened.
type rootDir struct {
	*os.Root
	dir *os.File // the directory itself
}

func openRootDir(name string) (*rootDir, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	dir, err := root.Open(".")
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return &rootDir{root, dir}, nil
}

func (d *rootDir) Close() error {
	_ = d.dir.Close()
	return d.Root.Close()
}

// file is an open file. It spares a regular file what an [os.File] does for one
// that may block.
type file struct {
	fd   int
	from *os.File // nil, or what owns fd
}

// open opens a file for reading. A name of one element cannot lead out of its
// directory when no link is followed, which is also how os.Root opens it. What
// is more, or cannot be opened so, is left to os.Root.
func (d *rootDir) open(path string) (file, error) {
	// A FIFO must not block the open; what it is shows on the handle.
	const flags = os.O_RDONLY | syscall.O_NONBLOCK
	if !strings.Contains(path, "/") && path != "" && path != "." && path != ".." {
		fd, err := syscall.Openat(int(d.dir.Fd()), path, flags|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0)
		if err == nil {
			return file{fd: fd}, nil
		}
	}
	f, err := d.OpenFile(path, flags, 0)
	if err != nil {
		return file{}, err
	}
	return file{int(f.Fd()), f}, nil
}

func (f file) close() {
	if f.from != nil {
		_ = f.from.Close()
	} else {
		_ = syscall.Close(f.fd)
	}
}

func (f file) Read(space []byte) (int, error) {
	for {
		n, err := syscall.Read(f.fd, space)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (f file) look() (look, error) {
	for {
		var stat syscall.Stat_t
		err := syscall.Fstat(f.fd, &stat)
		if err == syscall.EINTR {
			continue
		}
		return look{stat.Mode&syscall.S_IFMT == syscall.S_IFREG, stat.Size, stat.Mtim.Nano(), stat.Ctim.Nano()}, err
	}
}
