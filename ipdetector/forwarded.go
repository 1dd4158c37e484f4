package ipdetector

import (
	"strings"

	"github.com/sallyport-go/sallyport/internal/httptoken"
)

// maxPairs is how many parameters an element may have. Four are registered; the
// bound keeps the search for repeated ones short.
const maxPairs = 16

// walkForwarded does for Forwarded what walkXForwardedFor does for its list. The
// whole field is parsed first, from the left, as quotes cannot be read backwards;
// one that is malformed counts as absent.
func (p *proxies) walkForwarded(peer address, lines []string) address {
	var nodes [maxHops]string // of the rightmost elements, as a ring
	count := 0
	for _, line := range lines {
		for rest := skipSpace(line); rest != ""; {
			if rest[0] == ',' {
				rest = skipSpace(rest[1:])
				continue
			}
			node, tail, ok := cutElement(rest)
			if !ok {
				return peer
			}
			nodes[count%maxHops] = node
			count++
			rest = tail
		}
	}
	nearest := peer
	for i := count - 1; i >= max(count-maxHops, 0); i-- {
		hop, ok := parseNode(nodes[i%maxHops])
		if !ok {
			return nearest
		}
		if !p.trust(hop) {
			return hop
		}
		nearest = hop
	}
	return nearest
}

// cutElement takes one element (RFC 7239, section 4) off, up to its comma. The
// node is the value of its parameter "for", "" when it has none. White space
// around semicolons is against the grammar, but common and harmless.
func cutElement(s string) (node, rest string, ok bool) {
	var names [maxPairs]string
	count := 0
	for s != "" && s[0] != ',' {
		if s[0] == ';' {
			s = skipSpace(s[1:])
			continue
		}
		pair, tail, wellFormed := cutPair(s)
		if !wellFormed || count == maxPairs || containsFold(names[:count], pair.name) {
			return "", "", false
		}
		names[count] = pair.name
		count++
		if strings.EqualFold(pair.name, "for") {
			node = pair.value
		}
		if s = skipSpace(tail); s != "" && s[0] != ';' && s[0] != ',' {
			return "", "", false
		}
	}
	return node, s, true
}

// pair is one parameter of an element. A quoted value keeps its backslashes.
type pair struct{ name, value string }

// cutPair takes token "=" ( token / quoted-string ) off.
func cutPair(s string) (p pair, rest string, ok bool) {
	p.name, rest = httptoken.Cut(s)
	if p.name == "" || rest == "" || rest[0] != '=' {
		return pair{}, "", false
	}
	if value := rest[1:]; value != "" && value[0] == '"' {
		p.value, rest, ok = cutQuoted(value[1:])
		return p, rest, ok
	}
	p.value, rest = httptoken.Cut(rest[1:])
	return p, rest, p.value != ""
}

// parseNode reads a node (RFC 7239, section 6). "unknown" and obfuscated names
// are no addresses. IPv6 needs its brackets; a port may be obfuscated.
func parseNode(node string) (address, bool) {
	if len(node) > maxAddress {
		return address{}, false
	}
	host, port := splitPort(unescape(node))
	if port != "" && !isPort(port[1:]) && !isObfuscated(port[1:]) {
		return address{}, false
	}
	if strings.IndexByte(host, ':') >= 0 && host[0] != '[' {
		return address{}, false
	}
	return parseHost(host)
}

// isObfuscated is the obfport of RFC 7239, section 6.
func isObfuscated(s string) bool {
	if len(s) < 2 || s[0] != '_' {
		return false
	}
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte("._-", s[i]) < 0 {
			return false
		}
	}
	return true
}

func containsFold(names []string, name string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}
