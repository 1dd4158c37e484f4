package handler_test

import (
	"context"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
)

type CreateUser struct {
	Age    int          `query:"age" default:"x"`
	Sort   int          `query:"sort" enum:"1,up"`
	Size   int          `query:"size" default:"7" validate:"max=5"`
	Way    string       `query:"way" default:"c" enum:"a,b"`
	Req    int          `query:"req" default:"1" validate:"required"`
	Opt    api.Opt[int] `query:"opt" default:"1"`
	Rule   string       `query:"rule" validate:"nope"`
	Day    time.Time    `header:"X-Day" format:"day"`
	Form   int          `header:"X-Form" format:"date"`
	Sample int          `cookie:"sample" example:"x"`
	Other  int          `query:"other" validate:"gtfield=Missing"`
	Kind   int          `query:"kind" validate:"gtfield=Way"`
}

type Places struct {
	None     int
	Two      int          `query:"two" header:"Two"`
	Left     int          `json:"-" query:"left"` // fine
	Both     int          `query:"left"`
	Head     int          `header:"x-a"`
	Head2    int          `header:"X-A"`
	Identity api.Identity `query:"identity"`
	Empty    int          `query:""`
	Comma    int          `query:"a,omitempty"`
	Token    int          `header:"a b"`
	Cookie   int          `cookie:"a=b"`
	Host     string       `header:"host"`
	Path     []int        `path:"list"`
	Cookies  []int        `cookie:"list"`
	Struct   struct{}     `query:"struct"`
	Pointer  *[]int       `query:"pointer"`
	Caller   api.Identity `validate:"required"`
	*Embedded
	Inner `description:"x"`
	_     int
}

type Inner struct {
	In int `query:"in" default:"x"`
}

type Embedded struct {
	A int `query:"a"`
}

type Spelling struct {
	Querry  int    `querry:"a"`
	Heder   int    `query:"b" heder:"X"`
	Size    int    `query:"c" maxsize:"1"`
	Fine    int    `query:"d" bson:"d" db:"d" yaml:"d"`
	Accept  int    `query:"e" accept:"text/plain"`
	Default int    `path:"f" default:"1"`
	Max     []byte `body:"raw" maxSize:"1"`
}

type Files struct {
	A string                `file:"a"`
	B *multipart.FileHeader `file:"b" maxSize:"1MB"`
	C *multipart.FileHeader `file:"c" accept:"image"`
	D *multipart.FileHeader `file:"d" accept:"*/png, Image/PNG, image/*" validate:"required"`
	E string                `form:"d"`
}

type Bodies struct {
	Name string `json:"name"`
	Raw  []byte `body:"raw"`
	Form string `form:"form"`
	Else int    `body:"xml"`
}

type BodyAndMembers struct {
	Name  string `json:"name"`
	Whole int    `body:"json"`
}

type Members struct {
	Name string   `json:"name" validate:"nope"`
	Chan chan int `json:"chan"`
}

type RawInt struct {
	Raw int `body:"raw"`
}

type Whole struct {
	Whole RawInt `body:"json" example:"{"`
}

type Lists struct {
	Enum    string   `query:"enum" enum:"asc, desc"`
	Default []string `query:"default" default:"a ,b"`
	Example []int    `header:"X-Example" example:"1, 2"`
	Nothing string   `query:"nothing" enum:""`
	Unread  level    `query:"level" enum:"low,high"`
}

// level reads texts and writes none.
type level struct{ text string }

func (l *level) UnmarshalText(text []byte) error { l.text = string(text); return nil }

type Hidden struct {
	_ string `query:"a"`
	_ string `form:"b"`
	_ string `json:"-" db:"x"`
	time.Time
	api.Opt[int]
	Marker
	Named
}

type Marker struct{ netip.Prefix }

type Named struct {
	time.Duration `query:"wait"`
	Upload        *multipart.FileHeader `json:"-"`
}

type Compared struct {
	A []*multipart.FileHeader `file:"a" validate:"eqfield=B"`
	B []*multipart.FileHeader `file:"b"`
}

// angry panics when it is read.
type angry struct{ _ int }

func (*angry) UnmarshalText([]byte) error { panic("boom") }

type Angry struct {
	A    angry `query:"a" default:"x"`
	Else int   `query:"else" default:"x"`
}

type AngryMember struct {
	A angry `json:"a" default:"x"`
}

type One struct{}

func (One) Validate() error { return nil }

type Another struct{}

func (*Another) Validate() error { return nil }

type Ambiguous struct {
	One
	Another
}

func mistakes[In, Out any](o handler.TypedOptions) []string {
	h := handler.TypedWith(o, func(context.Context, In) (out Out, err error) { return out, nil })
	_, handled := h.Handle(context.Background(), get("/", nil))
	err := h.(interface{ Validate() error }).Validate()
	if err == nil || handled == nil || handled.Error() != err.Error() {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

func TestTypedMistakes(t *testing.T) {
	var o handler.TypedOptions
	for name, row := range map[string]struct{ got, want []string }{
		"values": {mistakes[CreateUser, struct{}](o), []string{
			`CreateUser.Age: default "x" is no integer`,
			`CreateUser.Sort: enum "1,up": it has an entry that is no integer`,
			`CreateUser.Size: default "7" breaks a rule of its own: must be at most 5`,
			`CreateUser.Way: default "c" breaks a rule of its own: must be one of: a, b`,
			`CreateUser.Req: it is required, so its default is never used`,
			`CreateUser.Opt: an api.Opt tells that nothing was sent, so it has no default`,
			`CreateUser.Rule: rule "nope" is unknown`,
			`CreateUser.Day: format "day": it is neither "date-time", "date" nor "unix", and as a layout of package time it holds no time`,
			`CreateUser.Form: format "date": only time.Time has formats`,
			`CreateUser.Sample: example "x" is no integer`,
			`CreateUser.Other: there is no field Missing to compare with`,
			`CreateUser.Kind: a int is not compared with Way, which is a string`,
		}},
		"places": {mistakes[Places, struct{}](o), []string{
			`Places.None: it has no tag that says where it comes from: write json:"-" to leave it out`,
			`Places.Two: it has the tags query and header: a value comes from one place`,
			`Places.Both: it takes what Places.Left takes already`,
			`Places.Head2: it takes what Places.Head takes already`,
			`Places.Identity: a api.Identity is filled in: it has no tag query`,
			`Places.Empty: the name of the query value is empty`,
			`Places.Comma: the tag query holds a name and nothing else`,
			`Places.Token: "a b" is no name of a header`,
			`Places.Cookie: "a=b" is no name of a cookie`,
			`Places.Host: net/http keeps Host out of the header: take it from a field of type *http.Request`,
			`Places.Path: a path value is one value, not a list`,
			`Places.Cookies: a cookie value is one value, not a list`,
			`Places.Struct: no text is read as struct {}: unsupported operation`,
			`Places.Pointer: no text is read as []int: unsupported operation`,
			`Places.Caller: the tag validate does not fit a api.Identity`,
			`Places.Embedded: it is an embedded pointer: embed the struct itself`,
			`Places.Inner: the tag description does not fit an embedded struct`,
			`Places.Inner.In: default "x" is no integer`,
		}},
		"spelling": {mistakes[Spelling, struct{}](o), []string{
			`Spelling.Querry: unknown tag querry: did you mean query?`,
			`Spelling.Querry: it has no tag that says where it comes from: write json:"-" to leave it out`,
			`Spelling.Heder: unknown tag heder: did you mean header?`,
			`Spelling.Size: unknown tag maxsize: did you mean maxSize?`,
			`Spelling.Accept: the tag accept does not fit query`,
			`Spelling.Default: the tag default does not fit path`,
			`Spelling.Max: the tag maxSize does not fit body:raw`,
		}},
		"files": {mistakes[Files, struct{}](o), []string{
			`Files.A: a file is a *multipart.FileHeader, or a list of them`,
			`Files.B: maxSize "1MB" is no size such as 500, 64KiB or 1MiB`,
			`Files.C: accept "image" is no media type in lower case and without parameters, such as image/png or image/*`,
			`Files.D: accept "*/png" is no media type in lower case and without parameters, such as image/png or image/*`,
			`Files.D: accept "Image/PNG" is no media type in lower case and without parameters, such as image/png or image/*`,
			`Files.E: it takes what Files.D takes already`,
		}},
		"bodies": {mistakes[Bodies, struct{}](o), []string{
			`Bodies.Raw: the body is raw, and for Bodies.Name it is JSON with members: it cannot be both`,
			`Bodies.Form: the body is a form, and for Bodies.Name it is JSON with members: it cannot be both`,
			`Bodies.Else: body "xml" is neither json nor raw`,
		}},
		"a body and members": {mistakes[BodyAndMembers, struct{}](o), []string{
			`BodyAndMembers.Whole: the body is the JSON of one field, and for BodyAndMembers.Name it is JSON with members: it cannot be both`,
		}},
		"members": {mistakes[Members, struct{}](o), []string{
			`Members.Name: rule "nope" is unknown`,
			`Members.Chan: JSON is not read as chan int`,
		}},
		"a raw number":          {mistakes[RawInt, struct{}](o), []string{`RawInt.Raw: a raw body is a []byte or a string`}},
		"the JSON of one field": {mistakes[Whole, struct{}](o), []string{`Whole.Whole: the example is no JSON`}},
		"lists": {mistakes[Lists, struct{}](o), []string{
			`Lists.Enum: enum "asc, desc": drop the spaces around " desc"`,
			`Lists.Default: default "a ,b": drop the spaces around "a "`,
			`Lists.Example: example "1, 2": drop the spaces around " 2"`,
			`Lists.Nothing: enum "": it allows nothing`,
			`Lists.Unread: enum "low,high": the values of handler_test.level are not told apart without a method MarshalText`,
		}},
		"unexported, and values that are embedded": {mistakes[Hidden, struct{}](o), []string{
			`Hidden._: it is unexported and has the tag query`,
			`Hidden._: it is unexported and has the tag form`,
			`Hidden.Time: a time.Time is one value and has no fields to embed: say where it comes from, or write json:"-"`,
			`Hidden.Opt: a api.Opt[int] is one value and has no fields to embed: say where it comes from, or write json:"-"`,
			`Hidden.Marker: a handler_test.Marker is one value and has no fields to embed: say where it comes from, or write json:"-"`,
		}},
		"files are not compared": {mistakes[Compared, struct{}](o), []string{`Compared.A: rule "eqfield" does not fit the type []*multipart.FileHeader`}},
		"a type that panics": {mistakes[Angry, struct{}](o), []string{
			`Angry.A: it panics: boom`,
			`Angry.Else: default "x" is no integer`,
		}},
		"a member that panics": {mistakes[AngryMember, struct{}](o), []string{`AngryMember: it panics: boom`}},
		"two methods": {mistakes[Ambiguous, struct{}](o), []string{
			`Ambiguous: several embedded structs have a method Validate, so none is called: write one that calls them`,
		}},
		"an anonymous struct": {mistakes[struct{ A int }, struct{}](o), []string{
			`In.A: it has no tag that says where it comes from: write json:"-" to leave it out`,
		}},
		"no struct":        {mistakes[*CreateUser, struct{}](o), []string{`the input is a *handler_test.CreateUser, not a struct`}},
		"no JSON":          {mistakes[struct{}, func()](o), []string{`the answer is a func(), which is no JSON`}},
		"a pointer is one": {mistakes[struct{}, teapot](o), []string{`the answer is a handler_test.teapot, but it is *handler_test.teapot that says how it is sent`}},
		"a bad status":     {mistakes[struct{}, int](handler.TypedOptions{Status: 404, MaxDepth: -1}), []string{`MaxDepth is negative`, `404 is no status of success`}},
		"no body":          {mistakes[struct{}, int](handler.TypedOptions{Status: 204}), []string{`an answer with this Status has no body: let the function return struct{}`}},
		"two statuses":     {mistakes[struct{}, api.Response](handler.TypedOptions{Status: 201}), []string{`the answer api.Response has a status of its own: Status says another`}},
	} {
		want := make([]string, len(row.want))
		for i, text := range row.want {
			want[i] = "handler.Typed: " + text
		}
		require.Equal(t, want, row.got, name)
	}
	err := handler.Typed[struct{}, struct{}](nil).(interface{ Validate() error }).Validate()
	require.EqualError(t, err, "handler.Typed: the function is nil")
}

func TestTypedDescribes(t *testing.T) {
	type in struct {
		ID     int                   `path:"id" description:"Who"`
		Sort   string                `query:"sort" enum:"asc,desc" default:"asc" example:"desc"`
		IDs    []int                 `query:"ids" default:"1,2" validate:"required"`
		Days   []time.Time           `header:"x-days" format:"date"`
		Opt    api.Opt[bool]         `cookie:"opt"`
		Title  string                `form:"title" validate:"required"`
		Avatar *multipart.FileHeader `file:"avatar" accept:"image/*"`
		Caller api.Identity
	}
	type clean struct {
		ID     int                     `path:"id" description:"Who"`
		Sort   string                  `query:"sort" enum:"asc,desc" default:"asc" example:"desc"`
		IDs    []int                   `query:"ids" default:"1,2"`
		Days   []time.Time             `header:"x-days" format:"date"`
		Opt    api.Opt[bool]           `cookie:"opt"`
		Title  string                  `form:"title" validate:"required"`
		Avatar []*multipart.FileHeader `file:"avatar" accept:"image/*" validate:"required"`
		Caller api.Identity
	}
	type whole struct {
		Body []int `body:"json" validate:"required" example:"[1]" description:"All"`
	}
	type raw struct {
		Body string `body:"raw" accept:"text/csv" example:"a,b"`
	}
	describe := func(h api.Handler) api.Description { return h.(api.Describer).Describe() }

	// What is right is told for all that, so that the presenter finds what else is wrong.
	broken := describe(handler.Typed(func(context.Context, in) (user, error) { return user{}, nil }))
	require.Empty(t, broken.Outputs)
	require.Equal(t, "id", broken.Inputs[0].Name)

	require.Equal(t, []api.Input{
		{In: api.InPath, Name: "id", Description: "Who", Required: true, Type: "integer", Schema: api.Schema{Type: reflect.TypeFor[int]()}},
		{In: api.InQuery, Name: "sort", Type: "string", Default: "asc", Schema: api.Schema{Type: reflect.TypeFor[string]()},
			Allowed: []api.Allowed{{Value: "asc"}, {Value: "desc"}}, Examples: []api.Example{{Value: "desc"}}},
		{In: api.InQuery, Name: "ids", Type: "integer", Multi: true, Default: []int{1, 2}, Schema: api.Schema{Type: reflect.TypeFor[int]()}},
		{In: api.InHeader, Name: "X-Days", Type: "date", Multi: true, Schema: api.Schema{Type: reflect.TypeFor[time.Time]()}},
		{In: api.InCookie, Name: "opt", Type: "boolean", Schema: api.Schema{Type: reflect.TypeFor[bool]()}},
		{In: api.InForm, Name: "title", Type: "string", Required: true, Schema: api.Schema{Type: reflect.TypeFor[string]()}},
		{In: api.InFile, Name: "avatar", Required: true, Multi: true, MediaTypes: []string{"image/*"}},
	}, describe(handler.Typed(func(context.Context, clean) (user, error) { return user{}, nil })).Inputs)

	for _, row := range []struct {
		handler api.Handler
		want    api.Input
	}{
		{handler.Typed(func(context.Context, order) (user, error) { return user{}, nil }),
			api.Input{In: api.InJSON, Required: true, Schema: api.Schema{Type: reflect.TypeFor[order]()}}},
		{handler.Typed(func(context.Context, whole) (user, error) { return user{}, nil }),
			api.Input{In: api.InJSON, Required: true, Description: "All", Schema: api.Schema{Type: reflect.TypeFor[[]int]()},
				Examples: []api.Example{{Value: json.RawMessage("[1]")}}}},
		{handler.Typed(func(context.Context, raw) (user, error) { return user{}, nil }),
			api.Input{In: api.InRaw, MediaTypes: []string{"text/csv"}, Examples: []api.Example{{Value: "a,b"}}}},
	} {
		inputs := describe(row.handler).Inputs
		require.Equal(t, row.want, inputs[len(inputs)-1])
	}
}

func outputOf[Out any](t *testing.T, status int) []api.OutputInfo {
	h := handler.TypedWith(handler.TypedOptions{Status: status}, func(context.Context, struct{}) (out Out, err error) { return out, nil })
	require.NoError(t, h.(interface{ Validate() error }).Validate())
	var all []api.OutputInfo
	for _, output := range h.(api.Describer).Describe().Outputs {
		info, err := output.Describe()
		require.NoError(t, err)
		require.Equal(t, []string{"Response code doesn't match"}, output.Check(&api.Answer{Status: http.StatusTeapot}))
		all = append(all, info)
	}
	return all
}

func TestTypedDescribesAnswers(t *testing.T) {
	info := func(status int, body reflect.Type) []api.OutputInfo {
		return []api.OutputInfo{{Status: status, MediaType: "application/json", Schema: api.Schema{Type: body}}}
	}
	require.Equal(t, info(200, reflect.TypeFor[*user]()), outputOf[*user](t, 0))
	require.Equal(t, info(202, reflect.TypeFor[[]user]()), outputOf[[]user](t, 202))
	require.Equal(t, info(0, reflect.TypeFor[user]()), outputOf[api.Reply[user]](t, 0))
	require.Equal(t, info(201, reflect.TypeFor[user]()), outputOf[api.Reply[user]](t, 201))
	require.Equal(t, []api.OutputInfo{{Status: 204}}, outputOf[struct{}](t, 0))
	require.Equal(t, []api.OutputInfo{{}}, outputOf[api.Reply[struct{}]](t, 0))
	require.Nil(t, outputOf[api.Response](t, 0))
	require.Nil(t, outputOf[*teapot](t, 0))
	require.Nil(t, outputOf[any](t, 0))
}
