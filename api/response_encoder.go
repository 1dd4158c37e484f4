package api

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/sallyport-go/sallyport/internal/jsonlists"
)

// encoder writes values as JSON into memory of its own, which is used again: a
// writer keeps nothing of what it is given.
type encoder struct {
	buf  bytes.Buffer
	json *json.Encoder
}

var encoders = sync.Pool{New: func() any {
	e := &encoder{}
	e.json = json.NewEncoder(&e.buf)
	e.json.SetEscapeHTML(false)
	return e
}}

// mostKept is the memory that is kept for later values.
const mostKept = 64 << 10

// encode returns the JSON of v, without a newline at the end. It is valid until the
// encoder is given back. One that has failed is not used again.
func (e *encoder) encode(v any) ([]byte, error) {
	if err := e.json.Encode(jsonlists.Lists(v)); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(e.buf.Bytes(), []byte("\n")), nil
}

func (e *encoder) giveBack() {
	if e.buf.Cap() <= mostKept {
		e.buf.Reset()
		encoders.Put(e)
	}
}

// encodeJSON is the JSON of v in memory of its own.
func encodeJSON(v any) ([]byte, error) {
	e := encoders.Get().(*encoder) //nolint:forcetypeassert // nothing else is in the pool
	data, err := e.encode(v)
	if err != nil {
		return nil, err
	}
	data = bytes.Clone(data)
	e.giveBack()
	return data, nil
}
