package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// start runs the program until the test ends and returns its address.
func start(t *testing.T, args ...string) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	stopped := make(chan error, 1)
	go func() {
		stopped <- run(ctx, append([]string{"-addr", "127.0.0.1:0"}, args...), writer)
		writer.Close()
	}()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-stopped)
	})
	return addressIn(t, reader)
}

// addressIn reads what the program prints and returns the address it listens on.
func addressIn(t *testing.T, out io.Reader) string {
	t.Helper()
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	address := regexp.MustCompile(`^Listening on (http://127\.0\.0\.1:\d+)$`).FindStringSubmatch(lines.Text())
	require.NotNil(t, address, lines.Text())
	curls := 0
	for curls < 3 && lines.Scan() {
		if strings.Contains(lines.Text(), "curl -i") {
			curls++
			require.Contains(t, lines.Text(), address[1])
		}
	}
	require.Equal(t, 3, curls)
	return address[1]
}

func do(t *testing.T, method, url, token string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	require.NoError(t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res, string(body)
}

func TestTheDefaultLimit(t *testing.T) {
	url := start(t) + "/api/v1/users"
	res, body := do(t, "GET", url, "")
	require.Equal(t, 200, res.StatusCode)
	require.JSONEq(t, `[{"id":"1","name":"Ada Lovelace"},{"id":"2","name":"Grace Hopper"}]`, body)
	require.Equal(t, `"perIp";q=100;w=60`, res.Header.Get("RateLimit-Policy"))
	field := regexp.MustCompile(`^"perIp";r=99;t=(\d+)$`).FindStringSubmatch(res.Header.Get("RateLimit"))
	require.NotNil(t, field)
	seconds, err := strconv.Atoi(field[1])
	require.NoError(t, err)
	require.GreaterOrEqual(t, seconds, 1)
	require.LessOrEqual(t, seconds, 60)

	refused := 0
	for range 200 { // the window may turn in between
		if res, body = do(t, "GET", url+"/1", ""); res.StatusCode == 429 {
			refused++
			require.Contains(t, res.Header.Get("RateLimit"), `"perIp";r=0;t=`+res.Header.Get("Retry-After"))
			require.Contains(t, body, `"policy":"perIp"`)
			break
		}
	}
	require.Equal(t, 1, refused)
	res, _ = do(t, "GET", strings.Replace(url, "users", "status", 1), "")
	require.Equal(t, 200, res.StatusCode)
	require.Empty(t, res.Header.Get("RateLimit"), "no limit, no field")
}

func TestTheLoginLimit(t *testing.T) {
	base := start(t)
	for range 5 {
		res, _ := do(t, "POST", base+"/api/v1/login", "")
		require.Equal(t, 200, res.StatusCode)
	}
	res, _ := do(t, "POST", base+"/api/v1/login", "")
	require.Equal(t, 429, res.StatusCode)
	for _, path := range []string{"/api/v1/users", "/api/v1/users/1", "/api/v1/status"} {
		res, _ = do(t, "GET", base+path, "")
		require.Equal(t, 200, res.StatusCode, path)
	}
}

func TestTheReportsNeedAToken(t *testing.T) {
	url := start(t) + "/api/v1/reports"
	res, _ := do(t, "GET", url, "")
	require.Equal(t, 401, res.StatusCode)
	require.Equal(t, `Bearer realm="api"`, res.Header.Get("WWW-Authenticate"))
	require.Contains(t, res.Header.Get("RateLimit"), `"perIp";r=99;t=`)

	res, body := do(t, "GET", url, "my-token")
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, `"perIp";q=100;w=60, "perUser";q=1000;w=3600`, res.Header.Get("RateLimit-Policy"))
	require.Regexp(t, `^"perIp";r=98;t=\d+, "perUser";r=999;t=4$`, res.Header.Get("RateLimit"))
	require.NotContains(t, body, "my-token")
}

func TestTheInlineLimitOfTheExport(t *testing.T) {
	url := start(t) + "/api/v1/export"
	for range 2 {
		res, _ := do(t, "POST", url, "")
		require.Equal(t, 202, res.StatusCode)
	}
	res, body := do(t, "POST", url, "")
	require.Equal(t, 429, res.StatusCode)
	require.Contains(t, res.Header.Get("RateLimit"), `"POST.v1.export";r=0;t=`)
	require.Contains(t, body, `"policy":"POST.v1.export"`)
}

func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		format, method, path string
		status               int
		mediaType, body      string
	}{
		{"problem", "GET", "/api/v1/nowhere", 404, "application/problem+json", `{"type":"about:blank","title":"Not Found","status":404,"detail":"Unknown api endpoint","instance":"/api/v1/nowhere"}`},
		{"problem", "PUT", "/api/v1/login", 405, "application/problem+json", `{"type":"about:blank","title":"Method Not Allowed","status":405,"detail":"Method not allowed","instance":"/api/v1/login"}`},
		{"default", "GET", "/api/v1/nowhere", 404, "application/json; charset=utf-8", `{"status":"error","message":"Unknown api endpoint"}`},
		{"default", "PUT", "/api/v1/login", 405, "application/json; charset=utf-8", `{"status":"error","message":"Method not allowed"}`},
		{"default", "GET", "/api/v1/users/3", 404, "application/json; charset=utf-8", `{"status":"error","message":"There is no such user"}`},
	} {
		t.Run(tc.format+" "+tc.path, func(t *testing.T) {
			res, body := do(t, tc.method, start(t, "-errors", tc.format)+tc.path, "")
			require.Equal(t, tc.status, res.StatusCode)
			require.Equal(t, tc.mediaType, res.Header.Get("Content-Type"))
			require.Equal(t, tc.body, body)
		})
	}
}

func TestFlags(t *testing.T) {
	for want, args := range map[string][]string{
		`-errors "xml": write default or problem`:     {"-errors", "xml"},
		"flag provided but not defined: -port":        {"-port", "80"},
		`the argument "8080": there are flags alone`:  {"-addr", "127.0.0.1:0", "8080"},
		`the address "not an address": write it like`: {"-addr", "not an address"},
	} {
		var out bytes.Buffer
		err := run(t.Context(), args, &out)
		require.ErrorContains(t, err, want)
	}
}

func TestTheProgramStopsCleanlyOnSignals(t *testing.T) {
	program := filepath.Join(t.TempDir(), "quickstart")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), program, "-addr", "127.0.0.1:0")
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			res, _ := do(t, "GET", addressIn(t, out)+"/api/v1/status", "")
			require.Equal(t, 200, res.StatusCode)
			require.NoError(t, cmd.Process.Signal(signal))
			require.NoError(t, cmd.Wait(), "exit status 0")
		})
	}
}
