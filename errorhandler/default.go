package errorhandler

import (
	"context"

	"github.com/sallyport-go/sallyport/api"
)

// Default answers with
//
//	{"status":"error","message":"Unknown api endpoint"}
//
// as application/json. The message of a refused limit tells the longest wait
// when there is one. In debug mode a member detail is added: to a fault of the
// server the text of its cause, to wrong input an object with the list of
// messages of each parameter.
//
// The zero value is ready to use, also concurrently. No failure makes it panic
// or its answer fail to be encoded.
type Default struct{}

// HandleError makes the answer.
func (Default) HandleError(_ context.Context, _ *api.Request, f *api.Failure) api.Response {
	answer := defaultAnswer{Status: "error", Message: message(f)}
	if messages := inputMessages(f); messages != nil {
		answer.Detail = messages
	} else if text := cause(f); text != "" {
		answer.Detail = text
	}
	return api.JSON(status(f), answer)
}

type defaultAnswer struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Detail  any    `json:"detail,omitempty"`
}

// inputMessages groups the faults of the input by parameter, in debug mode only.
// A fault of a whole body stands under "body".
func inputMessages(f *api.Failure) map[string][]string {
	if !f.Debug || f.Kind != api.KindInput || len(f.Fields) == 0 {
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
