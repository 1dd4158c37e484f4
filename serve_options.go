package sallyport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/internal/part"
)

// The defaults of a [Server].
const (
	defaultReadHeaderTimeout = 5 * time.Second
	defaultReadTimeout       = 30 * time.Second
	defaultWriteTimeout      = 30 * time.Second
	defaultIdleTimeout       = 2 * time.Minute
	defaultMaxHeaderBytes    = 64 << 10
	defaultGrace             = 10 * time.Second
	defaultCheckTimeout      = time.Second
)

// mostHeaderBytes is far above any use, and so far below what an int holds that
// net/http can add to it. HTTP/2 has 32 bits for it.
const mostHeaderBytes = 1 << 30

func (s Server) withDefaults() Server {
	for _, d := range []struct {
		value *time.Duration
		zero  time.Duration
	}{
		{&s.ReadHeaderTimeout, defaultReadHeaderTimeout},
		{&s.ReadTimeout, defaultReadTimeout},
		{&s.WriteTimeout, defaultWriteTimeout},
		{&s.IdleTimeout, defaultIdleTimeout},
		{&s.Grace, defaultGrace},
		{&s.Health.Timeout, defaultCheckTimeout},
	} {
		if *d.value == 0 {
			*d.value = d.zero
		}
	}
	if s.MaxHeaderBytes == 0 {
		s.MaxHeaderBytes = defaultMaxHeaderBytes
	}
	if s.ErrorLog == nil {
		s.ErrorLog = slog.Default()
	}
	return s
}

func (s Server) validateAddr() error {
	if s.Listener != nil {
		return part.Within("the listener", part.Mistakes(s.Listener))
	}
	path, unix := strings.CutPrefix(s.Addr, unixPrefix)
	switch {
	case s.Addr == "":
		return errors.New(`there is no address: write it like ":8080", "127.0.0.1:8080" or "unix:/run/api.sock"`)
	case unix && path == "":
		return fmt.Errorf(`the address %q: the path of the socket is missing`, s.Addr)
	case unix:
		return nil
	}
	_, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		return fmt.Errorf(`the address %q: write it like ":8080", "127.0.0.1:8080" or "unix:/run/api.sock"`, s.Addr)
	}
	if _, err := net.DefaultResolver.LookupPort(context.Background(), "tcp", port); err != nil {
		return fmt.Errorf("the address %q: there is no port %q", s.Addr, port)
	}
	return nil
}

func (s Server) validateTimes() error {
	var errs []error
	for _, d := range []struct {
		name  string
		value time.Duration
	}{
		{"ReadHeaderTimeout", s.ReadHeaderTimeout},
		{"ReadTimeout", s.ReadTimeout},
		{"WriteTimeout", s.WriteTimeout},
		{"IdleTimeout", s.IdleTimeout},
		{"Grace", s.Grace},
	} {
		if d.value < unlimited {
			errs = append(errs, fmt.Errorf("%s %s: a duration, or -1 for none", d.name, d.value))
		}
	}
	if s.DrainDelay < 0 {
		errs = append(errs, fmt.Errorf("DrainDelay %s: a duration, or 0 for none", s.DrainDelay))
	}
	if s.MaxHeaderBytes < 0 {
		errs = append(errs, fmt.Errorf("MaxHeaderBytes %d: bytes, or 0 for the default; a header without a bound cannot be", s.MaxHeaderBytes))
	}
	if s.MaxHeaderBytes > mostHeaderBytes {
		errs = append(errs, fmt.Errorf("MaxHeaderBytes %d: at most %d, which is 1 GiB", s.MaxHeaderBytes, mostHeaderBytes))
	}
	return errors.Join(errs...)
}

func (s Server) validateTLS() error {
	var errs []error
	if (s.CertFile == "") != (s.KeyFile == "") {
		errs = append(errs, errors.New("CertFile and KeyFile: one of them is missing"))
	}
	if s.H2C && (s.CertFile != "" || s.KeyFile != "") {
		errs = append(errs, errors.New("H2C is HTTP/2 without TLS, but there is a certificate, which brings HTTP/2 along"))
	}
	return errors.Join(errs...)
}
