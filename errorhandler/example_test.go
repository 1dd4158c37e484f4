package errorhandler_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// One kind of failure in words of one's own, the others as problem details.
func ExampleFuncs() {
	var errors api.ErrorHandler = errorhandler.Funcs{
		Base: errorhandler.ProblemDetails{},
		RateLimit: func(_ context.Context, _ *api.Request, f *api.Failure) api.Response {
			return api.JSON(http.StatusTooManyRequests, map[string]any{"slowDown": f.Refused().Policy})
		},
	}

	// The presenter does this with every failure.
	request := &api.Request{Request: httptest.NewRequest(http.MethodGet, "/api/v1/reports", nil)}
	for _, failure := range []*api.Failure{
		{Kind: api.KindRateLimit, RateLimits: []ratelimit.Result{{Policy: "perUser", Limit: 10, RetryAfter: time.Minute}}},
		{Kind: api.KindForbidden, Message: "This report is not yours"},
	} {
		w := httptest.NewRecorder()
		if err := errors.HandleError(context.Background(), request, failure).Send(w, request.Request); err != nil {
			fmt.Println(err)
		}
		fmt.Println(w.Code, w.Header().Get("Content-Type"))
		fmt.Println(w.Body)
	}
	// Output:
	// 429 application/json; charset=utf-8
	// {"slowDown":"perUser"}
	// 403 application/problem+json
	// {"type":"about:blank","title":"Forbidden","status":403,"detail":"This report is not yours","instance":"/api/v1/reports"}
}
