package slip

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Boolean says what to write for a word that stands where true or false belongs,
// "" where it means neither.
func Boolean(text string) string {
	switch word := strings.ToLower(text); word {
	case "true", "false":
		if text == word || text == strings.ToUpper(word) || text[1:] == word[1:] {
			return "write " + word + " without quotation marks"
		}
		return "write " + word // in letters that YAML takes for text
	case "yes", "on", "y":
		return "YAML 1.2 knows only true and false; write true"
	case "no", "off", "n":
		return "YAML 1.2 knows only true and false; write false"
	}
	return ""
}

// Number says what to write for a text that stands where a number belongs.
func Number(text string) string {
	if strings.Trim(text, "-.0123456789eE+") == "" && json.Valid([]byte(text)) {
		return "write it without quotation marks"
	}
	return "write a number, such as 3"
}

// List says how the list under a key is written, with the text that stands in
// its place if it looks like one name.
func List(key, text string) string {
	item := "name, name"
	if text != "" && len(text) <= longest && !strings.ContainsAny(text, "[],\n") {
		item = Written(text)
	}
	return "write a list: " + Written(key) + ": [" + item + "]"
}

// Written is text as it may stand in YAML, in quotation marks where it might
// need them, and cut as [Quote] does.
func Written(text string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	switch {
	case text == "", len(text) > longest, strings.IndexByte(letters, text[0]) < 0, strings.Trim(text, "_-0123456789"+letters) != "",
		slices.Contains([]string{"true", "false", "null"}, strings.ToLower(text)):
		return Quote(text)
	}
	return text
}

// longest is how many bytes of what an author wrote are shown.
const longest = 64

// Quote shows what an author wrote, in quotation marks, on one line and cut to
// 64 bytes.
func Quote(text string) string {
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return strconv.Quote(text)
}
