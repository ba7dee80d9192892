package sdk_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/compactor-host/compactor/sdk"
	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// socket returns the path of a socket in a folder of its own. The folder's
// name is short, as a socket's path must be.
func socket(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sdk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s")
}

// listen serves a strategy on a unix socket and returns a client of it.
func listen(t *testing.T, s strategyv1.StrategyServer, logger hclog.Logger) strategyv1.StrategyClient {
	t.Helper()
	path := socket(t)
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(sdk.ServerOptions(logger)...)
	strategyv1.RegisterStrategyServer(server, s)
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return dial(t, "unix:"+path)
}

func dial(t *testing.T, target string) strategyv1.StrategyClient {
	t.Helper()
	conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(sdk.MaxFrameBytes), grpc.MaxCallSendMsgSize(sdk.MaxFrameBytes)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return strategyv1.NewStrategyClient(conn)
}

// compact is a host without answers: it sends the request and waits for the
// result.
func compact(t *testing.T, client strategyv1.StrategyClient, r *sdk.Request) (*sdk.Result, error) {
	t.Helper()
	stream, err := client.Compact(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	send := func(f *strategyv1.FromHost) {
		t.Helper()
		if err := stream.Send(f); err != nil && err != io.EOF {
			t.Fatal(err)
		}
	}
	send(startFrame(r, "{}", sdk.DefaultLimits()))
	for f := range sdk.ViewFrames(r.View, sdk.ChunkBytes) {
		send(f)
	}
	send(goFrame())
	var joiner sdk.ResultJoiner
	for {
		f, err := stream.Recv()
		switch {
		case err == io.EOF:
			return joiner.Result(), nil
		case err != nil:
			return nil, sdk.ErrorFromStatus(err)
		}
		if f.GetResult() != nil {
			if _, err := joiner.Add(f.GetResult()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// digest is a hash of all that is in a view.
func digest(v sdk.View) string {
	h := sha256.New()
	for _, m := range v {
		fmt.Fprint(h, m.Index, m.Role, m.Unit, m.Exchange, m.Tokens, m.Flags, m.Name, len(m.Parts))
		for _, p := range m.Parts {
			fmt.Fprint(h, p.Kind, p.Tool, p.Tokens, p.Error, p.Stub, len(p.Text), len(p.Media))
			io.WriteString(h, p.Text)
			for _, media := range p.Media {
				fmt.Fprint(h, media.Kind, media.Type, media.Name, media.Size, len(media.Data))
				io.WriteString(h, media.Data)
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// hugeView has 64 MB: a text and a picture far larger than any frame, and many
// small messages.
func hugeView() sdk.View {
	v := sdk.View{
		{Role: sdk.RoleUser, Parts: []sdk.Part{{Kind: sdk.PartText, Text: strings.Repeat("a long story, 漢字 ", 1<<20)}}},
		{Index: 1, Role: sdk.RoleUser, Unit: 1, Parts: []sdk.Part{{Kind: sdk.PartMedia, Media: []sdk.Media{
			{Kind: "image", Type: "image/png", Size: 30 << 20, Data: strings.Repeat("AAAABBBB", 30<<17)},
		}}}},
	}
	for size := (21 + 30) << 20; size < 64<<20; size += 3000 {
		i := len(v)
		text := fmt.Sprint(i, strings.Repeat(" words", 500))
		v = append(v, sdk.Message{Index: i, Role: sdk.RoleTool, Unit: i, Tokens: 750, Parts: []sdk.Part{
			{Kind: sdk.PartResult, Tool: "read", Text: text},
		}})
	}
	return v
}

func TestViewOf64MBOverASocket(t *testing.T) {
	view := hugeView()
	client := listen(t, sdk.NewServer(define("reads-all", func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		return sdk.Unchanged(digest(r.View)), nil
	})), hclog.NewNullLogger())
	got, err := compact(t, client, &sdk.Request{View: view})
	if err != nil {
		t.Fatal(err)
	}
	if want := digest(view); got.Reason != want {
		t.Errorf("another view arrived: %s, sent %s", got.Reason, want)
	}
}

func TestLargeResultOverASocket(t *testing.T) {
	const n = 20_000
	want := &sdk.Result{Store: &sdk.Previous{Record: make([]byte, 1<<20)}}
	for i := range n {
		want.Script = append(want.Script, sdk.Op{Kind: sdk.OpSet, From: i, As: sdk.AsStub, Text: strings.Repeat("s", 100)})
	}
	client := listen(t, sdk.NewServer(define("talks", func(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
		return want, nil
	})), hclog.NewNullLogger())
	got, err := compact(t, client, &sdk.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCompactionsAtOnceDoNotMix(t *testing.T) {
	client := listen(t, sdk.NewServer(define("echo", func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		return sdk.Unchanged(r.Thread), nil
	})), hclog.NewNullLogger())
	for i := range 20 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			thread := fmt.Sprint("thread ", i)
			got, err := compact(t, client, &sdk.Request{Thread: thread})
			if err != nil || got.Reason != thread {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestPanicFailsOneCompactionOnly(t *testing.T) {
	client := listen(t, sdk.NewServer(define("moody", func(_ context.Context, r *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		if r.Attempt == 1 {
			panic("the first time")
		}
		return sdk.Unchanged("well"), nil
	})), hclog.NewNullLogger())
	_, err := compact(t, client, &sdk.Request{Attempt: 1})
	want := &sdk.Error{Kind: sdk.ErrInternal, Message: "strategy moody panicked: the first time"}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Error(diff)
	}
	got, err := compact(t, client, &sdk.Request{Attempt: 2})
	if err != nil || got.Reason != "well" {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
}

// panicky is a server whose own code panics, not its strategy.
type panicky struct {
	strategyv1.UnimplementedStrategyServer
}

func (panicky) Describe(context.Context, *strategyv1.DescribeRequest) (*strategyv1.DescribeResponse, error) {
	panic("in a call")
}

func (panicky) Compact(strategyv1.Strategy_CompactServer) error { panic("in a stream") }

func TestServerOptionsContainPanicsOfHandlers(t *testing.T) {
	var log strings.Builder
	client := listen(t, panicky{}, hclog.New(&hclog.LoggerOptions{Output: &log}))
	_, err := client.Describe(t.Context(), &strategyv1.DescribeRequest{})
	if got := sdk.ErrorFromStatus(err); got.Kind != sdk.ErrInternal || !strings.HasSuffix(got.Message, "panicked: in a call") {
		t.Errorf("got %v", got)
	}
	if _, err := compact(t, client, &sdk.Request{}); err == nil || !strings.HasSuffix(err.Error(), "panicked: in a stream") {
		t.Errorf("got %v", err)
	}
	if !strings.Contains(log.String(), "panicky.Describe") {
		t.Errorf("no stack in the log: %s", log.String())
	}
}

func TestDescribeAndConfigureOverASocket(t *testing.T) {
	type options struct {
		Keep int `json:"keep" default:"2" min:"1"`
	}
	d := sdk.New("keeper", "2.1.0", func(options) (sdk.Strategy, error) { return outliner{}, nil })
	client := listen(t, sdk.NewServer(d), hclog.NewNullLogger())

	described, err := client.Describe(t.Context(), &strategyv1.DescribeRequest{Revision: 1})
	if err != nil {
		t.Fatal(err)
	}
	if described.GetName() != "keeper" || described.GetVersion() != "2.1.0" || described.GetRevision() != 1 || !described.GetCallsModels() {
		t.Errorf("described as %v", described)
	}
	if !json.Valid([]byte(described.GetOptionsSchema())) || !strings.Contains(described.GetOptionsSchema(), `"keep"`) {
		t.Errorf("schema %s", described.GetOptionsSchema())
	}

	configured, err := client.Configure(t.Context(), &strategyv1.ConfigureRequest{Options: `{"keep": 3}`})
	if err != nil {
		t.Fatal(err)
	}
	in, _ := d.Configure([]byte(`{"keep": 3}`))
	if configured.GetDigest() != in.Digest || configured.GetNeed() != strategyv1.Need_NEED_OUTLINE || len(configured.GetDiagnostics()) > 0 {
		t.Errorf("configured as %v", configured)
	}

	refused, err := client.Configure(t.Context(), &strategyv1.ConfigureRequest{Options: `{"keep": 0}`})
	if err != nil {
		t.Fatal(err)
	}
	var found []sdk.Diagnostic
	for _, p := range refused.GetDiagnostics() {
		found = append(found, sdk.DiagnosticFromProto(p))
	}
	want := []sdk.Diagnostic{{Path: []string{"keep"}, Message: "0 is less than 1"}}
	if diff := cmp.Diff(want, found); diff != "" || refused.GetDigest() != "" {
		t.Errorf("refused with %v: %s", refused, diff)
	}
}

// outliner needs an outline and calls models.
type outliner struct{}

func (outliner) Compact(context.Context, *sdk.Request, sdk.Host) (*sdk.Result, error) {
	return nil, nil
}
func (outliner) Need() sdk.Need    { return sdk.NeedOutline }
func (outliner) CallsModels() bool { return true }

func TestCancelReachesTheStrategy(t *testing.T) {
	working, cancelled := make(chan struct{}), make(chan error, 1)
	client := listen(t, sdk.NewServer(define("waits", func(ctx context.Context, _ *sdk.Request, _ sdk.Host) (*sdk.Result, error) {
		close(working)
		<-ctx.Done()
		cancelled <- ctx.Err()
		return nil, ctx.Err()
	})), hclog.NewNullLogger())
	ctx, cancel := context.WithCancel(t.Context())
	stream, err := client.Compact(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*strategyv1.FromHost{startFrame(&sdk.Request{}, "{}", sdk.Limits{}), goFrame()} {
		if err := stream.Send(f); err != nil {
			t.Fatal(err)
		}
	}
	<-working
	cancel()
	if err := <-cancelled; err != context.Canceled {
		t.Errorf("the strategy saw %v", err)
	}
}
