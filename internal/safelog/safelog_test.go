package safelog

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

type brokenHandler struct {
	slog.Handler
	err   error
	panic any
}

func (b brokenHandler) Enabled(context.Context, slog.Level) bool { return true }

func (b brokenHandler) Handle(context.Context, slog.Record) error {
	if b.panic != nil {
		panic(b.panic)
	}
	return b.err
}

func TestWarnGoesToTheLoggerAndElseToTheLastResort(t *testing.T) {
	var fallback bytes.Buffer
	lastResort = &fallback
	t.Cleanup(func() { lastResort = os.Stderr })

	var log bytes.Buffer
	plain := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	for _, tc := range []struct {
		name          string
		logger        *slog.Logger
		log, fallback string
	}{
		{"a logger that works", plain, "level=WARN msg=down policy=perIp\n", ""},
		{"a logger that returns an error", slog.New(brokenHandler{err: errors.New("disk full")}), "", `level=WARN msg=down policy=perIp logger="disk full"`},
		{"a logger that panics", slog.New(brokenHandler{panic: "boom"}), "", `level=WARN msg=down policy=perIp logger="the logger panicked: boom"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			log.Reset()
			fallback.Reset()
			Warn(t.Context(), tc.logger, "down", slog.String("policy", "perIp"))
			require.Equal(t, tc.log, log.String())
			require.Contains(t, fallback.String(), tc.fallback)
		})
	}
}

func TestADisabledLevelWritesNothing(t *testing.T) {
	var log bytes.Buffer
	quiet := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelError}))
	Warn(t.Context(), quiet, "down")
	require.Empty(t, log.String())
	Error(t.Context(), quiet, "down")
	require.NotEmpty(t, log.String())
}
