package api

import (
	"context"
	"net/http"
	"time"
)

// A Logger gets one [Record] for every answered request. It is safe for
// concurrent use; it runs after the answer, so a slow one holds the connection
// but not the client. A panic of it is logged and changes no answer.
type Logger interface {
	Log(ctx context.Context, rec *Record)
}

// Record is what happened to one request. It belongs to Log while that runs.
//
// URI and Header have "REDACTED" in place of secrets: of all cookies, of header
// fields whose names speak of keys, tokens, passwords and their like, of query
// parameters that do, and of the fields and parameters that an authorization of
// the program reads. What a handler keeps secret in a field, a parameter or a
// path of another name stands here in clear.
//
// Texts of a client can forge no line of a log: what is not printable in them is
// escaped as in Go, "\n". Err alone is as it is, and may quote the client.
type Record struct {
	Start     time.Time
	Duration  time.Duration // from the first byte of the request's headers until the answer was written
	Method    string
	Path      string      // decoded, without the query
	URI       string      // path and query, escaped as sent; a query that cannot be parsed is redacted whole
	Header    http.Header // of the request, a copy; Host stands in no field
	Endpoint  EndpointIdentifier
	Status    int   // as sent, whatever the Response says; 0 when nothing was; StatusClientClosedRequest when the client had gone
	Bytes     int64 // of the body, as sent
	ClientIP  string
	UserAgent string
	Identity  string // "scheme:id", see Identity.String; never a secret; "" for nobody
	RequestID string
	Kind      Kind // zero: nothing went wrong
	Err       error
}
