package sallyport_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
)

// What README.md shows of a handler.

type joinGroup struct {
	Group  string `path:"group"`
	DryRun bool   `query:"dry-run"`
	Name   string `json:"name" validate:"required,min=1,max=80"`
	Caller api.Identity
}

func (g *groups) join(ctx context.Context, in joinGroup) (api.Reply[member], error) {
	m, err := g.insert(ctx, in)
	if err != nil {
		return api.Reply[member]{}, err // 500; the text goes to the log only
	}
	return api.Created("/api/v1/members/"+m.ID, m), nil
}

type member struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type groups struct{}

func (*groups) insert(_ context.Context, in joinGroup) (member, error) {
	if in.Group != "a" {
		return member{}, api.NotFound("group")
	}
	return member{ID: in.Group + "-7", Name: in.Name}, nil
}

func TestTheHandlerOfTheREADME(t *testing.T) {
	tokens := auth.StaticTokens{"my-token": "*"}
	g := &groups{}
	decider := sallyport.NewApiDecider(sallyport.Config{})
	decider.AddApi(api.POST("1", "groups", "{group}", "members"), handler.Typed(g.join), auth.Bearer(tokens))
	presenter, err := sallyport.NewPresenter(decider)
	require.NoError(t, err)
	for path, want := range map[string]int{"/api/v1/groups/b/members": 404, "/api/v1/groups/a/members": 415} {
		q := request{method: http.MethodPost, path: path, token: "my-token", body: `{"name":"Ada"}`, header: http.Header{"Content-Type": {"application/json"}}}
		if want == 415 {
			q.header.Set("Content-Type", "text/plain")
		}
		require.Equal(t, want, send(presenter, q).StatusCode)
	}
	res := send(presenter, request{
		method: http.MethodPost, path: "/api/v1/groups/a/members?dry-run=true", token: "my-token", body: `{"name":"Ada"}`,
		header: http.Header{"Content-Type": {"application/json"}},
	})
	require.Equal(t, http.StatusCreated, res.StatusCode)
	require.Equal(t, "/api/v1/members/a-7", res.Header.Get("Location"))
	require.Equal(t, `{"id":"a-7","name":"Ada"}`, body(t, res))

	file := readFile(t, "guide_readme_test.go")
	shown := blocks(t, "README.md", "go")
	i := slices.IndexFunc(shown, func(block string) bool { return strings.HasPrefix(block, "type joinGroup") })
	require.GreaterOrEqual(t, i, 0)
	for part := range strings.SplitSeq(shown[i], "\n\n") {
		require.Contains(t, file, part)
	}
}
