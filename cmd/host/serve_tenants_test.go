package main

import (
	"testing"

	"github.com/compactor-host/compactor/framework/config"
)

func TestTellsTenants(t *testing.T) {
	models := []string{"m-*"}
	tests := []struct {
		name string
		cfg  config.Config
		want bool
	}{
		{"nothing", config.Config{}, false},
		{"header", config.Config{TenantHeader: "X-Team"}, true},
		{"route for all", config.Config{Routes: []config.Route{{Tenant: "a"}}}, true},
		{"route for some", config.Config{Routes: []config.Route{{Models: models, Tenant: "a"}}}, false},
		{"route for some, then for all", config.Config{Routes: []config.Route{{Models: models, Tenant: "a"}, {Tenant: "b"}}}, true},
		{"route for some without a tenant, then for all", config.Config{Routes: []config.Route{{Models: models}, {Tenant: "b"}}}, false},
		{"what comes after one for all does not count", config.Config{Routes: []config.Route{{Tenant: "a"}, {Models: models}}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tellsTenants(&tt.cfg); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
