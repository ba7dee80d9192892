package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/compactor-host/compactor/sdk"
	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// Description is what a strategy tells of itself.
type Description struct {
	Name, Version string
	// Revision is the revision of the contract that it was built for.
	Revision    int
	CallsModels bool
	// Schema is the JSON Schema of its options, an object.
	Schema []byte
	Source Source
	// Path is its program; empty when it is built in.
	Path string
}

// describe asks a plugin what it is, and refuses one that cannot be used.
func describe(ctx context.Context, s strategyv1.StrategyClient, found *Found) (*Description, error) {
	answer, err := s.Describe(ctx, &strategyv1.DescribeRequest{Revision: sdk.Revision})
	switch status.Code(err) {
	case codes.OK:
	case codes.Unimplemented:
		return nil, handshakeError("it does not serve %s", strategyv1.Strategy_ServiceDesc.ServiceName)
	default:
		return nil, fmt.Errorf("describe: %w", err)
	}
	d := &Description{
		Name:        answer.GetName(),
		Version:     answer.GetVersion(),
		Revision:    int(answer.GetRevision()),
		CallsModels: answer.GetCallsModels(),
		Schema:      []byte(answer.GetOptionsSchema()),
		Source:      found.Source,
		Path:        found.Path,
	}
	if err := d.refuse(found); err != nil {
		return nil, &Error{Kind: Protocol, Cause: err}
	}
	return d, nil
}

// refuse says why a strategy cannot be used. A program that was found by its
// name has to answer to it; a plugin block may give any program any name.
func (d *Description) refuse(found *Found) error {
	switch {
	case d.Name != found.Name && found.Source != SourceConfig:
		return fmt.Errorf("it says that it is strategy %q", d.Name)
	case d.Revision < 1:
		return errors.New("it names no contract revision")
	}
	return refuseSchema(d.Schema)
}

// refuseSchema makes sure that the strategy's options and the host's settings
// of a step can stand in one block.
func refuseSchema(schema []byte) error {
	if len(schema) == 0 {
		return nil // no options
	}
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return fmt.Errorf("the schema of its options is no JSON object: %w", err)
	}
	for _, name := range sdk.ReservedOptions {
		if _, ok := s.Properties[name]; ok {
			return fmt.Errorf("its option %q has a name that is reserved by the host", name)
		}
	}
	return nil
}
