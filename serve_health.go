package sallyport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Health are pages of a [Server] for load balancers and orchestrators. They stand
// in front of the handler: no limit, authorization or record has to do with them.
// They answer GET and HEAD with 200 and {"status":"ok"}, or with 503 and
// {"status":"unavailable"}.
type Health struct {
	// LivenessPath is where the program says that it runs, "/livez". "": nowhere.
	LivenessPath string

	// ReadinessPath is where it says whether requests should be sent here,
	// "/readyz": not when a check fails, and not since the end of the context
	// of Serve. "": nowhere.
	ReadinessPath string

	// Checks are what readiness depends on, by a name that everybody may see. The
	// answer lists those that fail, {"checks":{"redis":"failed"}}; why stands in
	// the log alone, once when it begins. They run at the same time, at most once
	// a second however often readiness is asked, and need not be safe for
	// concurrent use of one with itself. A check has to return when its context
	// ends: until it does it fails, and is not called again.
	Checks map[string]func(ctx context.Context) error

	// Timeout is for all checks together. 0: 1 second.
	Timeout time.Duration
}

func (h Health) validate() error {
	errs := []error{validateHealthPath("LivenessPath", h.LivenessPath), validateHealthPath("ReadinessPath", h.ReadinessPath)}
	if h.LivenessPath != "" && h.LivenessPath == h.ReadinessPath {
		errs = append(errs, fmt.Errorf("LivenessPath and ReadinessPath are both %q", h.LivenessPath))
	}
	if len(h.Checks) > 0 && h.ReadinessPath == "" {
		errs = append(errs, errors.New("there are Checks, but no ReadinessPath asks them"))
	}
	for _, name := range slices.Sorted(maps.Keys(h.Checks)) {
		if h.Checks[name] == nil {
			errs = append(errs, fmt.Errorf("the check %q is nil", name))
		}
	}
	if h.Timeout < 0 {
		errs = append(errs, fmt.Errorf("the Timeout %s: a duration, or 0 for the default", h.Timeout))
	}
	return errors.Join(errs...)
}

func validateHealthPath(name, path string) error {
	if path == "" || strings.HasPrefix(path, "/") && !strings.ContainsAny(path, "?#%{}") {
		return nil
	}
	return fmt.Errorf(`%s %q: a plain path like "/readyz", or "" for none`, name, path)
}

// report is what a page of health says.
type report struct {
	Status string            `json:"status"`
	Checks map[string]string `json:"checks,omitempty"`
}

func alive(context.Context) report { return report{Status: "ok"} }

var unavailable = report{Status: "unavailable"}

// serveHealth answers with a report.
func serveHealth(w http.ResponseWriter, r *http.Request, ask func(context.Context) report) {
	h := w.Header()
	h["Cache-Control"], h["X-Content-Type-Options"] = valueNoStore, valueNoSniff
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	answer := ask(r.Context())
	body, err := json.Marshal(answer)
	if err != nil {
		panic(err) // texts can always be encoded
	}
	status := http.StatusOK
	if answer.Status != "ok" {
		status = http.StatusServiceUnavailable
	}
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // who asked has gone, or it is HEAD
}
