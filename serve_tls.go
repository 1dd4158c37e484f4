package sallyport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sallyport-go/sallyport/internal/safelog"
)

// reloadInterval is how often the files of a certificate are looked at.
const reloadInterval = time.Minute

// keyPair is a certificate that is read again when its files have changed. The
// handshakes look for that themselves, so there is no goroutine, and none of them
// waits for another one's look.
type keyPair struct {
	certFile, keyFile string
	log               *slog.Logger
	current           atomic.Pointer[tls.Certificate]

	mu      sync.Mutex
	checked time.Time
	loaded  [2]stamp
}

// stamp tells whether a file has changed.
type stamp struct {
	modified time.Time
	size     int64
}

func newKeyPair(certFile, keyFile string, log *slog.Logger) (*keyPair, error) {
	k := &keyPair{certFile: certFile, keyFile: keyFile, log: log, checked: time.Now()}
	if err := k.loadLocked(); err != nil {
		return nil, err
	}
	return k, nil
}

func (k *keyPair) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: k.get}
}

func (k *keyPair) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if k.mu.TryLock() {
		if now := time.Now(); now.Sub(k.checked) >= reloadInterval {
			k.checked = now
			k.reloadLocked(hello.Context())
		}
		k.mu.Unlock()
	}
	return k.current.Load(), nil
}

// reloadLocked keeps the old certificate when there is anything wrong with the
// new one. A pair of which one file is new and one is old is tried again.
func (k *keyPair) reloadLocked(ctx context.Context) {
	stamps, err := k.stamps()
	if err == nil && stamps == k.loaded {
		return
	}
	if err == nil {
		err = k.loadLocked()
	}
	if err != nil {
		safelog.Warn(ctx, k.log, "the certificate cannot be read again, so the old one stays", slog.Any("error", err))
	}
}

func (k *keyPair) loadLocked() error {
	stamps, err := k.stamps() // before reading, so that a change in between is seen the next time
	if err != nil {
		return err
	}
	certificate, err := tls.LoadX509KeyPair(k.certFile, k.keyFile)
	if err != nil {
		return fmt.Errorf("the certificate of %s and %s: %w", k.certFile, k.keyFile, err)
	}
	k.current.Store(&certificate)
	k.loaded = stamps
	return nil
}

func (k *keyPair) stamps() (stamps [2]stamp, err error) {
	var errs []error
	for i, name := range []string{k.certFile, k.keyFile} {
		info, err := os.Stat(name)
		if err != nil {
			errs = append(errs, fmt.Errorf("the certificate: %w", err))
			continue
		}
		stamps[i] = stamp{info.ModTime(), info.Size()}
	}
	return stamps, errors.Join(errs...)
}
