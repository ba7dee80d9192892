package sdk

import strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"

// Proto returns the base as it crosses the wire.
func (b Base) Proto() *strategyv1.Base {
	return &strategyv1.Base{All: b.All, First: position(b.First)}
}

// BaseFromProto reads a base.
func BaseFromProto(p *strategyv1.Base) Base {
	return Base{All: p.GetAll(), First: int(p.GetFirst())}
}

// Proto returns the request as it crosses the wire.
func (r *GenerateRequest) Proto() *strategyv1.Generate {
	p := &strategyv1.Generate{
		Base:            r.Base.Proto(),
		IncludeTools:    r.IncludeTools,
		MaxOutputTokens: int64(r.MaxOutput),
		Model:           valid(r.Model),
		System:          valid(r.System),
	}
	for _, m := range r.Messages {
		p.Messages = append(p.Messages, m.Proto())
	}
	return p
}

// GenerateRequestFromProto reads a request for a model call.
func GenerateRequestFromProto(p *strategyv1.Generate) *GenerateRequest {
	r := &GenerateRequest{
		Base:         BaseFromProto(p.GetBase()),
		IncludeTools: p.GetIncludeTools(),
		MaxOutput:    Tokens(p.GetMaxOutputTokens()),
		Model:        p.GetModel(),
		System:       p.GetSystem(),
	}
	for _, m := range p.GetMessages() {
		r.Messages = append(r.Messages, InsertFromProto(m))
	}
	return r
}

// Proto returns the answer as it crosses the wire.
func (r *GenerateResponse) Proto() *strategyv1.Generated {
	return &strategyv1.Generated{Text: valid(r.Text), Finish: string(r.Finish), Usage: r.Usage.Proto()}
}

// GenerateResponseFromProto reads a model's answer.
func GenerateResponseFromProto(p *strategyv1.Generated) *GenerateResponse {
	return &GenerateResponse{Text: p.GetText(), Finish: Finish(p.GetFinish()), Usage: UsageFromProto(p.GetUsage())}
}

// Proto returns the usage as it crosses the wire.
func (u Usage) Proto() *strategyv1.Usage {
	return &strategyv1.Usage{
		Input: int64(u.Input), CacheRead: int64(u.CacheRead), CacheWrite: int64(u.CacheWrite), Output: int64(u.Output),
	}
}

// UsageFromProto reads a usage.
func UsageFromProto(p *strategyv1.Usage) Usage {
	return Usage{
		Input: Tokens(p.GetInput()), CacheRead: Tokens(p.GetCacheRead()),
		CacheWrite: Tokens(p.GetCacheWrite()), Output: Tokens(p.GetOutput()),
	}
}

// Proto returns the request as it crosses the wire.
func (r *NativeRequest) Proto() *strategyv1.Native {
	return &strategyv1.Native{Mode: string(r.Mode), Base: r.Base.Proto(), Keep: int64(r.Keep)}
}

// NativeRequestFromProto reads a request for the provider's own compaction.
func NativeRequestFromProto(p *strategyv1.Native) *NativeRequest {
	return &NativeRequest{Mode: NativeMode(p.GetMode()), Base: BaseFromProto(p.GetBase()), Keep: Tokens(p.GetKeep())}
}

// Proto returns the answer as it crosses the wire.
func (r *NativeResponse) Proto() *strategyv1.Compacted {
	return &strategyv1.Compacted{Items: validAll(r.Items), Usage: r.Usage.Proto()}
}

// NativeResponseFromProto reads what a provider's compaction made.
func NativeResponseFromProto(p *strategyv1.Compacted) *NativeResponse {
	return &NativeResponse{Items: p.GetItems(), Usage: UsageFromProto(p.GetUsage())}
}

// CountedProto returns the answer to Count as it crosses the wire.
func CountedProto(counts []Tokens) *strategyv1.Counted {
	p := &strategyv1.Counted{Tokens: make([]int64, len(counts))}
	for i, n := range counts {
		p.Tokens[i] = int64(n)
	}
	return p
}

// CountedFromProto reads the answer to Count.
func CountedFromProto(p *strategyv1.Counted) []Tokens {
	counts := make([]Tokens, len(p.GetTokens()))
	for i, n := range p.GetTokens() {
		counts[i] = Tokens(n)
	}
	return counts
}

// FetchProto returns the question as it crosses the wire.
func FetchProto(layer Layer, indices []int) *strategyv1.Fetch {
	p := &strategyv1.Fetch{Layer: string(layer), Indices: make([]uint32, len(indices))}
	for i, n := range indices {
		p.Indices[i] = position(n)
	}
	return p
}

// FetchFromProto reads the question for messages of a layer.
func FetchFromProto(p *strategyv1.Fetch) (layer Layer, indices []int) {
	indices = make([]int, len(p.GetIndices()))
	for i, n := range p.GetIndices() {
		indices[i] = int(n)
	}
	return Layer(p.GetLayer()), indices
}
