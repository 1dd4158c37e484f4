package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/errorhandler"
	"github.com/sallyport-go/sallyport/internal/exampletest"
)

// answer is what a request gets; the times of notes are left out.
type answer struct {
	status int
	body   string
}

func do(t *testing.T, h http.Handler, method, path, body string, header ...string) answer {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer my-token")
	if strings.HasPrefix(body, "{") {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	text, _, _ := strings.Cut(w.Body.String(), `,"created":`)
	return answer{w.Code, text}
}

func program(t *testing.T) http.Handler {
	t.Helper()
	t.Setenv("APP_ENV", "development") // so that answers are checked by their outputs
	h, err := newPresenter(newNotes(), errorhandler.Default{})
	require.NoError(t, err)
	return h
}

func TestBothStyles(t *testing.T) {
	const me = "bearer:fece50d2287f7245aea5819b75f95ee8"
	for version, author := range map[string]string{"1": `,"author":"` + me + `"`, "2": ""} {
		t.Run(version, func(t *testing.T) {
			h := program(t)
			path := "/api/v" + version + "/notes"
			require.Equal(t, answer{200, "[]"}, do(t, h, "GET", path, ""))
			require.Equal(t, answer{201, `{"id":"1","title":"Read","tags":["go"],"due":null` + author}, do(t, h, "POST", path, `{"title":"Read","tags":["go"]}`))
			require.Equal(t, answer{409, `{"status":"error","message":"There is a note of that title already"}`}, do(t, h, "POST", path, `{"title":"Read"}`))
			require.Equal(t, answer{200, `[{"id":"1","title":"Read","tags":["go"],"due":null` + author}, do(t, h, "GET", path+"?tag=go&tag=go&since=2020-01-31&sort=title", ""))
			require.Equal(t, answer{200, "[]"}, do(t, h, "GET", path+"?page=2", ""))
			require.Equal(t, answer{200, "[]"}, do(t, h, "GET", path+"?tag[]=http&tag[]=go", ""))

			const shown = `{"status":"error","message":"wrong input","detail":`
			require.Equal(t, answer{400, shown + `{"page":["must be at least 1"],"since":["Value has invalid type. Expected date."]}}`}, do(t, h, "GET", path+"?page=0&since=yesterday", ""))
			require.Equal(t, 400, do(t, h, "POST", path, `{"titel":"x"}`).status)
			require.Equal(t, 400, do(t, h, "POST", path, ``).status)
			require.Equal(t, 415, do(t, h, "POST", path, `title=x`, "Content-Type", "text/plain").status)
			require.Equal(t, 401, do(t, h, "POST", path, `{"title":"x"}`, "Authorization", "Bearer wrong").status)
		})
	}
}

func TestAChangeTellsMissingNullAndValueApart(t *testing.T) {
	h := program(t)
	const rest = `,"author":"bearer:fece50d2287f7245aea5819b75f95ee8"`
	do(t, h, "POST", "/api/v1/notes", `{"title":"Read","due":"2026-12-01T00:00:00Z"}`)
	for _, step := range []struct {
		body   string
		status int
		want   string
	}{
		{`{}`, 200, `{"id":"1","title":"Read","tags":[],"due":"2026-12-01T00:00:00Z"` + rest},
		{`{"title":"Write"}`, 200, `{"id":"1","title":"Write","tags":[],"due":"2026-12-01T00:00:00Z"` + rest},
		{`{"due":null}`, 200, `{"id":"1","title":"Write","tags":[],"due":null` + rest},
		{`{"title":null}`, 400, `{"status":"error","message":"wrong input","detail":{"title":["A note keeps its title"]}}`},
		{`{"title":""}`, 400, `{"status":"error","message":"wrong input","detail":{"/title":["must be at least 1 character long"]}}`},
	} {
		require.Equal(t, answer{step.status, step.want}, do(t, h, "PATCH", "/api/v1/notes/1", step.body), step.body)
	}
	require.Equal(t, answer{404, `{"status":"error","message":"There is no such note"}`}, do(t, h, "PATCH", "/api/v1/notes/2", `{}`))
}

// form is a body with one file.
func form(t *testing.T, mediaType string, data []byte) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="picture"; filename="a.png"`}, "Content-Type": {mediaType}})
	require.NoError(t, err)
	_, err = part.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String(), w.FormDataContentType()
}

func TestPictures(t *testing.T) {
	h := program(t)
	do(t, h, "POST", "/api/v1/notes", `{"title":"Read"}`)
	const path = "/api/v1/notes/1/picture"
	require.Equal(t, 404, do(t, h, "GET", path, "").status)
	for _, step := range []struct {
		mediaType string
		size      int
		path      string
		status    int
	}{
		{"image/png", 10, path, 204}, {"image/png", 512 << 10, path, 204}, {"image/png", 512<<10 + 1, path, 400},
		{"text/html", 10, path, 400}, {"image/png", 10, "/api/v1/notes/2/picture", 404}, {"image/png", 1 << 20, path, 413},
	} {
		body, contentType := form(t, step.mediaType, make([]byte, step.size))
		require.Equal(t, step.status, do(t, h, "PUT", step.path, body, "Content-Type", contentType).status, "%+v", step)
	}
	require.Equal(t, answer{206, "\x00\x00"}, do(t, h, "GET", path, "", "Range", "bytes=1-2"))
}

func TestStreamsAndEvents(t *testing.T) {
	p := exampletest.Start(t, run)
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+"/api/v1/changes", nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))

	events := bufio.NewScanner(res.Body)
	require.True(t, events.Scan())
	require.Equal(t, "retry: 2000", events.Text()) // from here on it listens

	post, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL+"/api/v1/notes", strings.NewReader(`{"title":"a,b"}`))
	require.NoError(t, err)
	post.Header.Set("Content-Type", "application/json")
	post.Header.Set("Authorization", "Bearer my-token")
	created, err := http.DefaultClient.Do(post)
	require.NoError(t, err)
	require.NoError(t, created.Body.Close())
	require.Equal(t, "/api/v1/notes/1", created.Header.Get("Location"))

	var lines []string
	for len(lines) < 3 && events.Scan() {
		if text, _, _ := strings.Cut(events.Text(), `,"tags"`); text != "" {
			lines = append(lines, text)
		}
	}
	require.Equal(t, []string{"id: 1", "event: note", `data: {"id":"1","title":"a,b"`}, lines)

	export := p.Do(t, http.MethodGet, "/api/v1/export")
	require.Equal(t, "1,\"a,b\"\n", export.Body)
	require.Equal(t, "text/csv; charset=utf-8", export.Header.Get("Content-Type"))
}

func TestWhatItPrints(t *testing.T) {
	require.Contains(t, exampletest.Start(t, run).Output, "Listening on $URL\nTry:\n  curl -i '$URL/api/v1/notes?tag=go&page=0'\n")
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "nowhere"}, io.Discard), "nowhere")
	require.ErrorContains(t, run(t.Context(), []string{"-port", "80"}, io.Discard), "-port")
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "127.0.0.1:0", "8080"}, io.Discard), `the argument "8080": there are flags alone`)
}

func TestItStopsCleanlyOnSignals(t *testing.T) { exampletest.StopsOnSignals(t) }
