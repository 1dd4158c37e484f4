package main

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/sallyport-go/sallyport/api"
)

type postOrder struct {
	Lines  []newLine `json:"lines" validate:"required,min=1,max=20,unique=ISBN"`
	Caller api.Identity
	R      *api.Request
}

type newLine struct {
	ISBN     isbn  `json:"isbn" validate:"required"`
	Quantity int64 `json:"quantity" validate:"required,min=1,max=100"`
}

func (s *shop) postOrder(ctx context.Context, in postOrder) (api.Reply[order], error) {
	c, ok := in.Caller.Value.(customer)
	if !ok {
		return api.Reply[order]{}, errNoCustomer
	}
	o := order{Customer: c.Name, Created: s.now().UTC().Truncate(time.Millisecond)}
	for _, line := range in.Lines {
		o.Lines = append(o.Lines, orderLine{ISBN: line.ISBN, Quantity: line.Quantity})
	}
	o, err := s.store.addOrder(ctx, o)
	if err != nil {
		return api.Reply[order]{}, err
	}
	location, err := pathOf(in.R, api.GET("1", "orders", "{id}"), "id", strconv.FormatInt(o.ID, 10))
	return api.Created(location, o), err
}

// lineAnswer is how a line that cannot be had is answered: a book that there never
// was is wrong input, one that is sold out may be there tomorrow.
func lineAnswer(err *lineError) api.Error {
	fault := api.FieldError{In: "body", Name: "/lines/" + strconv.Itoa(err.Line)}
	if errors.Is(err, errSoldOut) {
		fault.Code, fault.Message = "soldOut", "There are not so many copies"
		return api.Error{Status: http.StatusConflict, Message: "Some books are sold out", Code: "soldOut", Fields: []api.FieldError{fault}}
	}
	fault.Name += "/isbn"
	fault.Code, fault.Message = "unknown", "There is no such book"
	return api.Error{Status: http.StatusBadRequest, Fields: []api.FieldError{fault}}
}

type listOrders struct {
	paging
	Caller api.Identity
}

type listedOrders struct {
	Orders []order `json:"orders"`
}

// orders are the caller's own, and those of all customers for a librarian.
func (s *shop) orders(ctx context.Context, in listOrders) (out listedOrders, err error) {
	switch caller := in.Caller.Value.(type) {
	case customer:
		out.Orders, err = s.store.ordersOf(ctx, caller.Name, in.paging)
	case librarian:
		out.Orders, err = s.store.orders(ctx, in.paging)
	default:
		err = errNoCustomer
	}
	return out, err
}

type getOrder struct {
	ID     int64 `path:"id"`
	Caller api.Identity
}

func (s *shop) order(ctx context.Context, in getOrder) (order, error) {
	switch caller := in.Caller.Value.(type) {
	case customer:
		return s.store.orderOf(ctx, caller.Name, in.ID)
	case librarian:
		return s.store.order(ctx, in.ID)
	}
	return order{}, errNoCustomer
}
