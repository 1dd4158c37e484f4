package api_test

import (
	"mime"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
)

func disposition(t *testing.T, filename string) string {
	return sent(t, api.Attachment(filename, api.NoContent())).Header.Get("Content-Disposition")
}

func TestAttachment(t *testing.T) {
	for filename, want := range map[string]string{
		"":                   `attachment`,
		"report.pdf":         `attachment; filename="report.pdf"`,
		"my report (1).pdf":  `attachment; filename="my report (1).pdf"`,
		"přehled.pdf":        `attachment; filename="p_ehled.pdf"; filename*=UTF-8''p%C5%99ehled.pdf`,
		"€ rates":            `attachment; filename="_ rates"; filename*=UTF-8''%E2%82%AC%20rates`,
		`a"; x="y`:           `attachment; filename="a_; x=_y"; filename*=UTF-8''a%22%3B%20x%3D%22y`,
		"100%41.txt":         `attachment; filename="100_41.txt"; filename*=UTF-8''100%2541.txt`,
		"a\r\nSet-Cookie: b": `attachment; filename="a__Set-Cookie: b"`,
		"../../etc/passwd":   `attachment; filename=".._.._etc_passwd"`,
		`..\a`:               `attachment; filename=".._a"`,
		"a\xff\x00":          `attachment; filename="a__"`,
		"it's*":              `attachment; filename="it's*"`,
		"é's*":               `attachment; filename="_'s*"; filename*=UTF-8''%C3%A9%27s%2A`,
	} {
		require.Equal(t, want, disposition(t, filename), "%q", filename)
	}
}

func TestAttachmentOfAResponse(t *testing.T) {
	require.Equal(t, answer{200, http.Header{
		"Content-Disposition": {`attachment; filename="b.json"`}, "Content-Type": {"application/json"}, "Content-Length": {"7"},
		"Accept-Ranges": {"bytes"}, "Last-Modified": {fileDate},
	}, `{"a":1}`}, sent(t, api.Attachment("b.json", api.File(files(), "a.json"))))
	require.Nil(t, api.Attachment("a", nil))
	require.Equal(t, api.NotFound("file"), api.Attachment("a", api.File(files(), "missing")).Send(&bodyless{http.Header{}, t}, nil))
}

// Whatever the name is, others read it as it was meant.
func FuzzAttachment(f *testing.F) {
	for _, filename := range []string{"", "report.pdf", "přehled.pdf", `a"; x="y`, "a\r\nb: c", "100%41", "\xff", "😀\\/*'"} {
		f.Add(filename)
	}
	f.Fuzz(func(t *testing.T, filename string) {
		value := disposition(t, filename)
		require.NotContains(t, value, "\n")
		kind, params, err := mime.ParseMediaType(value)
		require.NoError(t, err)
		require.Equal(t, "attachment", kind)
		safe := strings.ToValidUTF8(filename, "�")
		require.Equal(t, len([]rune(safe)) > 0, len(params) == 1)
		require.False(t, strings.ContainsAny(params["filename"], "/\\\r\n\x00"))
	})
}
