package part

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

type evil struct{}

func (evil) Error() string   { panic(evil{}) }
func (evil) Validate() error { panic(evil{}) }

type faulty struct{ err error }

func (f faulty) Validate() error { return f.err }

func TestIsNil(t *testing.T) {
	for name, v := range map[string]any{
		"nothing": nil, "a pointer": (*evil)(nil), "a function": (func())(nil),
	} {
		require.True(t, IsNil(v), name)
	}
	for name, v := range map[string]any{"a struct": evil{}, "a pointer": &evil{}, "a number": 0, "a text": "", "a nil map": map[string]int(nil), "a nil slice": []int(nil)} {
		require.False(t, IsNil(v), name)
	}
}

func TestTextNeverPanics(t *testing.T) {
	require.Equal(t, "boom", Text(errors.New("boom")))
	require.NotPanics(t, func() { require.NotEmpty(t, Text(evil{})) })
	require.NotEmpty(t, Text((*evil)(nil)))
}

func TestMistakesOfParts(t *testing.T) {
	a, b := errors.New("a"), errors.New("b")
	for _, tc := range []struct {
		name string
		part any
		want string // "": none
	}{
		{"nothing", nil, ""},
		{"one that knows none", struct{}{}, ""},
		{"one without", faulty{}, ""},
		{"nil inside", (*faulty)(nil), "key: it is a nil *part.faulty"},
		{"one mistake", faulty{a}, "key: a"},
		{"several", faulty{errors.Join(a, errors.Join(b, nil))}, "key: a\nkey: b"},
		{"one that wraps two", faulty{fmt.Errorf("%w and %w", a, b)}, "key: a and b"},
		{"one that panics", evil{}, "key: it panics: part.evil, whose text panics"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := Validate("key", tc.part)
			if tc.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tc.want)
		})
	}
}
