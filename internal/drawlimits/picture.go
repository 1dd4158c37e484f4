package main

import (
	_ "embed" // the template
	"io"
	"text/template"
	"time"

	"github.com/sallyport-go/sallyport/ratelimit"
)

// The geometry in pixels. Everything falls on whole ones.
const (
	left       = 20
	perSecond  = 6
	firstLane  = 60
	laneHeight = 66
)

//go:embed picture.svg.tmpl
var markup string

var pictureTemplate = template.Must(template.New("picture").Parse(markup))

// picture is what the template draws. Lanes have their own coordinates, from
// their top left corner on the time axis.
type picture struct {
	Algorithm     string
	Limit         int
	Width, Height int
	Left, Right   int
	Lanes         []pictureLane
	Axis          int // y of the time axis
	Times         []pictureTime
}

type pictureLane struct {
	Name               string
	Y                  int
	Admitted, Requests int
	Most               int // admitted in the busiest interval
	BandX, BandWidth   int // the busiest interval
	Accepted, Refused  []int
}

type pictureTime struct {
	X       int
	Seconds int
	Edge    bool // two windows meet here
}

// draw writes the picture of an algorithm. The same lanes give the same bytes.
func draw(w io.Writer, a ratelimit.BuiltIn, lanes []lane) error {
	p := picture{
		Algorithm: a.Name(),
		Limit:     limit,
		Width:     x(shown) + left,
		Left:      left,
		Right:     x(shown),
		Axis:      firstLane + len(lanes)*laneHeight,
	}
	p.Height = p.Axis + 28
	for i, l := range lanes {
		p.Lanes = append(p.Lanes, layOut(l, firstLane+i*laneHeight))
	}
	for at := time.Duration(0); at <= shown; at += interval / 6 {
		edge := a != ratelimit.TokenBucket && at%interval == 0 && 0 < at && at < shown
		p.Times = append(p.Times, pictureTime{x(at), int(at / time.Second), edge})
	}
	return pictureTemplate.Execute(w, p)
}

func layOut(l lane, y int) pictureLane {
	from, most := l.busiest()
	p := pictureLane{
		Name:      l.name,
		Y:         y,
		Admitted:  l.admitted(0, shown),
		Requests:  len(l.at),
		Most:      most,
		BandX:     x(from),
		BandWidth: x(min(from+interval, shown)) - x(from),
	}
	for i, at := range l.at {
		if l.accepted[i] {
			p.Accepted = append(p.Accepted, x(at))
		} else {
			p.Refused = append(p.Refused, x(at))
		}
	}
	return p
}

// x is where a time stands.
func x(at time.Duration) int { return left + int(at*perSecond/time.Second) }
