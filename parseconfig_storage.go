package sallyport

import (
	"errors"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/sallyport-go/sallyport/internal/part"
	"github.com/sallyport-go/sallyport/ratelimit"
)

// StorageFunc makes a storage from what the file says for it. It is called once,
// by [ParseConfig], when nothing else is wrong with the file. Its error or panic
// is a mistake of the file, so it should not repeat a password. When the storage
// that it has made turns out to be a mistake, that is closed if it is an
// [io.Closer]. It connects to nothing: a storage that is down must not keep the
// program from starting, so what has to connect first is made by
// [ratelimit.Lazy].
type StorageFunc func(c StorageConfig) (ratelimit.Storage, error)

// StorageConfig is what a file says for a storage.
type StorageConfig struct {
	options *storageOptions
}

// storageOptions remembers what the storage asks for, to find the options that
// it does not know.
type storageOptions struct {
	prefix      string
	askedPrefix bool
	written     map[string]mapEntry
	asked       []string
	closed      bool // later questions change nothing
}

// Prefix stands before the names of the counters; "": the storage's own. A prefix
// of the file that a [StorageFunc] has not asked for when it returns is a mistake.
func (c StorageConfig) Prefix() string {
	o := c.options
	if o == nil {
		return ""
	}
	if !o.closed {
		o.askedPrefix = true
	}
	return o.prefix
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
			return nil, errors.New("maxCounters: write a whole number, at least 1")
		}
		o.MaxCounters = n
	}
	return ratelimit.NewMemory(o), nil
}

// rateLimiting reads what all limits share.
func (r *fileReader) rateLimiting(v value) (o ratelimit.Options) {
	var (
		chosen storageChoice
		prefix string
		at     value
	)
	has := r.object(v, fields{
		{"storage", set(&chosen, r.storageChoice)},
		{"prefix", func(v value) { at, prefix = v, r.text(v) }},
		{"budget", set(&o.Budget, r.shortInterval)},
		{"localShare", set(&o.LocalShare, r.localShare)},
	})
	if prefix != "" && (!has["storage"] || chosen.isMemory()) {
		r.fault(at, "the counters in memory have no prefix: nobody shares them")
	}
	r.storage = chosen
	r.storage.prefix, r.storage.prefixAt = prefix, at
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

	prefix   string
	prefixAt value
}

func (s storageChoice) isMemory() bool { return s.open != nil && s.name.Value == "memory" }

// storageChoice reads a name, or a map of it and options. Anything in there may
// be a password in the wrong place, so no mistake repeats it.
func (r *fileReader) storageChoice(v value) (s storageChoice) {
	v.secret = true
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
		case e.value.isList() || e.value.isMap() || isNull(e.value.Node):
			r.fault(e.value, "%s: write a text, a number, true or false", e.value)
		default:
			options[e.name] = e
		}
	}
	return options
}

// openStorage makes the storage, and reports what it did not ask for and which
// limits it cannot count.
func (r *fileReader) openStorage() {
	s := r.storage
	options := &storageOptions{prefix: s.prefix, written: s.options}
	var made ratelimit.Storage
	err := part.Ask(func() (err error) {
		made, err = s.open(StorageConfig{options})
		return err
	})
	options.closed = true
	switch {
	case err != nil:
		r.report(s.name, err)
	case part.IsNil(made):
		r.fault(s.name, "the program has made no storage")
		return
	default:
		r.checkStorage(made, options)
	}
	if r.faults.count > 0 {
		closeStorage(made)
	}
}

func (r *fileReader) checkStorage(made ratelimit.Storage, o *storageOptions) {
	s := r.storage
	r.report(s.name, part.Mistakes(made))
	if o.prefix != "" && !o.askedPrefix {
		r.fault(s.prefixAt, "the storage does not ask for a prefix")
	}
	for _, name := range sortedKeys(s.options) {
		if !slices.Contains(o.asked, name) {
			r.unknown(s.options[name].key, "option", name, o.asked)
		}
	}
	r.config.RateLimiting.Storage = made
	if r.faults.count == 0 {
		r.checkRules()
	}
}

// closeStorage closes what no program will get. That it fails is no mistake of
// the file.
func closeStorage(s ratelimit.Storage) {
	if c, ok := s.(io.Closer); ok && !part.IsNil(s) {
		_ = part.Ask(c.Close)
	}
}
