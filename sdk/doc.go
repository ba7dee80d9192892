// Package sdk is the strategy contract: all that the author of a compaction
// strategy imports.
//
// A strategy is given the view of a conversation and a budget, and answers
// with an edit script. It runs in a process of its own, started and served
// with Serve:
//
//	type options struct {
//		Keep int `json:"keep" default:"2" help:"exchanges kept word for word"`
//	}
//
//	func main() {
//		sdk.Serve(sdk.New("keep-last", "1.0.0", func(o options) (sdk.Strategy, error) {
//			return sdk.StrategyFunc(func(ctx context.Context, r *sdk.Request, h sdk.Host) (*sdk.Result, error) {
//				v := r.View
//				return v.Drop(v.Before(v.Exchanges().Last(o.Keep))).Result(), nil
//			}), nil
//		}))
//	}
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
// # The wire
//
// The methods called Proto, functions that end in FromProto, ViewFrames and
// ViewJoiner translate between these types and the protobuf form in sdk/proto.
// Serve and hosts need them; a strategy does not.
package sdk
