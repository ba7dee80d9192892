// Package strategyv1 is the strategy contract as Go code, generated from
// strategy.proto beside it. Authors of strategies in Go use package sdk instead.
package strategyv1
