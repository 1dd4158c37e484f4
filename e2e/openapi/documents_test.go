package openapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/pb33f/libopenapi/datamodel"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/sallyport-go/sallyport/e2e/internal/program"
)

// source is a document of an example.
type source struct {
	example, path string
}

var sources = []source{
	{"quickstart", "/api/v1/openapi"},
	{"bookstore", "/api/v1/openapi"},
	{"bookstore", "/api/v2/openapi"},
}

func (s source) String() string {
	return strings.Trim(s.example+strings.ReplaceAll(s.path, "/", "-"), "-")
}

// running are the addresses of the examples that run.
var running = map[string]string{}

func TestMain(m *testing.M) {
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "openapi")
		if err != nil {
			return fail(err)
		}
		defer func() { _ = os.RemoveAll(folder) }()
		for _, name := range []string{"quickstart", "bookstore"} {
			path, err := program.Build(context.Background(), name, folder)
			if err != nil {
				return fail(err)
			}
			url, stop, err := program.Start(context.Background(), path)
			if err != nil {
				return fail(err)
			}
			running[name] = url
			defer func() {
				if err := stop(); err != nil {
					fail(err)
				}
			}()
		}
		return m.Run()
	}())
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// read fetches a document.
func (s source) read(t *testing.T, query string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, running[s.example]+s.path+query, nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode, string(data))
	return data
}

// file is a document as a file.
func (s source) file(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), s.String()+".json")
	require.NoError(t, os.WriteFile(path, s.read(t, ""), 0o600))
	return path
}

func TestKinOpenAPITakesTheDocuments(t *testing.T) {
	for _, s := range sources {
		t.Run(s.String(), func(t *testing.T) {
			for _, query := range []string{"", "?format=yaml"} {
				loader := openapi3.NewLoader()
				doc, err := loader.LoadFromData(s.read(t, query))
				require.NoError(t, err)
				require.NoError(t, doc.Validate(loader.Context))
				require.NotEmpty(t, doc.Paths.Map())
			}
		})
	}
}

func TestTheDocumentsFitTheMetaSchema(t *testing.T) {
	meta, err := jsonschema.UnmarshalJSON(strings.NewReader(datamodel.OpenAPI31SchemaData))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("openapi.json", meta))
	schema, err := c.Compile("openapi.json")
	require.NoError(t, err)
	for _, s := range sources {
		t.Run(s.String(), func(t *testing.T) {
			data := s.read(t, "")
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
			require.NoError(t, err)
			require.NoError(t, schema.Validate(doc))
			require.Error(t, schema.Validate(map[string]any{"openapi": "3.1.1"}), "the schema refuses nothing")

			var fromJSON, fromYAML any
			require.NoError(t, json.Unmarshal(data, &fromJSON))
			require.NoError(t, yaml.Unmarshal(s.read(t, "?format=yaml"), &fromYAML))
			again, err := json.Marshal(fromYAML)
			require.NoError(t, err)
			require.JSONEq(t, string(data), string(again))
		})
	}
}
