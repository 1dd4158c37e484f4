package textvalue

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// timeCodec is that of time.Time in a format.
func timeCodec(format string) (*Codec, error) {
	switch format {
	case "", "date-time":
		return timeAs("date-time", readRFC3339, func(t time.Time) string { return t.Format(time.RFC3339Nano) }), nil
	case "unix":
		return timeAs("integer", readUnix, func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }), nil
	}
	layout, word := format, "time in the layout "+strconv.Quote(format)
	if format == "date" {
		layout, word = time.DateOnly, "date"
	}
	if err := usable(layout); err != nil {
		return nil, fmt.Errorf("format %q: %w", format, err)
	}
	return timeAs(word,
		func(text string) (time.Time, bool) {
			t, err := time.Parse(layout, text)
			return t, err == nil
		},
		func(t time.Time) string { return t.Format(layout) }), nil
}

func timeAs(expected string, read func(string) (time.Time, bool), write func(time.Time) string) *Codec {
	return &Codec{
		expected: expected,
		read: func(dst reflect.Value, text string) bool {
			t, ok := read(text)
			if ok {
				dst.Set(reflect.ValueOf(t))
			}
			return ok
		},
		write: func(v reflect.Value) string {
			t, _ := v.Interface().(time.Time)
			return write(t)
		},
	}
}

// readRFC3339 refuses what package time takes beyond RFC 3339: an hour of one
// digit, a fraction behind a comma, and offsets of a day or more.
func readRFC3339(text string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || text[len("2006-01-02T1")] == ':' || strings.Contains(text, ",") {
		return time.Time{}, false
	}
	if zone := text[len(text)-len("07:00"):]; !strings.HasSuffix(text, "Z") && (zone[:2] > "23" || zone[3:] > "59") {
		return time.Time{}, false
	}
	return t, true
}

// readUnix reads whole seconds. Years that RFC 3339 cannot write are none.
func readUnix(text string) (time.Time, bool) {
	n, ok := parseInt(text, 64)
	if !ok {
		return time.Time{}, false
	}
	t := time.Unix(n, 0).UTC()
	return t, t.Year() >= 0 && t.Year() <= 9999 && t.Unix() == n
}

// usable finds layouts that tell no times apart, such as a misspelled name, and
// those whose own times cannot be read.
func usable(layout string) error {
	one := time.Date(2011, 11, 22, 13, 14, 15, 0, time.UTC)
	other := time.Date(2023, 3, 4, 5, 6, 7, 0, time.UTC)
	if one.Format(layout) == other.Format(layout) {
		return errors.New(`it is neither "date-time", "date" nor "unix", and as a layout of package time it holds no time`)
	}
	for _, t := range []time.Time{one, other} {
		if _, err := time.Parse(layout, t.Format(layout)); err != nil {
			return errors.New("not all times in this layout can be read")
		}
	}
	return nil
}

// durationCodec is that of time.Duration in Go's notation, "1m30s".
func durationCodec() *Codec {
	return &Codec{
		expected: "duration",
		read: func(dst reflect.Value, text string) bool {
			d, err := time.ParseDuration(text)
			if err == nil {
				dst.SetInt(int64(d))
			}
			return err == nil
		},
		write: func(v reflect.Value) string { return time.Duration(v.Int()).String() },
	}
}
