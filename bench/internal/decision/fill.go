package decision

// Peer is a peer by its name, for others that fill it.
type Peer struct {
	Name string
	l    limiter
}

// Peers are all peers.
func Peers() (list []Peer) {
	for _, l := range peers {
		list = append(list, Peer{l.name, l})
	}
	return list
}

// Open lets every key have a quota that nothing uses up. ask belongs to one
// goroutine; whoever keeps it keeps the counters.
func (p Peer) Open() (ask func(key string) (bool, error), stop func(), err error) {
	open, err := p.l.open(many)
	if err != nil {
		return nil, nil, err
	}
	if stop = open.stop; stop == nil {
		stop = func() {}
	}
	return open.worker(), stop, nil
}
