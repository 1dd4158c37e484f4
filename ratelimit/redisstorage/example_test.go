package redisstorage_test

import (
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/sallyport-go/sallyport/ratelimit"
	"github.com/sallyport-go/sallyport/ratelimit/redisstorage"
)

func ExampleNew() {
	client := redis.NewClient(&redis.Options{Addr: "localhost:6379", ContextTimeoutEnabled: true})
	defer client.Close()
	storage := redisstorage.New(client, redisstorage.Options{Prefix: "myapp:rate-limit:"})
	_, err := ratelimit.NewLimiter(
		ratelimit.Policy{Name: "perIp", Limit: 100, Interval: time.Minute},
		ratelimit.Options{Storage: storage},
	)
	fmt.Println(err)
	// Output: <nil>
}

// A client that ignores the deadlines of requests is a mistake that is told at
// start, not in the first outage.
func ExampleNew_mistake() {
	client := redis.NewClient(&redis.Options{Addr: "localhost:6379"})
	defer client.Close()
	fmt.Println(redisstorage.New(client, redisstorage.Options{}).Validate())
	// Output: redisstorage: ContextTimeoutEnabled is not set in the client's redis.Options: requests would wait as long as its time-outs
}
