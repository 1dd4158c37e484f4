package main

import (
	"fmt"
	"slices"
	"strings"
)

// counts says how often each key came, in their order.
func counts(n map[string]int) string {
	var parts []string
	for key, times := range n {
		parts = append(parts, fmt.Sprintf("%d x %s", times, key))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func get(path string, fields ...string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: a\r\n" + strings.Join(fields, "") + "Connection: close\r\n\r\n"
}

func post(path, kind, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", path, kind, len(body), body)
}

func hugeHeaders() []attack {
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	return []attack{
		{"a field of 1 MiB", get("/api/v1/open", "X-A: "+strings.Repeat("a", 1<<20)+"\r\n"), []int{431}},
		{"a field of 16 MiB", get("/api/v1/open", "X-A: "+strings.Repeat("a", 16<<20)+"\r\n"), nil},
		{"a name of 1 MiB", get("/api/v1/open", strings.Repeat("A", 1<<20)+": a\r\n"), nil},
		{"100k fields", get("/api/v1/open", many(100_000, "X-%d: a\r\n")), []int{431}},
		{"100k times the same field", get("/api/v1/open", strings.Repeat("X-A: a\r\n", 100_000)), []int{431}},
		{"5k fields below the bound", get("/api/v1/open", many(5_000, "X-%d: a\r\n")), []int{200, 431}},
		{"a cookie with 10k parts", get("/api/v1/open", "Cookie: "+strings.Repeat("a=b; ", 10_000)+"\r\n"), []int{200, 400}},
		{"a cookie of 1 MiB", get("/api/v1/open", "Cookie: "+strings.Repeat("a=b; ", 200_000)+"\r\n"), []int{431}},
		{"Accept with 10k ranges", get("/api/v1/open", "Accept: "+strings.Repeat("a/b;q=0.1, ", 4_000)+"\r\n"), []int{200, 406}},
		{"Authorization of 50 KiB", get("/api/v1/admin", "Authorization: Bearer "+strings.Repeat("a", 50_000)+"\r\n"), nil},
		{"Authorization with 10k commas", get("/api/v1/admin", "Authorization: Bearer "+strings.Repeat("a,", 10_000)+"\r\n"), nil},
		{"Range with 5k parts", get("/api/v1/files/page.txt", "Range: bytes="+strings.Repeat("0-1,", 5_000)+"0-1\r\n"), []int{200, 206, 416}},
		{"If-None-Match with 5k tags", get("/api/v1/files/page.txt", "If-None-Match: "+strings.Repeat(`"a", `, 5_000)+"\"b\"\r\n"), []int{200}},
		{"a method of 1 MiB", strings.Repeat("A", 1<<20) + " / HTTP/1.1\r\nHost: a\r\n\r\n", nil},
		{"a target of 1 MiB", get("/api/v1/" + strings.Repeat("a", 1<<20)), nil},
		{"a target of 60 KiB", get("/api/v1/" + strings.Repeat("a", 60_000)), []int{414}},
		{"a path of 4k segments", get("/api/v1" + strings.Repeat("/a", 4_000)), nil},
		{"an endless first line", strings.Repeat("A", 8<<20), nil},
	}
}

func manyFields() []attack {
	const n = 100_000
	pairs := strings.Repeat("a=b&", n)
	return []attack{
		{"a query of 100k fields", get("/api/v1/query?" + pairs), nil},
		{"a query of 3k fields", get("/api/v1/query?" + strings.Repeat("a&", 3_000)), nil},
		{"a query of 2k list fields", get("/api/v1/query?" + strings.Repeat("b=&", 2_600)), []int{200, 400}},
		{"a query of brackets", get("/api/v1/query?b" + strings.Repeat("[]", 3_000) + "=1"), []int{200, 400}},
		{"a form of 100k fields", post("/api/v1/form", "application/x-www-form-urlencoded", pairs), nil},
		{"a form of 100k list fields", post("/api/v1/form", "application/x-www-form-urlencoded", strings.Repeat("b=1&", n)), []int{204, 400, 413}},
		{"a form of 100k other names", post("/api/v1/form", "application/x-www-form-urlencoded", distinct(n)), []int{204, 400, 413}},
		{"JSON with 80k members", post("/api/v1/numbers", "application/json", "{"+members(80_000)+"}"), nil},
	}
}

func distinct(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%x=&", i)
	}
	return b.String()
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%x":0,`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// hostileJSON is what is no good value for the struct numbers.
func hostileJSON() []attack {
	var all []attack
	for name, body := range map[string]string{
		"arrays 100k deep":         `{"any":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}",
		"arrays 500k deep, open":   strings.Repeat("[", 500_000),
		"objects 100k deep":        `{"any":` + strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000) + "}",
		"depth in an unknown name": `{"x":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + "}",
		"a key twice":              `{"n":1,"n":2}`,
		"a key twice, escaped":     `{"n":1,"\u006e":2}`,
		"a key twice inside":       `{"any":{"a":1,"a":2}}`,
		"a key in another case":    `{"n":1,"N":2}`,
		"an integer of 1 MB":       `{"n":` + strings.Repeat("9", 1_000_000) + `}`,
		"a float of 1 MB":          `{"f":0.` + strings.Repeat("9", 1_000_000) + `x}`,
		"1e400":                    `{"f":1e400}`,
		"1e999999999":              `{"f":1e999999999}`,
		"1e999999999 for an int":   `{"n":1e999999999}`,
		"2^63":                     `{"n":9223372036854775808}`,
		"-2^63-1":                  `{"n":-9223372036854775809}`,
		"1.5 for an int":           `{"n":1.5}`,
		"a number in a list":       `{"list":[1e99]}`,
		"NaN":                      `{"f":NaN}`,
		"Infinity":                 `{"f":-Infinity}`,
		"a leading zero":           `{"n":01}`,
		"a hex number":             `{"n":0x10}`,
		"text for a number":        `{"n":"1"}`,
		"a number for text":        `{"text":1}`,
		"bytes that are no UTF-8":  "{\"text\":\"\xff\xfe\"}",
		"half a surrogate":         `{"text":"\ud800"}`,
		"a NUL":                    "{\"text\":\"a\x00b\"}",
		"a line break in text":     "{\"text\":\"a\r\nb\"}",
		"two values":               `{"n":1}{"n":2}`,
		"rubbish behind it":        `{"n":1} x`,
		"a comma too many":         `{"n":1,}`,
		"a comment":                `{"n":1/*x*/}`,
		"single quotes":            `{'n':1}`,
		"blanks alone":             strings.Repeat(" ", 1_000_000),
		"a byte order mark":        "\ufeff{\"n\":\"x\"}",
		"UTF-16":                   "\xff\xfe{\x00}\x00",
		"an array":                 `[1]`,
		"half of it":               `{"n":`,
		"300k strings in a list":   `{"list":[` + strings.Repeat(`"",`, 300_000) + `""]}`,
		"a bomb of quotes":         `{"text":"` + strings.Repeat(`\`, 500_000),
		"more than MaxBody":        `{"text":"` + strings.Repeat("a", 1<<20) + `"}`,
		"a proto":                  `{"__proto__":{"n":"x"},"n":"y"}`,
	} {
		all = append(all, attack{name, post("/api/v1/numbers", "application/json", body), nil})
	}
	all = append(all, attack{"1e999999999 for anything, which stays text", post("/api/v1/numbers", "application/json", `{"any":1e999999999}`), []int{204, 400}})
	for name, kind := range map[string]string{
		"no media type":       "",
		"another media type":  "text/plain",
		"a broken media type": "application/json;;;=",
		"another charset":     "application/json; charset=utf-7",
	} {
		all = append(all, attack{name, post("/api/v1/numbers", kind, `{"n":"x"}`), nil})
	}
	all = append(all, attack{"gzip", strings.Replace(post("/api/v1/numbers", "application/json", "\x1f\x8b\x08\x00"), "Host:", "Content-Encoding: gzip\r\nHost:", 1), nil})
	all = append(all, attack{"a length of 10 GB", strings.Replace(post("/api/v1/numbers", "application/json", ""), "Content-Length: 0", "Content-Length: 10000000000", 1), []int{413}})
	all = append(all, attack{"a chunk of 1 TB", strings.Replace(post("/api/v1/numbers", "application/json", "ffffffffff\r\n{"), "Content-Length: 13", "Transfer-Encoding: chunked", 1), []int{408}})
	slices.SortFunc(all, func(a, b attack) int { return strings.Compare(a.name, b.name) })
	return all
}

func hostileForms() []attack {
	part := "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n"
	kind := "multipart/form-data; boundary=b"
	return []attack{
		{"10k parts", post("/api/v1/form", kind, strings.Repeat(part, 10_000)+"--b--\r\n"), nil},
		{"a part with 10k fields", post("/api/v1/form", kind, "--b\r\n"+strings.Repeat("X-A: b\r\n", 10_000)+"\r\n\r\n--b--\r\n"), []int{204, 400}},
		{"a part with a field of 900 KB", post("/api/v1/form", kind, "--b\r\nX-A: "+strings.Repeat("b", 900_000)+"\r\n\r\n\r\n--b--\r\n"), []int{204, 400}},
		{"no end", post("/api/v1/form", kind, part), nil},
		{"no boundary", post("/api/v1/form", "multipart/form-data", part+"--b--\r\n"), nil},
		{"a boundary of 60 KB", post("/api/v1/form", "multipart/form-data; boundary="+strings.Repeat("b", 60_000), part), nil},
		{"a boundary that never comes", post("/api/v1/form", "multipart/form-data; boundary=never", strings.Repeat("-", 1<<20)), nil},
		{"a path as a file name", post("/api/v1/form", kind, "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"../../etc/passwd\"\r\n\r\nx\r\n--b--\r\n"), []int{204, 400}},
		{"a NUL in a name", post("/api/v1/form", kind, "--b\r\nContent-Disposition: form-data; name=\"a\x00\"\r\n\r\nx\r\n--b--\r\n"), []int{204, 400}},
		{"multipart in multipart", post("/api/v1/form", kind, "--b\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nx\r\n--c--\r\n--b--\r\n"), []int{204, 400}},
		{"broken escapes", post("/api/v1/form", "application/x-www-form-urlencoded", "a=%zz"), nil},
		{"half an escape", post("/api/v1/form", "application/x-www-form-urlencoded", "a=%"), nil},
		{"semicolons", post("/api/v1/form", "application/x-www-form-urlencoded", "a=1;b=2"), nil},
		{"more than MaxBody", post("/api/v1/form", "application/x-www-form-urlencoded", "a="+strings.Repeat("b", 1<<20)), []int{413}},
	}
}
