package ratelimit

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// modelStep is what Step must answer, worked out slowly with exact fractions of
// any size: no borrow, no carry, no shortcut.
func modelStep(b BuiltIn, s State, t Take) Outcome {
	switch b {
	case FixedWindow:
		return modelFixedWindow(s, t)
	case TokenBucket:
		return modelTokenBucket(s, t)
	default:
		return modelSlidingWindow(s, t)
	}
}

func modelFixedWindow(s State, t Take) Outcome {
	if !modelIsWindow(s, t) {
		s = State{}
	}
	start := t.Now / t.Interval * t.Interval
	used := int64(0)
	if s[0] >= start {
		start, used = s[0], s[1]
	}
	d := Decision{
		Accepted:   t.Cost == 0 || modelFits(t, modelInt(used)),
		ResetAfter: start + t.Interval - t.Now,
	}
	if d.Accepted {
		used += t.Cost
	}
	d.Remaining = max(0, t.Limit-used)
	return modelOutcome(t, d, d.ResetAfter, State{start, used}, d.ResetAfter)
}

func modelSlidingWindow(s State, t Take) Outcome {
	if !modelIsWindow(s, t) {
		s = State{}
	}
	start := t.Now / t.Interval * t.Interval
	current, previous := int64(0), int64(0)
	switch s[0] {
	case max(s[0], start):
		start, current, previous = s[0], s[1], s[2]
	case start - t.Interval:
		previous = s[1]
	}
	overlap := t.Interval - max(0, t.Now-start)
	weighted := modelCeil(modelQuo(modelMul(modelInt(previous), modelInt(overlap)), modelInt(t.Interval)))
	d := Decision{
		Accepted:   t.Cost == 0 || modelFits(t, modelInt(weighted+current)),
		ResetAfter: start + t.Interval - t.Now,
	}
	if d.Accepted {
		current += t.Cost
	}
	d.Remaining = max(0, t.Limit-current-weighted)

	var retry int64
	if !d.Accepted && t.Cost <= t.Limit {
		opens, fading, room := start, previous, t.Limit-current-t.Cost
		if room < 0 {
			opens, fading, room = start+t.Interval, current, t.Limit-t.Cost
		}
		elapsed := t.Interval - modelFloor(modelQuo(modelMul(modelInt(room), modelInt(t.Interval)), modelInt(fading)))
		retry = opens + min(max(0, elapsed), t.Interval) - t.Now
	}
	return modelOutcome(t, d, retry, State{start, current, previous}, start+2*t.Interval-t.Now)
}

func modelTokenBucket(s State, t Take) Outcome {
	at, debt := t.Now, modelInt(0)
	if modelIsBucket(s, t) {
		at = max(t.Now, s[0])
		if at-s[0] < t.Interval {
			stored := modelAdd(modelInt(s[1]), modelQuo(modelInt(s[2]), modelInt(t.Interval)))
			refilled := modelQuo(modelMul(modelInt(t.Limit), modelInt(at-s[0])), modelInt(t.Interval))
			debt = modelSub(stored, refilled)
		}
		if debt.Sign() < 0 {
			debt = modelInt(0)
		}
	}
	lag := at - t.Now
	// refill is the time in which this many tokens come back.
	refill := func(tokens *big.Rat) *big.Rat {
		return modelQuo(modelMul(tokens, modelInt(t.Interval)), modelInt(t.Limit))
	}

	d := Decision{Accepted: t.Cost == 0 || modelFits(t, debt)}
	var retry int64
	if !d.Accepted && t.Cost <= t.Limit {
		wait := refill(modelSub(modelAdd(debt, modelInt(t.Cost)), modelInt(t.Limit)))
		if forgiven := modelInt(s[0] + t.Interval - at); wait.Cmp(forgiven) > 0 {
			wait = forgiven
		}
		retry = lag + modelCeil(wait)
	}
	if d.Accepted {
		debt = modelAdd(debt, modelInt(t.Cost))
	}
	d.Remaining = max(0, t.Limit-modelCeil(debt))
	used := modelFloor(debt)
	fraction := modelSub(debt, modelInt(used))
	switch {
	case fraction.Sign() > 0:
		d.ResetAfter = lag + modelCeil(refill(fraction))
	case debt.Sign() > 0:
		d.ResetAfter = lag + modelCeil(refill(modelInt(1)))
	}
	if !d.Accepted || t.Cost == 0 {
		return modelOutcome(t, d, retry, State{}, 0)
	}
	parts := modelMul(fraction, modelInt(t.Interval))
	if !parts.IsInt() {
		panic("model: a fraction that is no whole number of parts")
	}
	return modelOutcome(t, d, retry, State{at, used, modelFloor(parts)}, lag+modelCeil(refill(debt)))
}

// modelFits tells whether the cost fits beside what counts as used.
func modelFits(t Take, used *big.Rat) bool {
	return modelAdd(used, modelInt(t.Cost)).Cmp(modelInt(t.Limit)) <= 0
}

// modelOutcome adds the wait, and what is kept for how long.
func modelOutcome(t Take, d Decision, retry int64, s State, ttl int64) Outcome {
	switch {
	case d.Accepted:
		d.RetryAfter = -1
	case t.Cost > t.Limit:
		d.RetryAfter = -2
	default:
		d.RetryAfter = retry
	}
	if !d.Accepted || t.Cost == 0 {
		return Outcome{Decision: d}
	}
	return Outcome{Decision: d, State: s, TTL: max(1000, ttl)}
}

// modelIsWindow tells whether a window algorithm could have saved s, at any
// limit and by any clock.
func modelIsWindow(s State, t Take) bool {
	return modelUpTo(s[0], 1<<53) && s[0]%t.Interval == 0 && modelUpTo(s[1], 1e9) && modelUpTo(s[2], 1e9)
}

// modelIsBucket is the same for the bucket.
func modelIsBucket(s State, t Take) bool {
	return modelUpTo(s[0], 1<<53) && modelUpTo(s[1], 1e9) && modelUpTo(s[2], t.Interval-1)
}

func modelUpTo(x, high int64) bool { return 0 <= x && x <= high }

func modelInt(x int64) *big.Rat       { return new(big.Rat).SetInt64(x) }
func modelAdd(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
func modelSub(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
func modelMul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func modelQuo(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }

func modelFloor(a *big.Rat) int64 {
	q := new(big.Int).Div(a.Num(), a.Denom()) // Euclidean: down, as the denominator is positive
	if !q.IsInt64() {
		panic("model: out of range")
	}
	return q.Int64()
}

func modelCeil(a *big.Rat) int64 { return -modelFloor(new(big.Rat).Neg(a)) }

// modelSolve returns the smallest x >= 0 with a*x mod c = r, where r is brought
// down to a multiple of what a and c have in common, so that there is one.
func modelSolve(a, r, c int64) int64 {
	A, C := big.NewInt(a), big.NewInt(c)
	common := new(big.Int).GCD(nil, nil, A, C)
	A.Div(A, common)
	C.Div(C, common)
	x := new(big.Int).Div(big.NewInt(r), common)
	if C.IsInt64() && C.Int64() == 1 {
		return 0
	}
	x.Mul(x, new(big.Int).ModInverse(A, C))
	return x.Mod(x, C).Int64()
}

func TestModelSolve(t *testing.T) {
	for _, test := range []struct{ a, r, c, want int64 }{
		{3, 1, 10, 7},
		{3, 9, 10, 3},
		{3, 0, 10, 0},
		{4, 3, 10, 3}, // r is brought down to 2
		{10, 9, 10, 0},
		{7, 5, 1, 0},
	} {
		require.Equal(t, test.want, modelSolve(test.a, test.r, test.c), "%+v", test)
	}
}

// Any state, any take.
func TestStepAgreesWithTheModel(t *testing.T) {
	algEach(t, func(t *testing.T, b BuiltIn) {
		rapid.Check(t, func(t *rapid.T) {
			for range 40 {
				take := algTakes.Draw(t, "take")
				state := algStates(take).Draw(t, "state")
				require.Equal(t, modelStep(b, state, take), b.Step(state, take))
			}
		})
	})
}

// A counter in use, asked beside each moment at which its answer changes, by
// clocks that go back and forth, while its limit changes.
func TestStepAgreesWithTheModelInUse(t *testing.T) {
	algEach(t, func(t *testing.T, b BuiltIn) {
		rapid.Check(t, func(t *rapid.T) {
			var state State
			take := algTakes.Draw(t, "take")
			for range 60 {
				got := b.Step(state, take)
				require.Equal(t, modelStep(b, state, take), got) // RL-078
				if got.TTL > 0 {
					state = got.State
				}
				take.Now = algMoments(state, take, got).Draw(t, "now")
				if rapid.IntRange(0, 9).Draw(t, "change") == 0 {
					take.Limit = algLimits.Draw(t, "limit")
				}
				take.Cost = algCosts(take.Limit).Draw(t, "cost")
			}
		})
	})
}

// Operands whose products leave nothing, the least or the most when they are
// divided: where an inexact division is off by one.
func TestStepAgreesWithTheModelBesideDivisions(t *testing.T) {
	rest := func(t *rapid.T, c int64) int64 { return rapid.SampledFrom([]int64{0, 1, c - 1}).Draw(t, "rest") }
	upTo := func(t *rapid.T, low, high int64, name string) int64 {
		return rapid.Int64Range(low, max(low, high)).Draw(t, name)
	}
	agree := func(t *rapid.T, b BuiltIn, state State, take Take) {
		left := b.Step(state, Take{take.Limit, 0, take.Interval, take.Now}).Remaining
		for _, cost := range []int64{0, left, left + 1, take.Cost} {
			take.Cost = cost
			require.Equal(t, modelStep(b, state, take), b.Step(state, take), "%v %+v", state, take)
		}
	}
	for _, test := range []struct {
		name  string
		check func(t *rapid.T, take Take)
	}{
		{"the weight of the previous window", func(t *rapid.T, take Take) {
			// previous * overlap / interval
			previous := upTo(t, 1, take.Limit, "previous")
			overlap := modelSolve(previous, rest(t, take.Interval), take.Interval)
			start := take.Now - take.Now%take.Interval
			current := upTo(t, 0, take.Limit-previous, "current")
			take.Now = min(start+take.Interval-overlap, maxTime)
			agree(t, SlidingWindow, State{start, current, previous}, take)
		}},
		{"the wait in the current window", func(t *rapid.T, take Take) {
			// room * interval / previous, where room = limit - current - cost
			previous := upTo(t, 1, take.Limit, "previous")
			room := modelSolve(take.Interval, rest(t, previous), previous)
			take.Cost = upTo(t, 1, take.Limit-room, "cost")
			start := take.Now - take.Now%take.Interval
			agree(t, SlidingWindow, State{start, max(0, take.Limit-room-take.Cost), previous}, take)
		}},
		{"the wait in the next window", func(t *rapid.T, take Take) {
			// (limit - cost) * interval / current
			current := upTo(t, 1, take.Limit, "current")
			take.Cost = take.Limit - modelSolve(take.Interval, rest(t, current), current)
			agree(t, SlidingWindow, State{take.Now - take.Now%take.Interval, current, 0}, take)
		}},
		{"the refill of the bucket", func(t *rapid.T, take Take) {
			// limit * passed / interval
			passed := modelSolve(take.Limit, rest(t, take.Interval), take.Interval)
			state := State{max(0, take.Now-passed), upTo(t, 0, take.Limit, "used"), upTo(t, 0, take.Interval-1, "fraction")}
			take.Now = state[0] + passed
			agree(t, TokenBucket, state, take)
		}},
		{"the wait and the lifetime of the bucket", func(t *rapid.T, take Take) {
			// (tokens * interval + fraction) / limit, where tokens = used + cost - limit
			tokens := upTo(t, 0, take.Limit-1, "tokens")
			take.Cost = upTo(t, 1, take.Limit, "cost")
			missing := modelMul(modelInt(tokens), modelInt(take.Interval))
			whole := modelFloor(modelQuo(missing, modelInt(take.Limit)))
			left := modelFloor(modelSub(missing, modelMul(modelInt(whole), modelInt(take.Limit))))
			fraction := (rest(t, take.Limit) - left + take.Limit) % take.Limit
			agree(t, TokenBucket, State{take.Now, take.Limit + tokens - take.Cost, fraction % take.Interval}, take)
		}},
		{"a sum beside 64 bits in the wait of the bucket", func(t *rapid.T, take Take) {
			// tokens * interval + fraction + limit - 1, around a multiple of 1<<64
			take.Limit, take.Interval = MaxLimit, max(1<<40, take.Interval)
			multiple := modelMul(modelInt(upTo(t, 1, 32, "multiple")<<32), modelInt(1<<32))
			tokens := modelFloor(modelQuo(multiple, modelInt(take.Interval)))
			left := modelFloor(modelSub(multiple, modelMul(modelInt(tokens), modelInt(take.Interval))))
			fraction := max(0, left-take.Limit+upTo(t, 0, 2, "beside"))
			take.Cost = upTo(t, tokens, take.Limit, "cost")
			agree(t, TokenBucket, State{take.Now, take.Limit + tokens - take.Cost, fraction}, take)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				for range 10 {
					test.check(t, algTakes.Draw(t, "take"))
				}
			})
		})
	}
}
