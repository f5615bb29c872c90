package strictjson

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/assay/internal/jsonpointer"
)

// Position returns line and column of an offset as Error counts them.
func Position(data []byte, offset int) (line, column int) {
	line = 1
	start := 0
	offset = min(offset, len(data))
	for i := 0; i < offset; i++ {
		switch data[i] {
		case '\r':
			if i+1 < len(data) && data[i+1] == '\n' {
				continue // the line ends behind the LF
			}
			fallthrough
		case '\n':
			line++
			start = i + 1
		}
	}
	return line, utf8.RuneCount(data[start:offset]) + 1
}

// pathAt returns the JSON Pointer of the innermost value that is not complete
// at offset, where everything before offset is known to be right.
func pathAt(data []byte, offset int) string {
	type frame struct {
		object     bool
		index      int // of the current element
		start, end int // of the current member's name; end 0: none yet
	}
	var open []frame
	i := SkipSpace(data, 0)
scan:
	for i < offset {
		switch data[i] {
		case '{':
			open = append(open, frame{object: true})
			i++
		case '[':
			open = append(open, frame{})
			i++
		case '}', ']':
			open = open[:len(open)-1]
			i++
		case ',':
			if top := &open[len(open)-1]; top.object {
				top.end = 0
			} else {
				top.index++
			}
			i++
		case '"':
			end, _, kind := ScanString(data, i)
			if kind != 0 || end > offset {
				break scan
			}
			if len(open) > 0 {
				if top := &open[len(open)-1]; top.object && top.end == 0 {
					top.start, top.end = i, end
				}
			}
			i = end
		default:
			i++ // a colon, or part of a number or word
		}
		i = SkipSpace(data, i)
	}
	var path strings.Builder
	for _, f := range open {
		switch {
		case !f.object:
			path.WriteByte('/')
			path.WriteString(strconv.Itoa(f.index))
		case f.end > 0:
			path.WriteByte('/')
			path.WriteString(jsonpointer.Escape(string(AppendUnquoted(nil, data[f.start:f.end]))))
		}
	}
	return path.String()
}
