package main

import (
	"log"
	"net/http"
	"os"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
)

func main() {
	decider := sallyport.NewApiDecider(sallyport.Config{})
	decider.AddApi(api.GET("1", "users"), handler.AlwaysOk{}, auth.None())
	presenter, err := sallyport.NewPresenter(decider)
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(os.Args[1], presenter))
}
