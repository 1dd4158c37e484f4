package main

import (
	"context"
	"net/http"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

type person struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

var people = []person{{"1", "Ada Lovelace"}, {"2", "Grace Hopper"}}

var users = handler.Func(func(context.Context, *api.Request) (api.Response, error) {
	return api.JSON(http.StatusOK, people), nil
})

var user = handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
	for _, p := range people {
		if p.ID == r.PathValue("id") {
			return api.JSON(http.StatusOK, p), nil
		}
	}
	return nil, api.NotFound("user")
})

var login = handler.Func(func(context.Context, *api.Request) (api.Response, error) {
	return api.JSON(http.StatusOK, map[string]string{"status": "ok", "hint": "five attempts in a quarter of an hour"}), nil
})

var reports = handler.Func(func(_ context.Context, r *api.Request) (api.Response, error) {
	return api.JSON(http.StatusOK, map[string]any{"caller": r.Identity.String(), "reports": []string{"2026-10", "2026-11"}}), nil
})

var export = handler.Func(func(context.Context, *api.Request) (api.Response, error) {
	return api.JSON(http.StatusAccepted, map[string]string{"status": "started"}), nil
})

var status = handler.AlwaysOk{}
