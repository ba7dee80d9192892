package plugin

// Find looks for a strategy and starts nothing. The error is an *Error of kind
// NotFound or NotExecutable.
func (h *Host) Find(name string) (*Found, error) {
	if h.linked[name] != nil && !h.configured(name) {
		return &Found{Name: name, Source: SourceBuiltIn}, nil
	}
	return h.finder.Find(name)
}
