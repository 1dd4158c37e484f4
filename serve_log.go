package sallyport

import (
	"context"
	"log"
	"log/slog"
	"strings"
	"unicode"

	"github.com/sallyport-go/sallyport/internal/safelog"
)

// serverLog takes the lines of net/http.
type serverLog struct{ *slog.Logger }

// newServerLog is what http.Server writes to. Whatever of a line came from a
// client has no control characters any more.
func newServerLog(l *slog.Logger) *log.Logger { return log.New(serverLog{l}, "", 0) }

func (l serverLog) Write(line []byte) (int, error) {
	text := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.TrimRight(string(line), "\n"))
	if strings.HasPrefix(text, "http: TLS handshake error") { // every port scan makes one
		l.Debug(text)
		return len(line), nil
	}
	safelog.Warn(context.Background(), l.Logger, text)
	return len(line), nil
}
