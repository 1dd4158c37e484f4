package sallyport

import (
	"net/http"
	"slices"

	"github.com/sallyport-go/sallyport/api"
)

// read reads the parameters that the handler declares, all of them, so that the
// client is told of every fault at once.
func (x *exchange) read() (passed bool) {
	params := x.endpoint.described.Params
	if len(params) == 0 {
		return true
	}
	var (
		values = make(api.Values, len(params))
		faults []api.FieldError
		cause  error
	)
	for i, p := range params {
		value, err := p.Read(&x.request)
		values[i] = api.Value{Name: x.endpoint.described.names[i], Value: value}
		if err == nil {
			continue
		}
		e, ok := api.AsError(err)
		if !ok || e.Status != http.StatusBadRequest || len(e.Fields) == 0 || x.body.failed() {
			x.failWith(err, api.KindHandler)
			return false
		}
		if cause == nil {
			cause = e.Err
		}
		for _, fault := range e.Fields { // several parameters stumble over one broken form
			if !slices.Contains(faults, fault) {
				faults = append(faults, fault)
			}
		}
	}
	if len(faults) > 0 {
		x.failWith(api.Error{Status: http.StatusBadRequest, Fields: faults, Err: cause}, api.KindInput)
		return false
	}
	x.request.Values = values
	return true
}
