package ipdetector

import (
	"errors"
	"fmt"
	"net/netip"
)

// proxies are the machines whose headers are believed. The zero value is nobody.
type proxies struct {
	prefixes []netip.Prefix
	unix     bool // whoever connects to a unix socket of ours
}

// trust reports whether the address is one of the proxies.
func (p *proxies) trust(a address) bool {
	if !a.IsValid() {
		return p.unix && a.written == unixPeer
	}
	for _, prefix := range p.prefixes {
		if prefix.Contains(a.Addr) {
			return true
		}
	}
	return false
}

// parseProxies reads prefixes, single addresses and "unix". What is wrong is
// reported and trusts nobody; so is an empty list, which makes the header
// useless: most likely a setting that was not filled in.
func parseProxies(entries []string) (proxies, error) {
	var p proxies
	var mistakes []error
	if len(entries) == 0 {
		mistakes = append(mistakes, errors.New("ipdetector: there is no proxy to trust: name one, or use RemoteAddr"))
	}
	for _, entry := range entries {
		if entry == unixPeer {
			p.unix = true
			continue
		}
		prefix, err := parsePrefix(entry)
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("ipdetector: proxy %q: %w", entry, err))
			continue
		}
		p.prefixes = append(p.prefixes, prefix)
	}
	return p, errors.Join(mistakes...)
}

func parsePrefix(entry string) (netip.Prefix, error) {
	prefix, err := netip.ParsePrefix(entry)
	if addr, addrErr := netip.ParseAddr(entry); addrErr == nil && addr.Zone() == "" {
		prefix, err = addr.Prefix(addr.BitLen())
	}
	if err != nil {
		return netip.Prefix{}, errors.New(`write an address ("192.0.2.1") or a prefix ("10.0.0.0/8"), both without a zone, or "unix"`)
	}
	if addr := prefix.Addr(); addr.Is4In6() {
		if prefix.Bits() < 96 {
			return netip.Prefix{}, errors.New("write IPv4 and IPv6 as two prefixes")
		}
		prefix = netip.PrefixFrom(addr.Unmap(), prefix.Bits()-96)
	}
	if prefix.Bits() == 0 {
		return netip.Prefix{}, errors.New("any client could choose its address")
	}
	return prefix.Masked(), nil
}
