package policydoc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"example.com/assay/assay/internal/strictjson"
)

// libraryError says what the library found, without repeating the text.
func libraryError(text []byte, err error) *Error {
	var failure *yaml.LoadError
	if !errors.As(err, &failure) {
		return syntaxError(0, 0, "the text cannot be read as YAML", "")
	}
	line, column := failure.Mark.Line, failure.Mark.Column
	if endLine, endColumn := strictjson.Position(text, len(text)); line > endLine {
		// It ends a last line that has no line feed by itself.
		line, column = endLine, endColumn
	} else if line <= 0 || column <= 0 {
		line, column = 0, 0
	}
	switch failure.Stage {
	case yaml.ReaderStage:
		// The only thing left that its reader refuses; it does not say where.
		for i, r := range string(text) {
			if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
				return refuse(text, i, "the text holds a control character", "remove it")
			}
		}
	case yaml.ScannerStage, yaml.ParserStage:
		message, from := failure.Message, failure.ContextMark
		if strings.Contains(message, tooDeep) {
			return syntaxError(line, column, tooDeep, "")
		}
		switch failure.ContextMsg {
		case "while scanning a quoted scalar":
			if strings.Contains(message, "end of stream") {
				return syntaxError(from.Line, from.Column, "a quotation mark opens here and is not closed", "close the quote")
			}
		case "while scanning a simple key":
			return syntaxError(from.Line, from.Column, "text stands alone in a line, where a key and its value belong",
				"write a colon behind the key")
		}
		places := source{text: text, line: 1, column: 1}
		start := places.seek(from.Line, from.Column)
		at := places.seek(line, column)
		if quote, closed := swallowed(text, start, at); quote < closed {
			end, _ := strictjson.Position(text, closed)
			return refuse(text, quote, fmt.Sprintf("a quotation mark opens here and is not closed before line %d", end), "close the quote")
		}
		hint := advice(text, at, message)
		if strings.Contains(message, "tag") && strings.Contains(message, "'") {
			// The one message of these stages that repeats a character.
			message = "a tag holds a character that is not allowed in it"
		}
		if failure.ContextMsg != "" && from.Line > 0 && from != failure.Mark {
			message = fmt.Sprintf("%s, %s from line %d, column %d", message, failure.ContextMsg, from.Line, from.Column)
		}
		return syntaxError(line, column, message, hint)
	case yaml.ComposerStage:
		if strings.Contains(failure.Message, "anchor") {
			return syntaxError(line, column, "an alias has no anchor before it", "quote text that starts with *")
		}
	}
	return syntaxError(line, column, "the text cannot be read as YAML", "")
}

// advice says what most likely mends what the library's scanner or parser found
// at an offset; "" where it is anyone's guess.
func advice(text []byte, at int, message string) string {
	here := append(text[at:len(text):len(text)], 0, 0)
	switch {
	case strings.Contains(message, "tab character"):
		return "indent with spaces"
	case strings.Contains(message, "cannot start any token"):
		if strings.IndexByte("@`%", here[0]) >= 0 {
			return "quote text that starts with " + string(here[:1])
		} else if here[0] == '\t' {
			return "indent with spaces, not with a tab"
		}
	case strings.Contains(message, "expected alphabetic or numeric character"):
		return "quote text that starts with * or &"
	case strings.Contains(message, "unknown escape character"):
		escape := `\d`
		if here[0] == '\\' && ' ' < here[1] && here[1] < 0x7F {
			escape = string(here[:2])
		}
		return fmt.Sprintf(`in double quotes write \%[1]s for %[1]s, or use single quotes: '%[1]s'`, escape)
	case strings.Contains(message, "mapping values are not allowed"):
		if line := keyWithoutColon(text, at); line > 0 {
			return fmt.Sprintf("line %d may lack the colon behind its key", line)
		}
		return "quote text that holds a colon and a space, and indent the keys of one mapping alike"
	case strings.Contains(message, "did not find expected key"), strings.Contains(message, "expected '-' indicator"):
		return "indent the entries of one mapping or list alike"
	case strings.Contains(message, "expected ',' or"):
		entry := text[bytes.LastIndexAny(text[:at], "\n,[{")+1 : at]
		if here[0] == ':' && bytes.IndexByte(entry, ':') >= 0 {
			return "quote text that holds a colon and a space, and separate the entries in [] or {} by commas"
		}
		return "separate the entries in [] or {} by commas, and close the bracket"
	}
	return ""
}

// swallowed returns where a quoted scalar of several lines starts and ends that
// ends before the offset at; 0, 0 if none does. Where a closing quote is
// missing, the next one that was to open closes instead, and what it was to
// quote is found behind it. Outside of quotes the scan begins at from.
func swallowed(text []byte, from, at int) (start, end int) {
	for i := from; i < at; i++ {
		begins := i == from || strings.IndexByte(" \t\n[{,:", text[i-1]) >= 0
		switch {
		case !begins:
		case text[i] == '#':
			for i < at && text[i] != '\n' {
				i++
			}
		case text[i] == '"', text[i] == '\'':
			end := quotedEnd(text, i)
			if end == 0 || end > at {
				return 0, 0
			}
			if end == at && bytes.IndexByte(text[i:end], '\n') >= 0 {
				return i, end
			}
			i = end - 1
		}
	}
	return 0, 0
}

// keyWithoutColon returns the line on which the plain text most likely starts
// that goes on up to the colon at an offset; 0 if it starts on the same line.
func keyWithoutColon(text []byte, at int) int {
	line := bytes.Count(text[:at], []byte("\n")) + 1
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	if bytes.IndexByte(text[start:at], ':') >= 0 {
		return 0
	}
	item := 0
	for start > 0 {
		end := start - 1
		start = bytes.LastIndexByte(text[:end], '\n') + 1
		line--
		switch before := bytes.TrimSpace(text[start:end]); {
		case len(before) == 0 || before[0] == '#':
		case bytes.IndexByte(before, ':') >= 0:
			return item
		case before[0] != '-':
			return line
		case item == 0:
			item = line
		}
	}
	return item
}
