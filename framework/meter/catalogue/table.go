package catalogue

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/compactor-host/compactor/sdk"
)

// table is a line per model: provider, id, context, output, the four prices,
// the size above which a prompt costs more, and "i" for images, "r" for
// reasoning or "-". An empty figure is 0. tools/catalogue writes it.
//
//go:embed models.tsv
var table string

// parseLine reads a line of the table. One that is not as it was written ends
// the program: the table is part of it.
func parseLine(line string) Model {
	f := strings.Split(line, "\t")
	if len(f) != 10 {
		panic(fmt.Sprintf("catalogue: %d fields in %q", len(f), line))
	}
	return Model{
		Provider: f[0], ID: f[1],
		Context: sdk.Tokens(figure(f[2])), Output: sdk.Tokens(figure(f[3])),
		Prices: Prices{
			Rates:     Rates{Input: figure(f[4]), Output: figure(f[5]), CacheRead: figure(f[6]), CacheWrite: figure(f[7])},
			LongAbove: sdk.Tokens(figure(f[8])),
		},
		Images: strings.Contains(f[9], "i"), Reasoning: strings.Contains(f[9], "r"),
	}
}

func figure(field string) float64 {
	if field == "" {
		return 0
	}
	x, err := strconv.ParseFloat(field, 64)
	if err != nil {
		panic(fmt.Sprintf("catalogue: %v", err))
	}
	return x
}
