package console

import (
	"html/template"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markup is a description as HTML. Of CommonMark it reads paragraphs, lists, code,
// emphasis, and links of http and https; all else stays as it is written. The tags
// and the escaping are those of html/template.
func markup(text string) template.HTML {
	var b strings.Builder
	if err := blocksTemplate.Execute(&b, blocks(text)); err != nil {
		return template.HTML(template.HTMLEscapeString(text)) //nolint:gosec // it is escaped
	}
	return template.HTML(strings.TrimSpace(b.String())) //nolint:gosec // html/template has written it
}

var blocksTemplate = template.Must(template.New("blocks").Parse(`
{{- define "spans"}}{{range .}}
{{- if eq .Kind "code"}}<code>{{.Text}}</code>
{{- else if eq .Kind "em"}}<em>{{template "spans" .Spans}}</em>
{{- else if eq .Kind "strong"}}<strong>{{template "spans" .Spans}}</strong>
{{- else if eq .Kind "a"}}<a href="{{.URL}}" rel="noreferrer noopener" target="_blank">{{template "spans" .Spans}}</a>
{{- else}}{{.Text}}{{end}}{{end}}{{end}}
{{- range .}}
{{if eq .Kind "pre"}}<pre>{{.Text}}</pre>
{{- else if eq .Kind "ul"}}<ul>{{range .Items}}<li>{{template "spans" .}}</li> {{end}}</ul>
{{- else if eq .Kind "ol"}}<ol>{{range .Items}}<li>{{template "spans" .}}</li> {{end}}</ol>
{{- else}}<p>{{range .Items}}{{template "spans" .}}{{end}}</p>{{end}}
{{- end}}`))

// block is a paragraph with one item, a list, or code.
type block struct {
	Kind, Text string
	Items      [][]inline
}

// inline is a part of a paragraph; Kind "" is its text as it is.
type inline struct {
	Kind, Text, URL string
	Spans           []inline
}

var (
	fence  = regexp.MustCompile("^ {0,3}```")
	bullet = regexp.MustCompile(`^ {0,3}[-*+] +`)
	number = regexp.MustCompile(`^ {0,3}\d{1,9}[.)] +`)
)

func blocks(text string) (all []block) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	kind, items := "", []string(nil)
	end := func() {
		b := block{Kind: kind}
		for _, item := range items {
			b.Items = append(b.Items, inlines(item, 0))
		}
		if len(items) > 0 {
			all = append(all, b)
		}
		kind, items = "", nil
	}
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		open, of := bullet.FindString(line), "ul"
		if open == "" {
			open, of = number.FindString(line), "ol"
		}
		switch {
		case fence.MatchString(line):
			end()
			from := i + 1
			for i++; i < len(lines) && !fence.MatchString(lines[i]); {
				i++
			}
			all = append(all, block{Kind: "pre", Text: strings.Join(lines[from:min(i, len(lines))], "\n")})
		case strings.TrimSpace(line) == "":
			end()
		case open != "":
			if kind != of {
				end()
			}
			kind, items = of, append(items, line[len(open):])
		case kind == "":
			kind, items = "p", []string{strings.TrimSpace(line)}
		default:
			items[len(items)-1] += "\n" + strings.TrimSpace(line)
		}
	}
	end()
	return all
}

// inlines are the parts of a text. Emphasis within emphasis has an end.
func inlines(text string, depth int) (all []inline) {
	plain := 0
	for at := 0; at < len(text); {
		span, length := inlineAt(text, at, depth)
		if length == 0 {
			_, size := utf8.DecodeRuneInString(text[at:])
			at += size
			continue
		}
		if plain < at {
			all = append(all, inline{Text: text[plain:at]})
		}
		all = append(all, span)
		at += length
		plain = at
	}
	if plain < len(text) {
		all = append(all, inline{Text: text[plain:]})
	}
	return all
}

var (
	link = regexp.MustCompile(`^\[([^\[\]]+)\]\(([^\s()<>]+)\)`)
	auto = regexp.MustCompile(`^<([^\s<>]+)>`)
	code = regexp.MustCompile("^(?:`([^`]+)`|``(.+?)``)")
)

// inlineAt is what begins at a place of a text, and how long it is; 0: nothing does.
func inlineAt(text string, at, depth int) (span inline, length int) {
	rest := text[at:]
	switch rest[0] {
	case '\\':
		if len(rest) > 1 && rest[1] < utf8.RuneSelf && unicode.In(rune(rest[1]), unicode.P, unicode.S) {
			return inline{Text: rest[1:2]}, 2
		}
	case '`':
		if found := code.FindStringSubmatch(rest); found != nil {
			return inline{Kind: "code", Text: strings.TrimSpace(found[1] + found[2])}, len(found[0])
		}
	case '[':
		if found := link.FindStringSubmatch(rest); found != nil && isWeb(found[2]) {
			return inline{Kind: "a", URL: found[2], Spans: inlines(found[1], depth+1)}, len(found[0])
		}
	case '<':
		if found := auto.FindStringSubmatch(rest); found != nil && isWeb(found[1]) {
			return inline{Kind: "a", URL: found[1], Spans: []inline{{Text: found[1]}}}, len(found[0])
		}
	case '*', '_':
		for i, kind := range []string{"em", "strong"} {
			mark := strings.Repeat(rest[:1], i+1)
			if inner, ok := emphasized(text, at, mark); ok && depth < maxDepth {
				return inline{Kind: kind, Spans: inlines(inner, depth+1)}, len(inner) + 2*len(mark)
			}
		}
	}
	return inline{}, 0
}

// emphasized is what stands between two marks. Those within a word are no marks.
func emphasized(text string, at int, mark string) (inner string, ok bool) {
	rest, isMark := strings.CutPrefix(text[at:], mark)
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	if !isMark || isWord(before) || rest == "" || strings.ContainsRune(" \n"+mark[:1], rune(rest[0])) {
		return "", false
	}
	for from := 1; from < len(rest); from++ {
		end := strings.Index(rest[from:], mark)
		if end < 0 {
			return "", false
		}
		from += end
		after, _ := utf8.DecodeRuneInString(rest[from+len(mark):])
		last := rest[from-1]
		if last == ' ' || last == '\n' || last == '\\' || string(last) == mark[:1] || string(after) == mark[:1] || isWord(after) {
			continue
		}
		return rest[:from], true
	}
	return "", false
}

func isWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

func isWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
