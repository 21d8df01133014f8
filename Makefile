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

# The -quick forms leave out the tests labelled slow. ThreadSanitizer does not know OpenMP's own threads: it watches the
# rooms that have threads of ours, with one thread per loop.
TSAN_TESTS = ^(base|runtime|api|dump|stress)\.|^abi\.program

asan: deps
	@cmake --preset asan >/dev/null && cmake --build build/asan -j$(JOBS) && ctest --test-dir build/asan -j$(JOBS) --output-on-failure
asan-quick: deps
	@cmake --preset asan >/dev/null && cmake --build build/asan -j$(JOBS) && \
	  ctest --test-dir build/asan -j$(JOBS) -LE slow --output-on-failure
tsan tsan-quick stress: deps
	@cmake --preset tsan >/dev/null && cmake --build build/tsan -j$(JOBS) --target threaded_tests
	@BELAY_NUM_THREADS=1 ctest --test-dir build/tsan -j$(JOBS) --output-on-failure \
	  $(if $(filter stress,$@),-L stress,-R '$(TSAN_TESTS)' $(if $(filter tsan-quick,$@),-LE slow))

bench: deps
	@cmake --preset bench >/dev/null && cmake --build build/bench -j$(JOBS) && scripts/bench

fuzz: deps
	@cmake --preset fuzz >/dev/null && cmake --build build/fuzz -j$(JOBS) && scripts/fuzz

format:
	@git ls-files '*.cpp' '*.h' '*.c' | xargs clang-format -i

clean:
	@rm -rf build
