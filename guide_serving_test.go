package sallyport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
)

func newPresenter() (*sallyport.Presenter, error) {
	decider := sallyport.NewApiDecider(sallyport.Config{})
	decider.AddApi(api.GET("1", "users"), ok, auth.None())
	decider.AddApi(api.GET("1", "news"), handler.Func(news), auth.None())
	return sallyport.NewPresenter(decider)
}

func serveShort() error {
	presenter, err := newPresenter()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return sallyport.Serve(ctx, "127.0.0.1:8080", presenter)
}

func serveFreePort(ctx context.Context, presenter http.Handler) error {
	server := sallyport.Server{
		Addr:     "127.0.0.1:0",
		OnListen: func(addr net.Addr) { fmt.Printf("Listening on http://%s\n", addr) },
	}
	return server.Serve(ctx, presenter)
}

func serveTLS(ctx context.Context, presenter http.Handler) error {
	server := sallyport.Server{Addr: ":443", CertFile: "/etc/api/tls.crt", KeyFile: "/etc/api/tls.key"}
	return server.Serve(ctx, presenter)
}

func serveH2C(ctx context.Context, presenter http.Handler) error {
	server := sallyport.Server{Addr: "unix:/run/api/api.sock", H2C: true}
	return server.Serve(ctx, presenter)
}

func serveSystemd(ctx context.Context, presenter http.Handler) error {
	listener, err := sallyport.SystemdListener()
	if err != nil {
		return err
	}
	server := sallyport.Server{Addr: "127.0.0.1:8080", Listener: listener} // Addr where there is no socket
	return server.Serve(ctx, presenter)
}

// The ports and files of these are not the test's.
var _ = []any{serveShort, serveFreePort, serveTLS, serveH2C, serveSystemd}

var published = make(chan string)

// news waits for something new, at most for 20 seconds.
func news(ctx context.Context, _ *api.Request) (api.Response, error) {
	select {
	case text := <-published:
		return api.JSON(http.StatusOK, text), nil
	case <-time.After(20 * time.Second):
	case <-ctx.Done():
	case <-api.ServerEnding(ctx):
	}
	return api.NoContent(), nil
}

// ping is the check of a storage that is down.
func ping(context.Context) error { return errors.New("connection refused") }

func ExampleServe() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := sallyport.Serve(ctx, "localhost:http:", okPage); err != nil {
		fmt.Println(err)
	}
	// Output:
	// sallyport: serve: the address "localhost:http:": write it like ":8080", "127.0.0.1:8080" or "unix:/run/api.sock"
}

func ExampleServer() {
	presenter, err := newPresenter()
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	server := sallyport.Server{
		Addr: "127.0.0.1:0",
		OnListen: func(addr net.Addr) {
			go func() {
				defer stop()
				showPage("http://" + addr.String() + "/api/v1/users")
			}()
		},
	}
	fmt.Println(server.Serve(ctx, presenter))
	// Output:
	// 200 {"status":"ok"}
	// <nil>
}

// showPage prints what is at an address.
func showPage(url string) {
	r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		panic(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		panic(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(res.StatusCode, string(text))
}

func Example_guideHealth() {
	presenter, err := newPresenter()
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	onListen := func(addr net.Addr) {
		go func() {
			defer stop()
			showPage("http://" + addr.String() + "/livez")
			showPage("http://" + addr.String() + "/readyz")
		}()
	}
	server := sallyport.Server{
		Addr: ":8080",
		Health: sallyport.Health{
			LivenessPath:  "/livez",
			ReadinessPath: "/readyz",
			Checks:        map[string]func(context.Context) error{"redis": ping},
		},
		DrainDelay: 5 * time.Second,
	}

	server.Addr, server.OnListen, server.DrainDelay = "127.0.0.1:0", onListen, 0
	server.ErrorLog = slog.New(slog.DiscardHandler)
	fmt.Println(server.Serve(ctx, presenter))
	// Output:
	// 200 {"status":"ok"}
	// 503 {"status":"unavailable","checks":{"redis":"failed"}}
	// <nil>
}
