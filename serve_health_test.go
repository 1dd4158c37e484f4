package sallyport_test

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
)

type checks = map[string]func(context.Context) error

func passes(context.Context) error { return nil }

func fails(context.Context) error { return errors.New("dial 10.0.0.7: wrong password") }

// withHealth serves pages of health in a bubble.
func withHealth(t *testing.T, c checks, test func(t *testing.T, client *http.Client, log *errorLog)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(sallyport.Config{BasePath: "/"})
		p.AddApi(api.GET("1", "users"), ok, bearer)
		network := newPipes()
		log, logger := newErrorLog()
		s := startServer(t, sallyport.Server{Listener: network, ErrorLog: logger, Health: sallyport.Health{
			LivenessPath: "/livez", ReadinessPath: "/readyz", Checks: c,
		}}, p.build(t))
		defer func() { require.NoError(t, s.end()) }()
		test(t, network.client(t, false), log)
	})
}

func TestHealth(t *testing.T) {
	type page struct {
		status                    int
		mediaType, allow, caching string
		length                    int64
		body                      string
	}
	yes := page{200, "application/json", "", "no-store", 15, `{"status":"ok"}`}
	head := func(p page) page { p.body = ""; return p }
	no := page{503, "application/json", "", "no-store", 61, `{"status":"unavailable","checks":{"a":"failed","b":"failed"}}`}
	wrong := page{405, "", "GET, HEAD", "no-store", 0, ""}
	for name, row := range map[string]struct {
		checks       checks
		method, path string
		want         page
	}{
		"it runs":                   {checks{"a": fails}, "GET", "/livez", yes},
		"it runs, without the body": {checks{"a": fails}, "HEAD", "/livez", head(yes)},
		"no check":                  {nil, "GET", "/readyz", yes},
		"checks that pass":          {checks{"a": passes, "b": passes}, "GET", "/readyz", yes},
		"the same without the body": {checks{"a": passes}, "HEAD", "/readyz", head(yes)},
		"checks that fail":          {checks{"a": fails, "b": func(context.Context) error { panic("secret") }, "c": passes}, "GET", "/readyz", no},
		"that without the body":     {checks{"a": fails, "b": fails, "c": passes}, "HEAD", "/readyz", head(no)},
		"another method":            {checks{"a": fails}, "POST", "/readyz", wrong},
		"another one":               {nil, "OPTIONS", "/livez", wrong},
	} {
		t.Run(name, func(t *testing.T) {
			withHealth(t, row.checks, func(t *testing.T, client *http.Client, _ *errorLog) {
				res, text := call(t, client, row.method, "http://example.com"+row.path)
				require.Equal(t, row.want, page{
					res.StatusCode, res.Header.Get("Content-Type"), res.Header.Get("Allow"), res.Header.Get("Cache-Control"), res.ContentLength, text,
				})
				require.Equal(t, "nosniff", res.Header.Get("X-Content-Type-Options"))
				require.Empty(t, res.Header.Get("X-Request-Id"), "it is no answer of the presenter")
				res, _ = call(t, client, "GET", "http://example.com"+row.path+"/x")
				require.Equal(t, 404, res.StatusCode)
			})
		})
	}
}

// The log tells when a check begins to fail and when it ends, and why.
func TestTheLogOfReadiness(t *testing.T) {
	var broken atomic.Bool
	check := func(context.Context) error {
		if broken.Load() {
			return errors.New("wrong password")
		}
		return nil
	}
	withHealth(t, checks{"redis": check}, func(t *testing.T, client *http.Client, log *errorLog) {
		for _, fails := range []bool{false, true, true, false, false, true} {
			broken.Store(fails)
			time.Sleep(time.Second)
			res, _ := call(t, client, "GET", "http://example.com/readyz")
			require.Equal(t, fails, res.StatusCode == 503)
		}
		begins, ends := "WARN a check of readiness fails redis wrong password", "WARN a check of readiness passes again redis"
		require.Equal(t, []string{begins, ends, begins}, log.records(t))
	})
}

// However many ask, the checks run once, and once a second.
func TestChecksAreNotHammered(t *testing.T) {
	var calls atomic.Int64
	slow := func(context.Context) error {
		calls.Add(1)
		time.Sleep(time.Second / 2)
		return nil
	}
	withHealth(t, checks{"slow": slow, "slow, too": slow}, func(t *testing.T, client *http.Client, _ *errorLog) {
		start := time.Now()
		for round, want := range []struct {
			calls int64
			after time.Duration
		}{
			{2, 500 * time.Millisecond}, // both at the same time
			{2, 500 * time.Millisecond}, // from the cache
			{4, 2 * time.Second},
		} {
			if round == 2 {
				time.Sleep(time.Second)
			}
			var askers sync.WaitGroup
			for range 50 {
				askers.Go(func() {
					res, _ := call(t, client, "GET", "http://example.com/readyz")
					require.Equal(t, 200, res.StatusCode)
				})
			}
			askers.Wait()
			require.Equal(t, want.calls, calls.Load())
			require.Equal(t, want.after, time.Since(start))
		}
	})
}

// A check that does not answer fails after a second, and is not called again
// before it has returned.
func TestChecksThatHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int64
		released := make(chan struct{})
		hangs := func(context.Context) error {
			calls.Add(1)
			<-released
			return nil
		}
		network := newPipes()
		s := startServer(t, sallyport.Server{Listener: network, Health: sallyport.Health{
			ReadinessPath: "/readyz", Checks: checks{"hangs": hangs, "passes": passes},
		}}, okPage)
		client := network.client(t, false)
		start := time.Now()
		ready := func() string {
			_, text := call(t, client, "GET", "http://example.com/readyz")
			return text
		}
		const no = `{"status":"unavailable","checks":{"hangs":"failed"}}`
		require.Equal(t, no, ready())
		require.Equal(t, time.Second, time.Since(start))
		time.Sleep(time.Second)
		require.Equal(t, no, ready())
		require.Equal(t, 2*time.Second, time.Since(start), "nobody waits for it again")
		close(released)
		time.Sleep(time.Second)
		require.Equal(t, `{"status":"ok"}`, ready())
		require.Equal(t, int64(2), calls.Load())
		require.NoError(t, s.end())
	})
	waits := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	withHealth(t, checks{"waits": waits}, func(t *testing.T, client *http.Client, _ *errorLog) {
		start := time.Now()
		_, _ = call(t, client, "GET", "http://example.com/readyz")
		require.Equal(t, time.Second, time.Since(start))
	})
}

// Who asks may give up, and the others still get the answer.
func TestReadinessOfAnAskerThatGivesUp(t *testing.T) {
	slow := func(ctx context.Context) error {
		select {
		case <-time.After(time.Second / 2):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	withHealth(t, checks{"slow": slow}, func(t *testing.T, client *http.Client, _ *errorLog) {
		ctx, giveUp := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer giveUp()
		go func() {
			r, err := http.NewRequestWithContext(ctx, "GET", "http://example.com/readyz", nil)
			if err != nil {
				panic(err)
			}
			if _, err = client.Do(r); err == nil {
				panic("it has waited")
			}
		}()
		synctest.Wait()
		_, text := call(t, client, "GET", "http://example.com/readyz")
		require.Equal(t, `{"status":"ok"}`, text)
	})
}
