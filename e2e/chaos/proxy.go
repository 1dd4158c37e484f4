package main

import (
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sallyport-go/sallyport/internal/redistest"
)

// network is what a proxy makes of the way to a server.
type network int32

const (
	good     network = iota
	slow             // 200 ms more each way
	lossy            // every 10th packet comes 200 ms late, as one that TCP has sent again
	cutting          // every 10th packet cuts its connection
	halfOpen         // nothing arrives any more, and nobody is told; connections stay so
)

const late = 200 * time.Millisecond

// proxy passes the connections to a server on.
type proxy struct {
	addr     string
	server   string
	network  atomic.Int32
	packets  atomic.Int64
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex
	conns  []net.Conn
	silent []*atomic.Bool
}

func startProxy(t *trial, server string) *proxy {
	l, err := (&net.ListenConfig{}).Listen(t.ctx, "tcp", "127.0.0.1:0")
	t.must(err)
	p := &proxy{addr: l.Addr().String(), server: server, listener: l}
	p.running.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close()
		p.mu.Lock()
		for _, c := range p.conns {
			_ = c.Close()
		}
		p.mu.Unlock()
		p.running.Wait()
	})
	return p
}

func (p *proxy) set(n network) { p.network.Store(int32(n)) }

// forget makes all connections half open that there are, as a firewall does that
// has lost its state. New ones are good.
func (p *proxy) forget() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, silent := range p.silent {
		silent.Store(true)
	}
	return len(p.silent)
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := connect(p.server)
		if err != nil {
			_ = client.Close()
			continue
		}
		silent := &atomic.Bool{} // a connection that has become half open stays so
		p.mu.Lock()
		p.conns, p.silent = append(p.conns, client, server), append(p.silent, silent)
		p.mu.Unlock()
		p.running.Go(func() { p.pass(client, server, silent) })
		p.running.Go(func() { p.pass(server, client, silent) })
	}
}

type packet struct {
	data []byte
	due  time.Time
}

// pass reads packets and writes each when it is due.
func (p *proxy) pass(from, to net.Conn, silent *atomic.Bool) {
	way := make(chan packet, 1024)
	p.running.Go(func() {
		for packet := range way {
			time.Sleep(time.Until(packet.due))
			if _, err := to.Write(packet.data); err != nil {
				_ = from.Close()
			}
		}
		_ = to.Close()
	})
	defer close(way)
	for {
		data := make([]byte, 16<<10)
		n, err := from.Read(data)
		if err != nil {
			return
		}
		tenth := p.packets.Add(1)%10 == 0
		packet := packet{data: data[:n], due: time.Now()}
		switch network(p.network.Load()) {
		case slow:
			packet.due = packet.due.Add(late)
		case lossy:
			if tenth {
				packet.due = packet.due.Add(late)
			}
		case cutting:
			if tenth {
				_ = from.Close()
				return
			}
		case halfOpen:
			silent.Store(true)
		case good:
		}
		if !silent.Load() {
			way <- packet
		}
	}
}

// behindProxy makes a scenario of what happens to the way to Redis.
func behindProxy(name, promise string, n network, o outage) scenario {
	return onOne(name, promise, func(t *trial, s *redistest.Server, _ *redis.Client) outage {
		p := startProxy(t, s.Addr)
		o := o
		o.url = "redis://" + p.addr
		o.fault = func() { p.set(n) }
		o.heal = func() { p.set(good) }
		return o
	})
}

var proxyScenarios = []scenario{
	behindProxy("200 ms away", redisPromise+"; OnStorageFailure obeyed", slow, outage{total: true, harm: true, cause: []string{"deadline", "budget", "timeout"}}),
	// A fifth of the calls are late, so for one request in thirty both gates wait.
	behindProxy("every 10th packet lost", strings.Replace(redisPromise, "100 ms", "150 ms, which is a budget for each of the two gates and 50 ms", 1), lossy, outage{harm: true, gates: 2, cause: []string{"deadline", "budget", "timeout"}}),
	behindProxy("every 10th packet cuts its connection", redisPromise, cutting, outage{harm: true, cause: []string{"EOF", "reset", "closed", "broken pipe"}}),
	onOne("a firewall forgets all connections, new ones are good", redisPromise, func(t *trial, s *redistest.Server, _ *redis.Client) outage {
		return forgetful(t, s, false)
	}),
	onOne("a firewall forgets all connections at a quiet time", redisPromise, func(t *trial, s *redistest.Server, _ *redis.Client) outage {
		return forgetful(t, s, true)
	}),
	behindProxy("half-open connections", redisPromise+"; OnStorageFailure obeyed", halfOpen, outage{total: true, harm: true, cause: []string{"deadline", "budget", "timeout"}}),
}

// forgetful is a firewall in front of a pool full of connections.
func forgetful(t *trial, s *redistest.Server, quiet bool) outage {
	p := startProxy(t, s.Addr)
	return outage{
		url:   "redis://" + p.addr,
		fault: func() { t.measure("%d connections", p.forget()) },
		heal:  nothing,
		crowd: true, quiet: quiet, harm: true, cause: []string{"deadline", "budget", "timeout"},
	}
}
