# The doors to the project. meson and ninja do the work; `make help` lists what there is.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
BENCH_ARGS ?=

BIN = build/src/cli/belfry
SANITIZE = -Db_sanitize=address,undefined -Db_lundef=false
SOURCES = $(shell git ls-files '*.c' '*.h')

# $(call setup,FOLDER,OPTIONS,ENVIRONMENT): make a build folder once; from then on ninja notices by
# itself when a meson.build changed. Quiet unless it fails.
setup = @test -f $(1)/build.ninja || { mkdir -p $(1) && \
	$(3) meson setup $(1) $(2) > $(1)/setup.log 2>&1 || { cat $(1)/setup.log; exit 1; }; }

.PHONY: help build run test test-claude bench fuzz lint format install clean build-test

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18

build: ## the release build: build/belfry
	@scripts/setup.sh build
	@test -e $(BIN) || echo "building belfry, about half a minute on two processors"
	$(call setup,build,-Dbuildtype=release)
	@ninja -C build --quiet
	@ln -sf src/cli/belfry build/belfry
	@echo "built build/belfry"

run: build ## a demonstration in a scratch home, until Ctrl-C
	@scripts/setup.sh run
	@scripts/run.sh

build-test:
	@scripts/setup.sh test
	$(call setup,build-test,-Dtests=true $(SANITIZE) -Dbuildtype=debugoptimized)
	@ninja -C build-test --quiet

test: build build-test ## all tests; the last line is "N passed, N failed"
	@ninja -C build --quiet test/sim/sim
	@scripts/mcp-clients.sh
	@scripts/test.sh

test-claude: build build-test ## the real Claude Code, run by Belfry (downloads the client; not in `make test`)
	@scripts/setup.sh claude
	@scripts/test-claude.sh

bench: ## measure, beside the peers and the raw limits
	@scripts/setup.sh bench
	$(call setup,build-bench,-Dbench=true -Dbuildtype=release)
	@ninja -C build-bench --quiet
	@bench/run.sh $(BENCH_ARGS)

fuzz: build-test ## every fuzzer for FUZZ_SECONDS=60
	@scripts/setup.sh fuzz
	$(call setup,build-fuzz,-Dfuzzers=true -Db_lundef=false -Dbuildtype=debugoptimized,CC=clang-14)
	@ninja -C build-fuzz --quiet
	@scripts/fuzz.sh build-fuzz $(FUZZ_SECONDS)

lint: build-test ## formatting, clang-tidy, cppcheck, shellcheck
	@scripts/setup.sh lint
	@scripts/lint.sh build-test

format: ## format every C file in place
	@scripts/setup.sh lint
	@clang-format-14 -i $(SOURCES)

install: build ## into PREFIX=/usr/local, under DESTDIR
	install -D -m 0755 $(BIN) $(DESTDIR)$(PREFIX)/bin/belfry
	rm -rf build/man && mkdir build/man && $(BIN) generate man build/man
	install -d $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 0644 build/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)$(PREFIX)/share/man/man5
	install -m 0644 build/man/*.5 $(DESTDIR)$(PREFIX)/share/man/man5
	$(BIN) generate completion bash > build/completion.bash
	$(BIN) generate completion zsh > build/completion.zsh
	$(BIN) generate completion fish > build/completion.fish
	install -D -m 0644 build/completion.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/belfry
	install -D -m 0644 build/completion.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_belfry
	install -D -m 0644 build/completion.fish \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/belfry.fish
	cd dist && find claude-plugin -type f -exec \
		install -D -m 0644 {} $(abspath $(DESTDIR)$(PREFIX))/share/belfry/{} \;
	@test -e /usr/share/bash-completion/bash_completion || \
		echo "Completions in bash need Debian's package bash-completion."

clean: ## remove the build folders
	rm -rf build build-test build-bench build-fuzz build-claude build-mcp
