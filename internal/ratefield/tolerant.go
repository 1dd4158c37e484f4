package ratefield

import (
	"strconv"
	"time"

	"github.com/sallyport-go/sallyport/internal/sfv"
)

// AppendPolicyItem appends a member of RateLimit-Policy, such as
// "perIp";q=100;w=60. The name is written as by [AppendName], the quota within 0
// to sfv.MaxInteger, the window in seconds, rounded up. A window below a second
// is left out: the draft has no word for it, and none for an unknown one.
func AppendPolicyItem(dst []byte, name string, quota int64, window time.Duration) []byte {
	dst = appendNumber(append(AppendName(dst, name), ";q="...), quota)
	if window >= time.Second {
		dst = appendNumber(append(dst, ";w="...), Seconds(window))
	}
	return dst
}

// AppendLimitItem appends a member of RateLimit, such as "perIp";r=97;t=42. The
// name is written as by [AppendName], the numbers within 0 to sfv.MaxInteger.
// reset is in seconds; hasReset false leaves t out.
func AppendLimitItem(dst []byte, name string, available, reset int64, hasReset bool) []byte {
	dst = appendNumber(append(AppendName(dst, name), ";r="...), available)
	if hasReset {
		dst = appendNumber(append(dst, ";t="...), reset)
	}
	return dst
}

// AppendName appends the name as a String (RFC 9651, section 3.3.3). What is not
// printable ASCII is dropped, so no name can break out of the field.
func AppendName(dst []byte, name string) []byte {
	dst = append(dst, '"')
	for i := range len(name) {
		c := name[i]
		if c < ' ' || c > '~' {
			continue
		}
		if c == '"' || c == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

func appendNumber(dst []byte, n int64) []byte {
	return strconv.AppendInt(dst, min(max(0, n), sfv.MaxInteger), 10)
}
