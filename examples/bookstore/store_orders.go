package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

// order is what a customer has bought. It is shown as it is, in all versions.
type order struct {
	ID         int64       `json:"id"`
	Customer   string      `json:"customer"`
	Created    time.Time   `json:"created"`
	Lines      []orderLine `json:"lines"`
	TotalCents int64       `json:"totalCents"`
}

type orderLine struct {
	ISBN       isbn  `json:"isbn"`
	Quantity   int64 `json:"quantity"`
	PriceCents int64 `json:"priceCents"` // of one copy, when it was ordered
}

// lineError is what is wrong with a line of an order.
type lineError struct {
	Line int // from 0
	Err  error
}

func (e *lineError) Error() string { return e.Err.Error() }
func (e *lineError) Unwrap() error { return e.Err }

var (
	errNoBook  = errors.New("there is no such book")
	errSoldOut = errors.New("there are not so many copies")
)

// addOrder takes the copies out of the stock and adds the order with the prices of
// this moment, or does neither. A line that cannot be had is a *lineError.
func (s *store) addOrder(ctx context.Context, o order) (order, error) {
	err := s.inTx(ctx, func(tx *sql.Tx) (err error) {
		o.TotalCents = 0
		for i := range o.Lines {
			line := &o.Lines[i]
			if line.PriceCents, err = s.takeStock(ctx, tx, line.ISBN, line.Quantity); errors.Is(err, errNoBook) || errors.Is(err, errSoldOut) {
				return &lineError{i, err}
			} else if err != nil {
				return err
			}
			o.TotalCents += line.Quantity * line.PriceCents
		}
		if err := tx.StmtContext(ctx, s.queries.addOrder).QueryRowContext(ctx, o.Customer, o.Created.UnixMilli(), o.TotalCents).Scan(&o.ID); err != nil {
			return err
		}
		addLine := tx.StmtContext(ctx, s.queries.addLine)
		for i, line := range o.Lines {
			if _, err := addLine.ExecContext(ctx, o.ID, i+1, line.ISBN, line.Quantity, line.PriceCents); err != nil {
				return err
			}
		}
		return nil
	})
	return o, err
}

func (s *store) takeStock(ctx context.Context, tx *sql.Tx, number isbn, quantity int64) (priceCents int64, err error) {
	err = tx.StmtContext(ctx, s.queries.takeStock).QueryRowContext(ctx, number, quantity).Scan(&priceCents)
	if !errors.Is(err, sql.ErrNoRows) {
		return priceCents, err
	}
	err = tx.StmtContext(ctx, s.queries.price).QueryRowContext(ctx, number).Scan(&priceCents)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, errNoBook
	case err != nil:
		return 0, err
	}
	return 0, errSoldOut
}

// order finds an order, or sql.ErrNoRows.
func (s *store) order(ctx context.Context, id int64) (order, error) {
	return scanOrder(s.queries.order.QueryRowContext(ctx, id))
}

// orderOf finds an order of one customer; that of another one is not there.
func (s *store) orderOf(ctx context.Context, customer string, id int64) (order, error) {
	return scanOrder(s.queries.orderOf.QueryRowContext(ctx, id, customer))
}

// orders finds a page of the orders of all customers, the newest first.
func (s *store) orders(ctx context.Context, p paging) ([]order, error) {
	return allOrders(s.queries.orders.QueryContext(ctx, p.PerPage, p.offset()))
}

// ordersOf finds those of one customer.
func (s *store) ordersOf(ctx context.Context, customer string, p paging) ([]order, error) {
	return allOrders(s.queries.ordersOf.QueryContext(ctx, p.PerPage, p.offset(), customer))
}

func allOrders(rows *sql.Rows, err error) (orders []order, _ error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err has told what was wrong
	for rows.Next() {
		o, err := scanOrder(rows)
		if err != nil {
			return nil, err
		}
		orders = append(orders, o)
	}
	return orders, rows.Err()
}

func scanOrder(row scanner) (o order, err error) {
	var created int64
	var lines []byte
	if err := row.Scan(&o.ID, &o.Customer, &created, &o.TotalCents, &lines); err != nil {
		return order{}, err
	}
	o.Created = time.UnixMilli(created).UTC()
	return o, json.Unmarshal(lines, &o.Lines)
}
