package plugin

// Find looks for a strategy and starts nothing. The error is an *Error of kind
// NotFound or NotExecutable.
func (h *Host) Find(name string) (*Found, error) {
	if h.linked[name] != nil && !h.configured(name) {
		return &Found{Name: name, Source: SourceBuiltIn}, nil
	}
	return h.finder.Find(name)
}

// Sum is the SHA-256 of the file that a checksum is compared with, in hex;
// empty for a strategy that is linked into the program.
func (f *Found) Sum() (string, error) {
	if f.Path == "" {
		return "", nil
	}
	return checksum(f.checkedFile())
}
