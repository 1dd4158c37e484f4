package console

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
)

// seen is a call as the server got it.
type seen struct {
	Method, URI string
	Header      http.Header
	Body        string
}

// form reads a multipart body: from field to texts, and to the contents of files.
func (s seen) form(t *testing.T) (fields map[string][]string) {
	t.Helper()
	mediaType, params, err := mime.ParseMediaType(s.Header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/form-data", mediaType)
	form, err := multipart.NewReader(strings.NewReader(s.Body), params["boundary"]).ReadForm(1 << 20)
	require.NoError(t, err)
	fields = form.Value
	for name, files := range form.File {
		for _, file := range files {
			f, err := file.Open()
			require.NoError(t, err)
			content, err := io.ReadAll(f)
			require.NoError(t, err)
			fields[name] = append(fields[name], file.Filename+" "+file.Header.Get("Content-Type")+" "+string(content))
		}
	}
	return fields
}

// server serves a program and remembers the calls of its endpoints.
type server struct {
	*httptest.Server
	clock *clock

	mu    sync.Mutex
	calls []seen
}

// serve serves until the test ends. The console is at GET v1/console.
func serve(t *testing.T, decider *sallyport.ApiDecider, c *clock) *server {
	t.Helper()
	presenter, err := sallyport.NewPresenter(decider)
	require.NoError(t, err)
	s := &server{clock: c}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/console") {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return // the browser has gone
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			s.mu.Lock()
			s.calls = append(s.calls, seen{r.Method, r.RequestURI, r.Header.Clone(), string(body)})
			s.mu.Unlock()
		}
		presenter.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) console() string { return s.URL + "/api/v1/console" }

// last is the last call.
func (s *server) last(t *testing.T) seen {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.NotEmpty(t, s.calls, "nothing was called")
	return s.calls[len(s.calls)-1]
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

// clock goes as time does, from a point that a test chooses: windows begin at
// multiples of their interval, so what a burst meets depends on its beginning.
type clock struct {
	mu           sync.Mutex
	from, origin time.Time
}

func newClock() *clock { return &clock{from: time.Now(), origin: time.Unix(1_800_000_000, 0)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.origin.Add(time.Since(c.from))
}

// begin goes on to the beginning of a day on which nothing was counted.
func (c *clock) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	day := 24 * time.Hour
	c.origin = c.origin.Add(time.Since(c.from)).Truncate(day).Add(2 * day)
	c.from = time.Now()
}
