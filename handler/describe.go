package handler

import (
	"context"
	"errors"
	"slices"

	"github.com/sallyport-go/sallyport/api"
	"github.com/sallyport-go/sallyport/internal/part"
)

// Describe gives a handler a description, or adds to the one that it has: texts
// replace those of the handler, lists are added to. Outputs stand in for the one
// that [Typed] derives from its function.
//
//	handler.Describe(handler.Func(listUsers), api.Description{
//		Summary: "List users",
//		Params:  []api.Param{page, sort},
//		Outputs: []api.Output{output.JSON(200, usersSchema)},
//	})
func Describe(h api.Handler, d api.Description) api.Handler {
	return &described{handler: h, description: d}
}

type described struct {
	handler     api.Handler
	description api.Description
}

// Validate refuses a handler that is nil. What else is wrong with it is found
// through Unwrap.
func (d *described) Validate() error {
	if part.IsNil(d.handler) {
		return errors.New("handler.Describe: the handler is nil")
	}
	return nil
}

// Unwrap is the handler without the description.
func (d *described) Unwrap() api.Handler { return d.handler }

func (d *described) Handle(ctx context.Context, r *api.Request) (api.Response, error) {
	return d.handler.Handle(ctx, r)
}

func (d *described) Describe() api.Description {
	own := &d.description
	parts, err := part.Unwrapped[api.Handler](d)
	if err != nil { // it is told elsewhere
		return *own
	}
	all := describedBy(parts[1:])
	if len(own.Outputs) > 0 {
		all.Outputs = slices.DeleteFunc(slices.Clone(all.Outputs), func(o api.Output) bool {
			_, derived := o.(success)
			return derived
		})
	}
	if own.Summary != "" {
		all.Summary = own.Summary
	}
	if own.Description != "" {
		all.Description = own.Description
	}
	all.Deprecated = all.Deprecated || own.Deprecated
	all.Tags = slices.Concat(all.Tags, own.Tags)
	all.Params = slices.Concat(all.Params, own.Params)
	all.Inputs = slices.Concat(all.Inputs, own.Inputs)
	all.Outputs = slices.Concat(all.Outputs, own.Outputs)
	all.Failures = slices.Concat(all.Failures, own.Failures)
	return all
}

// describedBy is the description of the first part that has one.
func describedBy(parts []api.Handler) api.Description {
	for _, p := range parts {
		if describer, ok := p.(api.Describer); ok {
			return describer.Describe()
		}
	}
	return api.Description{}
}
