package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/bench/internal/stack"
)

// variable names the stack that a copy of the program is to serve.
const variable = "SALLYPORT_BENCH_SERVE"

// ServeIfAsked makes this process the server of a stack when it was started for
// that, and does not return then. A program that calls Run calls it first.
func ServeIfAsked() {
	name := os.Getenv(variable)
	if name == "" {
		return
	}
	if err := serve(name); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve tells the address, and ends when nobody is there any more who could stop
// it. The name of a stack begins with "refuse " when every request but the first
// is to be refused.
func serve(name string) error {
	name, refusing := strings.CutPrefix(name, "refuse ")
	name, own := strings.CutPrefix(name, ownServer)
	s, ok := stack.Named(name)
	if !ok {
		return fmt.Errorf("there is no stack %q", name)
	}
	quota := int64(stack.Many)
	if refusing {
		quota = 1
	}
	h, err := s.Build(quota)
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if own {
		return sallyport.Server{Listener: l}.Serve(context.Background(), h)
	}
	plain := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	if err := plain.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
