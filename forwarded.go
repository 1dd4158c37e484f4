package sallyport

import (
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/sallyport-go/sallyport/internal/safelog"
	"github.com/sallyport-go/sallyport/ipdetector"
)

// forwardedWarning tells, once, that requests come through a proxy which the
// program does not trust, so that all its clients share one address.
type forwardedWarning struct {
	logger *slog.Logger
	warned atomic.Bool
}

// newForwardedWarning is nil unless a program in debug mode trusts no header: an
// own detector knows what it does, and in production strangers send what they like.
func newForwardedWarning(c Config) *forwardedWarning {
	if _, trustsNoHeader := c.IPDetector.(ipdetector.RemoteAddr); !c.Debug || !trustsNoHeader {
		return nil
	}
	return &forwardedWarning{logger: c.ErrorLog}
}

func (f *forwardedWarning) check(r *http.Request) {
	if f.warned.Load() || r.Header["X-Forwarded-For"] == nil && r.Header["Forwarded"] == nil {
		return
	}
	if f.warned.CompareAndSwap(false, true) {
		safelog.Warn(r.Context(), f.logger, "a request came through a proxy that is not trusted, so all its clients share one address and one limit: "+
			"set Config.IPDetector to ipdetector.NewTrustedProxies with the proxy's address",
			slog.String("peer", r.RemoteAddr))
	}
}
