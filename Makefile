# All that is needed is Go and make: every target sets up what else it uses.

GO            ?= go
RACE          ?= -race
FUZZTIME      ?= 10s
ONLY          ?=
LINT_VERSION  := v2.15.0

# The name holds both versions, so a new linter or a new Go builds it anew.
LINT := $(CURDIR)/.bin/golangci-lint-$(LINT_VERSION)-$(shell $(GO) env GOVERSION)

# This module and those below it, which a user's module graph must not see.
MODULES := $(patsubst %/go.mod,%,$(shell find . -name go.mod -not -path '*/.*/*' -not -path '*/testdata/*'))

# A workspace around the checkout would change what is built.
export GOWORK := off

.DEFAULT_GOAL := help
.PHONY: help setup setup-bench build test lint parity screenshots fuzz chaos chaos-short bench bench-check

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# The race detector needs a C compiler on Linux, examples/customstorage a Memcached,
# redisstorage a Redis, examples/bookstore curl (7.82 or later) and redis-cli, as its
# test walks through its README, and e2e a Chromium and an npm (Node.js 20 or later).
# Tests start servers of their own.
setup:
	@test -z "$(RACE)" || command -v $$($(GO) env CC | cut -d' ' -f1) >/dev/null || .ci/install gcc libc6-dev
	@command -v memcached >/dev/null || .ci/install memcached
	@command -v redis-server >/dev/null || .ci/install redis-server
	@command -v redis-cli >/dev/null || .ci/install redis-tools
	@command -v curl >/dev/null || .ci/install curl
	@command -v npm >/dev/null || .ci/install npm
	@command -v chromium >/dev/null || .ci/install chromium fonts-dejavu-core

build: ## Build all packages of all modules, the examples among them
	@for module in $(MODULES); do \
		echo "--- $$module"; \
		(cd $$module && $(GO) build -o /dev/null ./...) || exit 1; \
	done

test: setup ## Run all tests of all modules under the race detector
	@for module in $(MODULES); do \
		echo "--- $$module"; \
		(cd $$module && $(GO) test $(RACE) ./...) || exit 1; \
	done

lint: $(LINT) ## Check the code with the rules of .golangci.yml
	@for module in $(MODULES); do \
		echo "--- $$module"; \
		(cd $$module && $(LINT) run ./...) || exit 1; \
	done

$(LINT):
	@mkdir -p .bin
	GOBIN=$(CURDIR)/.bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	@mv .bin/golangci-lint $@

parity: ## Tell which promises of docs/parity.md have no proof (ONLY=RL, FW or TC)
	@$(GO) run ./internal/parity $(ONLY)

screenshots: setup ## Take the pictures of docs/console.md anew
	cd e2e && $(GO) run ./console/screenshots -out $(CURDIR)/docs/images

fuzz: ## Run every fuzz target for FUZZTIME (10s)
	@for module in $(MODULES); do \
		targets=$$(cd $$module && $(GO) test -list '^Fuzz' ./...) || { echo "$$targets"; exit 1; }; \
		echo "$$targets" | awk '/^Fuzz/ { name[n++] = $$1 } /^ok/ { for (i = 0; i < n; i++) print $$2, name[i]; n = 0 }' | \
		while read -r package name; do \
			echo "--- $$package $$name"; \
			(cd $$module && $(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$package) </dev/null || exit 1; \
		done || exit 1; \
	done

bench: setup-bench ## Compare with the peers and write docs/benchmarks.md
	cd bench && $(GO) run ./cmd/bench

bench-check: setup-bench ## Compare with the peers briefly: a line for each bar
	@cd bench && $(GO) run ./cmd/check

chaos: setup ## Try every fault and attack for long, and write docs/reliability.md
	cd e2e && $(GO) run ./chaos -out $(CURDIR)/docs/reliability.md

chaos-short: setup ## Try every fault and attack, in less than ten minutes
	@cd e2e && $(GO) run ./chaos -short

setup-bench: setup
	@command -v wrk >/dev/null || .ci/install wrk
