package redisstorage

import (
	"strconv"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// question is a call in the making.
type question struct {
	script *Script
	words  []any // EVALSHA, the name of the script, how many keys, the keys, the packed items
}

const wordsBeforeKeys = 3

// question packs items into words. All that is new in them is one string, whose parts
// the words are: this is made for every request.
func (s *Storage) question(items []ratelimit.Item) (question, error) {
	var stepsRoom [8]byte
	script, steps, err := s.scripts.of(items, stepsRoom[:0])
	if err != nil {
		return question{}, ratelimit.Bug(err)
	}
	var (
		textRoom [512]byte
		endsRoom [8]int
	)
	text, ends := textRoom[:0], endsRoom[:0]
	for i := range items {
		text = s.appendKey(text, &items[i])
		ends = append(ends, len(text))
	}
	for i := range items {
		text = appendRequest(text, steps[i], items[i].Take)
	}
	all, from := string(text), 0
	words := make([]any, wordsBeforeKeys, wordsBeforeKeys+len(items)+1)
	words[0], words[1], words[2] = "evalsha", script.word, len(items)
	for _, end := range ends {
		words = append(words, all[from:end])
		from = end
	}
	return question{script, append(words, all[from:])}, nil
}

// appendKey appends prefix + "{policy:key}:algorithm:seconds". The braces keep all
// that belongs to a counter in one slot of a cluster.
func (s *Storage) appendKey(key []byte, i *ratelimit.Item) []byte {
	key = append(append(append(append(key, s.prefix...), '{'), i.Key...), "}:"...)
	key = append(append(key, i.Algorithm.Name()...), ':')
	return strconv.AppendInt(key, i.Take.Interval/time.Second.Microseconds(), 10)
}

// withText are the words with the script itself instead of its name.
func (q question) withText() []any {
	words := append([]any(nil), q.words...)
	words[0], words[1] = "eval", q.script.text
	return words
}

func (q question) firstKey() string {
	key, _ := q.words[wordsBeforeKeys].(string) // all keys are texts
	return key
}

// forEvaluator are the words as an [Evaluator] takes them.
func (q question) forEvaluator() (keys []string, args []any) {
	last := len(q.words) - 1
	for _, word := range q.words[wordsBeforeKeys:last] {
		key, _ := word.(string)
		keys = append(keys, key)
	}
	return keys, q.words[last:]
}
