package sallyport_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/ratelimit"
)

func TestNoMistakeRepeatsASecret(t *testing.T) {
	const (
		storage = "rateLimiting.storage"
		scalar  = ": write a text, a number, true or false"
		anchor  = "an anchor: a configuration has none; a text that begins with & stands in quotes"
		alias   = "an alias: a configuration has none; a text that begins with * stands in quotes"
		tag     = "a tag: a configuration has none; a text that begins with ! stands in quotes"
	)
	parts := sallyport.Parts{Storages: map[string]sallyport.StorageFunc{"redis": func(c sallyport.StorageConfig) (ratelimit.Storage, error) {
		c.Option("password")
		return ratelimit.NewMemory(ratelimit.MemoryOptions{}), nil
	}}}
	for _, tc := range []struct{ storage, want string }{
		{"hunter2", storage + ": line 1, column 25: there is no such storage; known: memory, redis"},
		{"4711", storage + ": line 1, column 25: what stands here: write a text"},
		{"[hunter2]", storage + ": line 1, column 25: a list: write a text"},
		{"*hunter2", "line 1, column 25: " + alias},
		{"&hunter2 redis", storage + ": line 1, column 25: " + anchor},
		{"!hunter2 redis", storage + ": line 1, column 25: " + tag},
		{"{name: redis, options: hunter2}", storage + ".options: line 1, column 48: the text: write a map of options"},
		{"{name: redis, 'redis://hunter2': x}", storage + ": line 1, column 39: there is no such field; known: name, options"},
		{"{name: redis, options: {password: *hunter2}}", "line 1, column 59: " + alias},
		{"{name: redis, options: {password: &hunter2 }}", storage + ".options: line 1, column 59: " + anchor},
		{"{name: redis, options: {password: !hunter2 x}}", storage + ".options.password: line 1, column 59: " + tag},
		{"{name: redis, options: {password: [hunter2]}}", storage + ".options.password: line 1, column 59: a list" + scalar},
		{"{name: redis, options: {password:hunter2}}", storage + ".options: line 1, column 65: nothing" + scalar},
		{"{name: redis, options: {'password:hunter2': x}}", storage + ".options: line 1, column 49: there is no such option; known: password"},
		{"{name: memory, options: {maxCounters: hunter2}}", storage + ".name: line 1, column 32: maxCounters: write a whole number, at least 1"},
	} {
		require.Equal(t, []string{tc.want}, mistakes(t, "rateLimiting: {storage: "+tc.storage+"}", parts), tc.storage)
	}
}

func TestErrorsOfTheProgramAreEscaped(t *testing.T) {
	foreign := errors.New("no \x1b[31mway\nsallyport: config: \u2028é")
	parts := sallyport.Parts{Storages: map[string]sallyport.StorageFunc{"redis": func(sallyport.StorageConfig) (ratelimit.Storage, error) {
		return nil, foreign
	}}}
	_, err := sallyport.ParseConfig([]byte("rateLimiting: {storage: redis}"), parts)
	require.EqualError(t, err, `sallyport: config: rateLimiting.storage: line 1, column 25: no \x1b[31mway\nsallyport: config: \u2028é`)
	require.ErrorIs(t, err, foreign)
}
