package api

import (
	"context"
	"time"
)

// A Logger gets one [Record] for every answered request. It is safe for
// concurrent use; it runs after the answer, so a slow one holds the connection
// but not the client. A panic of it is logged and changes no answer.
type Logger interface {
	Log(ctx context.Context, rec *Record)
}

// Record is what happened to one request. It belongs to Log while that runs.
type Record struct {
	Start     time.Time
	Duration  time.Duration // from the first byte of the request's headers until the answer was written
	Method    string
	Path      string // without the query, which may hold keys
	Endpoint  EndpointIdentifier
	Status    int   // as sent; StatusClientClosedRequest when the client had gone
	Bytes     int64 // of the body, as sent
	ClientIP  string
	UserAgent string
	Identity  string // "scheme:id", see Identity.String; never a secret; "" for nobody
	RequestID string
	Kind      Kind // zero: nothing went wrong
	Err       error
}
