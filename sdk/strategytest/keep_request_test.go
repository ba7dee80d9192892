package strategytest

import (
	"strings"
	"testing"

	"github.com/compactor-host/compactor/sdk"
)

// What has to be there of the newest request when its message is not.
func TestWhatStandsForTheRequest(t *testing.T) {
	giant := strings.Repeat("begin ", 200) + strings.Repeat("middle ", 400) + strings.Repeat("end ", 200)
	head, tail := giant[:600], giant[len(giant)-600:]
	text := func(texts ...string) (parts []sdk.Part) {
		for _, t := range texts {
			parts = append(parts, sdk.Part{Kind: sdk.PartText, Text: t, Tokens: TokensOf(t)})
		}
		return parts
	}
	image := sdk.Part{Kind: sdk.PartMedia, Tokens: imageTokens, Media: []sdk.Media{{Kind: "image", Name: "plan.png"}}}
	for name, c := range map[string]struct {
		request []sdk.Part
		role    sdk.Role
		insert  string
		target  sdk.Tokens
		holds   bool
	}{
		"the same words":                           {text("delete the file"), sdk.RoleUser, "delete the file", 1e6, true},
		"a line of their own":                      {text("delete the file"), sdk.RoleUser, "before\ndelete the file\nafter", 1e6, true},
		"behind a label":                           {text("delete the file"), sdk.RoleUser, "[User]: delete the file", 1e6, true},
		"in quotes":                                {text("delete the file"), sdk.RoleUser, `The user said: "delete the file".`, 1e6, true},
		"of several lines":                         {text("one\ntwo"), sdk.RoleUser, "> one\ntwo\nthree", 1e6, true},
		"a second time by themselves":              {text("stop"), sdk.RoleUser, "do not stop\nstop", 1e6, true},
		"in the middle of others":                  {text("delete the file"), sdk.RoleUser, "I will not delete the file", 1e6, false},
		"before others":                            {text("delete the file"), sdk.RoleUser, "delete the file later", 1e6, false},
		"a letter in a word":                       {text("a"), sdk.RoleUser, "earlier talk left out", 1e6, false},
		"other words":                              {text("delete the file"), sdk.RoleUser, "remove the file", 1e6, false},
		"in the assistant's mouth":                 {text("delete the file"), sdk.RoleAssistant, "delete the file", 1e6, false},
		"one of two texts":                         {text("one", "two"), sdk.RoleUser, "one", 1e6, false},
		"both texts":                               {text("one", "two"), sdk.RoleUser, "one\ntwo", 1e6, true},
		"an image that is not named":               {append(text("look"), image), sdk.RoleUser, "look", 1e6, false},
		"an image by its kind":                     {append(text("look"), image), sdk.RoleUser, "look\n[Image left out]", 1e6, true},
		"an image by its name":                     {append(text("look"), image), sdk.RoleUser, "look\n(plan.png)", 1e6, true},
		"an image alone":                           {[]sdk.Part{image}, sdk.RoleUser, "an image", 1e6, false},
		"both ends of a giant":                     {text(giant), sdk.RoleUser, head + "\n[4,000 characters left out]\n" + tail, 100, true},
		"both ends of one that is none":            {text(giant), sdk.RoleUser, head + "\n[4,000 characters left out]\n" + tail, 1e6, false},
		"both ends of a giant without a number":    {text(giant), sdk.RoleUser, head + "\n[…]\n" + tail, 100, false},
		"the beginning of a giant":                 {text(giant), sdk.RoleUser, head + "\n[4,000 characters left out]", 100, false},
		"the words of a short one over the target": {text("delete the file"), sdk.RoleUser, "delete", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			v := sdk.View{
				{Index: 0, Unit: 0, Role: sdk.RoleUser, Tokens: 10_000},
				{Index: 1, Unit: 1, Exchange: 1, Role: sdk.RoleUser, Tokens: 2_000, Flags: sdk.FlagRequest, Parts: c.request},
			}
			res := v.Drop([]int{0, 1}).Insert(0, sdk.Insert{Role: c.role, Text: []string{c.insert}}).Result()
			found := Violations(Request(v, c.target), res, nil)
			if c.holds != (len(found) == 0) || !c.holds && !strings.Contains(found[0], "newest request") {
				t.Errorf("violations %q", found)
			}
		})
	}
}

// Edits of a kept request: of its words never, not even with the words beside
// it; of a result that they stand behind.
func TestEditsOfTheRequest(t *testing.T) {
	v := sdk.View{
		{Index: 0, Unit: 0, Role: sdk.RoleUser, Tokens: 1_000},
		{Index: 1, Unit: 1, Role: sdk.RoleUser, Tokens: 2_000, Flags: sdk.FlagRequest, Parts: []sdk.Part{
			{Kind: sdk.PartResult, Text: "long", Tokens: 1_000}, {Kind: sdk.PartText, Text: "go on", Tokens: 10},
		}},
	}
	words := sdk.Insert{Role: sdk.RoleUser, Text: []string{"go on"}}
	for name, c := range map[string]struct {
		draft *sdk.Draft
		want  int
	}{
		"a result":              {v.Edit().Stub(1, 0, "gone"), 0},
		"the words":             {v.Edit().Drop(0).Text(1, 1, "go"), 1},
		"the words, said again": {v.Edit().Drop(0).Text(1, 1, "go").Insert(1, words), 1},
	} {
		if found := Violations(Request(v, 100), c.draft.Result(), nil); len(found) != c.want {
			t.Errorf("%s: violations %q, want %d", name, found, c.want)
		}
	}
}
