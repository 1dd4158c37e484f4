package standards_test

// waiting has the names of the vectors that nothing in the program answers yet.
// It only gets shorter.
var waiting = []string{
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

	"redis/redis_rule/TIME then write, Redis < 5 without replicate_commands",
	"redis/redis_rule/native GCRA command",
	"redis/redis_rule/TTL for GCRA key",
	"redis/redis_rule/keys must be declared",
}
