package errorhandler_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/errorhandler"
)

// shortage is an error with a type.
type shortage struct{ missing int }

func (e *shortage) Error() string { return fmt.Sprintf("%d are missing", e.missing) }

func ofShortage(e *shortage) api.Error {
	return api.Error{Status: 409, Code: "stock.short", Message: fmt.Sprint("Missing: ", e.missing)}
}

var (
	gone      = api.Error{Status: 404, Message: "gone"}
	forbidden = api.Error{Status: 403, Message: "no"}
)

func TestMapError(t *testing.T) {
	m := errorhandler.Map{Rules: []errorhandler.Rule{
		errorhandler.Is(sql.ErrNoRows, gone),
		errorhandler.As(ofShortage),
		errorhandler.As(func(e *fs.PathError) api.Error { return forbidden }),
		errorhandler.Is(fs.ErrNotExist, gone),
	}}
	for name, row := range map[string]struct {
		err  error
		want api.Error // zero: no rule knows it
	}{
		"the error itself":            {sql.ErrNoRows, gone},
		"wrapped":                     {fmt.Errorf("store: %w", sql.ErrNoRows), gone},
		"joined":                      {errors.Join(errors.New("a"), sql.ErrNoRows), gone},
		"a type":                      {fmt.Errorf("store: %w", &shortage{3}), api.Error{Status: 409, Code: "stock.short", Message: "Missing: 3"}},
		"the first rule counts":       {fmt.Errorf("%w: %w", &shortage{3}, sql.ErrNoRows), gone},
		"the earlier of two":          {&fs.PathError{Err: fs.ErrNotExist}, forbidden},
		"the later of two":            {fs.ErrNotExist, gone},
		"another":                     {fs.ErrExist, api.Error{}},
		"a typed nil is none":         {(*shortage)(nil), api.Error{}}, // peer-fw 52
		"nil":                         {nil, api.Error{}},
		"the words of another error":  {errors.New(sql.ErrNoRows.Error()), api.Error{}},
		"an error that has an answer": {api.Error{Status: 404, Err: sql.ErrNoRows}, gone}, // the presenter does not ask
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := m.MapError(row.err)
			require.Equal(t, row.want, got)
			require.Equal(t, row.want.Status != 0, ok)
		})
	}
	_, ok := errorhandler.Map{}.MapError(sql.ErrNoRows)
	require.False(t, ok)
}

func TestAnswersOfIsAreNotShared(t *testing.T) {
	m := errorhandler.Map{Rules: []errorhandler.Rule{errorhandler.Is(sql.ErrNoRows, api.Error{
		Status: 400, Fields: []api.FieldError{{Name: "id"}}, Header: http.Header{"Link": {"</help>"}},
	})}}
	first, _ := m.MapError(sql.ErrNoRows)
	first.Fields[0].Name, first.Header["Link"] = "changed", nil
	second, _ := m.MapError(sql.ErrNoRows)
	require.Equal(t, []api.FieldError{{Name: "id"}}, second.Fields)
	require.Equal(t, http.Header{"Link": {"</help>"}}, second.Header)
}

func TestMapLeavesTheAnswerToBase(t *testing.T) {
	for _, kind := range allKinds() {
		f := failureOf(kind)
		require.Equal(t, answerTo(t, errorhandler.Default{}, f), answerTo(t, errorhandler.Map{}, f))
		m := errorhandler.Map{Base: errorhandler.ProblemDetails{}, Rules: []errorhandler.Rule{errorhandler.As(func(error) api.Error { return gone })}}
		require.Equal(t, answerTo(t, errorhandler.ProblemDetails{}, f), answerTo(t, m, f))
	}
	require.Equal(t, errorhandler.ProblemDetails{}, errorhandler.Map{Base: errorhandler.ProblemDetails{}}.Unwrap())
	require.Nil(t, errorhandler.Map{}.Unwrap())
}

func TestMistakesOfMap(t *testing.T) {
	noRows := errorhandler.Is(sql.ErrNoRows, gone)
	for name, row := range map[string]struct {
		m    errorhandler.Map
		want string // "": nothing is wrong
	}{
		"zero":                           {errorhandler.Map{}, ""},
		"special errors first":           {errorhandler.Map{Rules: rules(errorhandler.As(ofShortage), errorhandler.Is(&fs.PathError{Err: fs.ErrNotExist}, gone), errorhandler.Is(fs.ErrNotExist, gone), noRows)}, ""},
		"the smallest and greatest":      {errorhandler.Map{Rules: rules(errorhandler.Is(fs.ErrExist, api.Error{Status: 400}), errorhandler.Is(fs.ErrNotExist, api.Error{Status: 599}))}, ""},
		"Base":                           {errorhandler.Map{Base: &faulty{}}, "errorhandler.Map: Base: no template"},
		"an empty rule":                  {errorhandler.Map{Rules: rules(noRows, errorhandler.Rule{})}, "errorhandler.Map: rule 2: it is empty: make it with Is or As"},
		"no error":                       {errorhandler.Map{Rules: rules(errorhandler.Is(nil, gone))}, "errorhandler.Map: rule 1: Is has no error to look for"},
		"a nil inside":                   {errorhandler.Map{Rules: rules(errorhandler.Is((*shortage)(nil), gone))}, "errorhandler.Map: rule 1: Is has no error to look for"},
		"no function":                    {errorhandler.Map{Rules: rules(errorhandler.As[*shortage](nil))}, "errorhandler.Map: rule 1: As has no function for *errorhandler_test.shortage"},
		"no status":                      {errorhandler.Map{Rules: rules(errorhandler.Is(fs.ErrExist, api.Error{}))}, `errorhandler.Map: rule 1: the status 0 of "file already exists" is no failure: write 400 to 599`},
		"a success":                      {errorhandler.Map{Rules: rules(errorhandler.Is(fs.ErrExist, api.Error{Status: 399}))}, `errorhandler.Map: rule 1: the status 399 of "file already exists" is no failure: write 400 to 599`},
		"a status above":                 {errorhandler.Map{Rules: rules(errorhandler.Is(fs.ErrExist, api.Error{Status: 600}))}, `errorhandler.Map: rule 1: the status 600 of "file already exists" is no failure: write 400 to 599`},
		"one error twice":                {errorhandler.Map{Rules: rules(noRows, noRows)}, "errorhandler.Map: rule 2: it never applies: rule 1 takes its errors"},
		"a general error first":          {errorhandler.Map{Rules: rules(errorhandler.Is(fs.ErrNotExist, gone), errorhandler.Is(&fs.PathError{Err: fs.ErrNotExist}, gone))}, "errorhandler.Map: rule 2: it never applies: rule 1 takes its errors"},
		"the type of a later error":      {errorhandler.Map{Rules: rules(errorhandler.As(ofShortage), errorhandler.Is(&shortage{1}, gone))}, "errorhandler.Map: rule 2: it never applies: rule 1 takes its errors"},
		"every error first":              {errorhandler.Map{Rules: rules(errorhandler.As(func(error) api.Error { return gone }), errorhandler.As(ofShortage))}, "errorhandler.Map: rule 2: it never applies: rule 1 takes its errors"},
		"an error does not take a type":  {errorhandler.Map{Rules: rules(errorhandler.Is(&shortage{1}, gone), errorhandler.As(ofShortage))}, ""},
		"a wrong rule hides no other":    {errorhandler.Map{Rules: rules(errorhandler.Rule{}, errorhandler.Is(nil, gone))}, "errorhandler.Map: rule 1: it is empty: make it with Is or As\nerrorhandler.Map: rule 2: Is has no error to look for"},
		"also one that takes its errors": {errorhandler.Map{Rules: rules(errorhandler.As[*shortage](nil), errorhandler.As(ofShortage))}, "errorhandler.Map: rule 1: As has no function for *errorhandler_test.shortage"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := row.m.Validate(); row.want != "" {
				require.EqualError(t, err, row.want)
			} else {
				require.NoError(t, err)
			}
		})
	}
}

func rules(list ...errorhandler.Rule) []errorhandler.Rule { return list }

// silent is an error handler that says nothing of its answers.
type silent struct{}

func (silent) HandleError(context.Context, *api.Request, *api.Failure) api.Response { return nil }
