package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

func TestRequestBytes(t *testing.T) {
	tooLong := func(limit int64) error { return &http.MaxBytesError{Limit: limit} }
	broken := errors.New("connection reset")
	wrappedEOF := fmt.Errorf("decompress: %w", io.EOF)

	type call struct {
		limit int64
		data  string
		err   error
	}
	for _, row := range []struct {
		name   string
		body   io.Reader
		calls  []call
		replay string // what Body gives afterwards
		end    error  // how it ends
	}{
		{"no limit", strings.NewReader("hello"), []call{{0, "hello", nil}, {-1, "hello", nil}}, "hello", nil},
		{"empty", strings.NewReader(""), []call{{0, "", nil}, {1, "", nil}}, "", nil},
		{"the limit is inclusive", strings.NewReader("hello"), []call{{5, "hello", nil}}, "hello", nil}, // peer-fw 26
		{"one byte too long", strings.NewReader("hello"), []call{{4, "", tooLong(4)}, {4, "", tooLong(4)}}, "", tooLong(4)},
		{"a failed read is not repeated with a higher limit", strings.NewReader("hello"), []call{{4, "", tooLong(4)}, {100, "", tooLong(4)}}, "", tooLong(4)},
		{"too long for a later caller", strings.NewReader("hello"), []call{{5, "hello", nil}, {4, "", tooLong(4)}, {0, "hello", nil}}, "hello", nil},
		{"the highest limit", strings.NewReader("hello"), []call{{math.MaxInt64, "hello", nil}}, "hello", nil},
		{"longer than MaxBody", http.MaxBytesReader(nil, io.NopCloser(strings.NewReader("hello")), 3), []call{{0, "", tooLong(3)}, {100, "", tooLong(3)}}, "", tooLong(3)},
		{"the client breaks off", io.MultiReader(strings.NewReader("he"), iotest.ErrReader(broken)), []call{{0, "", broken}, {0, "", broken}}, "", broken},
		{"an error that wraps io.EOF", iotest.ErrReader(wrappedEOF), []call{{0, "", wrappedEOF}}, "", wrappedEOF},
		{"byte by byte", iotest.OneByteReader(strings.NewReader("hello")), []call{{5, "hello", nil}}, "hello", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := &api.Request{Request: &http.Request{Body: io.NopCloser(row.body)}}
			for _, call := range row.calls {
				data, err := r.Bytes(call.limit)
				require.Equal(t, call.err, err)
				require.Equal(t, call.data, string(data))
			}
			replay, err := io.ReadAll(r.Body)
			require.Equal(t, row.replay, string(replay))
			require.Equal(t, row.end, err)
			require.NoError(t, r.Body.Close())

			last := row.calls[len(row.calls)-1]
			data, err := r.Bytes(last.limit)
			require.Equal(t, last.err, err, "after the replay")
			require.Equal(t, last.data, string(data), "after the replay")
		})
	}
}

type countingReader struct {
	io.Reader
	reads int
}

func (c *countingReader) Read(p []byte) (int, error) {
	c.reads++
	return c.Reader.Read(p)
}

func TestRequestBytesReadsTheBodyOnce(t *testing.T) {
	body := &countingReader{Reader: strings.NewReader("hello")}
	r := &api.Request{Request: &http.Request{Body: io.NopCloser(body)}}

	first, err := r.Bytes(10)
	require.NoError(t, err)
	reads := body.reads
	second, err := r.Bytes(10)
	require.NoError(t, err)
	_, err = io.Copy(io.Discard, r.Body)
	require.NoError(t, err)

	require.Equal(t, reads, body.reads)
	require.Same(t, &first[0], &second[0])
}

func TestRequestBytesStopsBehindTheLimit(t *testing.T) {
	body := strings.NewReader(strings.Repeat("x", 1<<20))
	r := &api.Request{Request: &http.Request{Body: io.NopCloser(body)}}

	_, err := r.Bytes(10)

	require.Equal(t, &http.MaxBytesError{Limit: 10}, err)
	require.Equal(t, 1<<20-11, body.Len())
}

func TestRequestBytesWithoutBody(t *testing.T) {
	for _, r := range []*api.Request{
		{},
		{Request: &http.Request{}},
		{Request: httptest.NewRequest(http.MethodGet, "/", nil)},
	} {
		data, err := r.Bytes(1)
		require.NoError(t, err)
		require.Empty(t, data)
	}
}

func TestRequestEndpoint(t *testing.T) {
	endpoint := api.GET("1", "users")
	require.Equal(t, endpoint, (&api.Request{Api: &api.Api{Endpoint: endpoint}}).Endpoint())
	require.Zero(t, (&api.Request{}).Endpoint())
}

func TestRequestPathValue(t *testing.T) {
	r := &api.Request{
		Request:    httptest.NewRequest(http.MethodGet, "/", nil),
		PathValues: api.PathValues{{Name: "id", Value: "7"}, {Name: "path", Value: "a/b"}},
	}
	require.Equal(t, "7", r.PathValue("id"))
	require.Equal(t, "a/b", r.PathValue("path"))
	require.Empty(t, r.PathValue("ID"))
	require.Empty(t, (&api.Request{}).PathValue("id"))
}

func TestRequestSetPathValue(t *testing.T) {
	for _, row := range []struct {
		name    string
		request *http.Request
		before  api.PathValues
		after   api.PathValues
	}{
		{"a new one", httptest.NewRequest(http.MethodGet, "/", nil), nil, api.PathValues{{Name: "id", Value: "7"}}},
		{"behind others", httptest.NewRequest(http.MethodGet, "/", nil), api.PathValues{{Name: "path", Value: "a"}}, api.PathValues{{Name: "path", Value: "a"}, {Name: "id", Value: "7"}}},
		{"in place of another", httptest.NewRequest(http.MethodGet, "/", nil), api.PathValues{{Name: "id", Value: "1"}, {Name: "path", Value: "a"}}, api.PathValues{{Name: "id", Value: "7"}, {Name: "path", Value: "a"}}},
		{"without a request", nil, nil, api.PathValues{{Name: "id", Value: "7"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := &api.Request{Request: row.request, PathValues: row.before}
			r.SetPathValue("id", "7")
			require.Equal(t, "7", r.PathValue("id"))
			require.Equal(t, row.after, r.PathValues)
			if row.request != nil {
				require.Equal(t, "7", row.request.PathValue("id"))
			}
		})
	}
}

func TestRequestContext(t *testing.T) {
	type key struct{}
	outer := context.WithValue(t.Context(), key{}, "outer")
	inner := context.WithValue(outer, key{}, "inner")

	request := httptest.NewRequest(http.MethodGet, "/", nil).WithContext(outer)
	r := &api.Request{Request: request}
	require.Equal(t, "outer", r.Context().Value(key{}))
	require.Same(t, r, api.RequestFrom(r.Context()))

	r.SetContext(inner)
	require.Equal(t, "inner", r.Context().Value(key{}))
	require.Same(t, r, api.RequestFrom(r.Context()))
	require.Equal(t, outer, r.Request.Context(), "the request as it came")
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = r.Context() }))

	require.NoError(t, (&api.Request{}).Context().Err())
}

func TestTheRequestOfAContext(t *testing.T) {
	r := &api.Request{Identity: api.Identity{Scheme: "bearer", ID: "7"}}
	ctx, cancel := context.WithTimeout(r.Context(), time.Hour)
	require.Same(t, r, api.RequestFrom(ctx))
	require.Equal(t, r.Identity, api.IdentityFrom(ctx))
	cancel()
	require.ErrorIs(t, ctx.Err(), context.Canceled)
	require.NoError(t, r.Context().Err())

	require.Nil(t, api.RequestFrom(t.Context()))
	require.Zero(t, api.IdentityFrom(t.Context()))
}

type staticDetector string

func (d staticDetector) IP(*http.Request) string { return string(d) }

func TestRequestClientIP(t *testing.T) {
	r := &api.Request{Request: httptest.NewRequest(http.MethodGet, "/", nil)}
	_, err := r.ClientIP()
	require.Error(t, err, "without a detector")

	r = &api.Request{}
	r.Limits.Request = httptest.NewRequest(http.MethodGet, "/", nil)
	r.Limits.Detector = staticDetector("192.0.2.1")
	ip, err := r.ClientIP()
	require.NoError(t, err)
	require.Equal(t, "192.0.2.1", ip)
}
