package redisstorage

import (
	"crypto/sha1" //nolint:gosec // Redis names scripts by their SHA-1
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/sallyport-go/sallyport/ratelimit"
)

//go:embed lua/*.lua
var luaFiles embed.FS

// Script is a Lua script for Redis. It is immutable.
type Script struct{ text, sha string }

func newScript(text string) *Script {
	sum := sha1.Sum([]byte(text)) //nolint:gosec // the name of the script, no secret
	return &Script{text, hex.EncodeToString(sum[:])}
}

// Text is the script for EVAL.
func (s *Script) Text() string { return s.text }

// SHA1 is the name of the script for EVALSHA, in lower-case hexadecimal.
func (s *Script) SHA1() string { return s.sha }

// maxSteps is how many algorithms a script can hold: a byte numbers them.
const maxSteps = 255

// scripts are those that have been asked for, one for each list of algorithms.
// They are made when limits are built, and else on first use.
type scripts struct {
	mu     sync.RWMutex
	bodies map[string]string // of the algorithms of one's own, by name
	byList map[string]*Script
}

// of is the script that decides the items, and for each item the number of its
// algorithm in it, from 1. The numbers are appended to buf.
func (s *scripts) of(items []ratelimit.Item, buf []byte) (*Script, []byte, error) {
	var (
		listBuf  [64]byte
		stepsBuf [8]ratelimit.Algorithm
	)
	list, steps := listBuf[:0], stepsBuf[:0]
	for i := range items {
		a := items[i].Algorithm
		step := indexOf(steps, a)
		if step < 0 {
			step = len(steps)
			steps = append(steps, a)
			list = append(append(list, a.Name()...), ',')
		}
		buf = append(buf, byte(step+1))
	}
	s.mu.RLock()
	script := s.byList[string(list)]
	known := script != nil
	for i := range items {
		known = known && s.knowsLocked(items[i].Algorithm)
	}
	s.mu.RUnlock()
	if known {
		return script, buf, nil
	}
	script, err := s.add(string(list), steps, items)
	return script, buf, err
}

func indexOf(steps []ratelimit.Algorithm, a ratelimit.Algorithm) int {
	for i, b := range steps {
		if a.Name() == b.Name() {
			return i
		}
	}
	return -1
}

// knowsLocked tells whether a is the algorithm that has this name here.
func (s *scripts) knowsLocked(a ratelimit.Algorithm) bool {
	switch a := a.(type) {
	case ratelimit.BuiltIn:
		return true
	case ratelimit.ScriptAlgorithm:
		body, ok := s.bodies[a.Name()]
		return ok && body == a.RedisScript()
	}
	return false
}

func (s *scripts) add(list string, steps []ratelimit.Algorithm, items []ratelimit.Item) (*Script, error) {
	if len(steps) > maxSteps {
		return nil, fmt.Errorf("%d algorithms in one script: at most %d", len(steps), maxSteps)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range items {
		a := items[i].Algorithm
		if err := s.learnLocked(a); err != nil {
			return nil, fmt.Errorf("algorithm %q: %w", a.Name(), err)
		}
	}
	if script := s.byList[list]; script != nil {
		return script, nil
	}
	script := newScript(compose(steps))
	if s.byList == nil {
		s.byList = map[string]*Script{}
	}
	s.byList[list] = script
	return script, nil
}

// learnLocked checks that Redis can run a.
func (s *scripts) learnLocked(a ratelimit.Algorithm) error {
	if b, ok := a.(ratelimit.BuiltIn); ok {
		return b.Validate()
	}
	own, ok := a.(ratelimit.ScriptAlgorithm)
	if !ok {
		return errors.New("it has no RedisScript, and Redis runs nothing else")
	}
	name, body := own.Name(), own.RedisScript()
	known, named := s.bodies[name]
	switch {
	case !isName(name):
		return errors.New("its name is not made of letters and digits")
	case builtInFiles[name] != "":
		return errors.New("a built-in algorithm has this name")
	case strings.TrimSpace(body) == "":
		return errors.New("its RedisScript is empty")
	case strings.HasPrefix(strings.TrimSpace(body), "#!"):
		return errors.New("its RedisScript begins with #!, but it is the body of a function")
	case named && known != body:
		return errors.New("another RedisScript has this name")
	}
	if s.bodies == nil {
		s.bodies = map[string]string{}
	}
	s.bodies[name] = body
	return nil
}

func isName(name string) bool {
	for _, c := range []byte(name) {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return false
		}
	}
	return name != ""
}

// builtInFiles has the files of the built-in algorithms, by name. Each defines a
// function of that name.
var builtInFiles = map[string]string{
	ratelimit.FixedWindow.Name():   "fixedwindow",
	ratelimit.SlidingWindow.Name(): "slidingwindow",
	ratelimit.TokenBucket.Name():   "tokenbucket",
}

// compose writes the script that has these steps. Scripts of users come first:
// what the rest calls its functions is then no name of theirs.
func compose(steps []ratelimit.Algorithm) string {
	var text, builtIns strings.Builder
	names := make([]string, len(steps))
	for i, a := range steps {
		if own, ok := a.(ratelimit.ScriptAlgorithm); ok {
			fmt.Fprintf(&text, "local own%d = function(KEYS, ARGV)\n%s\nend\n", i+1, own.RedisScript())
			names[i] = fmt.Sprintf("custom(own%d)", i+1)
			continue
		}
		names[i] = a.Name()
		builtIns.WriteString(lua(builtInFiles[a.Name()]))
	}
	for _, file := range []string{"arithmetic", "state", "windows", "custom"} {
		text.WriteString(lua(file))
	}
	fmt.Fprintf(&text, "%slocal steps = {%s}\n%s", &builtIns, strings.Join(names, ", "), lua("run"))
	return text.String()
}

// lua is an embedded file without its comments: Redis keeps every script as it
// was sent.
func lua(name string) string {
	text, err := luaFiles.ReadFile("lua/" + name + ".lua")
	if err != nil {
		panic(err) // the files are part of the program
	}
	var code strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(strings.TrimSpace(line), "--") {
			code.WriteString(line)
		}
	}
	return code.String()
}
