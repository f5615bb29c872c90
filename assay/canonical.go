package assay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"unicode/utf8"

	"example.com/assay/internal/slip"
)

// MarshalJSON returns the document as JSON that [Parse] reads. It is the
// canonical form: numbers keep their digits, the language's keys stand in the
// order of the fields and an author's own keys in ascending order. It is an
// error if a text is not valid UTF-8 or a value has no JSON form.
func (s Spec) MarshalJSON() ([]byte, error) {
	if s.isList() {
		return s.marshalList()
	}
	type members Spec // the tags without this method
	text, err := encode(members(s))
	if err != nil || len(s.Extensions) == 0 {
		return text, err
	}
	for key := range s.Extensions {
		if !isExtension(key) {
			return nil, fmt.Errorf("assay: the extension %s does not start x-", slip.Quote(key))
		}
	}
	more, err := encode(s.Extensions)
	if err != nil {
		return nil, err
	}
	// Two objects become one.
	text = text[:len(text)-1]
	if len(text) > len("{") {
		text = append(text, ',')
	}
	return append(text, more[1:]...), nil
}

func (s Spec) marshalList() ([]byte, error) {
	list, exact := s.List, s.Exact
	s.List, s.Exact = nil, nil
	if list != nil && exact != nil || !reflect.ValueOf(s).IsZero() {
		return nil, errors.New("assay: a spec with List or Exact has no other field")
	}
	if exact != nil {
		return encode(exact)
	}
	return encode(list)
}

// UnmarshalJSON reads a document as [Parse] does, of any size; the error is a
// [*PolicyError]. It does not compile it.
func (s *Spec) UnmarshalJSON(data []byte) error {
	d, err := parseDocument(data, math.MaxInt)
	if err != nil {
		return err
	}
	*s = *d.ownSpec()
	return nil
}

// encode returns the JSON text of v, which holds nothing but valid UTF-8:
// encoding/json would put another character in the place of what is not.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("assay: a spec that has no JSON form: %w", err)
	}
	if !validText(reflect.ValueOf(v)) {
		return nil, errors.New("assay: a spec with text that is not valid UTF-8")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// validText reports whether every text that encoding/json reads from v itself
// is valid UTF-8. A value of another package that writes its own JSON answers
// for it.
func validText(v reflect.Value) bool {
	if !v.IsValid() {
		return true
	}
	t := v.Type()
	ours := strings.HasPrefix(t.PkgPath(), reflect.TypeFor[Spec]().PkgPath())
	if !ours && t.Implements(reflect.TypeFor[json.Marshaler]()) {
		return true
	}
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		return validText(v.Elem())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if !validText(v.Index(i)) {
				return false
			}
		}
	case reflect.Map:
		for entry := v.MapRange(); entry.Next(); {
			if !validText(entry.Key()) || !validText(entry.Value()) {
				return false
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && !validText(v.Field(i)) {
				return false
			}
		}
	}
	return true
}
