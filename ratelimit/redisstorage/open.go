package redisstorage

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// networkTimeout bounds what a context does not: connections that are made or
// closed in the background.
const networkTimeout = time.Second

// Open makes a client with the settings that limits need and keeps counters with
// it. Nothing is sent before the first request, so a Redis that is down is no
// error. Close the storage when the program ends.
//
// The URL is one of go-redis: "redis://user:password@host:6379/0", "rediss://" for
// TLS or "unix:///path". A parameter addr makes it a cluster
// ("redis://host1:6379?addr=host2:6379&addr=host3:6379"), a parameter master_name
// a set of Sentinels ("redis://host1:26379?master_name=mymaster&addr=host2:26379").
// The parameters dial_timeout, read_timeout and write_timeout are 1s unless they
// say otherwise. Errors tell no part of the URL, which may hold a password.
//
// When calls in a row have no answer, idle connections are closed and Redis is
// dialed anew: a firewall may have forgotten them.
func Open(rawURL string, o Options) (*Storage, error) {
	client, all, err := dial(rawURL)
	if err != nil {
		return nil, fmt.Errorf("redisstorage: open: %w", err)
	}
	s := New(client, o)
	s.close, s.closeSilent = sync.OnceValue(client.Close), all.closeSilent
	if err := s.Validate(); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return s, nil
}

// dial makes the client. go-redis must not send anything again by itself, and
// tries no dial twice within the budget of a gate.
func dial(rawURL string) (redis.UniversalClient, *connections, error) {
	u, err := parse(rawURL)
	if err != nil {
		return nil, nil, err
	}
	quiet := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	switch query := u.Query(); {
	case query.Has("master_name"):
		o, err := redis.ParseFailoverURL(rawURL)
		if err != nil {
			return nil, nil, errParameter
		}
		setTimeouts(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout)
		o.ContextTimeoutEnabled, o.MaxRetries, o.DialerRetries = true, -1, 1
		all := newConnections(dialer(o.DialTimeout, o.TLSConfig))
		o.Dialer = all.Dial
		return redis.NewFailoverClient(o), all, nil
	case query.Has("addr"):
		o, err := redis.ParseClusterURL(rawURL)
		if err != nil {
			return nil, nil, errParameter
		}
		setTimeouts(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout)
		o.ContextTimeoutEnabled, o.MaxRetries, o.DialerRetries, o.MaintNotificationsConfig = true, -1, 1, quiet
		all := newConnections(dialer(o.DialTimeout, o.TLSConfig))
		o.Dialer = all.Dial
		return redis.NewClusterClient(o), all, nil
	default:
		o, err := redis.ParseURL(rawURL)
		if err != nil {
			return nil, nil, errParameter
		}
		setTimeouts(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout)
		o.ContextTimeoutEnabled, o.MaxRetries, o.DialerRetries, o.MaintNotificationsConfig = true, -1, 1, quiet
		all := newConnections(dialer(o.DialTimeout, o.TLSConfig))
		o.Dialer = all.Dial
		return redis.NewClient(o), all, nil
	}
}

// dialer is the one that go-redis has unless told otherwise.
func dialer(timeout time.Duration, t *tls.Config) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return redis.NewDialer(&redis.Options{DialTimeout: timeout, TLSConfig: t})
}

func setTimeouts(timeouts ...*time.Duration) {
	for _, t := range timeouts {
		if *t == 0 {
			*t = networkTimeout
		}
	}
}

// What is wrong with a URL is told in fixed words. A password with a special
// character in it makes a URL whose parts are others than they seem, so no part
// is safe to be shown.
var (
	errSyntax    = errors.New("the URL cannot be read: a password needs its special characters as %23 for # and %2F for /")
	errScheme    = errors.New("the URL has none of the schemes redis, rediss and unix: write redis://host:6379")
	errHost      = errors.New("the URL has no host: write redis://host:6379")
	errPort      = errors.New("the port is no number from 1 to 65535: write redis://host:6379")
	errDatabase  = errors.New("the path is no number of a database: write redis://host:6379/0")
	errPath      = errors.New("the URL has no path: write unix:///path")
	errParameter = errors.New("a parameter of the URL is unknown or has a wrong value")
)

// parse finds what go-redis would take for something else or tell in full.
func parse(rawURL string) (*url.URL, error) {
	u, err := url.Parse(rawURL)
	switch {
	case err != nil:
		return nil, errSyntax
	case u.Scheme == "unix" && u.Path == "":
		return nil, errPath
	case u.Scheme == "unix":
		return u, nil
	case u.Scheme != "redis" && u.Scheme != "rediss":
		return nil, errScheme
	case u.Hostname() == "":
		return nil, errHost
	case u.Fragment != "":
		return nil, errSyntax
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, errPort
		}
	}
	if len(u.Path) > 1 {
		if _, err := strconv.ParseUint(u.Path[1:], 10, 31); err != nil {
			return nil, errDatabase
		}
	}
	return u, nil
}
