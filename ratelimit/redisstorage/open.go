package redisstorage

import (
	"errors"
	"fmt"
	"net/url"
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
// say otherwise. Errors do not tell the URL, which may hold a password.
func Open(rawURL string, o Options) (*Storage, error) {
	client, err := dial(rawURL)
	if err != nil {
		return nil, fmt.Errorf("redisstorage: open: %w", withoutURL(err))
	}
	s := New(client, o)
	s.close = client.Close
	if err := s.Validate(); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return s, nil
}

// dial makes the client. go-redis must not send anything again by itself, and
// tries no dial twice within the budget of a gate.
func dial(rawURL string) (redis.UniversalClient, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, err
	}
	quiet := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	switch query := u.Query(); {
	case query.Has("master_name"):
		o, err := redis.ParseFailoverURL(rawURL)
		if err != nil {
			return nil, err
		}
		setTimeouts(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout)
		o.ContextTimeoutEnabled, o.MaxRetries, o.DialerRetries = true, -1, 1
		return redis.NewFailoverClient(o), nil
	case query.Has("addr"):
		o, err := redis.ParseClusterURL(rawURL)
		if err != nil {
			return nil, err
		}
		setTimeouts(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout)
		o.ContextTimeoutEnabled, o.MaxRetries, o.DialerRetries, o.MaintNotificationsConfig = true, -1, 1, quiet
		return redis.NewClusterClient(o), nil
	default:
		o, err := redis.ParseURL(rawURL)
		if err != nil {
			return nil, err
		}
		setTimeouts(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout)
		o.ContextTimeoutEnabled, o.MaxRetries, o.DialerRetries, o.MaintNotificationsConfig = true, -1, 1, quiet
		return redis.NewClient(o), nil
	}
}

func setTimeouts(timeouts ...*time.Duration) {
	for _, t := range timeouts {
		if *t == 0 {
			*t = networkTimeout
		}
	}
}

// withoutURL is the fault alone.
func withoutURL(err error) error {
	var fault *url.Error
	if errors.As(err, &fault) {
		return fault.Err
	}
	return err
}
