package param_test

import (
	"testing"

	"github.com/sallyport-go/sallyport/handler/param"
)

func BenchmarkValue(b *testing.B) {
	p := param.Query[int]("page").Default(1).Validate("min=1,max=1000000")
	r := get("page=4711&size=10")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Read(r); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkList(b *testing.B) {
	p := param.Query[string]("tags").Multi().Allowed("new", "sale")
	r := get("tags[]=new&tags[]=sale")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Read(r); err != nil {
			b.Fatal(err)
		}
	}
}
