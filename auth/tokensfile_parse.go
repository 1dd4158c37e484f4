package auth

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// parseTokensFile reads the file as [TokensFile] describes it. The error has all
// mistakes with their lines, and no text of the file, which may be a token.
func parseTokensFile(path string, content []byte) (*tokenTable, error) {
	p := &tokensParser{path: path, content: content, decoder: json.NewDecoder(bytes.NewReader(content)), table: newTokenTable(0, nil)}
	err := p.list()
	if err == nil {
		if _, err = p.decoder.Token(); errors.Is(err, io.EOF) {
			err = nil
		} else {
			err = errors.New("there is something behind the list")
		}
	}
	p.report(err)
	return p.table, errors.Join(p.table.mistakes...)
}

type tokensParser struct {
	path    string
	content []byte
	decoder *json.Decoder
	table   *tokenTable
	line    int // of the entry
}

var (
	errNoJSON  = errors.New("it is no JSON")
	errNoList  = errors.New("it is no list: begin with [")
	errNoEntry = errors.New("the entry is no object")
)

func (p *tokensParser) report(err error) {
	if err != nil {
		p.table.mistakes = append(p.table.mistakes, fmt.Errorf("auth: %s:%d: %w", p.path, p.line, err))
	}
}

// next reads a token of JSON, whose line becomes that of the mistakes.
func (p *tokensParser) next() (json.Token, error) {
	p.advance()
	token, err := p.decoder.Token()
	if err != nil {
		return nil, errNoJSON
	}
	return token, nil
}

// advance finds the line of what is read next.
func (p *tokensParser) advance() {
	start := min(p.decoder.InputOffset(), int64(len(p.content)))
	rest := p.content[start:]
	skipped := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,:"))
	p.line = 1 + bytes.Count(p.content[:int(start)+skipped], []byte("\n"))
}

func (p *tokensParser) list() error {
	if delimiter, err := p.next(); err != nil {
		return err
	} else if delimiter != json.Delim('[') {
		return errNoList
	}
	for p.decoder.More() {
		if err := p.entry(); err != nil {
			return err
		}
	}
	_, err := p.next()
	return err
}

// entry reads one object. What is wrong with it is reported, and the next can be
// read, unless an error is returned.
func (p *tokensParser) entry() error {
	if delimiter, err := p.next(); err != nil {
		return err
	} else if delimiter != json.Delim('{') {
		return errNoEntry
	}
	line := p.line
	members := map[string]any{}
	for p.decoder.More() {
		name, err := p.next()
		if err != nil {
			return err
		}
		var value any
		if p.decoder.Decode(&value) != nil {
			return errNoJSON
		}
		p.member(members, fmt.Sprint(name), value)
	}
	if _, err := p.next(); err != nil {
		return err
	}
	p.line = line
	p.add(members)
	return nil
}

// member keeps a member of the right type. A wrong one counts as there.
func (p *tokensParser) member(members map[string]any, name string, value any) {
	fits, known := memberTypes[name]
	if !known {
		p.report(errors.New("the entry has a member that is none of token, ips, id, scopes and active"))
		return
	}
	if _, twice := members[name]; twice {
		p.report(fmt.Errorf("%s is there twice", name))
	}
	members[name] = value
	if !fits(value) {
		p.report(fmt.Errorf("%s has the wrong type", name))
	}
}

var memberTypes = map[string]func(value any) bool{
	"token": isType[string], "ips": isType[string], "id": isType[string], "active": isType[bool],
	"scopes": func(value any) bool { _, ok := texts(value); return ok },
}

func isType[T any](value any) bool { _, ok := value.(T); return ok }

func texts(value any) (list []string, ok bool) {
	values, ok := value.([]any)
	for _, v := range values {
		text, isText := v.(string)
		if !isText {
			return nil, false
		}
		list = append(list, text)
	}
	return list, ok
}

// add makes a token of the members, whose types are right or reported.
func (p *tokensParser) add(members map[string]any) {
	written, there := members["token"]
	text, isText := written.(string)
	d, _, unreadable := readTokenDigest(text)
	switch {
	case !there:
		p.report(errors.New("token is missing"))
	case isText:
		p.report(unreadable)
	}
	var token Token
	restriction, there := members["ips"]
	if ips, isText := restriction.(string); isText {
		var err error
		token.IPs, err = ParseIPRestriction(ips)
		p.report(err)
	} else if !there {
		p.report(errors.New(`ips is missing, so the token could be used from nowhere: write "*"`))
	}
	if token.ID, _ = members["id"].(string); unreadable == nil {
		p.report(checkID(token.ID, d))
	}
	token.Scopes, _ = texts(members["scopes"])
	p.report(checkScopes(token.Scopes))
	if _, twice := p.table.entries[d]; twice && unreadable == nil {
		p.report(errors.New("the token is there twice"))
	}
	if active, isBool := members["active"].(bool); isBool && !active {
		p.table.entries[d] = tableEntry{} // nobody finds it
		return
	}
	p.table.add(d, token)
}

const digestPrefix = "sha256:"

// readTokenDigest reads a token or, where it is hashed, its digest.
func readTokenDigest(written string) (d digest, hashed bool, err error) {
	encoded, hashed := strings.CutPrefix(written, digestPrefix)
	switch {
	case written == "":
		return d, false, errors.New("token is empty")
	case !hashed:
		return digestOf(written), false, nil
	}
	if decoded, err := hex.DecodeString(encoded); err == nil && len(decoded) == len(d) {
		return digest(decoded), true, nil
	}
	return d, true, fmt.Errorf("token has behind %s not %d hexadecimal digits", digestPrefix, hex.EncodedLen(len(d)))
}
