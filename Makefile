# SPDX-License-Identifier: Apache-2.0
PREFIX ?= /usr/local/Ascend/cann
JOBS   ?= $(shell nproc)

.PHONY: all demo test install bench asan asan-quick tsan tsan-quick fuzz stress format clean deps

all: deps
	@cmake --preset release >/dev/null
	@cmake --build build/release -j$(JOBS)
	@rm -rf build/ascend && cmake --install build/release --prefix $(CURDIR)/build/ascend >/dev/null

deps:
	@scripts/install-deps

demo: all
	@scripts/demo

test: all
	@ctest --test-dir build/release -j$(JOBS) --output-on-failure

install: all
	@cmake --install build/release --prefix $(PREFIX)

# The sanitizers run every test; the -quick forms leave out those labelled slow.
asan tsan: deps
	@cmake --preset $@ >/dev/null && cmake --build build/$@ -j$(JOBS) && ctest --test-dir build/$@ -j$(JOBS) --output-on-failure
asan-quick tsan-quick: deps
	@p=$(@:-quick=); cmake --preset $$p >/dev/null && cmake --build build/$$p -j$(JOBS) && \
	  ctest --test-dir build/$$p -j$(JOBS) -LE slow --output-on-failure

stress: deps
	@cmake --preset tsan >/dev/null && cmake --build build/tsan -j$(JOBS) && \
	  ctest --test-dir build/tsan -L stress --output-on-failure

bench: deps
	@cmake --preset bench >/dev/null && cmake --build build/bench -j$(JOBS) && scripts/bench

fuzz: deps
	@cmake --preset fuzz >/dev/null && cmake --build build/fuzz -j$(JOBS) && scripts/fuzz

format:
	@git ls-files '*.cpp' '*.h' '*.c' | xargs clang-format -i

clean:
	@rm -rf build
