// Package sdk is the strategy contract: all that the author of a compaction
// strategy imports.
//
// A strategy is given the view of a conversation and a budget, and answers
// with an edit script. It runs in a process of its own, started and served
// with Serve:
//
//	type options struct {
//		Keep int `json:"keep" default:"2" min:"1" help:"exchanges kept word for word"`
//	}
//
//	var keepLast = sdk.New("keep-last", "1.0.0", func(o options) (sdk.Strategy, error) {
//		return sdk.StrategyFunc(func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
//			return r.View.Drop(r.View.Before(r.View.Exchanges().Last(o.Keep))).Result(), nil
//		}), nil
//	})
//
//	func main() { sdk.Serve(keepLast) }
//
// # The list and its edits
//
// View, Message and Part are what a strategy reads. View.Edit begins a Draft,
// whose methods drop, rewrite and insert; Draft.Result turns it into a Script.
// Nobody has to write scripts by hand, but Script.Apply and Compose are there
// for those who do.
//
// # The host
//
// Host is what a strategy may ask while it works: a model call, the provider's
// own compaction, a count, messages of a lower layer. A strategy holds no
// secrets and no state; what it wants to remember it returns in Result.Store
// and finds again in Request.Previous.
//
// # Options
//
// New reads the options struct: it gives the JSON Schema that a host shows and
// checks configurations against, the defaults and the help. What is wrong with
// options comes back as Diagnostics, each with the path of its option. A
// Definition also runs without a process: Configure makes an Instance.
//
// # What is not for authors
//
// Whoever writes a strategy can pass over the rest. It is for hosts, and for
// Serve itself, which translate between these types and their protobuf form in
// sdk/proto:
//
//   - the methods Proto, GRPCStatus and Request.Start, and the functions that
//     end in Proto, FromProto or FromStatus;
//   - ViewFrames, FetchedFrames and ResultFrames, ViewJoiner and ResultJoiner,
//     which cut what is large into frames and join it again;
//   - NewServer and Plugin, Handshake and PluginName, ServerOptions, Limits and
//     the sizes in bytes, on which both sides of a connection agree.
package sdk
