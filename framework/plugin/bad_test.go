package plugin

import (
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/compactor-host/compactor/sdk"
	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// behave is the main function of the plugins.
func behave(as string) {
	signal.Ignore(os.Interrupt)
	if as == "good" {
		sdk.Serve(wellBuilt())
		return
	}
	if act, ok := beforeHandshake[as]; ok {
		act()
		return
	}
	if lie, ok := lies[as]; ok {
		serveBare(&bare{lie: lie}, listenPrivate())
		return
	}
	d, ok := descriptions[as]
	if !ok {
		fmt.Fprintln(os.Stderr, "no such behaviour:", as)
		os.Exit(99)
	}
	serveBare(&bare{describe: d}, listenPrivate())
}

// beforeHandshake are plugins that go wrong before they serve anything.
var beforeHandshake = map[string]func(){
	"hello": func() { fmt.Println("hello"); time.Sleep(time.Hour) },
	"exit": func() {
		fmt.Fprintln(os.Stderr, "config file missing")
		os.Exit(3)
	},
	"silent":       func() { note(os.Getpid()); time.Sleep(time.Hour) },
	"version":      func() { fmt.Println("1|9|unix|/x|grpc"); time.Sleep(time.Hour) },
	"core":         func() { fmt.Println("7|1|unix|/x|grpc"); time.Sleep(time.Hour) },
	"netrpc":       func() { fmt.Println("1|1|unix|/x|netrpc"); time.Sleep(time.Hour) },
	"certificate":  func() { fmt.Println("1|1|unix|/x|grpc|" + string(make([]byte, 60))); time.Sleep(time.Hour) },
	"long line":    func() { fmt.Println(string(make([]byte, 1<<20))); time.Sleep(time.Hour) },
	"closed":       func() { os.Stdout.Close(); time.Sleep(time.Hour) },
	"outside":      func() { serveBare(&bare{}, listen("unix", os.Getenv(noteVariable))) },
	"tcp":          func() { serveBare(&bare{}, listen("tcp", "127.0.0.1:0")) },
	"far away":     func() { fmt.Println("1|1|tcp|192.0.2.1:7|grpc"); time.Sleep(time.Hour) },
	"no service":   func() { serveBare(nil, listenPrivate()) },
	"mute socket":  func() { l := listenPrivate(); announce(l); time.Sleep(time.Hour) },
	"wrong socket": func() { l := listenPrivate(); announce(l); babble(l) },
	"crash at once": func() {
		l := listenPrivate()
		announce(l)
		_, _ = l.Accept()
		os.Exit(4)
	},
}

// descriptions are plugins that describe themselves wrongly.
var descriptions = map[string]func(context.Context) (*strategyv1.DescribeResponse, error){
	"no revision": func(context.Context) (*strategyv1.DescribeResponse, error) {
		return &strategyv1.DescribeResponse{Name: "odd"}, nil
	},
	"reserved option": func(context.Context) (*strategyv1.DescribeResponse, error) {
		return &strategyv1.DescribeResponse{Name: "odd", Revision: 1, OptionsSchema: `{"properties":{"timeout":{}}}`}, nil
	},
	"schema no object": func(context.Context) (*strategyv1.DescribeResponse, error) {
		return &strategyv1.DescribeResponse{Name: "odd", Revision: 1, OptionsSchema: `[]`}, nil
	},
	"wordy failure": func(context.Context) (*strategyv1.DescribeResponse, error) {
		return nil, status.Error(codes.Internal, strings.Repeat("no ", 10_000))
	},
	"other name": func(context.Context) (*strategyv1.DescribeResponse, error) {
		return &strategyv1.DescribeResponse{Name: "even", Revision: 1}, nil
	},
	"endless describe": func(ctx context.Context) (*strategyv1.DescribeResponse, error) {
		select {}
	},
}

// note writes words for the test.
func note(words ...any) {
	_ = os.WriteFile(os.Getenv(noteVariable), []byte(fmt.Sprintln(words...)), 0o600)
}

func listen(network, address string) net.Listener {
	l, err := net.Listen(network, address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(98)
	}
	return l
}

func listenPrivate() net.Listener {
	return listen("unix", filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "s"))
}

func announce(l net.Listener) {
	fmt.Printf("1|1|%s|%s|grpc\n", l.Addr().Network(), l.Addr())
}

// babble answers everything with what is not HTTP/2.
func babble(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\n\r\nhello"))
	}
}

// serveBare serves the strategy and nothing else: no health service, no
// controller, no broker, no stdio.
func serveBare(s *bare, l net.Listener) {
	server := grpc.NewServer(grpc.ForceServerCodecV2(rawCodec{encoding.GetCodecV2(proto.Name)}))
	if s != nil {
		strategyv1.RegisterStrategyServer(server, s)
	}
	announce(l)
	_ = server.Serve(l)
}

// bare is a strategy without an SDK.
type bare struct {
	strategyv1.UnimplementedStrategyServer
	lie      func(strategyv1.Strategy_CompactServer) error
	describe func(context.Context) (*strategyv1.DescribeResponse, error)
}

func (b *bare) Describe(ctx context.Context, _ *strategyv1.DescribeRequest) (*strategyv1.DescribeResponse, error) {
	if b.describe != nil {
		return b.describe(ctx)
	}
	return &strategyv1.DescribeResponse{Name: "odd", Version: "0", Revision: 1}, nil
}

func (b *bare) Configure(context.Context, *strategyv1.ConfigureRequest) (*strategyv1.ConfigureResponse, error) {
	return &strategyv1.ConfigureResponse{Digest: "d", Need: strategyv1.Need_NEED_OUTLINE}, nil
}

func (b *bare) Compact(stream strategyv1.Strategy_CompactServer) error {
	for {
		f, err := stream.Recv()
		if err != nil {
			return err
		}
		if f.GetGo() != nil {
			return b.lie(stream)
		}
	}
}

// rawCodec lets a plugin send bytes that are no frame.
type rawCodec struct{ encoding.CodecV2 }

type rawFrame []byte

func (c rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	if raw, ok := v.(rawFrame); ok {
		return mem.BufferSlice{mem.SliceBuffer(raw)}, nil
	}
	return c.CodecV2.Marshal(v)
}

func question(id uint64) *strategyv1.FromPlugin {
	return &strategyv1.FromPlugin{Frame: &strategyv1.FromPlugin_Question{Question: &strategyv1.Question{
		Id: id, Question: &strategyv1.Question_Count{Count: &strategyv1.Count{Texts: []string{"x"}}},
	}}}
}

func result(r *strategyv1.Result) *strategyv1.FromPlugin {
	return &strategyv1.FromPlugin{Frame: &strategyv1.FromPlugin_Result{Result: r}}
}

func drop(from, to uint32) *strategyv1.Script {
	return &strategyv1.Script{Kinds: []strategyv1.OpKind{strategyv1.OpKind_OP_KIND_DROP}, At: []uint32{from}, To: []uint32{to}}
}

// sending sends frames and ends the stream.
func sending(frames ...*strategyv1.FromPlugin) func(strategyv1.Strategy_CompactServer) error {
	return func(s strategyv1.Strategy_CompactServer) error {
		for _, f := range frames {
			if err := s.Send(f); err != nil {
				return err
			}
		}
		return nil
	}
}

// afterwards sends frames and keeps the stream open.
func afterwards(frames ...*strategyv1.FromPlugin) func(strategyv1.Strategy_CompactServer) error {
	return func(s strategyv1.Strategy_CompactServer) error {
		if err := sending(frames...)(s); err != nil {
			return err
		}
		<-s.Context().Done()
		return s.Context().Err()
	}
}

// lies are plugins that break the rules of a compaction.
var lies = map[string]func(strategyv1.Strategy_CompactServer) error{
	"clean end": sending(),
	"wordy failure without a kind": func(strategyv1.Strategy_CompactServer) error {
		return status.Error(codes.Internal, strings.Repeat("no ", 10_000))
	},
	"half a result":  sending(result(&strategyv1.Result{Reason: "x", More: true})),
	"two results":    sending(result(&strategyv1.Result{}), result(&strategyv1.Result{})),
	"repeated id":    afterwards(question(1), question(1)),
	"nine questions": afterwards(question(1), question(2), question(3), question(4), question(5), question(6), question(7), question(8), question(9)),
	"out of range":   sending(result(&strategyv1.Result{Script: drop(0, 1<<31)})),
	"not covering":   sending(result(&strategyv1.Result{Script: drop(0, 1)})),
	"no operation":   sending(result(&strategyv1.Result{Script: &strategyv1.Script{Kinds: []strategyv1.OpKind{99}, At: []uint32{0}}})),
	"short column":   sending(result(&strategyv1.Result{Script: &strategyv1.Script{Kinds: drop(0, 1).Kinds}})),
	"large record":   sending(result(&strategyv1.Result{Store: &strategyv1.Previous{Record: make([]byte, maxRecord+1)}})),
	"large frame":    sending(result(&strategyv1.Result{Store: &strategyv1.Previous{Record: make([]byte, sdk.DefaultLimits().FrameBytes)}})),
	"huge frame":     sending(result(&strategyv1.Result{Store: &strategyv1.Previous{Record: make([]byte, sdk.MaxFrameBytes)}})),
	"large result": func(s strategyv1.Strategy_CompactServer) error {
		part := result(&strategyv1.Result{Account: []string{string(make([]byte, 4<<20))}, More: true})
		for range 1 + sdk.DefaultLimits().ResultBytes/(4<<20) {
			if err := s.Send(part); err != nil {
				return err
			}
		}
		return nil
	},
	"garbage": func(s strategyv1.Strategy_CompactServer) error {
		return s.SendMsg(rawFrame("\xff\xff\xff this is no frame"))
	},
	"later revision": func(s strategyv1.Strategy_CompactServer) error {
		unknown := protowire.AppendTag(nil, 15, protowire.BytesType)
		if err := s.SendMsg(rawFrame(protowire.AppendString(unknown, "new"))); err != nil {
			return err
		}
		return s.Send(result(&strategyv1.Result{Reason: "understood"}))
	},
	"later question": func(s strategyv1.Strategy_CompactServer) error {
		q := &strategyv1.FromPlugin{Frame: &strategyv1.FromPlugin_Question{Question: &strategyv1.Question{Id: 5}}}
		if err := s.Send(q); err != nil {
			return err
		}
		a, err := s.Recv()
		if err != nil {
			return err
		}
		return s.Send(result(&strategyv1.Result{Reason: a.GetAnswer().GetError().GetKind()}))
	},
	"odd frames": sending(
		&strategyv1.FromPlugin{Frame: &strategyv1.FromPlugin_Log{Log: &strategyv1.Log{Level: "loud", Message: "a\x1bb", Fields: []string{"k", "v\n", "alone"}}}},
		&strategyv1.FromPlugin{Frame: &strategyv1.FromPlugin_Progress{Progress: &strategyv1.Progress{Fraction: math.NaN()}}},
		&strategyv1.FromPlugin{Frame: &strategyv1.FromPlugin_Progress{Progress: &strategyv1.Progress{Fraction: 7, Note: "n"}}},
		&strategyv1.FromPlugin{},
	),
	"stderr lies": func(s strategyv1.Strategy_CompactServer) error {
		fmt.Fprintln(os.Stderr, `{"@message": 12}`)
		fmt.Fprintln(os.Stderr, `{"@message": {"deep": []}, "@level": [], "@timestamp": {}}`)
		fmt.Fprintln(os.Stderr, `{"@level": true, "@message": null}`)
		fmt.Fprintln(os.Stderr, `{"@message":"in millis","@level":"warn","@timestamp":"2026-01-02T03:04:05.678Z"}`)
		fmt.Fprintln(os.Stderr, "\x1b[2Jcleared\x00")
		return nil
	},
	"stop": func(strategyv1.Strategy_CompactServer) error {
		note("stopping")
		if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
			return err
		}
		select {} // the signal may take a moment to come
	},
}
