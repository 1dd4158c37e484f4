// Package safelog writes warnings that must not fail anything: a logger that
// returns an error or panics is replaced by standard error for that record.
package safelog

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"time"
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
	if err := handle(ctx, l.Handler(), level, msg, attrs); err != nil {
		rec := slog.NewRecord(time.Now(), level, msg, 0)
		rec.AddAttrs(attrs...)
		rec.AddAttrs(slog.String("logger", err.Error()))
		fallback := slog.NewTextHandler(lastResort, nil)
		_ = fallback.Handle(ctx, rec) // there is nowhere left to tell it
	}
}

// handle is the call of slog.Logger, but tells what the handler returned.
func handle(ctx context.Context, h slog.Handler, level slog.Level, msg string, attrs []slog.Attr) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the logger panicked: %v", v)
		}
	}()
	if !h.Enabled(ctx, level) {
		return nil
	}
	var pc [1]uintptr
	runtime.Callers(4, pc[:])
	rec := slog.NewRecord(time.Now(), level, msg, pc[0])
	rec.AddAttrs(attrs...)
	return h.Handle(ctx, rec)
}
