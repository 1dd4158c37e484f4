package ratelimit

// A Rule says which limits an endpoint has. There are five, and no others:
//   - [Named]: policies of the program by their names;
//   - [Policy]: an inline limit with counters of its own for that endpoint;
//   - [Use]: a limiter of one's own;
//   - [Rules]: several rules as one value;
//   - [Off]: no limit, not even the default one.
//
// Rules are a list in order: a request must pass each limit, and what stands
// behind the one that refuses is not counted. Put the limits of one client
// before those it shares with others.
type Rule interface{ rule() }

// Named takes policies of the program by their names, in this order. All
// endpoints that name a policy share its counters.
func Named(names ...string) Rule { return namedRule(names) }

// Use takes a limiter of one's own. To give it a name that several endpoints
// can take, write a [Policy] with a Limiter.
func Use(l Limiter) Rule { return useRule{l} }

// Rules are several rules as one value, such as the default of a program.
func Rules(rules ...Rule) Rule { return ruleList(rules) }

// Off is no limit: it takes away the default. It stands alone.
const Off off = 0

type (
	namedRule []string
	useRule   struct{ limiter Limiter }
	ruleList  []Rule
	off       uint8
)

func (Policy) rule()    {}
func (namedRule) rule() {}
func (useRule) rule()   {}
func (ruleList) rule()  {}
func (off) rule()       {}
