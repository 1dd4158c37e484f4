package chrome

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Tab is one tab of a Browser, for one goroutine.
type Tab struct {
	ctx   context.Context //nolint:containedctx // chromedp keeps the tab in it
	close func()

	mu     sync.Mutex
	faults []string
	urls   []string
}

// waiting bounds one wait, so that it fails with its condition before the tab ends.
const waiting = time.Minute

// Close closes the tab.
func (t *Tab) Close() { t.close() }

// Do runs actions.
func (t *Tab) Do(actions ...chromedp.Action[chromedp.Void]) error {
	return chromedp.Do(t.ctx, actions...)
}

// Value is what a JavaScript expression, or the promise that it is, comes to.
func Value[T any](t *Tab, expression string) (T, error) {
	v, err := chromedp.Run(t.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		return v, fmt.Errorf("%s: %w", expression, err)
	}
	return v, nil
}

// Until waits until a JavaScript expression is true.
func (t *Tab) Until(expression string) error {
	ctx, cancel := context.WithTimeout(t.ctx, waiting)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`new Promise((resolve, reject) => {
		const look = () => {
			try {
				if (`+expression+`) resolve(true);
				else setTimeout(look, 10);
			} catch (error) { reject(error); }
		};
		look();
	})`, chromedp.EvalAwaitPromise))
	if err != nil {
		return fmt.Errorf("waiting until %s: %w", expression, err)
	}
	return nil
}

// Insert writes text where the focus is, as an input method does.
func (t *Tab) Insert(text string) error {
	return t.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, input.InsertText, input.InsertTextParams{Text: text})
		return err
	}))
}

// Press presses keys one behind the other, each with the modifiers, as a keyboard
// does: a page that takes a key for itself keeps its character from being written.
func (t *Tab) Press(modifiers kb.Modifier, keys ...string) error {
	return t.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		for _, key := range keys {
			for _, r := range key {
				for _, event := range strokes(r) {
					event.Modifiers |= int64(modifiers)
					if _, err := cdp.Call(ctx, target, input.DispatchKeyEvent, *event); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}))
}

// strokes are the events of a key. Those of kb have the character in an event of its
// own, which no page can prevent.
func strokes(r rune) (events []*input.DispatchKeyEventParams) {
	for _, event := range kb.Encode(r) {
		if event.Type == kb.KeyChar && len(events) > 0 {
			down := events[len(events)-1]
			down.Type, down.Text, down.UnmodifiedText = kb.KeyDown, event.Text, event.UnmodifiedText
			continue
		}
		events = append(events, event)
	}
	return events
}

// Prefer sets what media queries see, "prefers-color-scheme" for one.
func (t *Tab) Prefer(name, value string) error {
	return t.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: name, Value: value}},
		})
		return err
	}))
}

// Size sets the size of the page, of a telephone if it is mobile.
func (t *Tab) Size(width, height int64, mobile bool) error {
	return t.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: width, Height: height, DeviceScaleFactor: 1, Mobile: mobile,
		})
		return err
	}))
}

// Screenshot is the visible part of the page as PNG.
func (t *Tab) Screenshot() ([]byte, error) {
	return chromedp.Run(t.ctx, chromedp.CaptureScreenshot())
}

// Faults are the errors on the console and the exceptions, but for those that
// contain one of the expected texts, and all requests to other hosts than host.
func (t *Tab) Faults(host string, expected ...string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []string
	for _, fault := range t.faults {
		if !slices.ContainsFunc(expected, func(text string) bool { return strings.Contains(fault, text) }) {
			all = append(all, fault)
		}
	}
	for _, address := range t.urls {
		u, err := url.Parse(address)
		switch {
		case err != nil:
			all = append(all, "request to "+address)
		case u.Scheme == "data", u.Scheme == "blob", u.Scheme == "about": // nothing leaves the browser
		case u.Host != host:
			all = append(all, "request to "+address)
		}
	}
	return all
}

func (t *Tab) listen(event any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		t.faults = append(t.faults, "exception: "+text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			text := "console." + string(e.Type) + ":"
			for _, arg := range e.Args {
				text += " " + string(arg.Value) + arg.Description
			}
			t.faults = append(t.faults, text)
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			t.faults = append(t.faults, fmt.Sprintf("%s: %s %s", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *page.EventJavascriptDialogOpening:
		t.faults = append(t.faults, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		t.urls = append(t.urls, e.Request.URL)
	case *network.EventWebSocketCreated:
		t.urls = append(t.urls, e.URL)
	}
}
