// Package chrome drives a Chromium without a window, and keeps what its pages do
// wrong: errors on the console and requests to foreign hosts.
package chrome

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Browser is a running Chromium. It is safe for concurrent use.
type Browser struct {
	ctx  context.Context //nolint:containedctx // chromedp keeps the browser in it
	stop func()
}

// Start starts the chromium of the path. No host but 127.0.0.1 has an address in it.
func Start() (*Browser, error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, fmt.Errorf("chrome: install chromium: %w", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.WindowSize(1280, 900),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("lang", "en"),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	b := &Browser{ctx, func() { stop(); stopAllocator() }}
	if err := chromedp.Do(ctx); err != nil {
		b.stop()
		return nil, fmt.Errorf("chrome: %w", err)
	}
	return b, nil
}

// Close ends the browser and waits for it.
func (b *Browser) Close() error {
	err := chromedp.Cancel(b.ctx)
	b.stop()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Tab opens a tab that shares nothing with others: no cookie, nothing stored. All
// that is done in it has to be done before the timeout.
func (b *Browser) Tab(timeout time.Duration) (*Tab, error) {
	limited, cancel := context.WithTimeout(b.ctx, timeout)
	t := &Tab{}
	ctx, closeTab := chromedp.NewContext(limited, chromedp.WithNewBrowserContext(), chromedp.WithListener(t.listen))
	t.ctx, t.close = ctx, func() { closeTab(); cancel() }
	err := t.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		// Every tab believes that it is in front, or keys would go nowhere.
		_, err := cdp.Call(ctx, target, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		return err
	}))
	if err != nil {
		t.close()
		return nil, fmt.Errorf("chrome: %w", err)
	}
	return t, nil
}

// AllowClipboard lets the pages of a tab read the clipboard.
func (t *Tab) AllowClipboard() error {
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(t.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission:       &browser.PermissionDescriptor{Name: name},
			Setting:          browser.PermissionSettingGranted,
			BrowserContextID: chromedp.FromContext(t.ctx).BrowserContextID,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// AllowDownloads saves what is downloaded in a folder.
func (t *Tab) AllowDownloads(folder string) error {
	_, err := chromedp.CallBrowser(t.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior:         browser.SetDownloadBehaviorBehaviorAllow,
		BrowserContextID: chromedp.FromContext(t.ctx).BrowserContextID,
		DownloadPath:     folder,
	})
	return err
}
