package args

// classes is a set of class names, compared exactly. Nil is an absent list; an
// empty one is present and holds nothing.
type classes map[string]struct{}

func compileClasses(names []string) classes {
	if names == nil {
		return nil
	}
	set := make(classes, len(names))
	for _, name := range names {
		set[name] = struct{}{}
	}
	return set
}

// match reports whether the set holds any of a tool's classes.
func (c classes) match(of []string) bool {
	for _, class := range of {
		if _, found := c[class]; found {
			return true
		}
	}
	return false
}
