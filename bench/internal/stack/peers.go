package stack

import (
	"crypto/subtle"
	"encoding/json"
	"net"
	"net/http"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/httprate"
	"github.com/julienschmidt/httprouter"
	"github.com/sethvargo/go-limiter/httplimit"
	"github.com/sethvargo/go-limiter/memorystore"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
	ulule "github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/middleware/stdlib"
	"github.com/ulule/limiter/v3/drivers/store/memory"
)

type limiter = ulule.Limiter

// allowed compares the token as fast as can be done in constant time: the length
// is no secret here.
func allowed(header string) bool {
	sent, ok := strings.CutPrefix(header, "Bearer ")
	return ok && subtle.ConstantTimeCompare([]byte(sent), []byte(token)) == 1
}

func authorize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allowed(r.Header.Get("Authorization")) {
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func writeItem(w http.ResponseWriter, id string) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(itemOf(id)) // nobody can do anything about it
}

func addressOf(r *http.Request) (string, error) {
	ip, _, err := net.SplitHostPort(r.RemoteAddr)
	return ip, err
}

// muxed is net/http with something around the handler.
func muxed(around func(http.Handler) http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+path+"{id}", around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeItem(w, r.PathValue("id"))
	})))
	return mux
}

func buildBare(int64) (http.Handler, error) {
	return muxed(func(h http.Handler) http.Handler { return h }), nil
}

type byAddress struct{}

func (byAddress) Key(r *http.Request) string {
	ip, err := addressOf(r)
	if err != nil {
		return ""
	}
	return ip
}

func buildThrottled(quota int64) (http.Handler, error) {
	store, err := memstore.NewCtx(0)
	if err != nil {
		return nil, err
	}
	q := throttled.RateQuota{MaxRate: throttled.PerDay(1), MaxBurst: int(quota) - 1}
	if quota == Many {
		q.MaxRate = throttled.PerSec(Many) // a day of bursts is beyond what it can count
	}
	l, err := throttled.NewGCRARateLimiterCtx(store, q)
	if err != nil {
		return nil, err
	}
	limit := throttled.HTTPRateLimiterCtx{RateLimiter: l, VaryBy: byAddress{}}
	return muxed(func(h http.Handler) http.Handler { return authorize(limit.RateLimit(h)) }), nil
}

func ululeOf(quota int64) *limiter {
	return ulule.New(memory.NewStore(), ulule.Rate{Limit: quota, Period: day})
}

func buildUlule(quota int64) (http.Handler, error) {
	limit := stdlib.NewMiddleware(ululeOf(quota))
	return muxed(func(h http.Handler) http.Handler { return authorize(limit.Handler(h)) }), nil
}

func buildSethvargo(quota int64) (http.Handler, error) {
	store, err := memorystore.New(&memorystore.Config{Tokens: uint64(quota), Interval: day})
	if err != nil {
		return nil, err
	}
	limit, err := httplimit.NewMiddleware(store, httplimit.IPKeyFunc())
	if err != nil {
		return nil, err
	}
	router := httprouter.New()
	router.GET(path+":id", func(w http.ResponseWriter, _ *http.Request, p httprouter.Params) { writeItem(w, p.ByName("id")) })
	return authorize(limit.Handle(router)), nil
}

func buildChi(quota int64) (http.Handler, error) {
	router := chi.NewRouter()
	router.Use(authorize, httprate.LimitBy(int(quota), day, addressOf))
	router.Get(path+"{id}", func(w http.ResponseWriter, r *http.Request) { writeItem(w, chi.URLParam(r, "id")) })
	return router, nil
}
