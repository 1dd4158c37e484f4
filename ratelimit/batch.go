package ratelimit

import (
	"context"
	"errors"
	"fmt"

	"github.com/sallyport-go/sallyport/internal/part"
)

// BatchStorage is a [Storage] that decides several limits of a gate in one go:
// over a network, in one round trip.
type BatchStorage interface {
	Storage

	// ConsumeAll decides the items in order and stops after the first refusal;
	// what stands behind it is not charged. It appends one Decision per decided
	// item to dst. An error belongs to the next item, whose outcome is unknown;
	// the rest was not tried, and is asked again. When the rest may have been
	// decided, too, the error is [Lost]. Keys are valid until it returns.
	ConsumeAll(ctx context.Context, items []Item, dst []Decision) ([]Decision, error)
}

// Item is one question to a [BatchStorage], as those to Storage.Consume.
type Item struct {
	Key       []byte
	Algorithm Algorithm
	Take      Take
}

// A Preparer is a [Storage] that wants to know before the first request what it
// is going to be asked: which algorithms, one behind the other, in one go. It is
// told once for each such group when limits are built. An algorithm that the
// storage cannot run is an error, and so a mistake of the program.
type Preparer interface {
	Prepare(algorithms []Algorithm) error
}

// batch is consecutive policies of a gate on one [BatchStorage].
type batch struct {
	storage  BatchStorage
	policies []*policyLimiter
}

// join is the step with one more policy, or nil when they do not go together.
// Storages are compared as pointers alone: other values may not be comparable.
func join(s step, l *policyLimiter) step {
	storage, ok := l.storage.(BatchStorage)
	if !ok || !isPointer(l.storage) {
		return nil
	}
	switch s := s.(type) {
	case *policyLimiter:
		if isPointer(s.storage) && s.storage == l.storage {
			return &batch{storage, []*policyLimiter{s, l}}
		}
	case *batch:
		if s.storage == storage {
			return &batch{storage, append(s.policies[:len(s.policies):len(s.policies)], l)}
		}
	}
	return nil
}

func (b *batch) prepare() error { return prepare(b.storage, b.policies...) }

func prepare(s Storage, policies ...*policyLimiter) error {
	p, ok := s.(Preparer)
	if !ok {
		return nil
	}
	algorithms := make([]Algorithm, len(policies))
	for i, l := range policies {
		algorithms[i] = l.algorithm
	}
	if err := part.Ask(func() error { return p.Prepare(algorithms) }); err != nil {
		names := make([]string, len(policies))
		for i, l := range policies {
			names[i] = l.name
		}
		return part.Within(fmt.Sprintf("rate limits %q", names), err)
	}
	return nil
}

// question is what a policy of a batch asks about the request.
type question struct {
	policy *policyLimiter
	item   Item
}

// consumeStep catches panics, as some of its limits may have been charged.
func (b *batch) consumeStep(_, ctx context.Context, rc *Context, cost int64, dst []Result) (results []Result, err error) {
	results = dst
	defer catch(&err)
	questions, broken := b.questions(ctx, rc, cost)
	items := make([]Item, len(questions))
	for i, q := range questions {
		items[i] = q.item
	}
	var room [4]Decision
	for len(items) > 0 {
		decisions, err := b.storage.ConsumeAll(ctx, items, room[:0])
		decisions = decisions[:min(len(decisions), len(items))]
		for i, d := range decisions {
			q := &questions[i]
			results = q.policy.appendResult(results, d, q.item.Take.Limit)
			if !d.Accepted {
				return results, nil
			}
		}
		items, questions = items[len(decisions):], questions[len(decisions):]
		if len(items) == 0 {
			break
		}
		if err == nil {
			return results, fmt.Errorf("ratelimit: policy %q: the storage has decided %d of %d limits", questions[0].policy.name, len(decisions), len(decisions)+len(items))
		}
		failed := questions[:1]
		if errors.Is(err, ErrLost) || ctx.Err() != nil { // nothing may be asked twice, and nothing more is answered
			failed = questions
		}
		for i := range failed {
			q, asked, failure := &failed[i], len(results), error(nil)
			results, failure = q.policy.storageFailed(ctx, rc, q.item.Key, q.item.Take, err, results)
			if failure != nil || refused(results, asked) {
				return results, failure
			}
		}
		items, questions = items[len(failed):], questions[len(failed):]
	}
	return results, broken
}

// questions are those of the policies that apply, up to one that cannot ask:
// what stands before it is asked first, as it would be one by one.
func (b *batch) questions(ctx context.Context, rc *Context, cost int64) (list []question, broken error) {
	list = make([]question, 0, len(b.policies))
	for _, l := range b.policies {
		key, take, ok, err := l.ask(ctx, rc, cost)
		if err != nil {
			return list, err
		}
		if ok {
			list = append(list, question{l, Item{Key: key, Algorithm: l.algorithm, Take: take}})
		}
	}
	return list, nil
}
