package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// book is a book as the shop knows it; the versions of the API show it each in
// their own way.
type book struct {
	ISBN       isbn
	Title      string
	Authors    []string
	Year       int
	PriceCents int64
	Stock      int64
}

// search finds books: those with a text in the title or an author, with another
// one in an author, in a range of prices.
type search struct {
	Text, Author       string
	MinCents, MaxCents int64
	Sort               string // one of bookOrders
	paging
}

// cover is a picture of a book.
type cover struct {
	MediaType string
	Data      []byte
	Changed   time.Time
}

// scanner is a *sql.Row or *sql.Rows.
type scanner interface{ Scan(into ...any) error }

func scanBook(row scanner) (b book, err error) {
	var authors []byte
	if err := row.Scan(&b.ISBN, &b.Title, &b.Year, &b.PriceCents, &b.Stock, &authors); err != nil {
		return book{}, err
	}
	return b, json.Unmarshal(authors, &b.Authors)
}

// book finds a book, or sql.ErrNoRows.
func (s *store) book(ctx context.Context, number isbn) (book, error) {
	return scanBook(s.queries.book.QueryRowContext(ctx, number))
}

// wildcards escapes what LIKE would not take literally.
var wildcards = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

func containing(text string) string { return "%" + wildcards.Replace(text) + "%" }

// findBooks finds a page of books, and tells how many there are on all of them.
func (s *store) findBooks(ctx context.Context, find search) (books []book, total int, err error) {
	page, known := s.queries.findBooks[find.Sort]
	if !known {
		return nil, 0, fmt.Errorf("there is no order %q", find.Sort)
	}
	filter := []any{containing(find.Text), containing(find.Author), find.MinCents, find.MaxCents}

	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // the page and the total are of one moment
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = tx.Rollback() }() // it has changed nothing
	if err := tx.StmtContext(ctx, s.queries.countBooks).QueryRowContext(ctx, filter...).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := tx.StmtContext(ctx, page).QueryContext(ctx, append(filter, find.PerPage, find.offset())...)
	if err != nil {
		return nil, 0, err
	}
	err = eachBook(rows, func(b book) error {
		books = append(books, b)
		return nil
	})
	return books, total, err
}

// eachOfAllBooks passes every book as it is read, however many there are.
func (s *store) eachOfAllBooks(ctx context.Context, fn func(book) error) error {
	rows, err := s.queries.allBooks.QueryContext(ctx)
	if err != nil {
		return err
	}
	return eachBook(rows, fn)
}

func eachBook(rows *sql.Rows, fn func(book) error) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		b, err := scanBook(rows)
		if err != nil {
			return err
		}
		if err := fn(b); err != nil {
			return err
		}
	}
	return rows.Err()
}

// addBook adds a book. One that is there already breaks a constraint, see isTaken.
func (s *store) addBook(ctx context.Context, b book) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := tx.StmtContext(ctx, s.queries.addBook).ExecContext(ctx, b.ISBN, b.Title, b.Year, b.PriceCents, b.Stock); err != nil {
			return err
		}
		addAuthor := tx.StmtContext(ctx, s.queries.addAuthor)
		for i, name := range b.Authors {
			if _, err := addAuthor.ExecContext(ctx, b.ISBN, i+1, name); err != nil {
				return err
			}
		}
		return nil
	})
}

// setCover gives a book a cover in place of the one that it has. Without the book
// it is sql.ErrNoRows.
func (s *store) setCover(ctx context.Context, number isbn, c cover) error {
	result, err := s.queries.setCover.ExecContext(ctx, number, c.MediaType, c.Data, c.Changed.UnixMilli())
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, sql.ErrNoRows)
	}
	return nil
}

// cover finds a cover, or sql.ErrNoRows.
func (s *store) cover(ctx context.Context, number isbn) (c cover, err error) {
	var changed int64
	err = s.queries.cover.QueryRowContext(ctx, number).Scan(&c.MediaType, &c.Data, &changed)
	c.Changed = time.UnixMilli(changed).UTC()
	return c, err
}
