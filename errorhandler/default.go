package errorhandler

import (
	"context"
	"errors"

	"github.com/sallyport-go/sallyport/api"
)

// Default answers with
//
//	{"status":"error","message":"Unknown api endpoint"}
//
// as application/json. The message of a refused limit tells the longest wait
// when there is one. The Code of a handler's error is a member code. In debug
// mode a member detail is added: to a fault of the server the text of its cause,
// to wrong input an object with the list of messages of each parameter, to an
// answer that fits no declared output the list of reasons of each.
//
// The zero value is ready to use, also concurrently. No failure makes it panic
// or its answer fail to be encoded.
type Default struct{}

// HandleError makes the answer.
func (Default) HandleError(_ context.Context, _ *api.Request, f *api.Failure) api.Response {
	answer := defaultAnswer{Status: "error", Message: message(f), Code: f.Code}
	if f.Debug {
		answer.Detail = detail(f)
	}
	return api.JSON(status(f), answer)
}

// detail is what is told in debug mode; nil: there is nothing to tell.
func detail(f *api.Failure) any {
	var mismatch *api.OutputError
	if messages := inputMessages(f); messages != nil {
		return messages
	}
	if errors.As(f.Err, &mismatch) {
		return mismatch.Reasons
	}
	if text := cause(f); text != "" {
		return text
	}
	return nil
}

type defaultAnswer struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Code    string `json:"code,omitempty"`
	Detail  any    `json:"detail,omitempty"`
}

// inputMessages groups the faults of the input by parameter.
// A fault of a whole body stands under "body".
func inputMessages(f *api.Failure) map[string][]string {
	if f.Kind != api.KindInput || len(f.Fields) == 0 {
		return nil
	}
	messages := make(map[string][]string, len(f.Fields))
	for _, field := range f.Fields {
		name := field.Name
		if name == "" {
			name = field.In
		}
		messages[name] = append(messages[name], field.Message)
	}
	return messages
}
