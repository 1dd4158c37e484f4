package filestorage_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/filestorage"
)

func ExampleNew() {
	temp, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	dir := filepath.Join(temp, "ratelimit")

	storage := filestorage.New(dir, filestorage.Options{})
	options := ratelimit.Options{Storage: storage} // for Config.RateLimiting

	limiter, err := ratelimit.NewLimiter(ratelimit.Policy{
		Name: "reports", Algorithm: ratelimit.FixedWindow, Limit: 2, Interval: time.Hour, Key: ratelimit.Endpoint,
	}, options)
	if err != nil {
		log.Fatal(err)
	}
	rc := &ratelimit.Context{Endpoint: "nightly", Now: time.Unix(0, 0)}
	for range 3 {
		results, err := limiter.Consume(context.Background(), rc, 1, nil)
		fmt.Println(ratelimit.Refused(results) == nil, err)
	}
	// Output:
	// true <nil>
	// true <nil>
	// false <nil>
}
