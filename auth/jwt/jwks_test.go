package jwt_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/auth/jwt"
)

// jwk is a public key as an issuer publishes it.
func jwk(id string, key any, change ...func(*jwkset.JWKMarshal)) jwkset.JWKMarshal {
	m := must(jwkset.NewJWKFromKey(key, jwkset.JWKOptions{Metadata: jwkset.JWKMetadataOptions{KID: id}})).Marshal()
	for _, c := range change {
		c(&m)
	}
	return m
}

func set(keys ...jwkset.JWKMarshal) string {
	return string(must(json.Marshal(jwkset.JWKSMarshal{Keys: keys})))
}

var errDown = errors.New("connection refused")

// issuing is an issuer without a network.
type issuing struct {
	mu      sync.Mutex
	body    string // "": it is down
	fetches int
	takes   time.Duration
}

func (i *issuing) RoundTrip(r *http.Request) (*http.Response, error) {
	i.mu.Lock()
	i.fetches++
	body, takes := i.body, i.takes
	i.mu.Unlock()
	select {
	case <-time.After(takes):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if body == "" {
		return nil, errDown
	}
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

func (i *issuing) publish(keys ...jwkset.JWKMarshal) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.body = set(keys...)
}
func (i *issuing) goDown() { i.mu.Lock(); defer i.mu.Unlock(); i.body = "" }

func (i *issuing) source() jwt.KeySource {
	return jwt.JWKS(jwt.JWKSConfig{
		URL: "https://issuer.example/jwks.json?key=hidden", Client: &http.Client{Transport: i},
		Refresh: 10 * time.Minute, StaleFor: time.Hour, Cooldown: 10 * time.Second, Timeout: 5 * time.Second,
	})
}

const unavailable = "jwt: JWKS: the keys are not available: fetch from issuer.example: connection refused"

func TestJWKSOverTime(t *testing.T) {
	const minute, second = time.Minute, time.Second
	known := func(i *issuing) { i.publish(jwk("a", &rsaKey.PublicKey)) }
	type step struct {
		after   time.Duration
		change  func(*issuing)
		id      string
		want    string // error; "": the key
		fetches int    // so far
	}
	tests := map[string][]step{
		"the set is kept": {
			{0, known, "a", "", 1},
			{10*minute - 1, nil, "a", "", 1},
			{1, nil, "a", "", 2},
			{minute, nil, "a", "", 2},
		},
		"a new key is fetched when it is asked for": {
			{0, known, "a", "", 1},
			{10 * second, func(i *issuing) { i.publish(jwk("a", &rsaKey.PublicKey), jwk("b", &otherRSAKey.PublicKey)) }, "b", "", 2},
			{0, nil, "a", "", 2},
		},
		"an old key is forgotten": {
			{0, known, "a", "", 1},
			{10 * minute, func(i *issuing) { i.publish(jwk("b", &otherRSAKey.PublicKey)) }, "a", jwt.ErrUnknownKey.Error(), 2},
			{0, nil, "b", "", 2},
		},
		"unknown keys do not hammer the issuer": {
			{0, known, "x1", jwt.ErrUnknownKey.Error(), 1},
			{0, nil, "x2", jwt.ErrUnknownKey.Error(), 1},
			{10*second - 1, nil, "x3", jwt.ErrUnknownKey.Error(), 1},
			{1, nil, "x4", jwt.ErrUnknownKey.Error(), 2},
			{1, nil, "x5", jwt.ErrUnknownKey.Error(), 2},
			{1, nil, "a", "", 2},
		},
		"nor does an issuer that is down get more": {
			{0, nil, "a", unavailable, 1},
			{0, nil, "a", unavailable, 1},
			{10*second - 1, known, "a", unavailable, 1},
			{1, nil, "a", "", 2},
		},
		"old keys are used for a while": {
			{0, known, "a", "", 1},
			{10 * minute, (*issuing).goDown, "a", "", 2},
			{second, nil, "a", "", 2},
			{0, nil, "b", unavailable, 2}, // it may be new
			{10 * second, nil, "b", unavailable, 3},
			{time.Hour - 12*second, nil, "a", "", 4},
			{second, nil, "a", unavailable, 4},
			{10 * second, known, "a", "", 5},
		},
		"a set without a key is none": {
			{0, known, "a", "", 1},
			{10 * minute, func(i *issuing) { i.publish() }, "a", "", 2},
			{0, nil, "b", "jwt: JWKS: the keys are not available: fetch from issuer.example: the set has no key that can be used", 2},
		},
		"a slow issuer is given up": {
			{0, func(i *issuing) { i.publish(jwk("a", &rsaKey.PublicKey)); i.takes = 5*second + 1 }, "a",
				"jwt: JWKS: the keys are not available: fetch from issuer.example: context deadline exceeded", 1},
			{10 * second, func(i *issuing) { i.takes = 5*second - 1 }, "a", "", 2},
		},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				issuer := &issuing{}
				source := issuer.source()
				for i, step := range steps {
					time.Sleep(step.after)
					if step.change != nil {
						step.change(issuer)
					}
					key, err := source.Key(t.Context(), step.id, "RS256")
					if step.want != "" {
						require.EqualError(t, err, step.want, "step %d", i+1)
						require.Nil(t, key)
					} else {
						require.NoError(t, err, "step %d", i+1)
						require.NotNil(t, key)
					}
					require.Equal(t, step.fetches, issuer.fetches, "step %d", i+1)
				}
			})
		})
	}
}

func TestJWKSFetchesOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issuer := &issuing{takes: time.Second}
		issuer.publish(jwk("a", &rsaKey.PublicKey))
		source := issuer.source()
		var group sync.WaitGroup
		for i := range 100 {
			group.Go(func() {
				id := "a"
				if i%2 == 1 {
					id = fmt.Sprint("random", i)
				}
				key, err := source.Key(t.Context(), id, "RS256")
				if id == "a" {
					require.NoError(t, err)
					require.Equal(t, &rsaKey.PublicKey, key)
				} else {
					require.ErrorIs(t, err, jwt.ErrUnknownKey)
				}
			})
		}
		group.Wait()
		require.Equal(t, 1, issuer.fetches)

		// While one renews the set, the others go on with the keys they know.
		time.Sleep(10 * time.Minute)
		group.Go(func() { _, _ = source.Key(t.Context(), "a", "RS256") })
		synctest.Wait()
		now := time.Now()
		_, err := source.Key(t.Context(), "a", "RS256")
		require.NoError(t, err)
		require.Equal(t, now, time.Now())
		group.Wait()
		require.Equal(t, 2, issuer.fetches)
	})
}

// The end of one request neither ends the fetch of the others, nor do they wait
// beyond their own end.
func TestJWKSAndTheEndOfARequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		issuer := &issuing{takes: 2 * time.Second}
		issuer.publish(jwk("a", &rsaKey.PublicKey))
		source := issuer.source()
		var group sync.WaitGroup
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		group.Go(func() { // fetches
			_, err := source.Key(ctx, "a", "RS256")
			require.NoError(t, err)
		})
		synctest.Wait()
		group.Go(func() { // waits, but not that long
			_, err := source.Key(ctx, "a", "RS256")
			require.ErrorIs(t, err, context.DeadlineExceeded)
		})
		group.Go(func() { // waits
			_, err := source.Key(t.Context(), "a", "RS256")
			require.NoError(t, err)
		})
		group.Wait()
		require.Equal(t, 1, issuer.fetches)
	})
}

type panicking struct{}

func (panicking) RoundTrip(*http.Request) (*http.Response, error) { panic("transport") }

func TestJWKSAfterATransportThatPanics(t *testing.T) {
	source := jwt.JWKS(jwt.JWKSConfig{URL: "https://issuer.example/", Client: &http.Client{Transport: panicking{}}})
	require.Panics(t, func() { _, _ = source.Key(t.Context(), "a", "RS256") })
	_, err := source.Key(t.Context(), "a", "RS256")
	require.EqualError(t, err, "jwt: JWKS: the keys are not available: the fetch panicked")
}
