// Package param declares the parameters of a handler in code: where each is sent,
// which type it has, what holds of it.
//
//	var (
//		page = param.Query[int]("page").Default(1).Validate("min=1")
//		tags = param.Query[string]("tags").Multi().Allowed("new", "sale")
//	)
//
// A handler names them in its description ([api.Description], field Params). The
// presenter then reads and checks all of them before it calls the handler, answers
// all faults at once, and the handler asks them for their values:
//
//	page.Get(r) // an int
//
// What a parameter is made of is said once, in one chained expression: each
// setter changes the parameter and returns it. Afterwards, and always behind
// NewPresenter, it is not changed any more; then it is safe for concurrent use,
// and several handlers may share it. Mistakes of a declaration are reported when
// the presenter is built.
//
// A value that was sent is never part of a message.
package param
