package redisstorage

import (
	"crypto/sha1" //nolint:gosec // Redis names scripts by their SHA-1
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/sallyport-go/sallyport/ratelimit"
)

//go:embed lua/*.lua
var luaFiles embed.FS

// Script is a Lua script for Redis. It is immutable.
type Script struct {
	text, sha string
	word      any // sha, as commands take it
}

func newScript(text string) *Script {
	sum := sha1.Sum([]byte(text)) //nolint:gosec // the name of the script, no secret
	sha := hex.EncodeToString(sum[:])
	return &Script{text, sha, sha}
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

// builtInFiles has the files of the built-in algorithms, by name. Each is what
// stands between load.lua and save.lua.
var builtInFiles = map[string]string{
	ratelimit.FixedWindow.Name():   "fixedwindow",
	ratelimit.SlidingWindow.Name(): "slidingwindow",
	ratelimit.TokenBucket.Name():   "tokenbucket",
}

// functionsOf has the files of the functions that a built-in algorithm calls.
var functionsOf = map[string][]string{
	ratelimit.SlidingWindow.Name(): {"muldiv"},
	ratelimit.TokenBucket.Name():   {"muldiv", "refill"},
}

// compose writes the script that has these steps. Scripts of users come first:
// what the rest calls its functions is then no name of theirs.
func compose(steps []ratelimit.Algorithm) string {
	var text, own, builtIns strings.Builder
	var functions []string
	for i, a := range steps {
		if script, ok := a.(ratelimit.ScriptAlgorithm); ok {
			fmt.Fprintf(&text, "local own%d = function(KEYS, ARGV)\n%s\nend\n", i+1, script.RedisScript())
			fmt.Fprintf(&own, "[%d] = own%[1]d, ", i+1)
			continue
		}
		if builtIns.Len() > 0 {
			builtIns.WriteString("else")
		}
		fmt.Fprintf(&builtIns, "if step == %d then\n%s", i+1, lua(builtInFiles[a.Name()], nil))
		for _, f := range functionsOf[a.Name()] {
			if !slices.Contains(functions, f) {
				functions = append(functions, f)
			}
		}
	}
	var declared, decision strings.Builder
	for _, f := range functions {
		declared.WriteString(lua(f, nil))
	}
	if own.Len() > 0 {
		fmt.Fprintf(&declared, "%slocal own = {%s}\n", lua("custom", nil), &own)
		fmt.Fprintf(&decision, "if own[step] then\n%selse\n", lua("own", nil))
	}
	if builtIns.Len() > 0 {
		fmt.Fprintf(&decision, "%s%send\n%s", lua("load", nil), &builtIns, lua("save", nil))
	}
	if own.Len() > 0 {
		decision.WriteString("end\n")
	}
	text.WriteString(lua("run", map[string]string{"functions": declared.String(), "steps": decision.String()}))
	return text.String()
}

const include = "-- include "

// lua is an embedded file with those that it includes, or with the given text in
// their place. It has no other comments: Redis keeps every script as it was sent.
func lua(name string, given map[string]string) string {
	text, err := luaFiles.ReadFile("lua/" + name + ".lua")
	if err != nil {
		panic(err) // the files are part of the program
	}
	var code strings.Builder
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		part, included := strings.CutPrefix(line, include)
		switch text, ok := given[part]; {
		case included && ok:
			code.WriteString(text)
		case included:
			code.WriteString(lua(part, nil))
		case !strings.HasPrefix(line, "--"):
			code.WriteString(line + "\n")
		}
	}
	return code.String()
}
