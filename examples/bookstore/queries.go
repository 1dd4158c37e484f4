package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// queries are prepared once. What a client has sent is a parameter and never text
// of a query; that of the order is from bookOrders.
type queries struct {
	book, countBooks, allBooks           *sql.Stmt
	findBooks                            map[string]*sql.Stmt // by order
	cover                                *sql.Stmt
	addBook, addAuthor, setCover         *sql.Stmt
	order, orderOf, orders, ordersOf     *sql.Stmt
	addOrder, addLine, takeStock         *sql.Stmt
	librarian, customer, token, apiKey   *sql.Stmt
	addToken, removeExpiredTokens, price *sql.Stmt
}

const (
	bookColumns = `isbn, title, year, price_cents, stock,
		(SELECT json_group_array(name ORDER BY position) FROM authors WHERE authors.isbn = books.isbn)`

	// ?1 and ?2 are patterns.
	bookFilter = `FROM books
		WHERE (title LIKE ?1 ESCAPE '\' OR EXISTS (SELECT 1 FROM authors WHERE authors.isbn = books.isbn AND name LIKE ?1 ESCAPE '\'))
		AND EXISTS (SELECT 1 FROM authors WHERE authors.isbn = books.isbn AND name LIKE ?2 ESCAPE '\')
		AND price_cents BETWEEN ?3 AND ?4`

	orderColumns = `SELECT id, customer, created, total_cents,
		(SELECT json_group_array(json_object('isbn', isbn, 'quantity', quantity, 'priceCents', price_cents) ORDER BY position)
			FROM order_lines WHERE order_id = orders.id) FROM orders `
)

// bookOrders are the ways to sort. The ISBN makes each of them total, or a book
// could stand on two pages and another on none.
var bookOrders = map[string]string{
	"title":  "title COLLATE NOCASE, isbn",
	"-title": "title COLLATE NOCASE DESC, isbn",
	"price":  "price_cents, isbn",
	"-price": "price_cents DESC, isbn",
	"year":   "year, isbn",
	"-year":  "year DESC, isbn",
}

func (q *queries) prepare(ctx context.Context, s *store) error {
	var errs []error
	prepare := func(db *sql.DB, text string) *sql.Stmt {
		stmt, err := db.PrepareContext(ctx, text)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", text, err))
		}
		return stmt
	}
	*q = queries{
		book:       prepare(s.read, `SELECT `+bookColumns+` FROM books WHERE isbn = ?`),
		countBooks: prepare(s.read, `SELECT count(*) `+bookFilter),
		allBooks:   prepare(s.read, `SELECT `+bookColumns+` FROM books ORDER BY isbn`),
		findBooks:  map[string]*sql.Stmt{},
		cover:      prepare(s.read, `SELECT media_type, data, changed FROM covers WHERE isbn = ?`),
		addBook:    prepare(s.write, `INSERT INTO books (isbn, title, year, price_cents, stock) VALUES (?, ?, ?, ?, ?)`),
		addAuthor:  prepare(s.write, `INSERT INTO authors (isbn, position, name) VALUES (?, ?, ?)`),
		setCover: prepare(s.write, `INSERT INTO covers (isbn, media_type, data, changed) SELECT isbn, ?2, ?3, ?4 FROM books WHERE isbn = ?1
			ON CONFLICT (isbn) DO UPDATE SET media_type = excluded.media_type, data = excluded.data, changed = excluded.changed`),

		order:    prepare(s.read, orderColumns+`WHERE id = ?1`),
		orderOf:  prepare(s.read, orderColumns+`WHERE id = ?1 AND customer = ?2`),
		orders:   prepare(s.read, orderColumns+`ORDER BY id DESC LIMIT ?1 OFFSET ?2`),
		ordersOf: prepare(s.read, orderColumns+`WHERE customer = ?3 ORDER BY id DESC LIMIT ?1 OFFSET ?2`),
		addOrder: prepare(s.write, `INSERT INTO orders (customer, created, total_cents) VALUES (?, ?, ?) RETURNING id`),
		addLine:  prepare(s.write, `INSERT INTO order_lines (order_id, position, isbn, quantity, price_cents) VALUES (?, ?, ?, ?, ?)`),
		takeStock: prepare(s.write, `UPDATE books SET stock = stock - ?2 WHERE isbn = ?1 AND stock >= ?2
			RETURNING price_cents`),
		price: prepare(s.write, `SELECT price_cents FROM books WHERE isbn = ?`),

		librarian: prepare(s.read, `SELECT password_hash FROM librarians WHERE name = ?`),
		customer:  prepare(s.read, `SELECT password_hash, plan FROM customers WHERE name = ?`),
		token: prepare(s.read, `SELECT name, plan, scopes FROM tokens JOIN customers ON name = customer
			WHERE hash = ? AND expires > ?`),
		apiKey:              prepare(s.read, `SELECT owner FROM api_keys WHERE hash = ?`),
		addToken:            prepare(s.write, `INSERT INTO tokens (hash, customer, scopes, expires) VALUES (?, ?, ?, ?)`),
		removeExpiredTokens: prepare(s.write, `DELETE FROM tokens WHERE expires <= ?`),
	}
	for name, order := range bookOrders {
		q.findBooks[name] = prepare(s.read, `SELECT `+bookColumns+bookFilter+` ORDER BY `+order+` LIMIT ?5 OFFSET ?6`)
	}
	return errors.Join(errs...)
}
