package api_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

func TestExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // midnight of 2000-01-01
		now := time.Now()
		fields := func(response api.Response) [2]string {
			h := sent(t, response).Header
			return [2]string{h.Get("Cache-Control"), h.Get("Expires")}
		}
		response := api.Text(200, "hello") // FW-266
		for name, row := range map[string]struct {
			response api.Response
			want     [2]string
		}{
			"nothing":          {response, [2]string{"", ""}},
			"in the future":    {api.Expires(response, now.Add(90*time.Second)), [2]string{"max-age=90", "Sat, 01 Jan 2000 00:01:30 GMT"}},                                                                    // FW-258
			"JSON":             {api.Expires(api.JSON(200, 1), now.Add(time.Hour)), [2]string{"max-age=3600", "Sat, 01 Jan 2000 01:00:00 GMT"}},                                                               // FW-253, FW-258
			"XML":              {api.Expires(api.XML(200, "<a/>"), now.Add(time.Hour)), [2]string{"max-age=3600", "Sat, 01 Jan 2000 01:00:00 GMT"}},                                                           // FW-258, FW-262
			"of another zone":  {api.Expires(response, now.Add(time.Second).In(time.FixedZone("", 3600))), [2]string{"max-age=1", "Sat, 01 Jan 2000 00:00:01 GMT"}},                                           // FW-258
			"rounded down":     {api.Expires(response, now.Add(1999*time.Millisecond)), [2]string{"max-age=1", "Sat, 01 Jan 2000 00:00:01 GMT"}},                                                              // FW-258
			"in the past":      {api.Expires(response, now.Add(-time.Hour)), [2]string{"max-age=0", "Sat, 01 Jan 2000 00:00:00 GMT"}},                                                                         // FW-258
			"no time at all":   {api.Expires(response, time.Time{}), [2]string{"max-age=0", "Sat, 01 Jan 2000 00:00:00 GMT"}},                                                                                 // FW-258
			"very far":         {api.Expires(response, now.AddDate(20000, 0, 0)), [2]string{"max-age=9223372036", "Sun, 10 Apr 2292 23:47:16 GMT"}},                                                           // FW-258
			"an age":           {api.MaxAge(response, time.Minute), [2]string{"max-age=60", "Sat, 01 Jan 2000 00:01:00 GMT"}},                                                                                 // FW-258
			"a negative age":   {api.MaxAge(response, -time.Minute), [2]string{"max-age=0", "Sat, 01 Jan 2000 00:00:00 GMT"}},                                                                                 // FW-258
			"own fields":       {api.WithHeader(response, http.Header{"Cache-Control": {"private"}}), [2]string{"private", ""}},                                                                               // FW-259
			"own fields later": {api.WithHeader(api.MaxAge(response, time.Minute), http.Header{"Cache-Control": {"private, max-age=60"}}), [2]string{"private, max-age=60", "Sat, 01 Jan 2000 00:01:00 GMT"}}, // FW-259
		} {
			require.Equal(t, row.want, fields(row.response), name)
		}

		later := api.MaxAge(response, time.Minute)
		time.Sleep(time.Second)
		require.Equal(t, [2]string{"max-age=60", "Sat, 01 Jan 2000 00:01:01 GMT"}, fields(later), "an age begins when it is sent")
		require.Nil(t, api.Expires(nil, now))
		require.Nil(t, api.MaxAge(nil, 0))
	})
}
