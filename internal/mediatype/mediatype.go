// Package mediatype matches media types with patterns: "image/png", "image/*",
// "application/*+json" for all with that suffix (RFC 6839), and "*/*".
package mediatype

import (
	"mime"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/internal/httptoken"
)

// Any is the pattern of all media types, and of none.
const Any = "*/*"

// Valid reports whether some media type fits the pattern. It is in lower case and
// without parameters.
func Valid(pattern string) bool {
	kind, subtype, _ := strings.Cut(pattern, "/")
	if !httptoken.Is(kind) || !httptoken.Is(subtype) || strings.ToLower(pattern) != pattern {
		return false
	}
	switch strings.Count(pattern, "*") {
	case 0:
		return true
	case 1:
		return subtype == "*" || strings.HasPrefix(subtype, "*+")
	}
	return pattern == Any
}

// Match reports whether a media type, in lower case and without parameters, fits
// the pattern.
func Match(pattern, mediaType string) bool {
	before, after, wild := strings.Cut(pattern, "*")
	switch {
	case pattern == Any:
		return true
	case !wild:
		return pattern == mediaType
	}
	return len(mediaType) > len(before)+len(after) && strings.HasPrefix(mediaType, before) && strings.HasSuffix(mediaType, after)
}

// MatchAny reports whether a media type fits one of the patterns.
func MatchAny(patterns []string, mediaType string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return Match(pattern, mediaType) })
}

// OfPart is the media type of a part of a form by its Content-Type. Without one
// it is text/plain (RFC 7578, section 4.4); "" is one that cannot be read.
func OfPart(contentType string) string {
	if contentType == "" {
		return "text/plain"
	}
	return Of(contentType)
}

// Of is the media type of a Content-Type, in lower case and without parameters;
// "" when there is none, or none that can be read.
func Of(contentType string) string {
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return mediaType
}

// IsJSON reports whether a media type is application/json or one that ends in +json.
func IsJSON(mediaType string) bool {
	return mediaType == "application/json" || strings.HasSuffix(mediaType, "+json")
}
