package sdk

// Tokens counts tokens, as the host's meter estimates or knows them.
type Tokens int
