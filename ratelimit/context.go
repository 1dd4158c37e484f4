package ratelimit

import (
	"fmt"
	"net/http"
	"time"

	"github.com/sallyport-go/sallyport/ipdetector"
)

// Stage tells at which of the two gates a limit is asked.
type Stage uint8

const (
	// BeforeAuthorization is the first gate: nobody knows yet who calls.
	BeforeAuthorization Stage = iota
	// AfterAuthorization is the second gate: the caller has been authorized.
	AfterAuthorization
)

// String is "before authorization" or "after authorization".
func (s Stage) String() string {
	switch s {
	case BeforeAuthorization:
		return "before authorization"
	case AfterAuthorization:
		return "after authorization"
	default:
		return fmt.Sprintf("unknown stage %d", uint8(s))
	}
}

// Context is what keys and limiters see of one request. It belongs to that
// request: keys and limiters read it while they run and do not keep it.
type Context struct {
	Stage    Stage
	Endpoint string        // tells endpoints apart, such as "POST v1/login"
	Identity string        // "scheme:hash"; "" at the first gate and when there is none
	Subject  any           // what the authorization knows of the caller: the user, his plan
	Request  *http.Request // nil outside HTTP
	Now      time.Time     // one reading for a whole gate; zero: the gate asks the clock of its policies

	// Detector finds the client's address for IP. nil: IP is an error.
	Detector ipdetector.Detector

	ip    string
	ipErr error
	ipSet bool
}

// IP is the client's address as the Detector tells it. It is resolved once for
// a Context. Without a Detector or a Request it is an error that names the
// endpoint, so a limit is never skipped silently.
func (rc *Context) IP() (string, error) {
	if !rc.ipSet {
		rc.ip, rc.ipErr = rc.detectIP()
		rc.ipSet = true
	}
	return rc.ip, rc.ipErr
}

func (rc *Context) detectIP() (string, error) {
	switch {
	case rc.Detector == nil:
		return "", fmt.Errorf("ratelimit: %s: the client address is needed, but there is no IP detector", rc.Endpoint)
	case rc.Request == nil:
		return "", fmt.Errorf("ratelimit: %s: the client address is needed, but there is no request", rc.Endpoint)
	}
	return rc.Detector.IP(rc.Request), nil
}
