package console

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sallyport-go/sallyport/api"
)

// alternative is one way to be admitted: all of its credentials.
type alternative struct {
	Number      int
	Label       string
	Scopes      string // what the caller must hold
	Credentials []credential
}

// credential is what a person fills in for one scheme.
type credential struct {
	ID   string
	Kind string // "bearer", "basic", "apiKey", "http", "none", "other"

	Scheme       string // the name of the scheme
	In           string // where an API key is
	Parameter    string // the name of the key there
	BearerFormat string
}

// maxAlternatives bounds what nested choices multiply to.
const maxAlternatives = 32

// alternatives are the ways to be admitted by a scheme; there is always one.
func alternatives(s api.Scheme) []alternative {
	ways := expand(s)
	all := make([]alternative, len(ways))
	for i, way := range ways {
		a := alternative{Number: i}
		var labels, scopes []string
		for j, simple := range way {
			c := newCredential(simple)
			c.ID = fmt.Sprintf("auth-%d-%d", i, j)
			a.Credentials = append(a.Credentials, c)
			labels = append(labels, c.label())
			scopes = append(scopes, simple.Scopes...)
		}
		a.Label, a.Scopes = strings.Join(labels, " + "), strings.Join(scopes, ", ")
		all[i] = a
	}
	return all
}

// expand writes nested choices as one: each way is a list of simple schemes.
func expand(s api.Scheme) (ways [][]api.Scheme) {
	switch {
	case len(s.Any) > 0:
		for _, inner := range s.Any {
			ways = append(ways, expand(inner)...)
		}
	case len(s.All) > 0:
		ways = [][]api.Scheme{nil}
		for _, inner := range s.All {
			var longer [][]api.Scheme
			for _, way := range ways {
				for _, more := range expand(inner) {
					longer = append(longer, append(way[:len(way):len(way)], more...))
				}
			}
			ways = longer[:min(len(longer), maxAlternatives)]
		}
	default:
		return [][]api.Scheme{{s}}
	}
	ways = ways[:min(len(ways), maxAlternatives)]
	for i, way := range ways {
		if len(s.Scopes) > 0 && len(way) > 0 {
			ways[i] = slices.Clone(way)
			ways[i][0].Scopes = slices.Concat(s.Scopes, way[0].Scopes)
		}
	}
	return ways
}

func newCredential(s api.Scheme) credential {
	c := credential{Scheme: s.Name, In: s.In, Parameter: s.ParameterName, BearerFormat: s.BearerFormat}
	switch name := strings.ToLower(s.Name); {
	case s.Type == "" && s.Name == "" && s.Identifies == api.IdentifiesNever:
		c.Kind = "none"
	case s.Type == "apiKey":
		c.Kind = "apiKey"
	case s.Type == "http" && name == "basic":
		c.Kind = "basic"
	case s.Type == "http" && name == "bearer", s.Type == "oauth2", s.Type == "openIdConnect":
		c.Kind = "bearer"
	case s.Type == "http" && name != "digest":
		c.Kind = "http"
	default:
		c.Kind = "other"
	}
	return c
}

// label names the credential in a choice.
func (c credential) label() string {
	switch c.Kind {
	case "none":
		return "no authorization"
	case "apiKey":
		return "API key " + c.Parameter
	}
	return c.name()
}

func (c credential) name() string {
	if c.Scheme == "" {
		return "custom"
	}
	return c.Scheme
}

// Name is the scheme in words.
func (c credential) Name() string { return c.name() }
