package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// keepAlive is the time between the comments that keep idle connections open.
const keepAlive = 15 * time.Second

// Event is a server-sent event. One without Data is not shown to the program of
// the client, which only remembers its ID and Retry.
type Event struct {
	ID    string        // "": it has none
	Name  string        // "": "message"
	Data  any           // a string is sent line by line, anything else as JSON; nil: nothing
	Retry time.Duration // how long the client waits before it connects again; 0: as before
}

// Events answers with server-sent events (WHATWG HTML, section 9.2). The header
// is sent first, so nothing of run can be answered by an error handler any more:
// what can be refused is refused before. send may be called by several goroutines
// until run returns; an event that cannot be encoded or sent is its error. Between
// events a comment every 15 seconds keeps the connection open; the times and the
// context are those of [Stream]. When run returns, the client connects again and
// tells the last ID, see [LastEventID].
//
// The response may be sent as often as run may be called.
func Events(run func(ctx context.Context, send func(Event) error) error) Response {
	return eventsResponse{run}
}

// LastEventID is the ID of the last event that the client has got, or "".
func LastEventID(r *Request) string {
	if r.Request == nil {
		return ""
	}
	return r.Header.Get("Last-Event-Id")
}

type eventsResponse struct {
	run func(ctx context.Context, send func(Event) error) error
}

func (e eventsResponse) Status() int { return http.StatusOK }

func (e eventsResponse) Send(w http.ResponseWriter, r *http.Request) (err error) {
	if e.run == nil {
		return errors.New("api: send events: there is no function")
	}
	ctx, cancel := untilEnding(contextOf(w, r))
	p := newPieces(ctx, w, eventHeader)
	defer p.end()
	if isHead(r) {
		cancel(nil)
		p.begin()
		return nil
	}
	s := &eventSender{pieces: p}
	var alive sync.WaitGroup
	defer func() { // when run panics, too
		cancel(nil)
		s.close()
		alive.Wait()
		if err == nil {
			err = s.failed()
		}
		if endedByServer(ctx, err) { // the client connects again, to whoever is there
			p.begin()
			err = nil
		}
	}()
	if err := s.write(nil); err != nil {
		return err
	}
	alive.Go(func() { s.keepAlive(ctx, cancel) })
	return e.run(ctx, s.send)
}

// eventHeader keeps everybody on the way from collecting events.
func eventHeader(h http.Header) {
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
}

var errEventsEnded = errors.New("api: send an event: the events have ended")

// eventSender writes one event after the other.
type eventSender struct {
	mu     sync.Mutex
	pieces *pieces
	err    error // of the connection: what was sent may be a part of an event
	closed bool
}

func (s *eventSender) send(event Event) error {
	text, err := event.encode()
	if err != nil {
		return fmt.Errorf("api: send an event: %w", err)
	}
	return s.write(text)
}

func (s *eventSender) write(text []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return s.err
	case s.closed:
		return errEventsEnded
	}
	_, s.err = s.pieces.Write(text)
	return s.err
}

func (s *eventSender) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

func (s *eventSender) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

func (s *eventSender) keepAlive(ctx context.Context, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(keepAlive)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := s.write([]byte(":\n\n")); err != nil {
				cancel(err)
				return
			}
		}
	}
}

// encode writes the event in the fields of an event stream.
func (e Event) encode() ([]byte, error) {
	for _, field := range [...]struct{ name, value string }{{"id", e.ID}, {"name", e.Name}} {
		if strings.ContainsAny(field.value, "\r\n\x00") {
			return nil, fmt.Errorf("the %s has a line break or NUL", field.name)
		}
	}
	if e.Retry < 0 {
		return nil, errors.New("the time to wait is negative")
	}
	var b []byte
	if e.ID != "" {
		b = append(append(append(b, "id: "...), e.ID...), '\n')
	}
	if e.Name != "" {
		b = append(append(append(b, "event: "...), e.Name...), '\n')
	}
	if e.Retry > 0 {
		milliseconds := int64((e.Retry-1)/time.Millisecond) + 1
		b = append(strconv.AppendInt(append(b, "retry: "...), milliseconds, 10), '\n')
	}
	b, err := e.appendData(b)
	if err != nil {
		return nil, err
	}
	if len(b) == 0 {
		return nil, errors.New("there is nothing in it")
	}
	return append(b, '\n'), nil
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func (e Event) appendData(b []byte) ([]byte, error) {
	text, ok := e.Data.(string)
	if !ok {
		if e.Data == nil {
			return b, nil
		}
		data, err := encodeJSON(e.Data)
		if err != nil {
			return nil, err
		}
		text = string(data)
	}
	for line := range strings.SplitSeq(lineBreaks.Replace(text), "\n") {
		b = append(append(append(b, "data: "...), line...), '\n')
	}
	return b, nil
}
