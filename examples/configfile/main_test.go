package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/apitest"
	"github.com/sallyport-go/sallyport/internal/exampletest"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func start(t *testing.T, clock ratelimit.Clock, args ...string) *exampletest.Program {
	t.Helper()
	return exampletest.Start(t, func(ctx context.Context, args []string, out io.Writer) error {
		return run(ctx, args, out, clock)
	}, args...)
}

// write makes a configuration file.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "own.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func TestTheLimitsOfTheFile(t *testing.T) {
	type step struct {
		endpoint, token string
		status          int
		policy, limit   string
	}
	const login, export = `"login";q=5;w=900`, `"POST.v1.export";q=2;w=3600`
	for name, tc := range map[string]struct {
		file  string // "": the embedded one
		steps []step
	}{
		"the default": {"", []step{
			{"GET /api/v1/users", "", 200, `"perIp";q=100;w=60`, `"perIp";r=99;t=60`},
		}},
		"a named one": {"", []step{
			{"POST /api/v1/login", "", 200, login, `"login";r=4;t=900`},
			{"POST /api/v1/login", "", 200, login, `"login";r=3;t=900`},
			{"POST /api/v1/login", "", 200, login, `"login";r=2;t=900`},
			{"POST /api/v1/login", "", 200, login, `"login";r=1;t=900`},
			{"POST /api/v1/login", "", 200, login, `"login";r=0;t=900`},
			{"POST /api/v1/login", "", 429, login, `"login";r=0;t=900`},
		}},
		"two in order": {"", []step{
			{"GET /api/v1/reports", "", 401, `"perIp";q=100;w=60`, `"perIp";r=99;t=60`},
			{"GET /api/v1/reports", "my-token", 200, `"perIp";q=100;w=60, "perUser";q=1000;w=3600`, `"perIp";r=98;t=60, "perUser";r=999;t=4`},
		}},
		"an inline one": {"", []step{
			{"POST /api/v1/export", "", 200, export, `"POST.v1.export";r=1;t=3600`},
			{"POST /api/v1/export", "", 200, export, `"POST.v1.export";r=0;t=3600`},
			{"POST /api/v1/export", "", 429, export, `"POST.v1.export";r=0;t=5400`},
		}},
		"none": {"", []step{
			{"GET /api/v1/status", "", 200, "", ""},
		}},
		"another file": {"defaults: {rateLimit: {limit: 1, interval: 1 day}}", []step{
			{"GET /api/v1/status", "", 200, `"GET.v1.status";q=1;w=86400`, `"GET.v1.status";r=0;t=43200`},
			{"GET /api/v1/status", "", 429, `"GET.v1.status";q=1;w=86400`, `"GET.v1.status";r=0;t=129600`},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var args []string
			if tc.file != "" {
				args = []string{"-config", write(t, tc.file)}
			}
			p := start(t, apitest.NewClock(), args...)
			for _, want := range tc.steps {
				method, path, _ := strings.Cut(want.endpoint, " ")
				var header []string
				if want.token != "" {
					header = []string{"Authorization", "Bearer " + want.token}
				}
				a := p.Do(t, method, path, header...)
				require.Equal(t, want, step{want.endpoint, want.token, a.Status, a.Header.Get("RateLimit-Policy"), a.Header.Get("RateLimit")})
			}
		})
	}
}

func TestABrokenFile(t *testing.T) {
	program := exampletest.Build(t)
	for name, tc := range map[string]struct {
		text  string
		lines []string // what each line begins with
	}{
		"mistakes of the file": {`rateLimits:
  perIp: {limt: 100, interval: 1 minute}
  login: {limit: 5, interval: 1 fortnight}
defaults:
  rateLimit: perIpp
`, []string{
			"configfile: FILE:",
			"sallyport: config: rateLimits.perIp.limt: line 2, column 11: ",
			"sallyport: config: rateLimits.login.interval: line 3, column 31: ",
			"sallyport: config: defaults.rateLimit: line 5, column 14: ",
		}},
		"mistakes that only the program knows": {`endpoints:
  GET.v1.user: {rateLimit: false}
  POST.v1.exports: {rateLimit: false}
`, []string{
			"configfile: FILE:",
			"sallyport: config: line 2, column 3: ",
			"sallyport: config: line 3, column 3: ",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			file := write(t, tc.text)
			cmd := exec.CommandContext(t.Context(), program, "-config", file)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit)
			require.Equal(t, 1, exit.ExitCode())
			require.Empty(t, out)
			lines := strings.Split(strings.TrimSuffix(stderr.String(), "\n"), "\n")
			require.Len(t, lines, len(tc.lines), stderr.String())
			for i, begin := range tc.lines {
				require.True(t, strings.HasPrefix(lines[i], strings.ReplaceAll(begin, "FILE", file)), lines[i])
			}
		})
	}
}

func TestWhatItPrints(t *testing.T) {
	require.Equal(t, `Listening on $URL
Try:
  curl -i $URL/api/v1/users
  curl -i -H 'Authorization: Bearer my-token' $URL/api/v1/reports
  for n in 1 2 3; do curl -i -X POST $URL/api/v1/export; done
`, start(t, nil).Output)
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "nowhere"}, io.Discard, nil), "nowhere")
	require.ErrorContains(t, run(t.Context(), []string{"-port", "80"}, io.Discard, nil), "-port")
	require.ErrorContains(t, run(t.Context(), []string{"-addr", "127.0.0.1:0", "8080"}, io.Discard, nil), `the argument "8080": there are flags alone`)
	require.ErrorContains(t, run(t.Context(), []string{"-config", "nowhere.yaml"}, io.Discard, nil), "nowhere.yaml")
}

func TestItStopsCleanlyOnSignals(t *testing.T) { exampletest.StopsOnSignals(t) }
