package evict_test

import (
	"context"
	"strings"
	"testing"

	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/strategies/evict"
)

func TestT73Options(t *testing.T) {
	tests := []struct{ name, options, want, marker string }{
		{"none: half of max_tokens", ``, "M 3 4", "[3 earlier messages left out here to save room: 3 user]"},
		{"0 is the same", `{"keep_recent_tokens": 0}`, "M 3 4", "[3 earlier messages left out here to save room: 3 user]"},
		{"keep_recent_tokens", `{"keep_recent_tokens": 130}`, "M 2 3 4", "[2 earlier messages left out here to save room: 2 user]"},
		{"marker", `{"marker": "{count} gone ({what}), {count}!"}`, "M 3 4", "3 gone (3 user), 3!"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, found := evict.Definition().Configure([]byte(tt.options))
			if len(found) > 0 {
				t.Fatal(found)
			}
			if in.Need != sdk.NeedOutline {
				t.Errorf("needs %d of a view, want the outline", in.Need)
			}
			v := viewOf(t, repeat(5, "u40"))
			res, err := in.Compact(context.Background(), requestOf(v, sdk.Budget{Target: 200, Ceiling: 201}), meter{each: 1})
			if err != nil {
				t.Fatal(err)
			}
			if got := applied(t, v, res); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if got := markerOf(res); got != tt.marker {
				t.Errorf("marker is %q, want %q", got, tt.marker)
			}
		})
	}
}

func TestWrongOptions(t *testing.T) {
	tests := []struct{ name, options, want string }{
		{"a negative wish", `{"keep_recent_tokens": -1}`, "keep_recent_tokens: "},
		{"a marker without words", `{"marker": "  "}`, "marker: has no words"},
		{"an unknown placeholder", `{"marker": "{cuont} gone"}`, "marker: {cuont} is not known; there are {count} and {what}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, found := evict.Definition().Configure([]byte(tt.options))
			if len(found) != 1 || !strings.HasPrefix(found[0].String(), tt.want) {
				t.Errorf("found %v, want %q", found, tt.want)
			}
		})
	}
}

func TestT6CallsNoModel(t *testing.T) {
	if evict.Definition().CallsModels {
		t.Error("the definition says that it calls models")
	}
}
