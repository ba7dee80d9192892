package sdk_test

import (
	"context"
	"fmt"

	"github.com/compactor-host/compactor/sdk"
)

// conversation is a view of two exchanges, as a host would hand it over.
func conversation() sdk.View {
	return sdk.View{
		{Index: 0, Role: sdk.RoleSystem, Unit: 0, Exchange: -1, Tokens: 50, Flags: sdk.FlagFixed},
		{Index: 1, Role: sdk.RoleUser, Unit: 1, Exchange: 0, Tokens: 10},
		{Index: 2, Role: sdk.RoleAssistant, Unit: 2, Exchange: 0, Tokens: 20, Parts: []sdk.Part{{Kind: sdk.PartCall, Tool: "read"}}},
		{Index: 3, Role: sdk.RoleTool, Unit: 2, Exchange: 0, Tokens: 900, Parts: []sdk.Part{{Kind: sdk.PartResult, Tool: "read"}}},
		{Index: 4, Role: sdk.RoleUser, Unit: 3, Exchange: 1, Tokens: 10, Flags: sdk.FlagRequest},
	}
}

// A strategy that runs in the program that defines it, without a process of
// its own.
func ExampleNew() {
	type options struct {
		Keep int `json:"keep" default:"2" min:"1" help:"exchanges kept word for word"`
	}
	definition := sdk.New("keep-last", "1.0.0", func(o options) (sdk.Strategy, error) {
		return sdk.StrategyFunc(func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
			v := r.View
			return v.Drop(v.Before(v.Exchanges().Last(o.Keep))).Result(), nil
		}), nil
	})
	instance, _ := definition.Configure([]byte(`{"keep": 1}`))
	// This strategy asks its host nothing, so that it needs none.
	result, err := instance.Compact(context.Background(), &sdk.Request{View: conversation()}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, op := range result.Script {
		fmt.Printf("%s [%d,%d)\n", op.Kind, op.From, op.To)
	}
	// Output:
	// keep [0,1)
	// drop [1,4)
	// keep [4,5)
}

func ExampleDefinition_Configure() {
	type options struct {
		Keep int    `json:"keep" default:"2" min:"1"`
		Mark string `json:"mark" enum:"short,long" default:"short"`
	}
	definition := sdk.New("keep-last", "1.0.0", func(options) (sdk.Strategy, error) { return sdk.StrategyFunc(nil), nil })
	_, diagnostics := definition.Configure([]byte(`{"kep": 3, "mark": "shorter"}`))
	for _, d := range diagnostics {
		fmt.Println(d)
	}
	// Output:
	// mark: "shorter" is not one of short, long; did you mean "short"?
	// kep: unknown option; did you mean "keep"?
}

func ExampleView_Edit() {
	result := conversation().Edit().
		Stub(3, 0, "[output of read cleared: about 900 tokens]").
		Insert(4, sdk.Insert{Role: sdk.RoleUser, Text: []string{"(one output was cleared)"}, Flags: sdk.FlagMarker}).
		Account("the output of read, about 900 tokens").
		Result()
	for _, op := range result.Script {
		switch op.Kind {
		case sdk.OpSet:
			fmt.Printf("set %d.%d to %q\n", op.From, op.Part, op.Text)
		case sdk.OpInsert:
			fmt.Printf("insert %q\n", op.Insert.Text)
		default:
			fmt.Printf("%s [%d,%d)\n", op.Kind, op.From, op.To)
		}
	}
	// Output:
	// keep [0,3)
	// set 3.0 to "[output of read cleared: about 900 tokens]"
	// insert ["(one output was cleared)"]
	// keep [4,5)
}

func ExampleScript_Apply() {
	script := sdk.Script{
		{Kind: sdk.OpDrop, From: 0, To: 2},
		{Kind: sdk.OpInsert, Insert: &sdk.Insert{Role: sdk.RoleUser, Text: []string{"earlier: …"}}},
		{Kind: sdk.OpKeep, From: 2, To: 4},
	}
	items, err := script.Apply(sdk.Originals(4))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, item := range items {
		if item.Insert != nil {
			fmt.Println("inserted", item.Insert.Text)
			continue
		}
		fmt.Println("message", item.Source)
	}
	// Output:
	// inserted [earlier: …]
	// message 2
	// message 3
}

func ExampleCompose() {
	first := sdk.Script{{Kind: sdk.OpDrop, From: 0, To: 2}, {Kind: sdk.OpKeep, From: 2, To: 6}}
	// The second is against the four messages that the first leaves.
	second := sdk.Script{{Kind: sdk.OpKeep, From: 0, To: 1}, {Kind: sdk.OpDrop, From: 1, To: 4}}
	both, err := sdk.Compose(6, first, second)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, op := range both {
		fmt.Printf("%s [%d,%d)\n", op.Kind, op.From, op.To)
	}
	// Output:
	// drop [0,2)
	// keep [2,3)
	// drop [3,6)
}
