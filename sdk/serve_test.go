package sdk_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/compactor-host/compactor/sdk"
	strategyv1 "github.com/compactor-host/compactor/sdk/proto/compactor/strategy/v1"
)

// servesVariable makes this test binary a plugin.
const servesVariable = "SDK_TEST_SERVES"

func TestMain(m *testing.M) {
	if os.Getenv(servesVariable) != "" {
		sdk.Serve(define("echo", func(_ context.Context, r *sdk.Request, h sdk.Host) (*sdk.Result, error) {
			h.Log(sdk.LogInfo, "echoes")
			return sdk.Unchanged("echo of " + r.Thread), nil
		}))
		return
	}
	os.Exit(m.Run())
}

// pluginCommand is the command that runs this binary as a plugin.
func pluginCommand(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), append(env, servesVariable+"=1")...)
	return cmd
}

func cookie() string {
	return sdk.Handshake.MagicCookieKey + "=" + sdk.Handshake.MagicCookieValue
}

func TestServeExplainsItselfWhenStartedByHand(t *testing.T) {
	cmd := pluginCommand(t)
	var out, text strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &text
	err := cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit status %d (%v), want 1", code, err)
	}
	for _, want := range []string{"echo 1.2.3\n", "This is a compactor strategy", `plugin "echo"`} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in the explanation:\n%s", want, text.String())
		}
	}
	if out.Len() > 0 {
		t.Errorf("standard output: %q", out.String())
	}
}

func TestServeUnderGoPlugin(t *testing.T) {
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  sdk.Handshake,
		Plugins:          plugin.PluginSet{sdk.PluginName: &sdk.Plugin{}},
		Cmd:              pluginCommand(t),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Logger:           hclog.NewNullLogger(),
	})
	t.Cleanup(client.Kill)
	protocol, err := client.Client()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := protocol.Dispense(sdk.PluginName)
	if err != nil {
		t.Fatal(err)
	}
	strategy := raw.(strategyv1.StrategyClient)
	described, err := strategy.Describe(t.Context(), &strategyv1.DescribeRequest{Revision: 1})
	if err != nil || described.GetName() != "echo" {
		t.Fatalf("described as %v, %v", described, err)
	}
	got, err := compact(t, strategy, &sdk.Request{Thread: "t"})
	if err != nil || got.Reason != "echo of t" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A plugin ends with its host, and takes its socket and the folder for it
// along, but nobody else's file.
func TestServeEndsWithItsHost(t *testing.T) {
	for name, others := range map[string][]string{"a folder of its own": nil, "a folder with a file of another": {"other"}} {
		t.Run(name, func(t *testing.T) {
			dir, err := os.MkdirTemp("/tmp", "sdk-test") // t.TempDir's path is too long for a socket's
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			for _, other := range others {
				if err := os.WriteFile(filepath.Join(dir, other), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			serveAndLeave(t, dir)
			entries, err := os.ReadDir(dir)
			if os.IsNotExist(err) != (others == nil) {
				t.Errorf("the folder: %v", err)
			}
			if len(entries) != len(others) {
				t.Errorf("left behind: %v", entries)
			}
		})
	}
}

// serveAndLeave starts a plugin, calls it, closes its only connection, as the
// system does for a host that was killed, and waits for its end. It hangs if
// the plugin does.
func serveAndLeave(t *testing.T, dir string) {
	t.Helper()
	cmd := pluginCommand(t, cookie(), plugin.EnvUnixSocketDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	// core version | protocol version | network | address | protocol …
	fields := strings.Split(strings.TrimSpace(line), "|")
	if len(fields) < 5 || fields[1] != "1" || fields[2] != "unix" || filepath.Dir(fields[3]) != dir || fields[4] != "grpc" {
		t.Fatalf("handshake %q", line)
	}
	conn, err := grpc.NewClient("unix:"+fields[3], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := strategyv1.NewStrategyClient(conn).Describe(t.Context(), &strategyv1.DescribeRequest{}); err != nil {
		t.Fatal(err)
	}
	conn.Close()
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err != nil {
		t.Errorf("the plugin ended with %v", err)
	}
}

func TestPluginWithoutAStrategyIsRefused(t *testing.T) {
	if err := (&sdk.Plugin{}).GRPCServer(nil, grpc.NewServer()); err == nil {
		t.Error("registered all the same")
	}
}
