package jsonvalue_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/sallyport-go/sallyport/internal/jsonvalue"
)

type small struct {
	Name string   `json:"name" validate:"required,min=1,max=100"`
	Age  int      `json:"age" validate:"min=0,max=150"`
	Tags []string `json:"tags" validate:"max=10,dive,min=1"`
}

var smallText = []byte(`{"name":"Alice","age":3,"tags":["a"]}`)

// encoding/json reads the same text without any of the checks.
func BenchmarkBind(b *testing.B) {
	b.Run("jsonvalue", func(b *testing.B) {
		binder, err := jsonvalue.NewBinder(reflect.TypeFor[small](), jsonvalue.Options{})
		require.NoError(b, err)
		b.ReportAllocs()
		for b.Loop() {
			var v small
			d, faults := jsonvalue.Parse(smallText, jsonvalue.Limits{})
			if faults != nil || binder.Bind(d, reflect.ValueOf(&v).Elem()) != nil {
				b.Fatal("it has a fault")
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v small
			if json.Unmarshal(smallText, &v) != nil {
				b.Fatal("it has a fault")
			}
		}
	})
}
