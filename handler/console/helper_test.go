package console_test

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport"
	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/auth"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/console"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// takes is a handler with parameters.
func takes(params ...api.Param) api.Handler {
	return handler.Describe(handler.AlwaysOk{}, api.Description{Params: params})
}

// build adds the console as GET v1/console.
func build(t testing.TB, c *console.Console, d *sallyport.ApiDecider) *sallyport.Presenter {
	t.Helper()
	d.AddApi(api.GET("1", "console"), c, auth.None(), ratelimit.Off)
	presenter, err := sallyport.NewPresenter(d)
	require.NoError(t, err)
	return presenter
}

func decider() *sallyport.ApiDecider { return sallyport.NewApiDecider(sallyport.Config{}) }

func get(h http.Handler, target string, header ...string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func text(t testing.TB, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode, string(b))
	return string(b)
}

// page is the page of the console.
func page(t testing.TB, c *console.Console, d *sallyport.ApiDecider) string {
	t.Helper()
	return text(t, get(build(t, c, d), "/api/v1/console"))
}

// form is the form of an endpoint with this handler and authorization.
func form(t testing.TB, h api.Handler, a api.Authorization) []node {
	t.Helper()
	d := decider()
	d.AddApi(api.POST("1", "things"), h, a)
	return formOf(t, build(t, &console.Console{}, d), "POST v1/things")
}

func formOf(t testing.TB, h http.Handler, id string) []node {
	t.Helper()
	return parse(t, text(t, get(h, "/api/v1/console?form="+url.QueryEscape(id))))
}

// node is an element of a page with the text in it, white space folded.
type node struct {
	Tag   string
	Attr  map[string]string
	Text  string
	depth int
}

// parse reads the elements of a page in their order.
func parse(t testing.TB, html string) (all []node) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(html))
	d.Strict, d.Entity = false, xml.HTMLEntity
	d.AutoClose = append([]string{"wbr"}, xml.HTMLAutoClose...)
	var open []int
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			n := node{Tag: token.Name.Local, Attr: map[string]string{}, depth: len(open)}
			for _, a := range token.Attr {
				n.Attr[a.Name.Local] = a.Value
			}
			open = append(open, len(all))
			all = append(all, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			for _, i := range open {
				all[i].Text += string(token)
			}
		}
	}
	for i := range all {
		if all[i].Tag != "textarea" && all[i].Tag != "pre" {
			all[i].Text = strings.Join(strings.Fields(all[i].Text), " ")
		}
	}
	return all
}

// where are the elements for which is holds.
func where(nodes []node, is func(n node) bool) (found []node) {
	for _, n := range nodes {
		if is(n) {
			found = append(found, n)
		}
	}
	return found
}

func hasClass(class string) func(n node) bool {
	return func(n node) bool {
		for c := range strings.FieldsSeq(n.Attr["class"]) {
			if c == class {
				return true
			}
		}
		return false
	}
}

// texts are those of the elements.
func texts(nodes []node) (all []string) {
	for _, n := range nodes {
		all = append(all, n.Text)
	}
	return all
}

// control is what a person fills in.
type control struct {
	Name, Kind, Value string
	Disabled          bool
}

// controls are those of the form whose names begin with the prefix, without the
// check boxes that leave out empty values, which omits counts.
func controls(nodes []node, prefix string) (fields []control, omits int) {
	for _, n := range nodes {
		name := n.Attr["name"]
		_, disabled := n.Attr["disabled"]
		switch n.Tag {
		case "input", "select", "textarea":
		default:
			continue
		}
		if strings.HasPrefix(name, "omit:"+prefix) {
			if _, checked := n.Attr["checked"]; checked && n.Attr["type"] == "checkbox" {
				omits++
			}
			continue
		}
		if !strings.HasPrefix(name, prefix) || n.Attr["id"] == "burst-count" || n.Attr["id"] == "burst-rate" {
			continue
		}
		c := control{Name: name, Kind: n.Attr["type"], Value: n.Attr["value"], Disabled: disabled}
		if n.Tag != "input" {
			c.Kind = n.Tag
		}
		if n.Tag == "textarea" {
			c.Value = strings.TrimPrefix(n.Text, "\n")
		}
		fields = append(fields, c)
	}
	return fields, omits
}
