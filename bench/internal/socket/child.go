package socket

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/sallyport-go/sallyport/bench/internal/stack"
)

// child is a process that serves a stack.
type child struct {
	addr    string
	command *exec.Cmd
	input   io.Closer // the child ends when it is closed
}

func startChild(ctx context.Context, name string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{command: exec.CommandContext(ctx, self)} //nolint:gosec // this program
	c.command.Env = append(os.Environ(), variable+"="+name)
	c.command.Stderr = os.Stderr
	if c.input, err = c.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.command.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		c.stop()
		return nil, fmt.Errorf("the server of %s did not start: %w", name, err)
	}
	c.addr = strings.TrimSpace(line)
	return c, nil
}

func (c *child) stop() {
	_ = c.input.Close()
	_ = c.command.Process.Kill()
	_ = c.command.Wait()
}

// load is what wrk has seen.
type load struct {
	perSecond float64
	refused   bool // every answer but a few was no success
}

var (
	perSecond = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	total     = regexp.MustCompile(`(\d+) requests in`)
	failures  = regexp.MustCompile(`Non-2xx or 3xx responses: (\d+)`)
)

// wrk loads the server over 64 connections.
func (c *child) wrk(ctx context.Context, length time.Duration) (load, error) {
	args := []string{"-t1", "-c64", fmt.Sprintf("-d%ds", max(1, int(length.Seconds())))}
	for name, value := range stack.Fields() {
		args = append(args, "-H", name+": "+value)
	}
	out, err := exec.CommandContext(ctx, "wrk", append(args, "http://"+c.addr+stack.Path)...).CombinedOutput() //nolint:gosec // a server of this program
	if errors.Is(err, exec.ErrNotFound) {
		return load{}, fmt.Errorf("%w; .ci/install wrk", err)
	}
	if err != nil {
		return load{}, fmt.Errorf("wrk: %w: %s", err, out)
	}
	return parse(string(out))
}

func parse(out string) (load, error) {
	number := func(r *regexp.Regexp) float64 {
		m := r.FindStringSubmatch(out)
		if m == nil {
			return 0
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return 0
		}
		return n
	}
	l := load{perSecond: number(perSecond)}
	all, failed := number(total), number(failures)
	if l.perSecond == 0 || all == 0 || strings.Contains(out, "Socket errors") {
		return load{}, fmt.Errorf("wrk has not done its work: %s", out)
	}
	l.refused = failed > 0
	if l.refused && all-failed > 64 {
		return load{}, fmt.Errorf("wrk got answers of both kinds: %s", out)
	}
	return l, nil
}
