package redisstorage_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

// firewall forwards connections to a server and can forget those that there are,
// which nobody notices.
type firewall struct {
	addr  string
	era   atomic.Int64 // connections of an earlier one are forgotten
	slow  atomic.Bool
	open  atomic.Int64
	quiet atomic.Int64 // what is written on them all the same
}

func newFirewall(t *testing.T, server string, certificate *tls.Config) *firewall {
	t.Helper()
	f := &firewall{}
	f.addr = listen(t, func(client net.Conn) {
		if certificate != nil {
			client = tls.Server(client, certificate)
		}
		var d net.Dialer
		upstream, err := d.DialContext(t.Context(), "tcp", server)
		if err != nil {
			return
		}
		defer upstream.Close()
		era := f.era.Load()
		f.open.Add(1)
		defer f.open.Add(-1)
		forward := func(from, to net.Conn) {
			buf := make([]byte, 1<<16)
			for {
				n, err := from.Read(buf)
				if err != nil {
					return
				}
				if f.era.Load() != era {
					f.quiet.Add(1)
					continue
				}
				if f.slow.Load() {
					time.Sleep(50 * time.Millisecond)
				}
				if _, err := to.Write(buf[:n]); err != nil {
					return
				}
			}
		}
		go forward(upstream, client)
		forward(client, upstream)
	})
	return f
}

// Connections that die in silence take the limits with them for a few calls.
func TestForgottenConnections(t *testing.T) {
	const pooled = 20
	for _, scheme := range []string{"redis", "rediss"} {
		t.Run(scheme, func(t *testing.T) {
			var certificate *tls.Config
			parameters := fmt.Sprint("?pool_size=", pooled)
			if scheme == "rediss" {
				parameters += "&skip_verify=true"
				web := httptest.NewUnstartedServer(nil)
				web.StartTLS()
				certificate = web.TLS
				web.Close()
			}
			firewall := newFirewall(t, sharedAddr, certificate)
			s, err := redisstorage.Open(scheme+"://"+firewall.addr+parameters, redisstorage.Options{Prefix: freshPrefix(), Timeout: 5 * time.Second})
			require.NoError(t, err)
			t.Cleanup(func() { s.Close() })
			ask := func(budget time.Duration) error {
				ctx, cancel := context.WithTimeout(t.Context(), budget)
				defer cancel()
				_, err := s.Consume(ctx, []byte("p:k"), ratelimit.FixedWindow, take(1000, 1))
				return err
			}
			firewall.slow.Store(true)
			var all sync.WaitGroup
			for range pooled {
				all.Go(func() {
					if err := ask(5 * time.Second); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			firewall.slow.Store(false)
			require.Equal(t, int64(pooled), firewall.open.Load())

			firewall.era.Add(1)
			forgotten := time.Now()
			for ask(ratelimit.DefaultBudget) != nil {
				time.Sleep(time.Second / 8)
			}
			require.Less(t, time.Since(forgotten), 2*time.Second)
			require.Less(t, firewall.quiet.Load(), int64(pooled)/2) // most were closed unused
			for range 2 * pooled {
				require.NoError(t, ask(5*time.Second))
			}
			d, err := s.Consume(t.Context(), []byte("p:k"), ratelimit.FixedWindow, take(1000, 0))
			require.NoError(t, err)
			require.Equal(t, int64(1000-3*pooled-1), d.Remaining) // what was forgotten has not come through
		})
	}
}
