package redisstorage

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// errAccess marks an outage that only a human ends: Redis does not let the
// program in.
var errAccess = errors.New("redis denies access")

// kind is what an error reply of Redis means.
type kind uint8

const (
	bug      kind = iota // the program or its configuration is wrong
	outage               // Redis cannot answer at the moment
	repeat               // the same, and nothing has run: it may be asked once more
	noAccess             // Redis does not let the program in
	noScript             // Redis does not have the script; nothing has run
)

// kinds has the error replies that are no fault of the program, by their code.
var kinds = map[string]kind{
	"LOADING":     repeat,
	"READONLY":    repeat,
	"TRYAGAIN":    repeat,
	"CLUSTERDOWN": repeat,
	"MOVED":       repeat,
	"ASK":         repeat,
	"MASTERDOWN":  outage,
	"NOREPLICAS":  outage,
	"OOM":         outage,
	"MISCONF":     outage,
	"BUSY":        outage,
	"UNKILLABLE":  outage,
	"NOAUTH":      noAccess,
	"WRONGPASS":   noAccess,
	"NOPERM":      noAccess,
	"DENIED":      noAccess,
	"NOSCRIPT":    noScript,
}

// kindOf reads the text of an error reply: its code is the first word.
func kindOf(text string) kind {
	text = strings.TrimPrefix(text, "-")
	if strings.HasPrefix(text, "ERR max number of clients") {
		return outage
	}
	code, _, _ := strings.Cut(text, " ")
	return kinds[code]
}

// replyError is the error of a step or a call that Redis has answered with one.
func replyError(text string) error { return markReply(errors.New(text), kindOf(text)) }

func markReply(err error, k kind) error {
	switch k {
	case bug:
		return ratelimit.Bug(err)
	case noAccess:
		return ratelimit.Unavailable(errors.Join(errAccess, err))
	default:
		return ratelimit.Unavailable(err)
	}
}

// isReply tells an error reply of Redis from the failures on the way to it.
// Evaluators may return error replies in types of their own, so their texts are
// looked at, too: a code is a word in capitals.
func isReply(err error) bool {
	var reply redis.Error
	if errors.As(err, &reply) {
		return true
	}
	var fault net.Error
	if errors.As(err, &fault) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	text := replyText(err)
	code, rest, _ := strings.Cut(text, " ")
	return rest != "" && len(code) > 2 && strings.ToUpper(code) == code && strings.ToLower(code) != code && isName(code)
}

// replyText is the error reply inside of err, without what has been put around it.
func replyText(err error) string {
	var reply redis.Error
	if errors.As(err, &reply) {
		return strings.TrimPrefix(reply.Error(), "-")
	}
	return strings.TrimPrefix(err.Error(), "-")
}

// reach is what a call tells about whether Redis can be reached.
type reach uint8

const (
	unknown     reach = iota // nothing
	answered                 // it can
	late                     // no answer came in time
	unreachable              // nobody is there
)

// reachOf looks at how a call has ended. patient tells that it was waited for
// long enough to blame Redis.
func reachOf(ctx context.Context, err error, patient bool) reach {
	if err == nil || isReply(err) {
		return answered
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return unknown
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" && !errors.Is(err, context.Canceled) {
		return unreachable
	}
	timeout := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, redis.ErrPoolTimeout)
	if timeout && patient {
		return late
	}
	return unknown
}

// failed says what an error means for the request.
func (s *Storage) failed(ctx context.Context, items []ratelimit.Item, err error) error {
	switch {
	case errors.Is(err, ratelimit.ErrBug), errors.Is(err, ratelimit.ErrUnavailable):
	case isReply(err):
		names, k := namesOf(items, err), kindOf(replyText(err))
		if err = markReply(err, k); k == bug {
			err = fmt.Errorf("algorithm %s: %w", names, err)
		}
	case ctx.Err() != nil && (errors.Is(ctx.Err(), context.Canceled) || reachOf(ctx, err, true) == late):
		return ctx.Err()
	default:
		err = ratelimit.Unavailable(err)
	}
	err = fmt.Errorf("redisstorage: %w", err)
	if errors.Is(err, errAccess) {
		s.denied.raise(ctx, err)
	}
	return err
}

// namesOf are the algorithms that an error reply can be about: the first one has
// failed, or the script of all did not compile.
func namesOf(items []ratelimit.Item, err error) string {
	if !strings.Contains(replyText(err), "compiling script") {
		return items[0].Algorithm.Name()
	}
	names := make([]string, len(items))
	for i := range items {
		names[i] = items[i].Algorithm.Name()
	}
	return strings.Join(names, ", ")
}
