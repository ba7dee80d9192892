package read

import (
	"errors"
	"fmt"

	"github.com/compactor-host/compactor/framework/dialect"
)

// Fail is the error for something that is not understood.
func Fail(place, format string, args ...any) error {
	return &dialect.ParseError{Place: place, Reason: fmt.Sprintf(format, args...)}
}

// In puts a place in front of an error's own.
func In(place string, err error) error {
	if err == nil {
		return nil
	}
	var p *dialect.ParseError
	if !errors.As(err, &p) {
		return err
	}
	switch {
	case p.Place == "":
	case p.Place[0] == '[':
		place += p.Place
	default:
		place += "." + p.Place
	}
	return &dialect.ParseError{Place: place, Reason: p.Reason}
}

// At is In for an element of the list at key.
func At(key string, i int, err error) error {
	if err == nil {
		return nil
	}
	return In(fmt.Sprintf("%s[%d]", key, i), err)
}
