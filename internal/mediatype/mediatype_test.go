package mediatype_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/mediatype"
)

func TestMatch(t *testing.T) {
	for _, row := range []struct {
		pattern, mediaType string
		want               bool
	}{
		{"image/png", "image/png", true},
		{"image/png", "image/pngx", false},
		{"image/*", "image/png", true},
		{"image/*", "image/", false},
		{"image/*", "imagex/png", false},
		{"application/*+json", "application/ld+json", true},
		{"application/*+json", "application/+json", false},
		{"application/*+json", "application/json", false},
		{"application/*+json", "text/a+json", false},
		{"*/*", "a/b", true},
		{"*/*", "", true},
		{"", "", true},
	} {
		require.Equal(t, row.want, mediatype.Match(row.pattern, row.mediaType), "%+v", row)
	}
	require.True(t, mediatype.MatchAny([]string{"text/csv", "image/*"}, "image/png"))
	require.False(t, mediatype.MatchAny(nil, "image/png"))
}

func TestValid(t *testing.T) {
	for pattern, want := range map[string]bool{
		"image/png": true, "image/*": true, "application/*+json": true, "*/*": true, "application/vnd.a+json": true,
		"": false, "image": false, "image/": false, "/png": false, "*/png": false, "*": false, "Image/PNG": false,
		"text/csv; charset=utf-8": false, "image/p*g": false, "image/*png": false, "image/**": false, "a/b/c": false,
	} {
		require.Equal(t, want, mediatype.Valid(pattern), pattern)
	}
}

func TestOfPart(t *testing.T) {
	for contentType, want := range map[string]string{
		"": "text/plain", "IMAGE/png; a=b": "image/png", "image/": "", "/": "", "a b": "",
	} {
		require.Equal(t, want, mediatype.OfPart(contentType), contentType)
	}
}
