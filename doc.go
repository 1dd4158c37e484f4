// Package sallyport serves versioned REST APIs behind two rate-limit gates.
//
// A sallyport is a gateway with two doors: you pass the first before anyone
// asks who you are, the second after. An [ApiDecider] registers endpoints:
// which handler answers, who may call, how often. A [Presenter] serves them:
//
//	tokens := auth.StaticTokens{"my-token": "*"}
//	decider := sallyport.NewApiDecider(sallyport.Config{
//		RateLimits: []ratelimit.Policy{
//			{Name: "perIp", Limit: 100, Interval: time.Minute},
//			{Name: "perUser", Limit: 1000, Interval: time.Hour, Key: ratelimit.Identity},
//		},
//		Defaults: sallyport.Defaults{RateLimit: ratelimit.Named("perIp")},
//	})
//	decider.AddApi(api.GET("1", "users"), users, auth.None())
//	decider.AddApi(api.GET("1", "reports"), reports, auth.Bearer(tokens), ratelimit.Named("perIp", "perUser"))
//	presenter, err := sallyport.NewPresenter(decider)
//	if err != nil {
//		log.Fatal(err) // every mistake of the program, each with its file and line
//	}
//	sallyport.Serve(ctx, ":8080", presenter) // GET /api/v1/users, until ctx ends
//
// # The way of a request
//
// A request gets its id and its CORS header fields, then its endpoint. The
// first gate asks the limits that do not need to know who calls (429), the
// authorization decides (401, 403), the second gate asks the limits by identity
// (429), the parameters are read (400, 413, 415), the handler answers. Everything
// that goes wrong is answered by one [api.ErrorHandler]. With a logger there is one
// record. The body is not read before the second gate, unless the authorization
// does.
package sallyport
