package jwt

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// JWKSConfig tells where [JWKS] takes its keys from. Only the URL is required.
type JWKSConfig struct {
	// URL is the address of the set, "jwks_uri" of the issuer. It is https, but
	// for this machine itself (localhost, 127.0.0.1, [::1]).
	URL       string
	AllowHTTP bool // who can change what this network carries can then sign tokens

	Refresh  time.Duration // how long a set is good before it is fetched again; 0 is 15 minutes
	StaleFor time.Duration // how much longer it is used while that fails; 0 is 1 hour
	Cooldown time.Duration // least time between two fetches; 0 is 10 seconds
	Timeout  time.Duration // of a fetch; 0 is 5 seconds

	// Client fetches the set. Its transport is used as it is; redirects are not
	// followed, and cookies not kept. nil is a client as [http.DefaultClient] is.
	Client *http.Client
}

// JWKS is a [KeySource] of the set of public keys that an issuer publishes (RFC
// 7517). It fetches the set with the first request, when it has become old, and
// for a key that it does not know, which is how an issuer changes its keys. It
// has no goroutine: a request that needs a fetch waits for it, those at the same
// time share it, and those whose key is known already go on.
//
// However many unknown keys are asked for, the issuer gets one request in a
// Cooldown. So a key that is published within a Cooldown after a fetch is unknown
// until it has passed. While the set cannot be fetched, the old keys are used for
// StaleFor; after that, and for a key that they do not have, the source cannot
// tell.
//
// Keys that are weak, not for signatures, or of a kind that is not supported, are
// left out; shared secrets are, too. The set is 1 MiB at most.
func JWKS(c JWKSConfig) KeySource {
	j := &jwks{JWKSConfig: c}
	for _, d := range []struct {
		name  string
		value *time.Duration
		zero  time.Duration
	}{
		{"Refresh", &j.Refresh, 15 * time.Minute},
		{"StaleFor", &j.StaleFor, time.Hour},
		{"Cooldown", &j.Cooldown, 10 * time.Second},
		{"Timeout", &j.Timeout, 5 * time.Second},
	} {
		switch {
		case *d.value == 0:
			*d.value = d.zero
		case *d.value < 0:
			j.mistakes = append(j.mistakes, fmt.Errorf("jwt: JWKS: %s is negative", d.name))
		}
	}
	if j.Cooldown > j.Refresh {
		j.mistakes = append(j.mistakes, errors.New("jwt: JWKS: Cooldown is longer than Refresh"))
	}
	if err := c.validateURL(); err != nil {
		j.mistakes = append(j.mistakes, fmt.Errorf("jwt: JWKS: %w", err))
	}
	if c.Client != nil {
		j.client = *c.Client
	}
	j.client.Jar = nil
	j.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return j
}

type jwks struct {
	JWKSConfig
	client   http.Client
	mistakes []error

	mu      sync.Mutex
	keys    keySet
	fetched time.Time     // when keys came; zero: never
	tried   time.Time     // when the last fetch ended
	err     error         // of the last fetch
	running chan struct{} // closed when the fetch that runs has ended; nil: none runs
}

func (j *jwks) Validate() error { return errors.Join(j.mistakes...) }

// suits reports algorithms that would need a secret, which nobody publishes.
func (j *jwks) suits(algorithms []string) error {
	if slices.ContainsFunc(algorithms, isSymmetric) {
		return errors.New("jwt: a JWKS has public keys, which algorithms with a secret do not use")
	}
	return nil
}

func (j *jwks) Key(ctx context.Context, id, algorithm string) (any, error) {
	if j.mistakes != nil {
		return nil, errors.New("jwt: JWKS: the configuration has mistakes")
	}
	key, wait, err := j.look(id, algorithm, true)
	switch {
	case key != nil || err != nil:
		return key, err
	case wait == nil:
		j.refresh(ctx)
	default:
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	key, _, err = j.look(id, algorithm, false)
	return key, err
}

// look returns a key or an error. The first look of a request may return what to
// wait for instead or, when all are nil, leave it to the caller to refresh.
func (j *jwks) look(id, algorithm string, first bool) (key any, wait <-chan struct{}, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	now := time.Now()
	age := now.Sub(j.fetched)
	usable := !j.fetched.IsZero() && age < j.Refresh+j.StaleFor
	mayFetch := first && j.running == nil && (j.tried.IsZero() || now.Sub(j.tried) >= j.Cooldown)
	if usable {
		key, _ = j.keys.find(id, algorithm)
	}
	switch {
	case key != nil && (age < j.Refresh || !mayFetch):
		return key, nil, nil
	case mayFetch:
		j.running = make(chan struct{})
		return nil, nil, nil
	case first && j.running != nil:
		return nil, j.running, nil
	case usable && j.err == nil:
		return nil, nil, ErrUnknownKey
	default:
		return nil, nil, fmt.Errorf("jwt: JWKS: the keys are not available: %w", j.err)
	}
}

// refresh fetches the set for all who wait: the end of one request does not end
// it. A transport that panics leaves nobody waiting.
func (j *jwks) refresh(ctx context.Context) {
	var keys keySet
	err := errors.New("the fetch panicked")
	defer func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.tried, j.err = time.Now(), err
		if err == nil {
			j.keys, j.fetched = keys, j.tried
		}
		close(j.running)
		j.running = nil
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), j.Timeout)
	defer cancel()
	keys, err = j.fetch(ctx)
}

func (c *JWKSConfig) validateURL() error {
	u, err := url.Parse(c.URL)
	switch {
	case c.URL == "":
		return errors.New("there is no URL")
	case err != nil: // its text repeats the URL
		return errors.New("the URL cannot be read")
	case u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("the URL does not begin with https:// and a host")
	case u.User != nil:
		return errors.New("the URL has credentials in it: let the transport of the Client send them")
	case u.Scheme == "http" && !c.AllowHTTP && !isLoopback(u.Hostname()):
		return errors.New("the URL is not https: set AllowHTTP when nobody can change what the network carries")
	}
	return nil
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}
