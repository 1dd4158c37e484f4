package report

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// Machine is where and with what something is measured.
func Machine(ctx context.Context) Table {
	t := Table{Columns: []string{"What", "Which"}}
	t.Add("Processor", fmt.Sprintf("%s, %d used", first("/proc/cpuinfo", "model name"), runtime.GOMAXPROCS(0)))
	t.Add("Memory", first("/proc/meminfo", "MemTotal"))
	t.Add("System", strings.TrimSpace(runtime.GOOS+"/"+runtime.GOARCH+" "+file("/proc/sys/kernel/osrelease")))
	t.Add("Load before", strings.TrimSpace(file("/proc/loadavg")))
	t.Add("Go", runtime.Version())
	t.Add("redis-server", version(ctx, "redis-server", "--version", "v="))
	t.Add("wrk", version(ctx, "wrk", "--version", "wrk "))
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return t
	}
	for _, m := range info.Deps {
		if slices.ContainsFunc(peers, func(name string) bool { return strings.Contains(m.Path, name) }) {
			t.Add(m.Path, m.Version)
		}
	}
	return t
}

// peers are parts of the names of modules whose versions matter.
var peers = []string{
	"huma", "gin-gonic/gin", "go-chi", "redis_rate", "httprouter", "labstack/echo", "redis/go-redis", "go-limiter", "throttled", "ulule/limiter",
	"golang.org/x/time", "validator",
}

func file(name string) string {
	data, err := os.ReadFile(name) //nolint:gosec // names of this program
	if err != nil {
		return ""
	}
	return string(data)
}

// first is the first value of that name in a file of the system.
func first(path, name string) string {
	for line := range strings.Lines(file(path)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// version is the word behind a mark in what a program says of itself.
func version(ctx context.Context, program, option, mark string) string {
	out, _ := exec.CommandContext(ctx, program, option).CombinedOutput() //nolint:gosec // programs of the comparison; wrk fails and tells
	_, rest, ok := strings.Cut(string(out), mark)
	if fields := strings.Fields(rest); ok && len(fields) > 0 {
		return fields[0]
	}
	return "none"
}
