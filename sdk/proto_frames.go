package sdk

import (
	"iter"

	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// minFrame is the smallest frame that is worth filling.
const minFrame = 1 << 10

// ViewFrames yields the view in frames of about size bytes, but not under
// 1 KiB: first its outline, then the texts and media data that it has.
func ViewFrames(view View, size int) iter.Seq[*strategyv1.FromHost] {
	return func(yield func(*strategyv1.FromHost) bool) {
		for f := range frames(view, size) {
			p := &strategyv1.FromHost{}
			if f.outline != nil {
				p.Frame = &strategyv1.FromHost_Outline{Outline: f.outline}
			} else {
				p.Frame = &strategyv1.FromHost_Content{Content: f.content}
			}
			if !yield(p) {
				return
			}
		}
	}
}

// FetchedFrames yields the answer to Fetch in frames of about size bytes, at
// least one.
func FetchedFrames(messages []Message, size int) iter.Seq[*strategyv1.Fetched] {
	return func(yield func(*strategyv1.Fetched) bool) {
		var last *strategyv1.Fetched
		for f := range frames(messages, size) {
			if last != nil {
				last.More = true
				if !yield(last) {
					return
				}
			}
			last = &strategyv1.Fetched{}
			if f.outline != nil {
				last.Frame = &strategyv1.Fetched_Outline{Outline: f.outline}
			} else {
				last.Frame = &strategyv1.Fetched_Content{Content: f.content}
			}
		}
		if last == nil {
			last = &strategyv1.Fetched{}
		}
		yield(last)
	}
}

// frame is one of the two.
type frame struct {
	outline *strategyv1.Outline
	content *strategyv1.Content
}

// frames yields messages in frames of about size bytes.
func frames(messages []Message, size int) iter.Seq[frame] {
	size = max(size, minFrame)
	return func(yield func(frame) bool) {
		if len(messages) == 0 {
			return
		}
		outline, bound := outlineOf(messages)
		for o := range cutOutline(outline, bound, size) {
			if !yield(frame{outline: o}) {
				return
			}
		}
		for c := range contentsOf(messages, size) {
			if !yield(frame{content: c}) {
				return
			}
		}
	}
}
