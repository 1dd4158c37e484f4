// Package safelog writes warnings that must not fail anything: a logger that
// returns an error or panics is replaced by standard error for that record.
package safelog

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/sallyport-go/sallyport/internal/part"
)

// lastResort is where a record goes that the logger did not take.
var lastResort io.Writer = os.Stderr

// Warn writes a record of level Warn.
func Warn(ctx context.Context, l *slog.Logger, msg string, attrs ...slog.Attr) {
	write(ctx, l, slog.LevelWarn, msg, attrs)
}

// Error writes a record of level Error.
func Error(ctx context.Context, l *slog.Logger, msg string, attrs ...slog.Attr) {
	write(ctx, l, slog.LevelError, msg, attrs)
}

func write(ctx context.Context, l *slog.Logger, level slog.Level, msg string, attrs []slog.Attr) {
	if l == nil {
		l = slog.Default()
	}
	for i, a := range attrs {
		if err, ok := a.Value.Any().(error); ok {
			attrs[i].Value = slog.StringValue(part.Text(err))
		}
	}
	if err := handle(ctx, l, level, msg, attrs); err != nil {
		attrs = append(attrs, slog.String("logger", part.Text(err)))
		fallback := slog.New(slog.NewTextHandler(lastResort, nil))
		_ = handle(ctx, fallback, level, msg, attrs) // there is nowhere left to tell it
	}
}

// handle is the call of slog.Logger, but tells what the handler returned.
func handle(ctx context.Context, l *slog.Logger, level slog.Level, msg string, attrs []slog.Attr) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = errors.New("the logger panicked: " + part.Text(v))
		}
	}()
	h := l.Handler()
	if !h.Enabled(ctx, level) {
		return nil
	}
	var pc [1]uintptr
	runtime.Callers(4, pc[:])
	rec := slog.NewRecord(time.Now(), level, msg, pc[0])
	rec.AddAttrs(attrs...)
	return h.Handle(ctx, rec)
}
