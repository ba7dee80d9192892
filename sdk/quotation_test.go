package sdk

import (
	"strings"
	"testing"
)

// What an inserted message has to hold so that it stands for a request.
func TestQuotation(t *testing.T) {
	long := strings.Repeat("begin ", 200) + strings.Repeat("middle ", 400) + strings.Repeat("end ", 200)
	edges := long[:600] + "\n[… 4,000 characters …]\n" + long[len(long)-600:]
	image := [][]string{{"image", "plan.png"}}
	tests := []struct {
		name   string
		words  []string
		media  [][]string
		role   Role
		text   string
		target Tokens
		want   bool
	}{
		{"the same words", []string{"delete the file"}, nil, RoleUser, "delete the file", 1e6, true},
		{"on a line of their own", []string{"delete the file"}, nil, RoleUser, "before\ndelete the file\nafter", 1e6, true},
		{"behind a label", []string{"delete the file"}, nil, RoleUser, "[User]: delete the file", 1e6, true},
		{"in quotes", []string{"delete the file"}, nil, RoleUser, "The user said: \"delete the file\".", 1e6, true},
		{"several lines", []string{"one\ntwo"}, nil, RoleUser, "> one\ntwo\nthree", 1e6, true},
		{"in the middle of other words", []string{"delete the file"}, nil, RoleUser, "I will not delete the file", 1e6, false},
		{"a letter in a word", []string{"a"}, nil, RoleUser, "earlier talk left out", 1e6, false},
		{"other words", []string{"delete the file"}, nil, RoleUser, "remove the file", 1e6, false},
		{"the assistant's words", []string{"delete the file"}, nil, RoleAssistant, "delete the file", 1e6, false},
		{"one of two texts", []string{"one", "two"}, nil, RoleUser, "one", 1e6, false},
		{"both texts", []string{"one", "two"}, nil, RoleUser, "one\ntwo", 1e6, true},
		{"an image that is not named", []string{"look"}, image, RoleUser, "look", 1e6, false},
		{"an image by its kind", []string{"look"}, image, RoleUser, "look\n[Image left out]", 1e6, true},
		{"an image by its name", []string{"look"}, image, RoleUser, "look\n(plan.png)", 1e6, true},
		{"no words", nil, image, RoleUser, "an image", 1e6, false},
		{"the edges of a giant", []string{long}, nil, RoleUser, edges, 100, true},
		{"the edges of one that is no giant", []string{long}, nil, RoleUser, edges, 1e6, false},
		{"the edges without a mark", []string{long}, nil, RoleUser, long[:600] + long[len(long)-600:], 100, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := Quotation{Words: tt.words, Media: tt.media, Units: len(strings.Join(tt.words, ""))}
			if got := q.In(&Insert{Role: tt.role, Text: []string{tt.text}}, tt.target); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
