package sallyport

import (
	"go.yaml.in/yaml/v3"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// Parts are what a program gives names to, so that its configuration file can
// use it. The zero value has none: a file then has the built-in names alone. A
// part with the name of a built-in one is a mistake. Names are those of policies:
// letters, digits, "_", "-" and ".".
type Parts struct {
	// Algorithms stand beside slidingWindow, fixedWindow and tokenBucket.
	Algorithms map[string]ratelimit.Algorithm

	// Keys stand beside ip, identity and endpoint.
	Keys map[string]ratelimit.Key

	// Limiters stand wherever a rate limit of the file would. All that name one
	// share it.
	Limiters map[string]ratelimit.Limiter

	// Storages stand beside memory.
	Storages map[string]StorageFunc
}

// ParseConfig reads a configuration file, YAML or JSON; docs/configuration.md
// tells its shape. The rate limits that a file gives to endpoints win over those
// of their registration. What no file can say, such as a clock, a logger or an
// error handler, is set in the Config afterwards.
//
// The error joins all mistakes of the file in their order, each with its path,
// line and column; the Config beside it is the zero one. An entry for an
// endpoint that the program does not have is reported by [NewPresenter].
//
// A file may be wrong, but not harmful: ParseConfig refuses more than 1 MiB, and
// the anchors, aliases and tags of YAML, and does not panic.
func ParseConfig(data []byte, parts Parts) (Config, error) {
	r := newFileReader(parts)
	if root, err := parseDocument(data); err != nil {
		r.faults.add(err)
	} else {
		r.read(root)
	}
	if err := r.faults.join(); err != nil {
		return Config{}, err
	}
	return r.config, nil
}

// fileReader walks a file once, along the fields that a configuration has, and
// collects the mistakes. So it never goes deeper than a configuration is.
type fileReader struct {
	config Config
	faults faultList

	// The names that the file may use, built-in ones included.
	algorithms map[string]ratelimit.Algorithm
	keys       map[string]ratelimit.Key
	limiters   map[string]ratelimit.Limiter
	storages   map[string]StorageFunc

	partsAreFaulty bool // rules are then not looked at as a whole

	policies policyNames
	rules    []fileRule
	storage  storageChoice
}

func newFileReader(parts Parts) *fileReader {
	r := &fileReader{policies: newPolicyNames()}
	r.algorithms = withParts(r, "Algorithms", parts.Algorithms, algorithmMistakes, map[string]ratelimit.Algorithm{
		"slidingWindow": ratelimit.SlidingWindow,
		"fixedWindow":   ratelimit.FixedWindow,
		"tokenBucket":   ratelimit.TokenBucket,
	})
	r.keys = withParts(r, "Keys", parts.Keys, keyMistakes, map[string]ratelimit.Key{
		"ip":       ratelimit.IP,
		"identity": ratelimit.Identity,
		"endpoint": ratelimit.Endpoint,
	})
	r.limiters = withParts(r, "Limiters", parts.Limiters, anyMistakes, map[string]ratelimit.Limiter{})
	r.storages = withParts(r, "Storages", parts.Storages, anyMistakes, map[string]StorageFunc{"memory": memoryStorage})
	r.partsAreFaulty = r.faults.count > 0
	return r
}

// read reads the whole file. What other parts name comes before them. The
// storage is opened when nothing else is wrong, as nobody would close it.
func (r *fileReader) read(root *yaml.Node) {
	c := &r.config
	v, ok := r.child(value{}, "", root)
	if !ok {
		return
	}
	r.object(v, fields{
		{"basePath", set(&c.BasePath, r.basePath)},
		{"baseUrl", set(&c.BaseURL, r.baseURL)},
		{"versions", set(&c.Versions, r.versions)},
		{"rateLimiting", set(&c.RateLimiting, r.rateLimiting)},
		{"rateLimits", set(&c.RateLimits, r.rateLimits)},
		{"defaults", set(&c.Defaults, r.defaults)},
		{"endpoints", set(&c.endpoints, r.endpoints)},
		{"trustedProxies", set(&c.IPDetector, r.trustedProxies)},
		{"cors", set(&c.CORS, r.cors)},
		{"logRefused", set(&c.LogRefused, r.boolean)},
		{"debug", set(&c.Debug, r.boolean)},
		{"maxBody", set(&c.MaxBody, r.maxBody)},
		{"maxUrl", set(&c.MaxURL, r.maxURL)},
		{"timeout", set(&c.Timeout, r.interval)},
		{"trustRequestId", set(&c.TrustRequestID, r.boolean)},
		{"methodOverride", set(&c.MethodOverride, r.boolean)},
	})
	r.checkRules()
	if r.faults.count == 0 && r.storage.open != nil {
		r.openStorage()
	}
}
