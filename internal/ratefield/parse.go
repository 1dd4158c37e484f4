package ratefield

import (
	"errors"
	"fmt"

	"github.com/sallyport-go/sallyport/internal/sfv"
)

// Member is a member of either field as it stands there.
type Member struct {
	Name   string
	Params sfv.Params // parameters that the draft does not know are comments
}

func (m Member) appendTo(dst []byte) ([]byte, error) {
	return sfv.AppendItem(dst, sfv.Item{Value: sfv.String(m.Name), Params: m.Params})
}

// ParsePolicies reads all lines of RateLimit-Policy. With one fault nothing of
// the field counts (section 7).
func ParsePolicies(lines []string) ([]Member, error) {
	return parse(lines, PolicyField, policyParameters)
}

// ParseLimits reads all lines of RateLimit, as [ParsePolicies] does.
func ParseLimits(lines []string) ([]Member, error) {
	return parse(lines, LimitField, limitParameters)
}

func parse(lines []string, field string, known []parameter) ([]Member, error) {
	list, err := sfv.ParseList(lines)
	if err != nil {
		return nil, fmt.Errorf("ratefield: %s: %w", field, err)
	}
	members := make([]Member, len(list))
	for i := range list {
		if members[i], err = parseMember(list[i], known); err != nil {
			return nil, fmt.Errorf("ratefield: %s: member %d: %w", field, i+1, err)
		}
	}
	return members, nil
}

func parseMember(m sfv.Member, known []parameter) (Member, error) {
	item, ok := m.(sfv.Item)
	if !ok {
		return Member{}, errors.New("an inner list has no name")
	}
	name, ok := item.Value.(sfv.String)
	if !ok {
		return Member{}, errors.New("the name is not a String")
	}
	return Member{string(name), item.Params}, check(item.Params, known)
}
