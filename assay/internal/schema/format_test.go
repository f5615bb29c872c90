package schema

import (
	"strings"
	"testing"

	"example.com/assay/assay/internal/strictjson"
)

// TestFormats is a table per asserted format; the public suite has more.
func TestFormats(t *testing.T) {
	for name, table := range map[string]struct{ good, bad []string }{
		"date":                  {[]string{"2024-02-29", "2000-02-29", "0000-01-01"}, []string{"", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "2024-04-31", "24-01-01", "2024-1-1", "2024-01-01T", "২024-01-01", "2024/01/01"}},
		"time":                  {[]string{"00:00:00Z", "23:59:60Z", "08:30:06.283185z", "15:59:60-08:00", "01:29:60+01:30", "12:00:00+23:59"}, []string{"", "24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:60Z", "12:00:00", "12:00:00+24:00", "12:00:00+1:00", "12:00:00.Z", "12:00Z", "12:00:00ZZ", "1২:00:00Z"}},
		"date-time":             {[]string{"2024-02-29T23:59:59.999Z", "1998-12-31t15:59:60.123-08:00"}, []string{"", "2024-02-30T00:00:00Z", "2024-02-29 00:00:00Z", "2024-02-29T00:00:00", "2024-02-29"}},
		"duration":              {[]string{"P1Y", "P1Y2M3DT4H5M6S", "PT0S", "P4W", "PT36H", "P1DT12H", "P1M", "PT1M"}, []string{"", "P", "PT", "P1", "1Y", "P1D2H", "P1S", "PT1D", "P2D1Y", "P1Y2W", "P1Y2D", "PT1H2S", "P1DT", "P১Y", "PW"}},
		"email":                 {[]string{"a@b", "a.b+c@d.example", `"a b"@c.example`, `"a\"b"@c`, "a@[127.0.0.1]", "a@[IPv6:::1]", "~@x.y"}, []string{"", "a", "@b", "a@", ".a@b", "a.@b", "a..b@c", "a b@c", "a@b c", "a@[127.0.0.300]", "a@[::1]", "a@b@c", "a@-b", strings.Repeat("a", 65) + "@b", "é@b"}},
		"hostname":              {[]string{"a", "example.com", "1.2.3.4", "a-b.c1", strings.Repeat("a", 63)}, []string{"", ".", "a.", "-a", "a-", "a_b", "a..b", "ex ample", strings.Repeat("a", 64), strings.Repeat("a.", 130) + "a", "xn--bcher-kva.example", "XN--a.b", "bücher.example"}},
		"ipv4":                  {[]string{"127.0.0.1", "0.0.0.0", "255.255.255.255"}, []string{"", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "1.2.3.4 ", "0x7f.0.0.1", "127.1", "::1", "1.2.3.৪"}},
		"ipv6":                  {[]string{"::", "::1", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "2001:DB8::"}, []string{"", "1.2.3.4", ":1", "1::2::3", "12345::", "::1%eth0", "1:2:3:4:5:6:7:8:9", "::1/64", "[::1]", "::ffff:1.2.3.04"}},
		"uri":                   {[]string{"http://a", "urn:a:b", "mailto:a@b", "a:", "http://u:p@h:80/p?q#f", "http://[::1]/", "http://[v1.a:b]/", "a+b-c.1:x", "http://a/%7e"}, []string{"", "a", "//a", "/a", "1a:b", "http://a b", "http://[::1", "http://a/%7", "http://a/<", "http://a:x/", `http://a\b`, "http://é", ":a", "http://[::1]x/", "http://a#b#c", "http://[fe80::1%25en0]/"}},
		"uri-reference":         {[]string{"", "a", "/a", "//a", "#f", "?q", "a/b:c", "http://a", "./a:b"}, []string{"a:b c", "1:b", "\\a", "a b", "#a\\", "//[", "é", "%"}},
		"iri":                   {[]string{"http://ƒøø.ßår/?∂éœ=πîx#πîüx", "http://a?\ue000"}, []string{"", "é", "/a", "http://a/\ue000", "http://a b", "http://a\\b", "http://[::1", "http://a/\ufdd0", "é:a", "http://a/\U0001ffff"}},
		"iri-reference":         {[]string{"", "é", "/â/π", "//ƒøø.ßår/", "#ƒrägmênt"}, []string{"é:b", "\\WINDOWS", "#ƒräg\\mênt", "a b"}},
		"uri-template":          {[]string{"", "a", "http://a/{x}/{y:3}{?q*,r}", "{+path}", "it's", "{a.b_c%20}", "é"}, []string{"{", "}", "{}", "{a", "a}", "{a:0}", "{a:12345}", "{a b}", "{a..b}", "{a,}", "{^a}", "a b", "<a>", "%zz", "{{a}}", "{a*:1}"}},
		"uuid":                  {[]string{"2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2EB8AA08-AA98-11EA-B4AA-73B441D16380", "00000000-0000-0000-0000-000000000000"}, []string{"", "2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08-aa98-11ea-b4aa73b441d16380-", "2eb8aa0g-aa98-11ea-b4aa-73b441d16380", "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}"}},
		"json-pointer":          {[]string{"", "/", "/a~0~1/b", "//"}, []string{"a", "#/a", "/~", "/~2", "/a~"}},
		"relative-json-pointer": {[]string{"0", "1/a", "10", "0#", "120#"}, []string{"", "/a", "01/a", "-1/a", "0##", "a", "1a", "+1"}},
		"regex":                 {[]string{"", "^a+$", "(?<n>a)\\k<n>"}, []string{"(", "a{2,1}", "(?i)a", "\\A"}},
	} {
		s := compiled(t, `{"format":"`+name+`"}`)
		for _, text := range table.good {
			if r := s.Validate(text, nil); !r.Valid() {
				t.Errorf("%s refuses %q", name, text)
			}
		}
		for _, text := range table.bad {
			if r := s.Validate(text, nil); r.Valid() || r.Failure != None {
				t.Errorf("%s accepts %q: %+v", name, text, r)
			}
		}
		// A format of texts says nothing of other values.
		for _, other := range []string{`1`, `null`, `[]`, `{}`, `true`} {
			if r := s.Validate(decode(t, other), nil); !r.Valid() {
				t.Errorf("%s refuses %s", name, other)
			}
		}
	}
	if n := len(formats); n != 17 {
		t.Errorf("%d formats, 17 of them in this table", n)
	}
}

func TestIntegerFormats(t *testing.T) {
	for name, limits := range map[string][4]string{ // below, least, most, above
		"int8":   {"-129", "-128", "127", "128"},
		"int16":  {"-32769", "-32768", "32767", "32768"},
		"int32":  {"-2147483649", "-2147483648", "2147483647", "2147483648"},
		"int64":  {"-9223372036854775809", "-9223372036854775808", "9223372036854775807", "9223372036854775808"},
		"uint":   {"-1", "0", "18446744073709551615", "18446744073709551616"},
		"uint8":  {"-1", "0", "255", "256"},
		"uint16": {"-1", "0", "65535", "65536"},
		"uint32": {"-1", "0", "4294967295", "4294967296"},
		"uint64": {"-1", "0", "18446744073709551615", "18446744073709551616"},
	} {
		s := compiled(t, `{"format":"`+name+`"}`)
		for i, text := range limits {
			good := i == 1 || i == 2
			if r := s.Validate(decode(t, text), nil); r.Valid() != good {
				t.Errorf("%s over %s: %v", name, text, r.Valid())
			}
			if r := s.Validate(decode(t, text+".0"), nil); r.Valid() != good {
				t.Errorf("%s over %s.0: %v", name, text, r.Valid())
			}
		}
		for text, good := range map[string]bool{`1.5`: false, `1e400`: false, `1e0`: true, `"x"`: true, `null`: true} {
			if r := s.Validate(decode(t, text), nil); r.Valid() != good {
				t.Errorf("%s over %s: %v", name, text, r.Valid())
			}
		}
	}
	if len(integerFormats) != 9 {
		t.Error("an integer format is missing in this table")
	}
}

func TestAnnotationFormatsConstrainNothing(t *testing.T) {
	for _, name := range annotationFormats {
		s := compiled(t, `{"format":"`+name+`"}`)
		for _, text := range []string{`1`, `"x"`, `"\u0000"`, `1e400`, `null`} {
			if r := s.Validate(decode(t, text), nil); !r.Valid() {
				t.Errorf("%s refuses %s", name, text)
			}
		}
	}
}

// FuzzFormats: no text makes a format panic, and two that contain each other
// agree.
func FuzzFormats(f *testing.F) {
	for _, text := range []string{"2024-02-29T23:59:60Z", "P1Y2M", `"a\`, "http://[v.", "//[::1]:", "1#", "a@[", "%", "P1W"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, valid := range formats {
			if valid(text) && len(text) > 0 && text[0] == 0 {
				if name != "regex" {
					t.Errorf("%s accepts %q", name, text)
				}
			}
		}
		if validURI(text) && !validURIReference(text) {
			t.Errorf("%q is a URI and no reference", text)
		}
		if validDateTime(text) && !(validDate(text[:10]) && validTime(text[11:])) {
			t.Errorf("%q is a date-time of no date and time", text)
		}
		if _, ok := strictjson.ParseNumber(text); ok && validDuration(text) {
			t.Errorf("%q is a number and a duration", text)
		}
	})
}
