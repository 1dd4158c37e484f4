package sallyport

import (
	"context"
	"encoding/hex"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/internal/safelog"
)

// LogTo is an [api.Logger] that writes each record to l: at level Info, or Error
// when the status is 500 or above. The Header is left out, and Path, which stands
// in the URI. What a client has sent stands in the values of attributes.
func LogTo(l *slog.Logger) api.Logger { return slogLogger{l} }

type slogLogger struct{ logger *slog.Logger }

// Validate refuses a logger that cannot write.
func (s slogLogger) Validate() error {
	if s.logger == nil || s.logger.Handler() == nil {
		return errors.New("LogTo has no logger")
	}
	return nil
}

func (s slogLogger) Log(ctx context.Context, rec *api.Record) {
	level := slog.LevelInfo
	if rec.Status >= http.StatusInternalServerError || rec.Status == 0 && rec.Kind != 0 {
		level = slog.LevelError
	}
	attrs := []slog.Attr{
		slog.String("request_id", rec.RequestID),
		slog.String("method", rec.Method),
		slog.String("uri", rec.URI),
		slog.String("endpoint", rec.Endpoint.String()),
		slog.Int("status", rec.Status),
		slog.Int64("bytes", rec.Bytes),
		slog.Duration("duration", rec.Duration),
		slog.String("client_ip", rec.ClientIP),
		slog.String("user_agent", rec.UserAgent),
	}
	if rec.Identity != "" {
		attrs = append(attrs, slog.String("identity", rec.Identity))
	}
	if rec.Kind != 0 {
		attrs = append(attrs, slog.String("failure", rec.Kind.String()))
	}
	if rec.Err != nil {
		attrs = append(attrs, slog.String("err", part.Text(rec.Err)))
	}
	s.logger.LogAttrs(ctx, level, "request", attrs...)
}

// record tells the logger what happened. The answers of the gates are left out
// unless the configuration asks for them: a flood must not flood the log.
func (x *exchange) record() {
	c := &x.presenter.config
	if c.Logger == nil || x.refused && !c.LogRefused {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			x.logPanic(v, debug.Stack())
		}
	}()
	r := x.request.Request
	rec := &api.Record{
		Start:     x.start,
		Duration:  x.took,
		Method:    r.Method,
		Path:      plain(r.URL.Path),
		URI:       x.presenter.redactor.uri(r.URL),
		Header:    x.presenter.redactor.header(r.Header),
		Endpoint:  x.request.Endpoint(),
		Status:    x.writer.status,
		Bytes:     x.writer.bytes,
		UserAgent: plain(r.UserAgent()),
		Identity:  plain(x.request.Identity.String()),
		RequestID: x.request.ID,
		Kind:      x.kind,
		Err:       x.err,
	}
	if x.took == 0 {
		rec.Duration = time.Since(x.start)
	}
	if x.endpoint == nil {
		rec.Endpoint = plainEndpoint(rec.Endpoint)
	}
	rec.ClientIP = plain(x.clientIP())
	c.Logger.Log(context.WithoutCancel(x.request.Request.Context()), rec)
}

// clientIP is "" when the address cannot be told.
func (x *exchange) clientIP() (ip string) {
	defer func() {
		if v := recover(); v != nil {
			x.logPanic(v, debug.Stack())
		}
	}()
	ip, _ = x.request.ClientIP()
	return ip
}

// logFailure keeps the cause of a failure where the client cannot see it.
func (x *exchange) logFailure(f *api.Failure) {
	if f.Status < http.StatusInternalServerError {
		return // the client's own doing, and told by the answer
	}
	switch f.Kind {
	case api.KindHandler, api.KindOutput, api.KindAuthorizationFailed, api.KindTimeout:
		safelog.Error(x.request.Context(), x.presenter.config.ErrorLog, "request failed", x.logID(),
			slog.String("endpoint", x.request.Endpoint().String()), slog.String("failure", f.Kind.String()), slog.String("err", part.Text(f.Err)))
	default: // logged where it happened
	}
}

func (x *exchange) logID() slog.Attr { return slog.String("request_id", x.request.ID) }

// requestID is the id of a request: its own when the configuration trusts it.
func (p *Presenter) requestID(r *http.Request) string {
	if p.config.TrustRequestID {
		if ids := r.Header["X-Request-Id"]; len(ids) > 0 && isRequestID(ids[0]) {
			return ids[0]
		}
	}
	var raw [16]byte
	a, b := rand.Uint64(), rand.Uint64() //nolint:gosec // an id is no secret; it only must not repeat
	for i := range 8 {
		raw[i], raw[8+i] = byte(a>>(8*i)), byte(b>>(8*i))
	}
	return hex.EncodeToString(raw[:])
}

// isRequestID admits what can stand in a header and a log as it is.
func isRequestID(id string) bool {
	for i := range len(id) {
		c := id[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == ':', c == '/', c == '+', c == '=':
		default:
			return false
		}
	}
	return id != "" && len(id) <= 128
}
