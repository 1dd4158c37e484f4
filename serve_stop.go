package sallyport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/sallyport-go/sallyport/internal/ending"
)

const (
	// settleTime has to pass without a new request between the last accept and the
	// end of idle connections. So what was on its way when the listener was closed
	// is answered, and clients that are busy learn by it to take another server.
	settleTime = 50 * time.Millisecond
	maxSettle  = time.Second

	// lastWait is for handlers whose context has ended.
	lastWait = time.Second

	// A connection of HTTP/2 that says nothing is asked for a sign of life, as
	// its idle time does not run while requests are open.
	pingAfter   = 30 * time.Second
	pingTimeout = 15 * time.Second
)

// serving is one run of a [Server].
type serving struct {
	options   Server
	handler   http.Handler
	readiness *readiness
	hijacked  hijacked
	stopping  <-chan struct{}
	running   atomic.Int64  // requests
	late      atomic.Int64  // requests that came while it was stopping
	quiet     chan struct{} // gets a word when running becomes 0
}

// ServeHTTP answers the pages of health in front of the handler.
func (v *serving) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.running.Add(1)
	defer v.done()
	defer v.hijacked.handled(r)
	stopping := v.isStopping()
	if stopping {
		v.late.Add(1)
		w.Header().Set("Connection", "close") // in HTTP/2 net/http sends GOAWAY for it
	}
	if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
		// Where a Content-Length stood beside it, which net/http does not tell, what
		// follows may be what a proxy took for the body (RFC 9112, section 6.1).
		w.Header().Set("Connection", "close")
	}
	switch health := &v.options.Health; r.URL.Path {
	case "":
		v.handler.ServeHTTP(w, r)
	case health.LivenessPath:
		serveHealth(w, r, alive)
	case health.ReadinessPath:
		serveHealth(w, r, func(ctx context.Context) report { return v.readiness.report(ctx, stopping) })
	default:
		v.handler.ServeHTTP(w, r)
	}
}

func (v *serving) isStopping() bool {
	select {
	case <-v.stopping:
		return true
	default:
		return false
	}
}

func (v *serving) done() {
	if v.running.Add(-1) == 0 {
		select {
		case v.quiet <- struct{}{}:
		default:
		}
	}
}

// wait waits for the running requests and returns how many are left.
func (v *serving) wait(until <-chan struct{}) int64 {
	for v.running.Load() > 0 {
		select {
		case <-v.quiet:
		case <-until:
			return v.running.Load()
		}
	}
	return 0
}

// serve accepts until ctx ends or the listener fails, and stops.
func (v *serving) serve(ctx context.Context, listener net.Listener, certificate *keyPair) error {
	stopping, stop := context.WithCancel(ctx)
	defer stop()
	v.stopping = stopping.Done()
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	streams, endStreams := context.WithCancel(context.WithoutCancel(ctx))
	defer endStreams()
	server := v.server(ending.With(base, streams), certificate)
	accepting := make(chan error, 1)
	go func() {
		defer close(accepting)
		accepting <- accept(server, listener)
	}()
	defer v.release(server, listener)
	if v.options.OnListen != nil {
		v.options.OnListen(listener.Addr())
	}

	failed := v.untilStop(stopping, accepting)
	stop()
	endStreams()
	closed := listener.Close()
	lost := v.stop(ctx, server, cut)
	for range accepting { // it says that the listener was closed
	}
	return errors.Join(failed, closed, lost)
}

// release closes all that is open. After a stop that is nothing; when OnListen
// panics it is all, and nobody else could do it.
func (v *serving) release(server *http.Server, listener net.Listener) {
	_ = listener.Close()
	_ = server.Close()
	v.hijacked.cut()
}

func (v *serving) server(base context.Context, certificate *keyPair) *http.Server {
	o := &v.options
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(o.H2C)
	server := &http.Server{
		Handler:           v,
		Protocols:         protocols,
		HTTP2:             &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
		ReadHeaderTimeout: o.ReadHeaderTimeout,
		ReadTimeout:       o.ReadTimeout,
		WriteTimeout:      o.WriteTimeout,
		IdleTimeout:       o.IdleTimeout,
		MaxHeaderBytes:    o.MaxHeaderBytes,
		ErrorLog:          newServerLog(o.ErrorLog),
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnContext:       withConn,
		ConnState:         v.hijacked.changed,
	}
	if certificate != nil {
		server.TLSConfig = certificate.config()
	}
	return server
}

func accept(server *http.Server, listener net.Listener) error {
	if server.TLSConfig != nil {
		return server.ServeTLS(listener, "", "")
	}
	return server.Serve(listener)
}

// untilStop waits for the end of the context and of the drain delay. A listener
// that fails ends both; the error is its own.
func (v *serving) untilStop(stopping context.Context, accepting <-chan error) error {
	select {
	case err := <-accepting:
		return err
	case <-stopping.Done():
	}
	if v.options.DrainDelay <= 0 {
		return nil
	}
	drained := time.NewTimer(v.options.DrainDelay)
	defer drained.Stop()
	select {
	case err := <-accepting:
		return err
	case <-drained.C:
		return nil
	}
}

// stop gives what is running its time. The error tells what was lost.
func (v *serving) stop(ctx context.Context, server *http.Server, cut context.CancelFunc) error {
	grace, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if v.options.Grace > 0 {
		over := time.AfterFunc(v.options.Grace, cancel)
		defer over.Stop()
	}
	v.settle(grace.Done())
	err := server.Shutdown(grace)
	left := v.wait(grace.Done()) // Shutdown does not know hijacked connections
	taken := v.hijacked.wait(grace.Done())
	if err == nil && left == 0 && taken == 0 {
		return nil
	}
	_ = server.Close() // first, so that nobody takes half an answer for the whole
	v.hijacked.cut()
	cut()
	end, done := context.WithTimeout(context.WithoutCancel(ctx), lastWait)
	defer done()
	v.wait(end.Done())
	return errors.Join(v.lost(int(left), "running requests"), v.lost(taken, "hijacked connections"))
}

// lost is the error for what was cut. A connection without a request is no loss.
func (v *serving) lost(n int, what string) error {
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d %s were cut: the grace of %s was over", n, what, v.options.Grace)
}

// settle waits until no requests come any more.
func (v *serving) settle(until <-chan struct{}) {
	tick := time.NewTicker(settleTime)
	defer tick.Stop()
	for end := time.Now().Add(maxSettle); time.Now().Before(end); {
		before := v.late.Load()
		select {
		case <-tick.C:
		case <-until:
			return
		}
		if v.late.Load() == before {
			return
		}
	}
}
