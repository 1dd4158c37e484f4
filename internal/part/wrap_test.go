package part

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type kind interface{ Do() }

type leaf struct{}

func (leaf) Do() {}

type wrapper struct{ inner kind }

func (wrapper) Do()            {}
func (w wrapper) Unwrap() kind { return w.inner }

type endless struct{ leaf }

func (e endless) Unwrap() kind { return e }

type panicking struct{ leaf }

func (panicking) Unwrap() kind { panic("boom") }

type embedding struct{ kind }

type deep struct{ embedding }

type unwrapping struct{ kind }

func (u unwrapping) Unwrap() kind { return u.kind }

type recursive struct {
	*recursive //nolint:unused // it is looked at by reflection
	leaf       //nolint:unused // likewise
}

func (recursive) Do() {}

func TestUnwrapped(t *testing.T) {
	for _, tc := range []struct {
		name  string
		outer kind
		parts int
		err   string
	}{
		{"nothing", nil, 0, ""},
		{"a nil pointer", (*embedding)(nil), 0, ""},
		{"no wrapper", leaf{}, 1, ""},
		{"two wrappers", wrapper{wrapper{leaf{}}}, 3, ""},
		{"nothing inside", wrapper{}, 1, ""},
		{"without an end", endless{}, maxWrappers, "Unwrap never ends"},
		{"one that panics", wrapper{panicking{}}, 2, "Unwrap: it panics: boom"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			parts, err := Unwrapped(tc.outer)
			require.Len(t, parts, tc.parts)
			if tc.err == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tc.err)
		})
	}
}

func TestHidden(t *testing.T) {
	for _, tc := range []struct {
		name string
		part kind
		want string
	}{
		{"nothing", nil, ""},
		{"a nil pointer", (*embedding)(nil), ""},
		{"a leaf", leaf{}, ""},
		{"a wrapper", wrapper{leaf{}}, ""},
		{"embeds a struct", endless{}, ""},
		{"embeds itself", recursive{}, ""},
		{"embeds and unwraps", unwrapping{leaf{}}, ""},
		{"embeds", embedding{leaf{}}, "part.embedding embeds an part.kind, so the limits of that one would be lost: give it a method Unwrap() part.kind"},
		{"embeds deep down", &deep{}, "*part.deep embeds an part.kind, so the limits of that one would be lost: give it a method Unwrap() part.kind"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Hidden(tc.part, "limits")
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tc.want)
		})
	}
}
