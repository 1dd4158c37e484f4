package main

import (
	"context"
	"strings"

	"github.com/sallyport-go/sallyport/api"
)

// bookV1 is a book as version 1 shows it: the authors in one text, the price as a
// number.
type bookV1 struct {
	ISBN       isbn   `json:"isbn"`
	Title      string `json:"title"`
	Author     string `json:"author"`
	Year       int    `json:"year"`
	PriceCents int64  `json:"priceCents"`
	Stock      int64  `json:"stock"`
}

func newBookV1(b book) bookV1 {
	return bookV1{b.ISBN, b.Title, strings.Join(b.Authors, ", "), b.Year, b.PriceCents, b.Stock}
}

type findBooksV1 struct {
	Text   text   `query:"q" validate:"max=100" description:"a part of the title or of an author"`
	Author text   `query:"author" validate:"max=100" description:"a part of an author"`
	Sort   string `query:"sort" enum:"title,-title,price,-price,year,-year" default:"title"`
	paging
}

type booksV1 struct {
	Books []bookV1 `json:"books"`
	Total int      `json:"total"`
}

func (s *shop) findBooksV1(ctx context.Context, in findBooksV1) (booksV1, error) {
	books, total, err := s.store.findBooks(ctx, search{
		Text: string(in.Text), Author: string(in.Author), MaxCents: maxCents, Sort: in.Sort, paging: in.paging,
	})
	out := booksV1{Total: total}
	for _, b := range books {
		out.Books = append(out.Books, newBookV1(b))
	}
	return out, err
}

// getBook is for both versions.
type getBook struct {
	ISBN isbn `path:"isbn"`
}

func (s *shop) bookV1(ctx context.Context, in getBook) (bookV1, error) {
	b, err := s.store.book(ctx, in.ISBN)
	return newBookV1(b), err
}

type addBookV1 struct {
	ISBN       isbn  `json:"isbn" validate:"required"`
	Title      text  `json:"title" validate:"required,min=1,max=200"`
	Author     text  `json:"author" validate:"required,min=1,max=500" description:"divided by commas"`
	Year       int   `json:"year" validate:"required,min=1450,max=2100"`
	PriceCents int64 `json:"priceCents" validate:"required,min=0,max=10000000"`
	Stock      int64 `json:"stock" validate:"min=0,max=1000000"`
	R          *api.Request
}

func (s *shop) addBookV1(ctx context.Context, in addBookV1) (api.Reply[bookV1], error) {
	b := book{ISBN: in.ISBN, Title: string(in.Title), Year: in.Year, PriceCents: in.PriceCents, Stock: in.Stock}
	for name := range strings.SplitSeq(string(in.Author), ",") {
		if name = strings.TrimSpace(name); !isBlank(text(name)) {
			b.Authors = append(b.Authors, name)
		}
	}
	if len(b.Authors) == 0 {
		return api.Reply[bookV1]{}, api.Invalid(api.FieldError{In: "body", Name: "author", Code: "required", Message: "A book has an author"})
	}
	if err := s.store.addBook(ctx, b); err != nil {
		return api.Reply[bookV1]{}, err
	}
	location, err := pathOf(in.R, api.GET("1", "books", "{isbn}"), "isbn", string(b.ISBN))
	return api.Created(location, newBookV1(b)), err
}
