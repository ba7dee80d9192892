package config

import "testing"

func TestBytes(t *testing.T) {
	tests := []struct {
		raw  any
		want int64 // 0 is refused
	}{
		{int64(1), 1},
		{int64(largest), largest},
		{"4096", 4096},
		{"1KiB", 1 << 10},
		{"512MiB", 512 << 20},
		{"512 MiB", 512 << 20},
		{"3GiB", 3 << 30},
		{int64(0), 0},
		{int64(-1), 0},
		{int64(largest + 1), 0},
		{"1TiB", 0},
		{"9999999999GiB", 0},
		{"512MB", 0},
		{"512mib", 0},
		{"0.5GiB", 0},
		{"MiB", 0},
		{"", 0},
		{1.5, 0},
		{true, 0},
	}
	k := lookup("store", "max_size")
	for _, tt := range tests {
		got, err := k.parse(tt.raw)
		if n, _ := got.(int64); n != tt.want || (err == nil) != (tt.want > 0) {
			t.Errorf("%v: got %v, %v, want %d", tt.raw, got, err, tt.want)
		}
	}
}
