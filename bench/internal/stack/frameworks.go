package stack

import (
	"context"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/gin-gonic/gin"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	ginlimit "github.com/ulule/limiter/v3/drivers/middleware/gin"
	"golang.org/x/time/rate"
)

func buildGin(quota int64) (http.Handler, error) {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.Use(func(c *gin.Context) {
		if !allowed(c.GetHeader("Authorization")) {
			c.AbortWithStatus(http.StatusUnauthorized)
		}
	}, ginlimit.NewMiddleware(ululeOf(quota)))
	engine.GET(path+":id", func(c *gin.Context) { c.JSON(http.StatusOK, itemOf(c.Param("id"))) })
	return engine, nil
}

func buildEcho(quota int64) (http.Handler, error) {
	limit := middleware.RateLimiterMemoryStoreConfig{Rate: Many, Burst: int(quota), ExpiresIn: day}
	if quota < Many {
		limit.Rate = rate.Limit(float64(quota) / day.Seconds())
	}
	e := echo.New()
	e.HideBanner = true
	e.Logger.SetOutput(io.Discard)
	e.Use(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if !allowed(c.Request().Header.Get("Authorization")) {
				return echo.ErrUnauthorized
			}
			return next(c)
		}
	}, middleware.RateLimiter(middleware.NewRateLimiterMemoryStoreWithConfig(limit)))
	e.GET(path+":id", func(c echo.Context) error { return c.JSON(http.StatusOK, itemOf(c.Param("id"))) })
	return e, nil
}

type humaOutput struct{ Body item }

func buildHuma(quota int64) (http.Handler, error) {
	mux, a := newHuma(ululeOf(quota))
	type input struct {
		ID string `path:"id" maxLength:"32"`
	}
	huma.Get(a, path+"{id}", func(_ context.Context, in *input) (*humaOutput, error) {
		return &humaOutput{Body: itemOf(in.ID)}, nil
	})
	return mux, nil
}

// newHuma asks for the token and keeps the limit; a nil limit is neither.
func newHuma(l *limiter) (*http.ServeMux, huma.API) {
	mux := http.NewServeMux()
	a := humago.New(mux, huma.DefaultConfig("bench", "1.0.0"))
	if l == nil {
		return mux, a
	}
	refuse := func(c huma.Context, status int) {
		_ = huma.WriteErr(a, c, status, http.StatusText(status)) // nobody can do anything about it
	}
	a.UseMiddleware(func(c huma.Context, next func(huma.Context)) {
		if !allowed(c.Header("Authorization")) {
			refuse(c, http.StatusUnauthorized)
			return
		}
		next(c)
	}, func(c huma.Context, next func(huma.Context)) {
		ip, _, err := net.SplitHostPort(c.RemoteAddr())
		if err != nil {
			refuse(c, http.StatusInternalServerError)
			return
		}
		state, err := l.Get(c.Context(), ip)
		if err != nil {
			refuse(c, http.StatusInternalServerError)
			return
		}
		c.SetHeader("X-RateLimit-Limit", strconv.FormatInt(state.Limit, 10))
		c.SetHeader("X-RateLimit-Remaining", strconv.FormatInt(state.Remaining, 10))
		c.SetHeader("X-RateLimit-Reset", strconv.FormatInt(state.Reset, 10))
		if state.Reached {
			refuse(c, http.StatusTooManyRequests)
			return
		}
		next(c)
	})
	return mux, a
}
