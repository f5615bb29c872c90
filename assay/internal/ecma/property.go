package ecma

import (
	"strings"
	"unicode"
)

// property is what a `\p{…}` names (ECMA-262, UnicodeMatchProperty and
// UnicodeMatchPropertyValue: names and aliases are matched exactly).
//
// Which code points have the property is a matter of the Unicode version.
// General_Category, Script and the binary properties of package unicode are
// those of Go's tables (unicode.Version, 15.0.0 in Go 1.26), on either engine.
// The others (Script_Extensions and the derived and emoji properties) are known
// to regexp2 alone, as of Unicode 17.0.0, and keep a pattern there. A JavaScript
// engine with Unicode 17.0 differs on code points that Go's version does not
// assign, and on the few that the test of this names.
type property struct {
	name  string              // canonical, as \p{…} takes it
	table *unicode.RangeTable // nil where only regexp2 knows
	all   bool                // Any
	ascii bool                // ASCII
	not   bool                // the complement of table: Assigned
}

// set returns the code points of p, if they are known here.
func (p *property) set() (set, bool) {
	switch {
	case p.all:
		return set{{0, unicode.MaxRune}}, true
	case p.ascii:
		return set{{0, unicode.MaxASCII}}, true
	case p.table == nil:
		return nil, false
	}
	s := spans(p.table).canonical()
	if p.not {
		s = s.complement()
	}
	return s, true
}

// size returns the order of the number of spans in p.
func (p *property) size() int {
	if p.table == nil {
		return 1
	}
	return len(p.table.R16) + len(p.table.R32)
}

func spans(table *unicode.RangeTable) set {
	out := make(set, 0, len(table.R16)+len(table.R32))
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			out = append(out, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			out = append(out, span{r, r})
		}
	}
	for _, r := range table.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range table.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return out
}

// lookupProperty finds what stands between the braces of a `\p{…}`.
func lookupProperty(text string) (*property, bool) {
	name, value, hasValue := strings.Cut(text, "=")
	if !hasValue {
		if p, ok := category(name); ok {
			return p, true
		}
		return binaryProperty(name)
	}
	switch name {
	case "General_Category", "gc":
		return category(value)
	case "Script", "sc":
		script, ok := knownScript(value)
		return &property{name: "sc=" + script, table: unicode.Scripts[script]}, ok
	case "Script_Extensions", "scx":
		script, ok := knownScript(value)
		return &property{name: "scx=" + script}, ok
	}
	return nil, false
}

// knownScript resolves a script's name. A script that is newer than Go's tables
// is not known: its characters are not.
func knownScript(name string) (string, bool) {
	script := scriptNames[name]
	return script, unicode.Scripts[script] != nil || script == "Unknown"
}

func category(name string) (*property, bool) {
	if long, ok := unicode.CategoryAliases[name]; ok {
		name = long
	}
	table, ok := unicode.Categories[name]
	return &property{name: "gc=" + name, table: table}, ok
}

func binaryProperty(name string) (*property, bool) {
	name, ok := binaryNames[name]
	p := &property{name: name, table: unicode.Properties[name]}
	switch name {
	case "Any":
		p.all = true
	case "ASCII":
		p.ascii = true
	case "Assigned":
		p.table, p.not = unicode.Cn, true
	}
	return p, ok
}

// names reads a list of `alias=name` and plain names into a map from every
// spelling to the name.
func names(list string) map[string]string {
	out := make(map[string]string)
	for _, entry := range strings.Fields(list) {
		alias, name, _ := strings.Cut(entry, "=")
		if name == "" {
			name = alias
		}
		out[alias], out[name] = name, name
	}
	return out
}

// binaryNames are the binary properties of ECMA-262 2024 (its table of binary
// Unicode property aliases) with their aliases.
var binaryNames = names(`
ASCII AHex=ASCII_Hex_Digit Alpha=Alphabetic Any Assigned Bidi_C=Bidi_Control Bidi_M=Bidi_Mirrored
CI=Case_Ignorable Cased CWCF=Changes_When_Casefolded CWCM=Changes_When_Casemapped
CWL=Changes_When_Lowercased CWKCF=Changes_When_NFKC_Casefolded CWT=Changes_When_Titlecased
CWU=Changes_When_Uppercased Dash DI=Default_Ignorable_Code_Point Dep=Deprecated Dia=Diacritic Emoji
EComp=Emoji_Component EMod=Emoji_Modifier EBase=Emoji_Modifier_Base EPres=Emoji_Presentation
ExtPict=Extended_Pictographic Ext=Extender Gr_Base=Grapheme_Base Gr_Ext=Grapheme_Extend
Hex=Hex_Digit IDSB=IDS_Binary_Operator IDST=IDS_Trinary_Operator IDC=ID_Continue IDS=ID_Start
Ideo=Ideographic Join_C=Join_Control LOE=Logical_Order_Exception Lower=Lowercase Math
NChar=Noncharacter_Code_Point Pat_Syn=Pattern_Syntax Pat_WS=Pattern_White_Space QMark=Quotation_Mark
Radical RI=Regional_Indicator STerm=Sentence_Terminal SD=Soft_Dotted Term=Terminal_Punctuation
UIdeo=Unified_Ideograph Upper=Uppercase VS=Variation_Selector space=White_Space XIDC=XID_Continue
XIDS=XID_Start`)

// scriptNames are the values of Script with their aliases, from
// PropertyValueAliases.txt of Unicode 17.0.0.
var scriptNames = names(`
Adlm=Adlam Ahom Hluw=Anatolian_Hieroglyphs Arab=Arabic Armn=Armenian Avst=Avestan Bali=Balinese
Bamu=Bamum Bass=Bassa_Vah Batk=Batak Beng=Bengali Berf=Beria_Erfe Bhks=Bhaiksuki Bopo=Bopomofo
Brah=Brahmi Brai=Braille Bugi=Buginese Buhd=Buhid Cans=Canadian_Aboriginal Cari=Carian
Aghb=Caucasian_Albanian Cakm=Chakma Cham Cher=Cherokee Chrs=Chorasmian Zyyy=Common Copt=Coptic
Qaac=Coptic Xsux=Cuneiform Cprt=Cypriot Cpmn=Cypro_Minoan Cyrl=Cyrillic Dsrt=Deseret Deva=Devanagari
Diak=Dives_Akuru Dogr=Dogra Dupl=Duployan Egyp=Egyptian_Hieroglyphs Elba=Elbasan Elym=Elymaic
Ethi=Ethiopic Gara=Garay Geor=Georgian Glag=Glagolitic Goth=Gothic Gran=Grantha Grek=Greek
Gujr=Gujarati Gong=Gunjala_Gondi Guru=Gurmukhi Gukh=Gurung_Khema Hani=Han Hang=Hangul
Rohg=Hanifi_Rohingya Hano=Hanunoo Hatr=Hatran Hebr=Hebrew Hira=Hiragana Armi=Imperial_Aramaic
Qaai=Inherited Zinh=Inherited Phli=Inscriptional_Pahlavi Prti=Inscriptional_Parthian Java=Javanese
Kthi=Kaithi Knda=Kannada Kana=Katakana Hrkt=Katakana_Or_Hiragana Kawi Kali=Kayah_Li Khar=Kharoshthi
Kits=Khitan_Small_Script Khmr=Khmer Khoj=Khojki Sind=Khudawadi Krai=Kirat_Rai Laoo=Lao Latn=Latin
Lepc=Lepcha Limb=Limbu Lina=Linear_A Linb=Linear_B Lisu Lyci=Lycian Lydi=Lydian Mahj=Mahajani
Maka=Makasar Mlym=Malayalam Mand=Mandaic Mani=Manichaean Marc=Marchen Gonm=Masaram_Gondi
Medf=Medefaidrin Mtei=Meetei_Mayek Mend=Mende_Kikakui Merc=Meroitic_Cursive
Mero=Meroitic_Hieroglyphs Plrd=Miao Modi Mong=Mongolian Mroo=Mro Mult=Multani Mymr=Myanmar
Nbat=Nabataean Nagm=Nag_Mundari Nand=Nandinagari Talu=New_Tai_Lue Newa Nkoo=Nko Nshu=Nushu
Hmnp=Nyiakeng_Puachue_Hmong Ogam=Ogham Olck=Ol_Chiki Onao=Ol_Onal Hung=Old_Hungarian Ital=Old_Italic
Narb=Old_North_Arabian Perm=Old_Permic Xpeo=Old_Persian Sogo=Old_Sogdian Sarb=Old_South_Arabian
Orkh=Old_Turkic Ougr=Old_Uyghur Orya=Oriya Osge=Osage Osma=Osmanya Hmng=Pahawh_Hmong Palm=Palmyrene
Pauc=Pau_Cin_Hau Phag=Phags_Pa Phnx=Phoenician Phlp=Psalter_Pahlavi Rjng=Rejang Runr=Runic
Samr=Samaritan Saur=Saurashtra Shrd=Sharada Shaw=Shavian Sidd=Siddham Sidt=Sidetic Sgnw=SignWriting
Sinh=Sinhala Sogd=Sogdian Sora=Sora_Sompeng Soyo=Soyombo Sund=Sundanese Sunu=Sunuwar
Sylo=Syloti_Nagri Syrc=Syriac Tglg=Tagalog Tagb=Tagbanwa Tale=Tai_Le Lana=Tai_Tham Tavt=Tai_Viet
Tayo=Tai_Yo Takr=Takri Taml=Tamil Tnsa=Tangsa Tang=Tangut Telu=Telugu Thaa=Thaana Thai Tibt=Tibetan
Tfng=Tifinagh Tirh=Tirhuta Todr=Todhri Tols=Tolong_Siki Toto Tutg=Tulu_Tigalari Ugar=Ugaritic
Zzzz=Unknown Vaii=Vai Vith=Vithkuqi Wcho=Wancho Wara=Warang_Citi Yezi=Yezidi Yiii=Yi
Zanb=Zanabazar_Square`)
