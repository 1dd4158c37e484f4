package sallyport

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/sallyport-go/sallyport/internal/part"
)

// Serve serves h, mostly a [Presenter], at addr until ctx ends. It is
// [Server.Serve] with all defaults.
func Serve(ctx context.Context, addr string, h http.Handler) error {
	return Server{Addr: addr}.Serve(ctx, h)
}

// Server is how a handler is served: where, with which time-outs, and how it
// stops. All but an address has a safe default. It is a value without a state:
// every call of Serve is a server of its own.
//
// The time-outs are those of http.Server. 0 is the default, and -1 none.
type Server struct {
	// Addr is "host:port", ":port" for all interfaces, or "unix:/path" for a
	// socket in the file system, with a lock file "/path.lock" beside it that
	// stays. Port 0 picks a free one, see OnListen.
	Addr string

	// Listener takes the place of Addr; nil: Addr. Serve closes it.
	Listener net.Listener

	// OnListen is called once, when clients can connect; nil: nobody is told.
	OnListen func(net.Addr)

	// CertFile and KeyFile are the certificate chain and key in PEM: with them
	// TLS 1.2 and 1.3 are served, with HTTP/1.1 and HTTP/2. Files that change are
	// read again within a minute. While they cannot be read the old ones stay,
	// with a warning. "": no TLS.
	CertFile, KeyFile string

	// H2C serves HTTP/2 without TLS beside HTTP/1.1 (RFC 9113, section 3.3), for
	// a proxy that speaks it.
	H2C bool

	ReadHeaderTimeout time.Duration // of a request's header; 0: 5 seconds
	ReadTimeout       time.Duration // of a whole request; 0: 30 seconds

	// WriteTimeout is for a whole answer, from the end of the request's header.
	// api.Stream and api.Events go on, with times of their own. 0: 30 seconds.
	WriteTimeout time.Duration

	IdleTimeout time.Duration // between two requests of a connection; 0: 2 minutes

	// MaxHeaderBytes bounds the header of a request, roughly, as net/http does;
	// more is answered 431. 0: 64 KiB; at most 1 GiB.
	MaxHeaderBytes int

	// DrainDelay is the time after the end of ctx in which requests are still
	// accepted, while readiness says no: as long as load balancers need to
	// notice. 0: none.
	DrainDelay time.Duration

	// Grace is the time that running requests have afterwards. 0: 10 seconds;
	// -1: as long as they take.
	Grace time.Duration

	// Health are the pages for those who watch the program; zero: none.
	Health Health

	// ErrorLog gets what net/http has to tell, at level Warn, failed TLS
	// handshakes at level Debug. nil: slog.Default.
	ErrorLog *slog.Logger
}

// Validate reports all mistakes of the options. [Server.Serve] calls it.
func (s Server) Validate() error {
	return errors.Join(
		s.validateAddr(),
		s.validateTimes(),
		s.validateTLS(),
		part.Within("health", s.Health.validate()),
	)
}

// Serve serves h until ctx ends, and then stops in this order:
//
//  1. Readiness says no, and every answer asks its client to take another
//     connection. This lasts for DrainDelay.
//  2. Nothing is accepted any more, and streams and events end, see
//     [api.ServerEnding].
//  3. Requests that are running have Grace to finish. What is left then is cut:
//     its context ends, and its connection is closed. So are connections that
//     were hijacked, which have Grace as well, also after their handlers.
//
// It returns nil after a stop without a loss. All mistakes of the options come
// at once, before anything listens. The values of ctx are those of every
// request's context. A handler that runs on a second after it was cut is left
// behind.
func (s Server) Serve(ctx context.Context, h http.Handler) error {
	return part.Within("sallyport: serve", s.serve(ctx, h))
}

func (s Server) serve(ctx context.Context, h http.Handler) error {
	if !part.IsNil(s.Listener) {
		s.Listener = &onceListener{Listener: s.Listener}
		defer func() { _ = s.Listener.Close() }() // for the ways that end before it is used
	}
	s = s.withDefaults()
	certificate, err := s.prepare(h)
	if err != nil {
		return err
	}
	listener, err := s.listen(ctx)
	if err != nil {
		if ctx.Err() != nil { // stopped before it began
			return nil
		}
		return err
	}
	v := &serving{options: s, handler: h, readiness: newReadiness(s.Health, s.ErrorLog), quiet: make(chan struct{}, 1)}
	return v.serve(ctx, listener, certificate)
}

// prepare finds the mistakes, those of the files and of the handler among them.
func (s Server) prepare(h http.Handler) (*keyPair, error) {
	errs := []error{s.Validate()}
	if part.IsNil(h) {
		errs = append(errs, errors.New("there is no handler"))
	}
	if s.CertFile == "" || s.KeyFile == "" {
		return nil, errors.Join(errs...)
	}
	certificate, err := newKeyPair(s.CertFile, s.KeyFile, s.ErrorLog)
	return certificate, errors.Join(append(errs, err)...)
}
