package onredis

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"

	"github.com/redis/go-redis/v9"
)

// server is a redis-server of the comparison's own, that keeps nothing.
type server struct {
	addr    string
	version string
	command *exec.Cmd
	dir     string
}

func start(ctx context.Context) (*server, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{addr: l.Addr().String()}
	_ = l.Close()
	_, port, err := net.SplitHostPort(s.addr)
	if err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp("", "sallyport-bench"); err != nil {
		return nil, err
	}
	s.command = exec.CommandContext(ctx, "redis-server", "--bind", "127.0.0.1", "--port", port, //nolint:gosec // a port of this program
		"--save", "", "--appendonly", "no", "--dir", s.dir)
	out, err := s.command.StdoutPipe()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	if err := s.command.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("%w; .ci/install redis-server", err), os.RemoveAll(s.dir))
	}
	said := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if _, v, ok := strings.Cut(lines.Text(), "Redis version="); ok {
			s.version, _, _ = strings.Cut(v, ",")
		}
		if strings.Contains(lines.Text(), "Ready to accept connections") {
			return s, nil
		}
		said += lines.Text() + "\n"
	}
	s.stop()
	return nil, fmt.Errorf("redis-server did not start: %s", said)
}

// stop ends the server, which has nothing to lose.
func (s *server) stop() {
	_ = s.command.Process.Kill()
	_ = s.command.Wait()
	_ = os.RemoveAll(s.dir)
}

// client is the same for everybody.
func (s *server) client() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: s.addr, PoolSize: 64, ContextTimeoutEnabled: true, DisableIdentity: true})
}

// counted are the calls of commands, also by scripts, and the reads from
// connections, since the server has started.
func (s *server) counted(ctx context.Context, c *redis.Client) (commands, reads float64, err error) {
	info, err := c.Info(ctx, "stats", "commandstats").Result()
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(info) {
		var n float64
		if name, rest, ok := strings.Cut(line, ":calls="); ok {
			if _, err := fmt.Sscanf(rest, "%f", &n); err == nil && name != "cmdstat_info" && name != "cmdstat_hello" {
				commands += n
			}
		}
		if _, err := fmt.Sscanf(line, "total_reads_processed:%f", &n); err == nil {
			reads = n
		}
	}
	return commands, reads, nil
}
