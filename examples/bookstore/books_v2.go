package main

import (
	"context"
	"maps"
	"net/http"
	"strconv"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/handler"
	"github.com/sallyport-go/sallyport/handler/output"
	"github.com/sallyport-go/sallyport/handler/param"
)

// bookV2 is a book as version 2 shows it: a list of authors, a price with its
// currency.
type bookV2 struct {
	ISBN    isbn     `json:"isbn"`
	Title   string   `json:"title"`
	Authors []string `json:"authors"`
	Year    int      `json:"year"`
	Price   money    `json:"price"`
	Stock   int64    `json:"stock"`
}

// money is an amount in the smallest unit of its currency.
type money struct {
	Amount   int64  `json:"amount" validate:"required,min=0,max=10000000"`
	Currency string `json:"currency" validate:"required,oneof=EUR"`
}

func newBookV2(b book) bookV2 {
	return bookV2{b.ISBN, b.Title, b.Authors, b.Year, money{b.PriceCents, "EUR"}, b.Stock}
}

const booksV2Schema = `{
	"type": "object",
	"properties": {
		"items": {"type": "array", "items": {
			"type": "object",
			"properties": {
				"isbn":    {"type": "string", "pattern": "^[0-9]{13}$"},
				"title":   {"type": "string", "minLength": 1},
				"authors": {"type": "array", "items": {"type": "string"}, "minItems": 1},
				"year":    {"type": "integer"},
				"price":   {
					"type": "object",
					"properties": {"amount": {"type": "integer", "minimum": 0}, "currency": {"const": "EUR"}},
					"required": ["amount", "currency"],
					"additionalProperties": false
				},
				"stock":   {"type": "integer", "minimum": 0}
			},
			"required": ["isbn", "title", "authors", "year", "price", "stock"],
			"additionalProperties": false
		}},
		"total": {"type": "integer", "minimum": 0},
		"next":  {"type": "string", "description": "where the next page is, if there is one"}
	},
	"required": ["items", "total"],
	"additionalProperties": false
}`

type booksV2 struct {
	Items []bookV2 `json:"items"`
	Total int      `json:"total"`
	Next  string   `json:"next,omitempty"`
}

// findBooksV2 has its parameters and its answer in code, where search tools and
// the contract of the version find them.
func (s *shop) findBooksV2() api.Handler {
	var (
		part    = param.Query[text]("q").Validate("max=100").Description("A part of the title or of an author")
		author  = param.Query[text]("author").Validate("max=100").Description("A part of an author")
		from    = param.Query[int64]("minPrice").Default(0).Validate("min=0,max=10000000").Description("In cents")
		to      = param.Query[int64]("maxPrice").Default(maxCents).Validate("min=0,max=10000000").Description("In cents")
		sort    = param.Query[string]("sort").Allowed("title", "-title", "price", "-price", "year", "-year").Default("title")
		page    = param.Query[int]("page").Default(1).Validate("min=1,max=10000")
		perPage = param.Query[int]("perPage").Default(20).Validate("min=1,max=100")
	)
	return handler.Describe(handler.Func(func(ctx context.Context, r *api.Request) (api.Response, error) {
		find := search{
			Text: string(part.Get(r)), Author: string(author.Get(r)), MinCents: from.Get(r), MaxCents: to.Get(r),
			Sort: sort.Get(r), paging: paging{page.Get(r), perPage.Get(r)},
		}
		books, total, err := s.store.findBooks(ctx, find)
		if err != nil {
			return nil, err
		}
		out := booksV2{Total: total}
		for _, b := range books {
			out.Items = append(out.Items, newBookV2(b))
		}
		if find.Page*find.PerPage < total {
			if out.Next, err = pageAfter(r, find.Page); err != nil {
				return nil, err
			}
		}
		return api.JSON(http.StatusOK, out), nil
	}), api.Description{
		Summary: "Find books",
		Tags:    []string{"books"},
		Params:  []api.Param{part, author, from, to, sort, page, perPage},
		Outputs: []api.Output{output.JSON(http.StatusOK, booksV2Schema)},
	})
}

// pageAfter is the path and the query of the request, one page further.
func pageAfter(r *api.Request, page int) (string, error) {
	query, err := r.QueryValues()
	if err != nil {
		return "", err
	}
	next := maps.Clone(query) // the request keeps its own
	next.Set("page", strconv.Itoa(page+1))
	return r.Program().Path(r.Endpoint(), next)
}

func (s *shop) bookV2(ctx context.Context, in getBook) (bookV2, error) {
	b, err := s.store.book(ctx, in.ISBN)
	return newBookV2(b), err
}

type addBookV2 struct {
	ISBN    isbn   `json:"isbn" validate:"required"`
	Title   text   `json:"title" validate:"required,min=1,max=200"`
	Authors []text `json:"authors" validate:"required,min=1,max=20,dive,min=1,max=100"`
	Year    int    `json:"year" validate:"required,min=1450,max=2100"`
	Price   money  `json:"price" validate:"required"`
	Stock   int64  `json:"stock" validate:"min=0,max=1000000"`
	R       *api.Request
}

func (s *shop) addBookV2(ctx context.Context, in addBookV2) (api.Reply[bookV2], error) {
	b := book{ISBN: in.ISBN, Title: string(in.Title), Year: in.Year, PriceCents: in.Price.Amount, Stock: in.Stock}
	for _, name := range in.Authors {
		b.Authors = append(b.Authors, string(name))
	}
	if err := s.store.addBook(ctx, b); err != nil {
		return api.Reply[bookV2]{}, err
	}
	location, err := pathOf(in.R, api.GET("2", "books", "{isbn}"), "isbn", string(b.ISBN))
	return api.Created(location, newBookV2(b)), err
}
