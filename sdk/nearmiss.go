package sdk

import "fmt"

// didYouMean is a question to add to a message about an unknown name: the
// known one that is nearest, if any is near.
func didYouMean(name string, known []string) string {
	// One letter in three may be wrong, but not all of them.
	best, least := "", min((len(name)+2)/3, len(name)-1)+1
	for _, k := range known {
		if n := distance(name, k); n < least {
			best, least = k, n
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is the number of letters to add, remove or exchange to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
