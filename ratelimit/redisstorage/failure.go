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

// kinds has what error replies mean, by their code. Others are bugs.
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

	// Faults are named, too: the text of an evaluator's error is a reply only
	// when its code is one of Redis.
	"ERR":        bug,
	"WRONGTYPE":  bug,
	"CROSSSLOT":  bug,
	"EXECABORT":  bug,
	"NOPROTO":    bug,
	"NOTBUSY":    bug,
	"BUSYKEY":    bug,
	"INVALIDOBJ": bug,
}

// kindOf reads the text of an error reply: its code is the first word.
func kindOf(text string) kind {
	text = strings.TrimPrefix(text, "-")
	switch {
	case strings.HasPrefix(text, "ERR max number of clients"):
		return outage
	case strings.Contains(text, "The user executing the script can't"), strings.Contains(text, "ACL failure in script"):
		return noAccess // to what a script does: up to Redis 7.0, and since
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
// looked at, too.
func isReply(err error) bool {
	var reply redis.Error
	if errors.As(err, &reply) {
		return true
	}
	var fault net.Error
	if errors.As(err, &fault) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	code, rest, _ := strings.Cut(replyText(err), " ")
	_, known := kinds[code]
	return known && rest != ""
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
	if isDial(err) && !errors.Is(err, context.Canceled) {
		return unreachable
	}
	timeout := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, redis.ErrPoolTimeout)
	if timeout && patient {
		return late
	}
	return unknown
}

func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// notSent tells errors that prove that Redis has not heard of the call.
func notSent(err error) bool {
	return isDial(err) || errors.Is(err, redis.ErrClosed) || errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrPoolExhausted)
}

// failed says what an error means for the request. lost marks errors that leave
// open whether the call has counted; after the end of the context nothing is
// asked again anyway.
func (s *Storage) failed(ctx context.Context, items []ratelimit.Item, err error, lost func(error) error) error {
	switch {
	case errors.Is(err, ratelimit.ErrBug), errors.Is(err, ratelimit.ErrUnavailable):
	case isReply(err):
		names, k := namesOf(items, err), kindOf(replyText(err))
		if err = markReply(err, k); k == bug {
			err = fmt.Errorf("algorithm %s: %w", names, err)
		}
	case ctx.Err() != nil && (errors.Is(ctx.Err(), context.Canceled) || reachOf(ctx, err, true) == late):
		return ctx.Err()
	case notSent(err):
		err = ratelimit.Unavailable(err)
	default:
		err = lost(err)
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
