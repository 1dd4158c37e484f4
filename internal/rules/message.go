package rules

import (
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// message says what the rule asks for. It holds nothing of any value.
func message(t reflect.Type, name, param string) string {
	switch name {
	case "min", "gte":
		return limit(t, "at least", param, "not be in the past")
	case "max", "lte":
		return limit(t, "at most", param, "not be in the future")
	case "gt":
		return limit(t, "more than", param, "be in the future")
	case "lt":
		return limit(t, "less than", param, "be in the past")
	case "len":
		return limit(t, "exactly", param, "")
	case "eq":
		if classOf(t) == list {
			return limit(t, "exactly", param, "")
		}
		return "must be " + quoted(t, param)
	case "ne":
		if classOf(t) == list {
			return "must not have " + count(param, "item", "items")
		}
		return "must not be " + quoted(t, param)
	case "eq_ignore_case":
		return "must be " + quoted(t, param) + " in any case"
	case "ne_ignore_case":
		return "must not be " + quoted(t, param) + " in any case"
	case "oneof":
		return "must be one of: " + alternatives(param)
	case "oneofci":
		return "must be one of, in any case: " + alternatives(param)
	case "noneof", "noneofci":
		return "must be none of: " + alternatives(param)
	case "contains":
		return "must contain " + strconv.Quote(param)
	case "containsany":
		return "must contain one of the characters " + strconv.Quote(param)
	case "containsrune":
		return "must contain the character " + strconv.Quote(param)
	case "excludes":
		return "must not contain " + strconv.Quote(param)
	case "excludesall":
		return "must contain none of the characters " + strconv.Quote(param)
	case "excludesrune":
		return "must not contain the character " + strconv.Quote(param)
	case "startswith":
		return "must start with " + strconv.Quote(param)
	case "endswith":
		return "must end with " + strconv.Quote(param)
	case "startsnotwith":
		return "must not start with " + strconv.Quote(param)
	case "endsnotwith":
		return "must not end with " + strconv.Quote(param)
	}
	if words, ok := plainWords[name]; ok {
		return "must " + words
	}
	return "must satisfy the rule " + strconv.Quote(name)
}

// limit words a bound: of a number, a length, or, without a parameter, of now.
func limit(t reflect.Type, how, param, time string) string {
	switch classOf(t) {
	case moment:
		return "must " + time
	case text:
		return "must be " + how + " " + count(param, "character", "characters") + " long"
	case list:
		return "must have " + how + " " + count(param, "item", "items")
	}
	if how == "more than" {
		how = "greater than"
	}
	return "must be " + how + " " + param
}

func count(n, one, many string) string {
	if n == "1" {
		return n + " " + one
	}
	return n + " " + many
}

// quoted puts a text in quotes, so that its ends are seen.
func quoted(t reflect.Type, param string) string {
	if classOf(t) == text {
		return strconv.Quote(param)
	}
	return param
}

// word is one of a list as validator splits it.
var word = regexp.MustCompile(`'[^']*'|\S+`)

func alternatives(param string) string {
	words := word.FindAllString(param, -1)
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, "'", "")
	}
	return strings.Join(words, ", ")
}

// fieldWords stand before the name of the other field.
func fieldWords(rule string, c class) string {
	more, less := "must be greater than", "must be less than"
	orMore, orLess := "must be at least", "must be at most"
	switch c {
	case text: // validator compares lengths
		more, less = "must be longer than", "must be shorter than"
		orMore, orLess = "must be at least as long as", "must be at most as long as"
	case moment:
		more, less = "must be after", "must be before"
		orMore, orLess = "must not be before", "must not be after"
	}
	return map[string]string{
		"eqfield": "must be equal to", "nefield": "must differ from",
		"gtfield": more, "gtefield": orMore, "ltfield": less, "ltefield": orLess,
		"fieldcontains": "must contain", "fieldexcludes": "must not contain",
	}[rule]
}

// plainWords are those of the rules without a parameter, behind "must".
var plainWords = map[string]string{
	"alpha": "have letters of ASCII only", "alphanum": "have letters and digits of ASCII only",
	"alphaspace": "have letters of ASCII and spaces only", "alphanumspace": "have letters and digits of ASCII and spaces only",
	"alphaunicode": "have letters only", "alphanumunicode": "have letters and digits only",
	"ascii": "have characters of ASCII only", "printascii": "have printable characters of ASCII only",
	"base64": "be base64", "base64url": "be base64url", "base64rawurl": "be base64url without padding", "base32": "be base32",
	"bcp47_language_tag": "be a language tag", "boolean": "be a boolean",
	"cidr": "be an IP prefix", "cidrv4": "be an IPv4 prefix", "cidrv6": "be an IPv6 prefix",
	"country_code": "be a country code", "credit_card": "be the number of a credit card", "cron": "be a cron expression",
	"datauri": "be a data URI", "datetime": "be a date or time in the right layout", "duration": "be a duration",
	"e164": "be a telephone number in E.164", "email": "be an e-mail address", "fqdn": "be a full domain name",
	"hexadecimal": "be hexadecimal", "hexcolor": "be a color in hexadecimal", "iscolor": "be a color",
	"hostname": "be a host name", "hostname_rfc1123": "be a host name", "hostname_port": "be a host and a port",
	"http_url": "be a URL of http or https", "https_url": "be a URL of https", "url": "be a URL", "uri": "be a URI",
	"ip": "be an IP address", "ipv4": "be an IPv4 address", "ipv6": "be an IPv6 address",
	"isbn": "be an ISBN", "isbn10": "be an ISBN-10", "isbn13": "be an ISBN-13", "issn": "be an ISSN",
	"isdefault":        "be the default",
	"iso3166_1_alpha2": "be a country code of two letters", "iso3166_1_alpha3": "be a country code of three letters",
	"iso4217": "be a currency code", "json": "be JSON", "jwt": "be a JWT",
	"latitude": "be a latitude", "longitude": "be a longitude", "lowercase": "be in lower case", "uppercase": "be in upper case",
	"mac": "be a MAC address", "number": "have digits only", "numeric": "be a number", "port": "be a port",
	"semver": "be a semantic version", "timezone": "be a time zone", "ulid": "be a ULID", "unique": "have no two equal items",
	"uuid": "be a UUID", "uuid3": "be a UUID of version 3", "uuid4": "be a UUID of version 4", "uuid5": "be a UUID of version 5",
	"uuid7": "be a UUID of version 7",
}
