package dialect

// Text is the text of a part of the conversation: of one of its messages, of
// the system text, or of a tool.
func (c *Conversation) Text(p *Part) string { return p.text(c.Body) }
