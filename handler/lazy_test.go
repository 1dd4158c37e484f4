package handler_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/param"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func unwrap(h api.Handler) api.Handler { return h.(interface{ Unwrap() api.Handler }).Unwrap() }

func TestLazyBuildsOnFirstUseAndOnce(t *testing.T) { // FW-017, FW-018
	builds := 0
	h := handler.Lazy(func() (api.Handler, error) {
		builds++
		return handler.AlwaysOk{}, nil
	}, handler.LazyInfo{})

	require.Zero(t, builds)
	require.Nil(t, unwrap(h))
	for range 3 {
		require.Equal(t, `{"status":"ok"}`, answerOf(t, h).Body)
		require.Equal(t, 1, builds)
		require.Equal(t, handler.AlwaysOk{}, unwrap(h))
	}
}

func TestLazyBuildsOnlyWhatIsRequested(t *testing.T) { // FW-019
	var users, reports int
	first := handler.Lazy(func() (api.Handler, error) { users++; return handler.AlwaysOk{}, nil }, handler.LazyInfo{})
	second := handler.Lazy(func() (api.Handler, error) { reports++; return handler.AlwaysOk{}, nil }, handler.LazyInfo{})

	answerOf(t, first)

	require.Equal(t, 1, users)
	require.Zero(t, reports)
	require.Nil(t, unwrap(second))
}

func TestLazyTriesAgainAfterAFailure(t *testing.T) {
	down := errors.New("the database is down")
	results := []struct {
		handler api.Handler
		err     error
		want    string // "": it is built
	}{
		{nil, down, "handler: build a lazy handler: the database is down"},
		{handler.AlwaysOk{}, down, "handler: build a lazy handler: the database is down"},
		{nil, nil, "handler: the build of a lazy handler returned neither a handler nor an error"},
		{(*handler.CorsPreflight)(nil), nil, "handler: build a lazy handler: it is a nil *handler.CorsPreflight"},
		{handler.Func(nil), nil, "handler: build a lazy handler: it is a nil handler.Func"},
		{faulty{}, nil, "handler: build a lazy handler: no folder"},
		{handler.AlwaysOk{}, nil, ""},
	}
	builds := 0
	h := handler.Lazy(func() (api.Handler, error) {
		builds++
		return results[builds-1].handler, results[builds-1].err
	}, handler.LazyInfo{})

	for i, result := range results {
		response, err := h.Handle(t.Context(), &api.Request{})
		require.Equal(t, i+1, builds)
		if result.want == "" {
			require.NoError(t, err)
			require.NotNil(t, unwrap(h))
			continue
		}
		require.Nil(t, response)
		require.EqualError(t, err, result.want) // FW-020: an error of the request
		require.Equal(t, result.err != nil, errors.Is(err, down))
		require.Nil(t, unwrap(h))
	}
}

func TestLazyTriesAgainAfterAPanic(t *testing.T) {
	panics := true
	h := handler.Lazy(func() (api.Handler, error) {
		if panics {
			panic("no configuration")
		}
		return handler.AlwaysOk{}, nil
	}, handler.LazyInfo{})

	require.PanicsWithValue(t, "no configuration", func() { _, _ = h.Handle(t.Context(), &api.Request{}) })
	require.Nil(t, unwrap(h))
	panics = false
	require.Equal(t, 200, answerOf(t, h).Status)
}

// outcome is what Handle returned to one of several requests.
type outcome struct {
	response api.Response
	err      error
}

func TestLazyBuildsOnceForConcurrentRequests(t *testing.T) { // FW-019
	for _, want := range []error{nil, errors.New("the database is down")} {
		synctest.Test(t, func(t *testing.T) {
			var builds atomic.Int32
			h := handler.Lazy(func() (api.Handler, error) {
				builds.Add(1)
				time.Sleep(time.Second) // of the bubble's clock
				return handler.AlwaysOk{}, want
			}, handler.LazyInfo{})

			outcomes := make(chan outcome, 10)
			for range cap(outcomes) {
				go func() {
					response, err := h.Handle(t.Context(), &api.Request{})
					outcomes <- outcome{response, err}
				}()
			}
			synctest.Wait()
			require.Nil(t, unwrap(h), "it is being built")

			for range cap(outcomes) {
				got := <-outcomes
				require.ErrorIs(t, got.err, want)
				require.Equal(t, want == nil, got.response != nil)
			}
			require.EqualValues(t, 1, builds.Load())
		})
	}
}

func TestLazyReleasesThoseWhoWaitWhenTheBuildPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handler.Lazy(func() (api.Handler, error) {
			time.Sleep(time.Second)
			panic("no configuration")
		}, handler.LazyInfo{})
		go func() {
			defer func() { _ = recover() }()
			_, _ = h.Handle(t.Context(), &api.Request{})
		}()
		synctest.Wait()

		_, err := h.Handle(t.Context(), &api.Request{})

		require.EqualError(t, err, "handler: the build of a lazy handler did not return")
	})
}

func TestLazyWaitsNoLongerThanTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handler.Lazy(func() (api.Handler, error) {
			time.Sleep(time.Minute)
			return handler.AlwaysOk{}, nil
		}, handler.LazyInfo{})
		go func() { _, _ = h.Handle(t.Context(), &api.Request{}) }()
		synctest.Wait()

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := h.Handle(ctx, &api.Request{})
		require.Equal(t, context.DeadlineExceeded, err)
		require.Equal(t, time.Second, time.Since(start))

		_, err = h.Handle(t.Context(), &api.Request{})
		require.NoError(t, err)
		require.Equal(t, time.Minute, time.Since(start))
	})
}

func TestLazyDeclaresItsLimits(t *testing.T) {
	rules := []ratelimit.Rule{ratelimit.Named("perIp")}
	for _, want := range [][]ratelimit.Rule{nil, rules} {
		h := handler.Lazy(func() (api.Handler, error) { panic("is not built") }, handler.LazyInfo{RateLimits: want})
		require.Equal(t, want, h.(api.RateLimited).RateLimits())
	}
}

// takesPage is a handler that declares and asks for a parameter.
func takesPage(page *param.Value[int]) api.Handler {
	return handler.Describe(handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
		return api.JSON(200, page.Get(r)), nil
	}), api.Description{Params: []api.Param{page}})
}

func TestLazyDeclaresItsParameters(t *testing.T) {
	page := param.Query[int]("page")
	info := api.Description{Summary: "S", Params: []api.Param{page}}
	h := handler.Lazy(func() (api.Handler, error) { return takesPage(page), nil }, handler.LazyInfo{Description: info})
	require.Equal(t, info, describe(h))
	response, err := h.Handle(t.Context(), &api.Request{Values: api.Values{{Name: "page", Value: 7}}})
	require.NoError(t, err)
	require.Equal(t, api.JSON(200, 7), response)

	for name, row := range map[string]struct {
		known []api.Param
		built api.Handler
		want  string
	}{
		"unknown":      {nil, takesPage(page), `its query parameter "page" is not read: LazyInfo.Description has no such one`},
		"of the form":  {[]api.Param{param.Form[int]("page")}, takesPage(page), `its query parameter "page" is not read: LazyInfo.Description has no such one`},
		"another type": {[]api.Param{param.Query[string]("page")}, takesPage(page), `its query parameter "page" is not read: LazyInfo.Description has no such one`},
		"nil":          {nil, handler.Describe(handler.AlwaysOk{}, api.Description{Params: []api.Param{nil}}), "it panics: runtime error: invalid memory address or nil pointer dereference"},
		"no end":       {nil, endless(), "Unwrap never ends"},
	} {
		h := handler.Lazy(func() (api.Handler, error) { return row.built, nil }, handler.LazyInfo{Description: api.Description{Params: row.known}})
		_, err := h.Handle(t.Context(), &api.Request{})
		require.EqualError(t, err, "handler: build a lazy handler: "+row.want, name)
		require.Nil(t, unwrap(h), name)
	}
}

func endless() api.Handler {
	c := &circle{}
	c.inner = c
	return c
}
