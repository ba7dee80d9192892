# Every command of the repository; .ci/run calls these. `make` alone builds.

GO       ?= go
FUZZTIME ?= 20s
# One row of the table of `make bench`, for example ROW=step-cold; empty is all.
ROW      ?=

VERSION := $(or $(shell git describe --tags --dirty 2>/dev/null),dev)
BUILD   := CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '-X main.version=$(VERSION)'
TOOL    := $(GO) tool -modfile=tools/go.mod

PLUGINS := $(patsubst strategies/%/plugin/main.go,bin/compactor-strategy-%,$(wildcard strategies/*/plugin/main.go))
PROTOS  := $(patsubst sdk/proto/%,%,$(wildcard sdk/proto/compactor/*/*/*.proto))
GENERATORS := google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc
# Modules inside this one, which `./...` does not reach.
NESTED  := $(dir $(wildcard examples/*/go.mod examples/*/*/go.mod test/*/go.mod))

# The shell command that writes the Go code of the contract to the folder $(1).
protoc = $(GO) build -modfile=tools/go.mod -o bin/tools/ $(GENERATORS) && PATH="$(CURDIR)/bin/tools:$$PATH" \
	protoc -I sdk/proto $(PROTOS) --go_out=$(1) --go_opt=paths=source_relative \
	--go-grpc_out=$(1) --go-grpc_opt=paths=source_relative

.PHONY: all demo test check lint fmt generate bench fuzz clean
all: bin/compactor $(PLUGINS)

# The go command knows what is stale; make does not try to.
bin/compactor: FORCE
	$(BUILD) -o $@ ./cmd/host

bin/compactor-strategy-%: FORCE
	$(BUILD) -o $@ ./strategies/$*/plugin

FORCE:

# The main job on the example conversation: no key, no network.
demo: all
	bin/compactor compact examples/conversation.json --max-tokens 6000 --out dist/demo/conversation.json --force --report

test:
	$(GO) test ./...
	@set -e; for dir in $(NESTED); do (cd $$dir && $(GO) test ./...); done

check: lint
	$(GO) test -race ./...
	@set -e; for dir in $(NESTED); do (cd $$dir && $(GO) vet ./... && $(GO) test -race ./...); done
	@if command -v protoc >/dev/null; then \
		rm -rf bin/proto && mkdir -p bin/proto && $(call protoc,bin/proto) && \
		diff -r -x '*.proto' -x doc.go -I 'protoc  *v[0-9]' sdk/proto bin/proto && rm -rf bin/proto; \
	else echo 'generated code not compared: there is no protoc'; fi

# gofumpt is among the linters; gofmt also sees what they leave out.
lint:
	@files=$$(gofmt -l .) && if [ -n "$$files" ]; then echo "not formatted by gofmt:" $$files; exit 1; fi
	$(GO) vet ./...
	$(TOOL) golangci-lint run ./...

fmt:
	$(TOOL) golangci-lint fmt

generate:
	$(call protoc,sdk/proto)

# Prints one line per figure and fails when a bar is missed.
bench: all
	$(GO) run ./internal/bench $(ROW)

# Every fuzz target of the module in turn.
fuzz:
	@grep -rHoE '^func Fuzz[A-Za-z0-9_]+' --include='*_test.go' --exclude-dir=examples . | while IFS=: read -r file target; do \
		$(GO) test -run '^$$' -fuzz "^$${target#func }$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" || exit 1; done

clean:
	rm -rf bin dist
