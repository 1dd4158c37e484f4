package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// sample is one request of a load.
type sample struct {
	begin  time.Time
	took   time.Duration
	status int // 0: no answer
	header http.Header
	err    error
}

// load is a number of clients that ask steadily.
type load struct {
	cancel  context.CancelFunc
	clients sync.WaitGroup

	mu      sync.Mutex
	samples []sample
}

// startLoad has each of the clients send a request per interval, spread evenly,
// over kept connections.
func startLoad(t *trial, clients int, interval time.Duration, client *http.Client, request func() *http.Request) *load {
	ctx, cancel := context.WithCancel(t.ctx)
	l := &load{cancel: cancel}
	t.Cleanup(func() { l.stop() })
	for i := range clients {
		l.clients.Go(func() {
			select {
			case <-time.After(interval * time.Duration(i) / time.Duration(clients)):
			case <-ctx.Done():
			}
			tick := time.NewTicker(interval)
			defer tick.Stop()
			for ctx.Err() == nil {
				s := send(client, request())
				l.mu.Lock()
				l.samples = append(l.samples, s)
				l.mu.Unlock()
				select {
				case <-tick.C:
				case <-ctx.Done():
				}
			}
		})
	}
	return l
}

func (l *load) stop() {
	l.cancel()
	l.clients.Wait()
}

// between are the samples that began in that time.
func (l *load) between(from, to time.Time) (some []sample) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.samples {
		if !s.begin.Before(from) && s.begin.Before(to) {
			some = append(some, s)
		}
	}
	return some
}

// send sends a request and reads the whole answer.
func send(client *http.Client, r *http.Request) sample {
	s := sample{begin: time.Now()}
	res, err := client.Do(r)
	if err == nil {
		s.status, s.header = res.StatusCode, res.Header
		_, err = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
	s.err, s.took = err, time.Since(s.begin)
	return s
}

// statuses counts the answers.
func statuses(samples []sample) map[int]int {
	n := map[int]int{}
	for _, s := range samples {
		n[s.status]++
	}
	return n
}

// quantile is a latency that this share of the samples does not exceed.
func quantile(samples []sample, q float64) time.Duration {
	if len(samples) == 0 {
		return 0
	}
	took := make([]time.Duration, len(samples))
	for i, s := range samples {
		took[i] = s.took
	}
	slices.Sort(took)
	return took[min(int(q*float64(len(took))), len(took)-1)]
}

// latency says p99 and the maximum.
func latency(samples []sample) string {
	return fmt.Sprintf("p99 %s, max %s", ms(quantile(samples, 0.99)), ms(quantile(samples, 1)))
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func newClient(connections int) *http.Client {
	return &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true},
		Timeout:   20 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// starvation is how late a timer may be at most before a scenario that is broken
// is tried again.
const starvation = 20 * time.Millisecond

// watchStalls measures how late a timer is, until the function it returns is
// called, which tells the 99th percentile: the share of a latency that is the
// machine's, which others load as well.
func (t *trial) watchStalls() func() time.Duration {
	stop, ended := make(chan struct{}), make(chan struct{})
	var late []sample
	go func() {
		defer close(ended)
		for {
			begin := time.Now()
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
				late = append(late, sample{took: time.Since(begin) - 2*time.Millisecond})
			}
		}
	}()
	return func() time.Duration {
		close(stop)
		<-ended
		t.starved = t.starved || quantile(late, 1) > starvation
		return quantile(late, 0.99)
	}
}
