package jwt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/MicahParks/jwkset"
)

const maxSetBytes = 1 << 20

// fetch gets the set. Its errors name the host, as the rest of the URL may hold a
// secret.
func (j *jwks) fetch(ctx context.Context) (keySet, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, j.URL, nil)
	if err != nil {
		return nil, errors.New("the URL cannot be read")
	}
	request.Header.Set("Accept", "application/jwk-set+json, application/json")
	keys, err := j.do(request)
	if err != nil {
		return nil, fmt.Errorf("fetch from %s: %w", request.URL.Host, err)
	}
	return keys, nil
}

func (j *jwks) do(request *http.Request) (keySet, error) {
	response, err := j.client.Do(request)
	if err != nil {
		if withURL := (*url.Error)(nil); errors.As(err, &withURL) {
			err = withURL.Err
		}
		return nil, err
	}
	defer response.Body.Close() //nolint:errcheck // it has been read
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the status is %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxSetBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxSetBytes:
		return nil, errors.New("the set has more than 1 MiB")
	}
	return parseSet(body)
}

// parseSet reads the keys that can verify a signature and leaves out the others
// (RFC 7517, section 5). A set without any is an error: it would refuse everybody.
func parseSet(body []byte) (keySet, error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(body, &set) != nil {
		return nil, errors.New("the body is no set of keys") // the error would repeat some of it
	}
	var keys keySet
	for _, text := range set.Keys {
		if key, ok := parseKey(text); ok {
			keys = append(keys, key)
		}
	}
	if keys == nil {
		return nil, errors.New("the set has no key that can be used")
	}
	return keys, nil
}

func parseKey(text []byte) (key setKey, ok bool) {
	var m jwkset.JWKMarshal
	if json.Unmarshal(text, &m) != nil ||
		m.USE != "" && m.USE != jwkset.UseSig ||
		m.KEYOPS != nil && !slices.Contains(m.KEYOPS, jwkset.KeyOpsVerify) {
		return setKey{}, false
	}
	// Only the parameters of a public key: certificates are not followed.
	public := jwkset.JWKMarshal{KTY: m.KTY, CRV: m.CRV, X: m.X, Y: m.Y, N: m.N, E: m.E}
	jwk, err := jwkset.NewJWKFromMarshal(public, jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{})
	if err != nil || weakness(jwk.Key()) != nil {
		return setKey{}, false
	}
	return setKey{id: m.KID, algorithm: string(m.ALG), key: jwk.Key()}, true
}
