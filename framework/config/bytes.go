package config

import (
	"math"
	"strconv"
	"strings"
)

// byteUnits are the units of sizes in bytes.
var byteUnits = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}}

// bytes reads a size in bytes: a number, or a text with a unit.
func (k *key) bytes(raw any) (any, error) {
	const form = `write a number of bytes, or a string with a unit, such as "512MiB" (KiB, MiB, GiB or TiB)`
	n, unit := int64(0), int64(1)
	switch v := raw.(type) {
	case int64:
		n = v
	case string:
		number := v
		for _, u := range byteUnits {
			if s, ok := strings.CutSuffix(v, u.name); ok {
				number, unit = strings.TrimSuffix(s, " "), u.bytes
			}
		}
		var err error
		if n, err = strconv.ParseInt(number, 10, 64); err != nil {
			return nil, k.mustBe("a size in bytes", form)
		}
	default:
		return nil, k.mustBe("a size in bytes", "it is "+kindOf(raw)+"; "+form)
	}
	if most := largest / unit; n < 1 || n > most {
		return nil, k.wrong("must be from 1 to %d bytes", int64(largest))
	}
	return n * unit, nil
}

// price reads a number of dollars.
func (k *key) price(raw any) (any, error) {
	x, ok := raw.(float64)
	if n, whole := raw.(int64); whole {
		x, ok = float64(n), true
	}
	switch {
	case !ok:
		return nil, k.mustBe("a number of dollars", "it is "+kindOf(raw))
	case x < 0 || math.IsNaN(x) || x > largest:
		return nil, k.wrong("must be from 0 to %d", int64(largest))
	}
	return x, nil
}
