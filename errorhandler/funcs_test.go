package errorhandler_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
)

func TestFuncsReplaceOneKind(t *testing.T) { // FW-148, RL-198
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, "the context of the request")
	request := &api.Request{ID: "r1"}

	own := func(gotCtx context.Context, r *api.Request, f *api.Failure) api.Response {
		require.Equal(t, ctx, gotCtx)
		require.Same(t, request, r)
		return api.Text(f.Status, "own answer to "+f.Kind.String())
	}
	base := errorhandler.Func(func(_ context.Context, _ *api.Request, f *api.Failure) api.Response {
		return api.Text(f.Status, "base answer to "+f.Kind.String())
	})
	for kind, set := range map[api.Kind]func(*errorhandler.Funcs){
		api.KindNotFound:            func(fs *errorhandler.Funcs) { fs.NotFound = own },
		api.KindMethodNotAllowed:    func(fs *errorhandler.Funcs) { fs.MethodNotAllowed = own },
		api.KindNotAcceptable:       func(fs *errorhandler.Funcs) { fs.NotAcceptable = own },
		api.KindTooLarge:            func(fs *errorhandler.Funcs) { fs.TooLarge = own },
		api.KindURITooLong:          func(fs *errorhandler.Funcs) { fs.URITooLong = own },
		api.KindUnsupportedMedia:    func(fs *errorhandler.Funcs) { fs.UnsupportedMedia = own },
		api.KindRateLimit:           func(fs *errorhandler.Funcs) { fs.RateLimit = own },
		api.KindUnavailable:         func(fs *errorhandler.Funcs) { fs.Unavailable = own },
		api.KindUnauthorized:        func(fs *errorhandler.Funcs) { fs.Unauthorized = own },
		api.KindForbidden:           func(fs *errorhandler.Funcs) { fs.Forbidden = own },
		api.KindAuthorizationFailed: func(fs *errorhandler.Funcs) { fs.AuthorizationFailed = own },
		api.KindInput:               func(fs *errorhandler.Funcs) { fs.Input = own },
		api.KindHandler:             func(fs *errorhandler.Funcs) { fs.Handler = own },
		api.KindOutput:              func(fs *errorhandler.Funcs) { fs.Output = own },
		api.KindCanceled:            func(fs *errorhandler.Funcs) { fs.Canceled = own },
		api.KindTimeout:             func(fs *errorhandler.Funcs) { fs.Timeout = own },
		api.KindPanic:               func(fs *errorhandler.Funcs) { fs.Panic = own },
	} {
		fs := errorhandler.Funcs{Base: base}
		set(&fs)
		for _, other := range allKinds() {
			want := api.Text(other.Status(), "base answer to "+other.String())
			if other == kind {
				want = api.Text(other.Status(), "own answer to "+other.String())
			}
			require.Equal(t, want, fs.HandleError(ctx, request, failureOf(other)))
		}
	}
	require.Equal(t, 1+int(api.KindPanic), reflect.TypeFor[errorhandler.Funcs]().NumField(), "Base and a field for each kind")
}

func TestFuncsWithoutBaseAreDefault(t *testing.T) {
	for _, kind := range allKinds() {
		f := failureOf(kind)
		require.Equal(t, answerTo(t, errorhandler.Default{}, f), answerTo(t, errorhandler.Funcs{}, f))
	}
}

func TestFuncsMayReturnNothing(t *testing.T) { // which the presenter answers
	fs := errorhandler.Funcs{RateLimit: func(context.Context, *api.Request, *api.Failure) api.Response { return nil }}
	require.Nil(t, fs.HandleError(t.Context(), &api.Request{}, failureOf(api.KindRateLimit)))
}

// faulty is an error handler with a mistake.
type faulty struct{ errorhandler.Default }

func (*faulty) Validate() error { return errors.New("no template") }

func TestMistakes(t *testing.T) {
	const wrongBase = `errorhandler.ProblemDetails: TypeBase: write an absolute URI that ends where a code can follow, like "https://api.example.com/problems/"`
	none := func(context.Context, *api.Request, *api.Failure) api.Response { return nil }
	for _, row := range []struct {
		handler api.ErrorHandler
		want    string // "": nothing is wrong
	}{
		{errorhandler.Func(none), ""},
		{errorhandler.Func(nil), "errorhandler.Func: the function is nil"},
		{errorhandler.Funcs{}, ""},
		{errorhandler.Funcs{Base: errorhandler.ProblemDetails{}, Input: none}, ""},
		{errorhandler.Funcs{Base: errorhandler.Func(none)}, ""},
		{errorhandler.Funcs{Base: errorhandler.Func(nil)}, "errorhandler.Funcs: Base: it is a nil errorhandler.Func"},
		{errorhandler.Funcs{Base: (*faulty)(nil)}, "errorhandler.Funcs: Base: it is a nil *errorhandler_test.faulty"},
		{errorhandler.Funcs{Base: &faulty{}}, "errorhandler.Funcs: Base: no template"},
		{errorhandler.ProblemDetails{}, ""},
		{errorhandler.ProblemDetails{TypeBase: "https://api.example.com/problems/", Titles: map[string]string{"a": "A"}}, ""},
		{errorhandler.ProblemDetails{TypeBase: "https://api.example.com/problems#"}, ""},
		{errorhandler.ProblemDetails{TypeBase: "https://api.example.com/problems?code="}, ""},
		{errorhandler.ProblemDetails{TypeBase: "tag:example.com,2026:"}, ""},
		{errorhandler.ProblemDetails{TypeBase: "https://api.example.com/problems"}, wrongBase},
		{errorhandler.ProblemDetails{TypeBase: "/problems/"}, wrongBase},
		{errorhandler.ProblemDetails{TypeBase: "https://ann:secret@api.example.com/"}, wrongBase},
		{errorhandler.ProblemDetails{TypeBase: "https://api.example.com/a b/"}, wrongBase},
		{errorhandler.ProblemDetails{TypeBase: "https://api.example.com/é/"}, wrongBase},
		{errorhandler.ProblemDetails{TypeBase: "https://%zz/"}, wrongBase},
		{errorhandler.ProblemDetails{Titles: map[string]string{"a": "A"}}, "errorhandler.ProblemDetails: Titles need a TypeBase: what is about:blank has the phrase of the status"},
		{errorhandler.Funcs{Base: errorhandler.Funcs{Base: &faulty{}}}, "errorhandler.Funcs: Base: errorhandler.Funcs: Base: no template"},
	} {
		err := row.handler.(interface{ Validate() error }).Validate()
		if row.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, row.want)
		}
	}
}
