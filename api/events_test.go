package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

var eventHeader = http.Header{"Content-Type": {"text/event-stream"}, "Cache-Control": {"no-store"}, "X-Accel-Buffering": {"no"}}

func TestEvents(t *testing.T) {
	for name, row := range map[string]struct {
		event api.Event
		want  string
	}{
		"text":             {api.Event{Data: "hello"}, "data: hello\n\n"},
		"all":              {api.Event{ID: "7", Name: "greeting", Data: "hello", Retry: 2 * time.Second}, "id: 7\nevent: greeting\nretry: 2000\ndata: hello\n\n"},
		"lines":            {api.Event{Data: "a\nb\r\nc\rd\n"}, "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n"},
		"fields in data":   {api.Event{Data: "a\n\nid: 8\r\r:"}, "data: a\ndata: \ndata: id: 8\ndata: \ndata: :\n\n"},
		"empty text":       {api.Event{Data: ""}, "data: \n\n"},
		"JSON":             {api.Event{Data: map[string]any{"a": "<\n>"}}, `data: {"a":"<\n>"}` + "\n\n"},
		"JSON of lists":    {api.Event{Data: []int(nil)}, "data: []\n\n"},
		"JSON of lines":    {api.Event{Data: json.RawMessage("[1,\n2]")}, "data: [1,2]\n\n"},
		"no data":          {api.Event{ID: "7"}, "id: 7\n\n"},
		"a time alone":     {api.Event{Retry: time.Microsecond}, "retry: 1\n\n"},
		"spaces stay":      {api.Event{ID: " 7", Data: " a"}, "id:  7\ndata:  a\n\n"},
		"a colon is no id": {api.Event{Name: ":a"}, "event: :a\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			response := api.Events(func(_ context.Context, send func(api.Event) error) error { return send(row.event) })
			require.Equal(t, answer{200, eventHeader, row.want}, sent(t, response))
			require.Equal(t, answer{200, eventHeader, row.want}, sent(t, response), "sent again")
		})
	}
}

func TestEventsRefuse(t *testing.T) {
	for _, row := range []struct {
		event api.Event
		want  string
	}{
		{api.Event{ID: "a\nb"}, "api: send an event: the id has a line break or NUL"},
		{api.Event{ID: "a\rb"}, "api: send an event: the id has a line break or NUL"},
		{api.Event{ID: "a\x00"}, "api: send an event: the id has a line break or NUL"},
		{api.Event{Name: "a\ndata: b"}, "api: send an event: the name has a line break or NUL"},
		{api.Event{Name: "a\rb"}, "api: send an event: the name has a line break or NUL"},
		{api.Event{Name: "\x00"}, "api: send an event: the name has a line break or NUL"},
		{api.Event{Data: "a", Retry: -1}, "api: send an event: the time to wait is negative"},
		{api.Event{}, "api: send an event: there is nothing in it"},
		{api.Event{Data: math.NaN()}, "api: send an event: json: unsupported value: NaN"},
	} {
		response := api.Events(func(_ context.Context, send func(api.Event) error) error {
			require.EqualError(t, send(row.event), row.want)
			return send(api.Event{Data: "the next"})
		})
		require.Equal(t, "data: the next\n\n", sent(t, response).Body)
	}
}

func TestEventsKeepOwnFields(t *testing.T) {
	nothing := func(context.Context, func(api.Event) error) error { return nil }
	response := api.WithHeader(api.Events(nothing), http.Header{"Cache-Control": {"no-cache"}, "Content-Type": {"text/plain"}})
	want := eventHeader.Clone()
	want.Set("Cache-Control", "no-cache")
	require.Equal(t, answer{200, want, ""}, sent(t, response))

	w := httptest.NewRecorder()
	require.NoError(t, api.Events(func(context.Context, func(api.Event) error) error { return errors.New("called") }).
		Send(w, httptest.NewRequest(http.MethodHead, "/", nil)))
	require.Equal(t, answer{200, eventHeader, ""}, answer{w.Code, w.Header(), w.Body.String()}) // FW-270
}

func TestEventsSendTheHeaderFirstAndStayAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := make(chan struct{})
		client, results := started(t, &http.Server{WriteTimeout: time.Second}, api.Events(func(_ context.Context, send func(api.Event) error) error {
			<-next
			return send(api.Event{Data: "hello"})
		}))
		start := time.Now()
		lines := bufio.NewReader(get(t, client).Body) // the header is here
		require.Zero(t, time.Since(start))
		for _, want := range []string{":\n", "\n", ":\n", "\n"} {
			line, err := lines.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, want, line)
		}
		require.Equal(t, 30*time.Second, time.Since(start))
		close(next)
		rest, err := io.ReadAll(lines)
		require.NoError(t, err)
		require.Equal(t, "data: hello\n\n", string(rest))
		require.NoError(t, <-results)
	})
}

func TestEventsEndWithTheirClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, results := started(t, &http.Server{}, api.Events(func(ctx context.Context, send func(api.Event) error) error {
			<-ctx.Done()
			require.ErrorIs(t, send(api.Event{Data: "a"}), context.Canceled)
			return ctx.Err()
		}))
		require.NoError(t, get(t, client).Body.Close())
		require.Equal(t, context.Canceled, <-results)
	})
}

// A client that has gone without a word is found by a comment that nobody takes.
func TestEventsEndWhenNobodyTakesThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, results := started(t, &http.Server{}, api.Events(func(ctx context.Context, _ func(api.Event) error) error {
			<-ctx.Done()
			return nil
		}))
		start := time.Now()
		_ = get(t, client)
		require.Error(t, <-results)
		require.Equal(t, 15*time.Second+30*time.Second, time.Since(start))
	})
}

func TestEventsAreSentByMany(t *testing.T) {
	response := api.Events(func(_ context.Context, send func(api.Event) error) error {
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() { _ = send(api.Event{ID: "1", Data: "a\nb"}) })
		}
		group.Wait()
		return nil
	})
	require.Equal(t, strings.Repeat("id: 1\ndata: a\ndata: b\n\n", 50), sent(t, response).Body)
}

func TestEventsAreOverWhenTheFunctionReturns(t *testing.T) {
	var late func(api.Event) error
	response := api.Events(func(_ context.Context, send func(api.Event) error) error { late = send; return nil })
	require.Empty(t, sent(t, response).Body)
	require.EqualError(t, late(api.Event{Data: "a"}), "api: send an event: the events have ended")

	synctest.Test(t, func(t *testing.T) { // which fails for goroutines that stay
		require.PanicsWithValue(t, "a fault", func() {
			_ = api.Events(func(context.Context, func(api.Event) error) error { panic("a fault") }).Send(httptest.NewRecorder(), nil)
		})
	})
}

func TestEventsTellABrokenConnection(t *testing.T) {
	var first, second error
	response := api.Events(func(_ context.Context, send func(api.Event) error) error {
		first, second = send(api.Event{Data: "a"}), send(api.Event{Data: "b"})
		return nil
	})
	w := &breaking{ResponseWriter: httptest.NewRecorder()}
	require.ErrorIs(t, response.Send(w, nil), http.ErrHandlerTimeout)
	require.ErrorIs(t, first, http.ErrHandlerTimeout)
	require.ErrorIs(t, second, http.ErrHandlerTimeout)
	require.Equal(t, 2, w.writes, "the header and one event")
	require.ErrorIs(t, response.Send(brokenConnection{httptest.NewRecorder()}, nil), http.ErrHandlerTimeout)
}

// breaking is a connection that breaks after the header.
type breaking struct {
	http.ResponseWriter
	writes int
}

func (b *breaking) Write(p []byte) (int, error) {
	if b.writes++; b.writes > 1 {
		return 0, http.ErrHandlerTimeout
	}
	return len(p), nil
}

func TestLastEventID(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	require.Empty(t, api.LastEventID(&api.Request{Request: r}))
	require.Empty(t, api.LastEventID(&api.Request{}))
	r.Header.Set("Last-Event-ID", "7")
	require.Equal(t, "7", api.LastEventID(&api.Request{Request: r}))
}

// received reads an event stream as clients do (WHATWG HTML, section 9.2.6).
func received(stream string) (id string, events []api.Event) {
	var event api.Event
	var data []string
	stream = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(stream)
	for line := range strings.SplitSeq(strings.TrimSuffix(stream, "\n"), "\n") {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "":
			if line == "" {
				if data != nil {
					event.ID, event.Data = id, strings.Join(data, "\n")
					events = append(events, event)
				}
				event, data = api.Event{}, nil
			}
		case "id":
			id = value
		case "event":
			event.Name = value
		case "data":
			data = append(data, value)
		case "retry":
			ms, _ := strconv.Atoi(value)
			event.Retry = time.Duration(ms) * time.Millisecond
		}
	}
	return id, events
}

// An event that is sent is received, and it is one.
func FuzzEvents(f *testing.F) {
	f.Add("1", "greeting", "hello", int64(0))
	f.Add("", "", "a\r\nb\rc\n\nid: 2", int64(1500))
	f.Add("a\nb", "\x00", ":", int64(-1))
	f.Fuzz(func(t *testing.T, id, name, data string, retry int64) {
		event := api.Event{ID: id, Name: name, Data: data, Retry: time.Duration(retry%1e6) * time.Millisecond}
		var refused error
		body := sent(t, api.Events(func(_ context.Context, send func(api.Event) error) error {
			refused = send(event)
			return nil
		})).Body
		if refused != nil {
			require.Empty(t, body)
			require.True(t, strings.ContainsAny(id+name, "\r\n\x00") || retry < 0)
			return
		}
		event.Data = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(data)
		_, events := received(body)
		require.Equal(t, []api.Event{event}, events)
	})
}
