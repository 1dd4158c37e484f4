package sallyport

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// StorageFunc makes a storage from what the file says for it. It is called once,
// by [ParseConfig], and its error or panic is a mistake of the file. It connects
// to nothing: a storage that is down must not keep the program from starting, so
// what has to connect first is made by [ratelimit.Lazy].
type StorageFunc func(c StorageConfig) (ratelimit.Storage, error)

// StorageConfig is what a file says for a storage.
type StorageConfig struct {
	// Prefix stands before the names of the counters; "": the storage's own.
	Prefix string

	options *storageOptions
}

// storageOptions remembers what the storage asks for, to find the options that
// it does not know.
type storageOptions struct {
	written map[string]mapEntry
	asked   []string
	closed  bool // later questions change nothing
}

// Option is an option of the storage as the file writes it, a number or a truth
// value too; "" when it is not there. An option of the file that a [StorageFunc]
// has not asked for when it returns is a mistake.
func (c StorageConfig) Option(name string) string {
	o := c.options
	if o == nil {
		return ""
	}
	if !o.closed && !slices.Contains(o.asked, name) {
		o.asked = append(o.asked, name)
	}
	if e, ok := o.written[name]; ok {
		return e.value.Value
	}
	return ""
}

// memoryStorage is the storage "memory".
func memoryStorage(c StorageConfig) (ratelimit.Storage, error) {
	var o ratelimit.MemoryOptions
	if counters := c.Option("maxCounters"); counters != "" {
		n, err := strconv.Atoi(counters)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("maxCounters %s: write a whole number, at least 1", quote(counters))
		}
		o.MaxCounters = n
	}
	return ratelimit.NewMemory(o), nil
}

// rateLimiting reads what all limits share.
func (r *fileReader) rateLimiting(v value) (o ratelimit.Options) {
	var (
		chosen storageChoice
		c      StorageConfig
		prefix value
	)
	has := r.object(v, fields{
		{"storage", set(&chosen, r.storage)},
		{"prefix", func(v value) { prefix, c.Prefix = v, r.text(v) }},
		{"budget", set(&o.Budget, r.shortInterval)},
		{"localShare", set(&o.LocalShare, r.localShare)},
	})
	if c.Prefix != "" && (!has["storage"] || chosen.isMemory()) {
		r.fault(prefix, "the counters in memory have no prefix: nobody shares them")
	}
	if chosen.open != nil {
		o.Storage = r.openStorage(chosen, c)
	}
	return o
}

func (r *fileReader) localShare(v value) int64 {
	return r.wholeNumber(v, 1, math.MaxInt64, "write the number of servers")
}

// storageChoice is a storage that the file names.
type storageChoice struct {
	name    value
	open    StorageFunc // nil: none, or a mistake
	options map[string]mapEntry
}

func (s storageChoice) isMemory() bool { return s.open != nil && s.name.Value == "memory" }

// storage reads a name, or a map of it and options.
func (r *fileReader) storage(v value) (s storageChoice) {
	s.name = v
	if v.isMap() {
		s.name = value{}
		has := r.object(v, fields{
			{"name", func(v value) { s.name = v }},
			{"options", set(&s.options, r.storageOptions)},
		})
		if !has["name"] {
			r.fault(v, "the name of the storage is missing")
		}
	}
	if s.name.Node != nil {
		s.open = choice(r, s.name, "storage", r.storages)
	}
	return s
}

func (r *fileReader) storageOptions(v value) map[string]mapEntry {
	options := map[string]mapEntry{}
	for e := range r.entries(v, "write a map of options") {
		switch {
		case !e.ok:
		case e.value.isList() || e.value.isMap():
			r.fault(e.value, "%s: write a text, a number, true or false", e.value)
		case !isNull(e.value.Node):
			options[e.name] = e
		}
	}
	return options
}

// openStorage makes the storage and reports the options it did not ask for.
func (r *fileReader) openStorage(s storageChoice, c StorageConfig) ratelimit.Storage {
	c.options = &storageOptions{written: s.options}
	var made ratelimit.Storage
	err := part.Ask(func() (err error) {
		made, err = s.open(c)
		return err
	})
	c.options.closed = true
	switch {
	case err != nil:
		r.report(s.name, err)
		return nil
	case part.IsNil(made):
		r.fault(s.name, "the program has made no storage")
		return nil
	}
	r.report(s.name, part.Mistakes(made))
	for _, name := range sortedKeys(s.options) {
		if !slices.Contains(c.options.asked, name) {
			r.report(s.options[name].key, unknownName("option", name, c.options.asked))
		}
	}
	return made
}
