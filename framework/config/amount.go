package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/compactor-host/compactor/sdk"
)

// Amount is a number of tokens or a share of another number. The zero value
// is unset.
type Amount struct {
	Set bool
	// Percent is 1 to 99, or 0 when Below or Tokens counts.
	Percent int
	// Below is a distance under the other number, written "ceiling-1"; 0 when
	// Tokens counts.
	Below  sdk.Tokens
	Tokens sdk.Tokens
}

// JustBelow is one token less than the other number: the target of the
// profiles, just under the ceiling.
var JustBelow = Amount{Set: true, Below: 1}

// Of resolves the amount against the number its share is of, rounded down.
func (a Amount) Of(whole sdk.Tokens) sdk.Tokens {
	switch {
	case a.Percent > 0:
		return whole * sdk.Tokens(a.Percent) / 100
	case a.Below > 0:
		return max(0, whole-a.Below)
	}
	return a.Tokens
}

// String spells the amount as it is written in a configuration; empty when it
// is unset.
func (a Amount) String() string {
	switch {
	case !a.Set:
		return ""
	case a.Percent > 0:
		return fmt.Sprintf("%d%%", a.Percent)
	case a.Below > 0:
		return fmt.Sprintf("ceiling-%d", a.Below)
	}
	return fmt.Sprint(a.Tokens)
}

// amount reads the three kinds of amounts.
func (k *key) amount(raw any) (any, error) {
	a, err := amountOf(raw)
	switch {
	case err != nil:
		return nil, k.mustBe(`a number of tokens or a share of "1%" to "99%"`, err.Error())
	case a.Below > 0 && k.kind != goalKind:
		return nil, k.wrong("cannot be counted from the ceiling")
	case a.Percent == 0 && a.Below == 0 && a.Tokens == 0 && k.kind != savingKind:
		return nil, k.wrong("must be more than 0")
	}
	return a, nil
}

func amountOf(raw any) (Amount, error) {
	switch v := raw.(type) {
	case int64:
		if v < 0 || v > largest {
			return Amount{}, fmt.Errorf("it is not from 0 to %d", int64(largest))
		}
		return Amount{Set: true, Tokens: sdk.Tokens(v)}, nil
	case string:
		return ParseAmount(v)
	}
	return Amount{}, errors.New("it is " + kindOf(raw))
}

// ParseAmount reads an amount: a number of tokens ("16000"), a share ("15%",
// from 1 to 99), or a distance below the ceiling ("ceiling-1").
func ParseAmount(s string) (Amount, error) {
	if share, ok := strings.CutSuffix(s, "%"); ok {
		n, err := strconv.Atoi(share)
		if err != nil || n < 1 || n > 99 {
			return Amount{}, errors.New(`a share is a whole number from "1%" to "99%"`)
		}
		return Amount{Set: true, Percent: n}, nil
	}
	number, below := strings.CutPrefix(s, "ceiling-")
	n, err := strconv.ParseInt(number, 10, 64)
	switch {
	case err != nil:
		return Amount{}, errors.New("it is neither a number nor a share")
	case n < 0 || n > largest:
		return Amount{}, fmt.Errorf("it is not from 0 to %d", int64(largest))
	case below && n == 0:
		return Amount{}, errors.New(`the least below the ceiling is "ceiling-1"`)
	case below:
		return Amount{Set: true, Below: sdk.Tokens(n)}, nil
	}
	return Amount{Set: true, Tokens: sdk.Tokens(n)}, nil
}
