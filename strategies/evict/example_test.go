package evict_test

import (
	"context"
	"fmt"

	"github.com/compactor-host/compactor/sdk"
	"github.com/compactor-host/compactor/strategies/evict"
)

func Example() {
	strategy, err := evict.New(evict.Options{
		KeepRecentTokens: 100,
		Marker: func(n int, _ []sdk.Message) string {
			return fmt.Sprintf("(%d messages are missing here)", n)
		},
	})
	if err != nil {
		panic(err)
	}
	view := sdk.View{
		{Index: 0, Unit: 0, Role: sdk.RoleSystem, Tokens: 50, Flags: sdk.FlagFixed},
		{Index: 1, Unit: 1, Role: sdk.RoleUser, Tokens: 300},
		{Index: 2, Unit: 2, Role: sdk.RoleAssistant, Tokens: 200},
		{Index: 3, Unit: 3, Role: sdk.RoleUser, Tokens: 80},
	}
	budget := sdk.Budget{Size: 630, Overhead: 50, Target: 400, Ceiling: 600}
	result, err := strategy.Compact(context.Background(), &sdk.Request{View: view, Budget: budget}, nil)
	if err != nil {
		panic(err)
	}
	for _, op := range result.Script {
		if op.Kind == sdk.OpInsert {
			fmt.Println(op.Kind, op.Insert.Text[0])
		} else {
			fmt.Println(op.Kind, op.From, op.To)
		}
	}
	fmt.Println(result.Account[0])
	// Output:
	// keep 0 1
	// insert (2 messages are missing here)
	// drop 1 3
	// keep 3 4
	// left out 2 messages: 1 user, 1 assistant
}
