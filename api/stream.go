package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// pieceTimeout is the time for one piece of a [Stream] to be sent.
const pieceTimeout = 30 * time.Second

// Stream answers 200 with a body piece by piece. Each Write is sent at once; many
// small ones belong into a bufio.Writer. Each has 30 seconds to be sent, whatever
// the WriteTimeout of the server is. Writing is for one goroutine at a time.
//
// The context is that of the handler, so it knows the request. It ends with the
// time of the endpoint, which Timeout: -1 in the registration lifts, when the client
// goes away, and when the server begins to stop: that of sallyport.Server by itself,
// any other by the end of its base context. An error before the first Write is
// answered by the error handler; afterwards it cuts the connection, so that no
// client takes a part for the whole. HEAD is answered without the function.
//
// The response may be sent as often as the function may be called.
func Stream(mediaType string, write func(ctx context.Context, w io.Writer) error) Response {
	return streamResponse{mediaType, write}
}

type streamResponse struct {
	mediaType string
	write     func(ctx context.Context, w io.Writer) error
}

func (s streamResponse) Status() int { return http.StatusOK }

func (s streamResponse) as(mediaType string) Response { return streamResponse{mediaType, s.write} }

func (s streamResponse) Send(w http.ResponseWriter, r *http.Request) error {
	if s.write == nil {
		return errors.New("api: stream the response: there is no function")
	}
	if err := checkMediaType(s.mediaType); err != nil {
		return err
	}
	ctx, cancel := untilEnding(contextOf(w, r))
	defer cancel(nil)
	p := newPieces(ctx, w, func(h http.Header) { h.Set("Content-Type", s.mediaType) })
	defer p.end()
	if !isHead(r) {
		err := s.write(ctx, p)
		if endedByServer(ctx, err) {
			return &errServerEnding
		}
		if err != nil {
			return err
		}
	}
	p.begin()
	return nil
}

// contextOf is the context of the handler, which the writer of the presenter
// knows, or that of the request.
func contextOf(w http.ResponseWriter, r *http.Request) context.Context {
	for {
		switch knows := w.(type) {
		case interface{ Context() context.Context }:
			return knows.Context()
		case interface{ Unwrap() http.ResponseWriter }:
			w = knows.Unwrap()
			continue
		}
		if r == nil {
			return context.Background()
		}
		return r.Context()
	}
}

// pieces writes a body piece by piece.
type pieces struct {
	w       http.ResponseWriter
	control *http.ResponseController
	header  func(http.Header) // sets the fields, before the first piece
	ended   func() error
	begun   bool
}

// newPieces lifts the deadline of the server: in HTTP/2 it resets the stream even
// while nothing is written. A writer that has no deadlines does without.
func newPieces(ctx context.Context, w http.ResponseWriter, header func(http.Header)) *pieces {
	p := &pieces{w: w, control: http.NewResponseController(w), header: header, ended: func() error { return context.Cause(ctx) }}
	_ = p.control.SetWriteDeadline(time.Time{})
	return p
}

func (p *pieces) begin() {
	if !p.begun {
		p.begun = true
		p.header(p.w.Header())
		p.w.WriteHeader(http.StatusOK)
	}
}

// Write sends a piece, and the header in front of the first. Nothing is a piece, too.
func (p *pieces) Write(piece []byte) (int, error) {
	if err := p.ended(); err != nil {
		return 0, err
	}
	p.begin()
	_ = p.control.SetWriteDeadline(time.Now().Add(pieceTimeout))
	n, err := p.w.Write(piece)
	if err != nil {
		return n, err
	}
	if err := p.control.Flush(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return n, err
	}
	_ = p.control.SetWriteDeadline(time.Time{})
	return n, nil
}

// end gives the rest of the answer its time, such as the end of the last chunk or
// an error in place of a stream. The server clears it for the next request.
func (p *pieces) end() { _ = p.control.SetWriteDeadline(time.Now().Add(pieceTimeout)) }
