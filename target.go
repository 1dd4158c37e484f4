package sallyport

import (
	"fmt"
	"net/http"

	"github.com/sallyport-go/sallyport/api"
)

// targetTooLong reports whether the target of a request is longer than it may
// be. It looks at lengths alone, so that it costs nothing where it is not.
func (p *Presenter) targetTooLong(r *http.Request) bool {
	length := len(r.RequestURI)
	if length == 0 { // it does not come from a server
		length = max(len(r.URL.Path), len(r.URL.RawPath))
		if r.URL.RawQuery != "" {
			length += len("?") + len(r.URL.RawQuery)
		}
	}
	return p.config.MaxURL >= 0 && length > p.config.MaxURL || len(r.URL.Path) > maxPathLength
}

// refuseTarget answers a target that is too long. Nothing is looked for in it.
func (x *exchange) refuseTarget() (found bool) {
	x.request.Api = &api.Api{Endpoint: api.NewEndpointIdentifier(x.request.Method, "", "", "")}
	x.fail(api.Failure{Kind: api.KindURITooLong})
	return false
}

func validateMaxURL(limit int) error {
	if limit < unlimited {
		return fmt.Errorf("the URL limit %d: bytes, or -1 for no limit", limit)
	}
	return nil
}
