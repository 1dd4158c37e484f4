package ipdetector_test

import (
	"fmt"
	"net/http/httptest"

	"github.com/sallyport-go/sallyport/ipdetector"
)

func ExampleNewTrustedProxies() {
	detector := ipdetector.NewTrustedProxies("X-Forwarded-For", "10.0.0.0/8", "192.168.1.1")

	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = "10.0.0.1:4000" // the proxy
	r.Header.Set("X-Forwarded-For", "6.6.6.6, 203.0.113.7")
	fmt.Println("through the proxy:", detector.IP(r))

	r.RemoteAddr = "203.0.113.9:4000" // somebody else
	fmt.Println("past the proxy:", detector.IP(r))
	// Output:
	// through the proxy: 203.0.113.7
	// past the proxy: 203.0.113.9
}
