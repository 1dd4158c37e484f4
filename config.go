package sallyport

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/internal/httpuri"
	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/ipdetector"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// Config is all that the endpoints of a program share. The zero value serves
// under /api, without limits, with CORS for every origin, and answers failures
// as errorhandler.Default does. [NewPresenter] reports all its mistakes.
type Config struct {
	// BasePath is in front of every version: "/api" makes /api/v1/users.
	// "": "/api"; "/": nothing.
	BasePath string

	// BaseURL is the scheme and host that clients call, "https://api.example.com".
	// Absolute links begin with it. "": links of handlers take the host of their
	// request.
	BaseURL string

	// Versions are the lifecycles of whole versions, by their names: "1". Endpoints
	// may say more about themselves.
	Versions map[string]api.Lifecycle

	// RateLimits are the named policies, which endpoints take by
	// ratelimit.Named. All endpoints that name a policy share its counters.
	RateLimits []ratelimit.Policy

	// Defaults are for endpoints that say nothing themselves.
	Defaults Defaults

	// RateLimiting is what the limits share: storage, clock, logger.
	RateLimiting ratelimit.Options

	// ErrorHandler answers everything that goes wrong; nil: errorhandler.Default.
	ErrorHandler api.ErrorHandler

	// IPDetector tells the client's address; nil: ipdetector.RemoteAddr, which
	// trusts no header. Behind a proxy use ipdetector.TrustedProxies, or all
	// clients share the proxy's address and so its limit.
	IPDetector ipdetector.Detector

	// CORS is how browsers may call from other origins; zero: any origin,
	// without credentials.
	CORS CORS

	// Logger gets one record for every answer but those of the gates; nil: none.
	Logger api.Logger

	// LogRefused makes records of the gates' answers (429), too.
	LogRefused bool

	// ErrorLog gets what the client must not see: the causes of failures with
	// the id of their request, and warnings. nil: slog.Default.
	ErrorLog *slog.Logger

	// Output switches on details of failures and the check of answers, for each
	// request: Switches, EnvConfigurator, QueryConfigurator or an own one. nil:
	// neither, but for Debug.
	Output OutputConfigurator

	// Debug shows the causes of failures to the client. Never set it where
	// strangers can call.
	Debug bool

	// MaxBody bounds the body of a request in bytes; more is answered 413.
	// 0: DefaultMaxBody; -1: no limit.
	MaxBody int64

	// MaxURL bounds the target of a request, path and query as they were sent, in
	// bytes; more is answered 414 before anything else is asked. 0: DefaultMaxURL;
	// -1: the path alone is bound, which no endpoint has longer than 8 KiB.
	MaxURL int

	// Timeout ends the context of a request and the reading of its body, counted
	// from its start; 0 and -1: never. A handler that does not look at its
	// context goes on and is answered as usual.
	Timeout time.Duration

	// TrustRequestID takes the id of a request from its X-Request-Id header when
	// it looks like one. Only for programs behind a proxy that sets it.
	TrustRequestID bool

	// MethodOverride lets a POST with the header X-HTTP-Method-Override stand for
	// PUT, PATCH or DELETE, for clients that can send no other method. Any other
	// method there, and the header beside any other method, changes nothing. All
	// that the presenter does and shows has the new method; what stands in front
	// of it sees a POST, so leave this off where that decides by the method.
	MethodOverride bool

	// endpoints are the limits that a file gives to endpoints, see ParseConfig.
	endpoints []fileEndpoint
}

// Defaults are for endpoints that say nothing themselves.
type Defaults struct {
	// RateLimit stands in where neither the registration nor the handler has
	// limits; nil: none. It may count by identity: endpoints without one skip it.
	RateLimit ratelimit.Rule

	// Authorization stands in where the registration has none. There is no
	// default for it: an open endpoint says so with auth.None().
	Authorization api.Authorization
}

// DefaultMaxBody is the bound of a request's body: 1 MiB.
const DefaultMaxBody = 1 << 20

// DefaultMaxURL is the bound of a request's target: 8 KiB. RFC 9110, section 4.1,
// asks for 8000 bytes at least.
const DefaultMaxURL = 8 << 10

// unlimited is the value of MaxBody, MaxURL and Timeout for none.
const unlimited = -1

func (c Config) withDefaults() Config {
	switch c.BasePath {
	case "":
		c.BasePath = "/api"
	case "/":
		c.BasePath = ""
	}
	if c.ErrorHandler == nil {
		c.ErrorHandler = errorhandler.Default{}
	}
	if c.IPDetector == nil {
		c.IPDetector = ipdetector.RemoteAddr{}
	}
	if c.ErrorLog == nil {
		c.ErrorLog = slog.Default()
	}
	if c.RateLimiting.Logger == nil {
		c.RateLimiting.Logger = c.ErrorLog
	}
	if c.MaxBody == 0 {
		c.MaxBody = DefaultMaxBody
	}
	if c.MaxURL == 0 {
		c.MaxURL = DefaultMaxURL
	}
	return c
}

// mistakes expects a configuration with its defaults. What endpoints share is
// checked where they are built.
func (c Config) mistakes() error {
	return errors.Join(
		validateBasePath(c.BasePath),
		validateBaseURL(c.BaseURL),
		validateBounds(c.MaxBody, c.Timeout),
		validateMaxURL(c.MaxURL),
		part.Validate("CORS", c.CORS),
		part.Validate("the output configurator", c.Output),
		part.Validate("the IP detector", c.IPDetector),
		part.Validate("the logger", c.Logger),
	)
}

func validateBasePath(path string) error {
	switch {
	case path == "":
		return nil
	case !strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/"):
		return fmt.Errorf(`the base path %q: write it like "/api", or "/" for none`, path)
	case strings.ContainsAny(path, "{}?#%\\ ") || strings.ContainsFunc(path, unicode.IsControl) || !utf8.ValidString(path) ||
		strings.Contains(path, "//") || strings.Contains(path+"/", "/./") || strings.Contains(path+"/", "/../"):
		return fmt.Errorf("the base path %q: plain segments only", path)
	}
	return nil
}

func validateBaseURL(base string) error {
	if base == "" {
		return nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || base != u.Scheme+"://"+u.Host || !httpuri.Is(base) {
		return errors.New(`the base URL: scheme and host alone, like "https://api.example.com"; what is behind them is the base path`)
	}
	return nil
}

func validateBounds(maxBody int64, timeout time.Duration) error {
	var errs []error
	if maxBody < unlimited {
		errs = append(errs, fmt.Errorf("the body limit %d: bytes, or -1 for no limit", maxBody))
	}
	if timeout < unlimited {
		errs = append(errs, fmt.Errorf("the time-out %s: a duration, or -1 for none", timeout))
	}
	return errors.Join(errs...)
}
