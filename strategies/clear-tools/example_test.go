package cleartools_test

import (
	"context"
	"fmt"

	"github.com/compactor-host/compactor/sdk"
	cleartools "github.com/compactor-host/compactor/strategies/clear-tools"
)

func Example() {
	strategy, err := cleartools.New(cleartools.Options{KeepRecentToolResults: 1, ExcludeTools: []string{"ask_user"}})
	if err != nil {
		panic(err)
	}
	turn := func(index, unit int, tool string, size sdk.Tokens) sdk.View {
		return sdk.View{
			{Index: index, Unit: unit, Role: sdk.RoleAssistant, Tokens: 20, Parts: []sdk.Part{{Kind: sdk.PartCall, Tool: tool, Tokens: 20}}},
			{Index: index + 1, Unit: unit, Role: sdk.RoleTool, Tokens: size, Parts: []sdk.Part{{Kind: sdk.PartResult, Tool: tool, Tokens: size}}},
		}
	}
	view := append(turn(0, 0, "read_file", 1240), turn(2, 1, "bash", 300)...)
	budget := sdk.Budget{Size: 1580, Target: 1000, Ceiling: 1500}
	result, err := strategy.Compact(context.Background(), &sdk.Request{View: view, Budget: budget}, nil)
	if err != nil {
		panic(err)
	}
	for _, op := range result.Script {
		if op.Kind == sdk.OpSet {
			fmt.Println(op.From, op.Text)
		}
	}
	fmt.Println(result.Account[0])
	// Output:
	// 1 [output of read_file cleared: about 1,240 tokens]
	// cleared 1 tool result (1 read_file)
}
