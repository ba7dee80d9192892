// Package strategytest is what the authors of strategies, and the host itself,
// test with: a generator of agent conversations, a fake host, and the
// conformance kit that every strategy is run through.
//
// # Conversations
//
// Generate makes a random conversation of a Shape. It is neutral first; Body
// writes it as the request body of a provider, View as the list that a
// strategy is given. Grow appends exchanges, as an agent does between two
// calls.
//
//	rng := rand.New(rand.NewPCG(1, 2))
//	c := strategytest.Generate(rng, strategytest.Shape{With: strategytest.Media | strategytest.Reasoning})
//	body := c.Body("anthropic")
//
// # The kit
//
// Run runs a strategy's definition over generated conversations and reports
// each rule of the contract that it breaks:
//
//	func TestConformance(t *testing.T) { strategytest.Run(t, definition, []byte(`{"keep": 2}`)) }
package strategytest
