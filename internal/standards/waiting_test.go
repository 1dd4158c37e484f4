package standards_test

// waiting has the names of the vectors that nothing in the program answers yet.
// It only gets shorter.
var waiting = []string{
	"ratelimit-headers/response/throttled by one policy",
	"ratelimit-headers/response/two policies violated",
	"ratelimit-headers/response/200 with r=0",

	"http-semantics/retry_after_valid",
	"http-semantics/response/405",
	"http-semantics/response/HEAD on a rate limited route",
	"http-semantics/response/body over limit",
	"http-semantics/response/unsupported Content-Encoding",
	"http-semantics/response/429 stored by cache",
	"http-semantics/response/auth by X-API-Key header, cacheable response",
	"http-semantics/response/Vary for Authorization",
	"http-semantics/response/Vary for content negotiated problem body",
	"http-semantics/response/repeat of a singleton field line",
	"http-semantics/response/request header section too large",
	"http-semantics/response/OPTIONS on /x",

	"problem-details/problem/many different problem types at once",

	"auth/bearer_challenge",
	"auth/basic_parse",
	"auth/basic_challenge",
	"auth/auth_rule/several schemes accepted",
	"auth/auth_rule/duplicate auth-param name in one challenge",
	"auth/auth_rule/realm written as token",
	"auth/auth_rule/valid credential, not authorised", //nolint:misspell // as the vector spells it
	"auth/auth_rule/API key auth failure",
	"auth/auth_rule/compare secrets",
	"auth/auth_rule/unknown user vs bad password",

	"cors/cors",
	"cors/cors/preflight answer",
	"cors/cors/preflight answered 401 or 429 or 302",
	"cors/cors/Access-Control-Request-Headers format",
	"cors/cors/Allow-Headers: * and request has Authorization",
	"cors/cors/expose value",
	"cors/cors/Expose-Headers: * with credentials include",
	"cors/cors/429 to an actual cross-origin request",
	"cors/cors/origin-dependent allow list, response without Origin",
	"cors/cors/static Allow-Origin: *",
	"cors/cors/Max-Age 600",

	"lifecycle/lifecycle",
	"lifecycle/lifecycle/deprecated resource behaviour", //nolint:misspell // as the vector spells it

	"openapi/openapi/header object with name",
	"openapi/openapi/header object with in",
	"openapi/openapi/header style",
	"openapi/openapi/header with schema and content",
	"openapi/openapi/header content with two media types",
	"openapi/openapi/response header Content-Type documented",
	"openapi/openapi/status key",
	"openapi/openapi/range key",
	"openapi/openapi/429 and 4XX both present",
	"openapi/openapi/response without description",
	"openapi/openapi/bearer scheme",
	"openapi/openapi/api key scheme without in",
	"openapi/openapi/two requirement objects",
	"openapi/openapi/optional auth",
	"openapi/openapi/operation overrides global auth",

	"redis/redis_eval",
	"redis/redis_eval_ro",
	"redis/redis_evalsha",
	"redis/redis_slot",
	"redis/redis_rule/two keys in different slots in one EVAL (cluster)",
	"redis/redis_rule/TIME then write, Redis < 5 without replicate_commands",
	"redis/redis_rule/native GCRA command",
	"redis/redis_rule/TTL for GCRA key",
	"redis/redis_rule/keys must be declared",
}
