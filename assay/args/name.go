package args

// AllowsName reports whether a call of the tool is allowed by its name alone,
// there being no arguments and no obligations: true is the answer of
// [Checker.Check] for a nil Arguments and any Identity, whose warning, if there
// is one, comes with it. False decides nothing, and Check is to be asked.
// The counts are those of a [Request].
func (c *Checker) AllowsName(name string, requests, calls int64) (ok bool, warningCode, warningReason string) {
	if c == nil || len(c.duties) > 0 || over(c.maxRequests, requests) || over(c.maxCalls, calls) {
		return false, "", ""
	}
	t, refusal := c.find(name)
	if t == nil || refusal != nil || t.pin != nil || t.constrained() {
		return false, "", ""
	}
	switch c.unconstrained {
	case Allow:
		return true, "", ""
	case Warn:
		return true, unconstrained.code, unconstrained.reason
	}
	return false, "", ""
}
