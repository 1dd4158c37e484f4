package main

import (
	"cmp"
	"slices"
	"strconv"
	"sync"
	"time"
)

type note struct {
	ID      string     `json:"id"`
	Title   string     `json:"title"`
	Tags    []string   `json:"tags"`
	Due     *time.Time `json:"due"`
	Author  string     `json:"author,omitempty"`
	Created time.Time  `json:"created"`

	picture []byte
}

// notes keeps notes in memory, in the order in which they came.
type notes struct {
	mu        sync.Mutex
	kept      []note
	listeners map[chan note]bool
}

const perPage = 20

func newNotes() *notes { return &notes{listeners: map[chan note]bool{}} }

func (n *notes) all() []note {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.kept)
}

func (n *notes) list(tags []string, since time.Time, sort string, page int) []note {
	found := slices.DeleteFunc(n.all(), func(one note) bool {
		return one.Created.Before(since) || slices.ContainsFunc(tags, func(tag string) bool { return !slices.Contains(one.Tags, tag) })
	})
	if sort == "title" {
		slices.SortStableFunc(found, func(a, b note) int { return cmp.Compare(a.Title, b.Title) })
	}
	start := min(max(page-1, 0), len(found)/perPage+1) * perPage
	return found[min(start, len(found)):min(start+perPage, len(found))]
}

func (n *notes) add(one note) (note, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if slices.ContainsFunc(n.kept, func(old note) bool { return old.Title == one.Title }) {
		return note{}, errTitleTaken
	}
	one.ID, one.Created = strconv.Itoa(len(n.kept)+1), time.Now().UTC()
	n.kept = append(n.kept, one)
	for listener := range n.listeners {
		select {
		case listener <- one:
		default: // it is too slow, and reads the list
		}
	}
	return one, nil
}

func (n *notes) update(id string, change func(*note)) (changed note, found bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	i := slices.IndexFunc(n.kept, func(old note) bool { return old.ID == id })
	if i < 0 {
		return note{}, false
	}
	change(&n.kept[i])
	return n.kept[i], true
}

func (n *notes) setPicture(id string, data []byte) (found bool) {
	_, found = n.update(id, func(one *note) { one.picture = data })
	return found
}

func (n *notes) pictureOf(id string) []byte {
	one, _ := n.update(id, func(*note) {})
	return one.picture
}

func (n *notes) listen() (added <-chan note, stop func()) {
	listener := make(chan note, 16)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.listeners[listener] = true
	return listener, func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.listeners, listener)
	}
}
