// Screenshots takes the pictures of docs/console.md: it runs examples/bookstore and
// uses its console in Chromium.
//
//	go run ./console/screenshots -out DIR
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/sallyport-go/sallyport/e2e/console/internal/chrome"
	"github.com/sallyport-go/sallyport/e2e/internal/program"
)

func main() {
	out := flag.String("out", ".", "`folder` for the pictures")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out string) (err error) {
	folder, err := os.MkdirTemp("", "screenshots")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path, err := program.Build(ctx, "bookstore", folder)
	if err != nil {
		return err
	}
	browser, err := chrome.Start()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, browser.Close()) }()
	for _, p := range pictures {
		if err := p.take(ctx, browser, path, out); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Println(filepath.Join(out, p.name))
	}
	return nil
}

// take makes one picture of a program that nobody has called yet.
func (p picture) take(ctx context.Context, browser *chrome.Browser, path, out string) (err error) {
	base, stop, err := program.Start(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	tab, err := browser.Tab(2 * time.Minute)
	if err != nil {
		return err
	}
	defer tab.Close()
	if err := tab.Size(p.width, p.height, p.width < 600); err != nil {
		return err
	}
	for _, s := range append([]step{open(base + "/api/v2/console")}, p.steps...) {
		if err := s(tab); err != nil {
			return err
		}
	}
	image, err := tab.Screenshot()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, p.name), image, 0o600)
}
