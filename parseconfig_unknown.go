package sallyport

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// unknownName says that there is no such name, which one may be meant, and
// which there are.
func unknownName(what, name string, known []string) error {
	return fmt.Errorf("there is no %s %s; %s", what, quote(name), suggest(name, known))
}

// suggest says which name may be meant, and which there are.
func suggest(name string, known []string) string {
	guess := ""
	if near, ok := nearest(name, known); ok {
		guess = fmt.Sprintf("did you mean %s? ", near)
	}
	return guess + "known: " + listNames(known)
}

// maxListed is how many names a mistake lists.
const maxListed = 20

func listNames(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	text := strings.Join(names[:min(len(names), maxListed)], ", ")
	if more := len(names) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// nearest finds the name that differs least, in no more than a third of its
// letters. Case does not count.
func nearest(name string, known []string) (near string, ok bool) {
	if len(name) > maxQuoted {
		return "", false
	}
	least := len(name)/3 + 1
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k), least); d < least {
			near, least, ok = k, d, true
		}
	}
	return near, ok
}

// distance is how many letters must be changed, added, left out or swapped with
// their neighbors to make one text the other (optimal string alignment). What
// is surely no less than limit is limit.
func distance(a, b string, limit int) int {
	if max(len(a), len(b))-min(len(a), len(b)) >= limit {
		return limit
	}
	above, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			substitute := row[j]
			if a[i] != b[j] {
				substitute++
			}
			next[j+1] = min(substitute, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], above[j-1]+1)
			}
		}
		above, row, next = row, next, above
	}
	return row[len(b)]
}
