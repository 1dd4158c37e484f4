package sallyport_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
)

// loadedOrders counts how often each order was taken.
type loadedOrders struct {
	taken    [loadClients * loadOrders]atomic.Int64
	answered atomic.Int64
	begin    func() // of the stop
}

const (
	loadClients = 64
	loadOrders  = 15
)

func (o *loadedOrders) presenter(t *testing.T) http.Handler {
	p := newProgram(sallyport.Config{})
	p.AddApi(api.POST("1", "orders", "{id}"), handler.HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var id int
		if _, err := fmt.Sscan(r.PathValue("id"), &id); err != nil {
			panic(err)
		}
		o.taken[id].Add(1)
		runtime.Gosched()
		_, _ = io.WriteString(w, orderReceipt(text))
	})), auth.None())
	return p.build(t)
}

// orderReceipt is long enough to be written in several pieces.
func orderReceipt(text []byte) string {
	sum := sha256.Sum256(text)
	return strings.Repeat(hex.EncodeToString(sum[:]), 256)
}

// order is how one attempt ended.
type order int

const (
	orderDone    order = iota // a whole answer
	orderRefused              // not even a connection
	orderReset                // not one byte of an answer
	orderBroken               // anything else
)

func (o *loadedOrders) try(t *testing.T, client *http.Client, url string, id int) order {
	text := bytes.Repeat([]byte{byte(id)}, 100+id)
	r, err := http.NewRequestWithContext(t.Context(), "POST", fmt.Sprintf("%s/api/v1/orders/%d", url, id), bytes.NewReader(text))
	if err != nil {
		return orderBroken
	}
	res, err := client.Do(r)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return orderRefused
	case err != nil:
		return orderReset
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK || string(answer) != orderReceipt(text) {
		return orderBroken
	}
	if o.answered.Add(1) == loadClients*loadOrders/3 {
		o.begin()
	}
	return orderDone
}

// A server is stopped while many clients send orders, and another one takes over,
// as in a rolling update. Every answer that begins is whole. An order that was not
// answered was not taken, so that it can be sent again: each is taken once.
func TestNoRequestIsLostWhenAServerStops(t *testing.T) {
	for name, row := range map[string]struct {
		h2c        bool
		keepsAlive bool
		drain      time.Duration
	}{
		"HTTP/1.1":                        {false, true, 0},
		"HTTP/1.1, a connection for each": {false, false, 0},
		"HTTP/1.1, with a drain delay":    {false, true, 20 * time.Millisecond},
		"HTTP/2":                          {true, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			orders := &loadedOrders{}
			h := orders.presenter(t)
			old := startServer(t, sallyport.Server{H2C: true, DrainDelay: row.drain}, h)
			successor := startServer(t, sallyport.Server{H2C: true}, h)
			orders.begin = old.stop
			var ended [orderBroken + 1]atomic.Int64
			var clients sync.WaitGroup
			for n := range loadClients {
				client := newClient(t, row.h2c)
				client.Transport.(*http.Transport).DisableKeepAlives = !row.keepsAlive
				clients.Go(func() {
					url := old.url()
					for id := n * loadOrders; id < (n+1)*loadOrders; id++ {
						first := orders.try(t, client, url, id)
						ended[first].Add(1)
						if first == orderRefused || first == orderReset {
							url = successor.url()
							ended[orders.try(t, client, url, id)].Add(1)
						}
					}
				})
			}
			clients.Wait()
			t.Logf("%d orders, sent again: %d refused, %d reset", ended[orderDone].Load(), ended[orderRefused].Load(), ended[orderReset].Load())
			require.Equal(t, int64(len(orders.taken)), ended[orderDone].Load())
			require.Zero(t, ended[orderBroken].Load())
			for id := range orders.taken {
				require.Equal(t, int64(1), orders.taken[id].Load(), "the order %d", id)
			}
			require.NoError(t, <-old.stopped)
			require.NoError(t, successor.end())
		})
	}
}
