package api

import (
	"errors"
	"fmt"
	"net/http"
)

// Negotiate picks the media type of the answer by the Accept of the request
// (RFC 9110, section 12.5.1): of offers that which the client likes best, and
// among equals the first. A client that says nothing, or nothing that can be
// read, gets the first. A charset of UTF-8 in Accept is no demand on offers that
// have none.
//
// When no offer will do, the error is an [Error] with the status 406. The answer
// depends on Accept and has to say so in Vary, which [Choose] does.
func (r *Request) Negotiate(offers ...string) (mediaType string, err error) {
	i, err := r.negotiate(offers)
	if err != nil {
		return "", err
	}
	return offers[i], nil
}

func (r *Request) negotiate(offers []string) (int, error) {
	if len(offers) == 0 {
		return 0, errors.New("api: negotiate the media type: there is no offer")
	}
	var ranges []mediaRange
	if r.Request != nil {
		ranges = parseAccept(r.Header.Values("Accept"))
	}
	if len(ranges) == 0 {
		ranges = anything
	}
	best, most := -1, 0
	for i, offer := range offers {
		mediaType, ok := parseMediaRange(offer)
		if !ok || mediaType.sub == "*" {
			return 0, fmt.Errorf("api: negotiate the media type: the offer %q is none", offer)
		}
		if q := mediaType.quality(ranges); q > most {
			best, most = i, q
		}
	}
	if best < 0 {
		return 0, Error{Status: http.StatusNotAcceptable, Header: http.Header{"Vary": {"Accept"}}}
	}
	return best, nil
}

var anything = []mediaRange{{main: "*", sub: "*", q: 1000}}

// Offer is one of the forms that an answer can have.
type Offer struct {
	MediaType string // "application/json"
	Response  func() Response
}

// Choose is the response of the offer that [Request.Negotiate] picks, with
// Accept in Vary:
//
//	return api.Choose(r,
//		api.Offer{"application/json", func() api.Response { return api.JSON(200, user) }},
//		api.Offer{"text/xml", func() api.Response { return api.XML(200, user) }})
func Choose(r *Request, offers ...Offer) (Response, error) {
	mediaTypes := make([]string, len(offers))
	for i := range offers {
		mediaTypes[i] = offers[i].MediaType
	}
	i, err := r.negotiate(mediaTypes)
	if err != nil {
		return nil, err
	}
	if offers[i].Response == nil {
		return nil, errors.New("api: choose a response: the offer has none")
	}
	return decorate(offers[i].Response(), func(h http.Header) { addVary(h, "Accept") }).orNil(), nil
}
