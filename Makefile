# SPDX-License-Identifier: Apache-2.0
PREFIX ?= /usr/local/Ascend/cann
JOBS   ?= $(shell nproc)

.PHONY: all demo test test-slow test-web endings planted install bench asan asan-quick tsan tsan-quick fuzz differential stress format clean deps

# What a long build shows: files done, all files, seconds so far.
export NINJA_STATUS = [%f of %t, %e s] 

all: deps
	@test -e build/ascend || echo "building with $(JOBS) jobs; the first time takes some minutes"
	@cmake --preset release >/dev/null
	@cmake --build build/release -j$(JOBS)
	@rm -rf build/ascend && cmake --install build/release --prefix $(CURDIR)/build/ascend >/dev/null

deps:
	@scripts/install-deps

demo: all
	@scripts/demo

test: all
	@cmake --build build/release -j$(JOBS) --target tests/all
	@ctest --test-dir build/release -j$(JOBS) -LE 'slow|endings|web|planted' --output-on-failure

# Whole networks in double precision, hundreds of processes, cores read by gdb: some minutes.
test-slow: test
	@scripts/install-deps --slow
	@ctest --test-dir build/release -j$(JOBS) -L slow -LE stress --output-on-failure

# The page of belay report in headless Chromium; installs it, and playwright-core and axe-core from npm at locked versions.
test-web: deps
	@scripts/install-deps --web
	@cmake --preset release >/dev/null && cmake --build build/release -j$(JOBS) --target belay atc
	@ctest --test-dir build/release -L web -V

# A dumping program ends 200 times in each way that there is: ten minutes.
endings: test
	@ctest --test-dir build/release -L endings -V

# Faults at every place of ten networks, each of which belay blame must name: five minutes. CI runs a sample.
planted: test
	@ctest --test-dir build/release -L planted -V

install: all
	@cmake --install build/release --prefix $(PREFIX)

# ThreadSanitizer sees all threads, those of the pool too. The -quick forms run the unit tests of the rooms named here; CI runs those.
TSAN_TESTS = ^(base|runtime|api|comm|hccl|dump|stress)\.|^abi\.program
ASAN_QUICK = base runtime securec graph executor dump
TSAN_QUICK = base runtime
# Handlers allocate on purpose, after they tried whether malloc returns (base/endings/trap).
tsan stress tsan-quick: export TSAN_OPTIONS = report_signal_unsafe=0
empty :=
space := $(empty) $(empty)
rooms = ^($(subst $(space),|,$(1)))\.

asan: deps
	@cmake --preset asan >/dev/null && cmake --build build/asan -j$(JOBS) --target all tests/all && ctest --test-dir build/asan -j$(JOBS) --output-on-failure
tsan stress: deps
	@cmake --preset tsan >/dev/null && cmake --build build/tsan -j$(JOBS) --target threaded_tests
	@ctest --test-dir build/tsan -j$(JOBS) --output-on-failure $(if $(filter stress,$@),-L stress,-R '$(TSAN_TESTS)')
	@$(if $(filter stress,$@),cmake --preset release >/dev/null && cmake --build build/release -j$(JOBS) --target belay ranks_fault \
	  && ctest --test-dir build/release -V -R ranks.faults_100_times)
asan-quick: deps
	@cmake --preset asan >/dev/null && cmake --build build/asan -j$(JOBS) --target $(ASAN_QUICK:%=unit_%)
	@ctest --test-dir build/asan -j$(JOBS) -LE slow -R '$(call rooms,$(ASAN_QUICK))' --output-on-failure
tsan-quick: deps
	@cmake --preset tsan >/dev/null && cmake --build build/tsan -j$(JOBS) --target $(TSAN_QUICK:%=unit_%)
	@ctest --test-dir build/tsan -j$(JOBS) -LE slow -R '$(call rooms,$(TSAN_QUICK))' --output-on-failure

bench: deps
	@cmake --preset bench >/dev/null && cmake --build build/bench -j$(JOBS) && scripts/bench

# Random graphs against ONNX Runtime; GRAPHS of them, from seed FIRST on, of all kinds or of KIND alone.
differential: deps
	@cmake --preset release >/dev/null && cmake --build build/release -j$(JOBS) --target atc replay
	@scripts/install-onnxruntime build/ort
	@/usr/bin/python3 -B tests/differential/main.py --atc build/release/tools/atc --replay build/release/tests/differential/replay \
	  --ort build/ort --work build/differential --first $(or $(FIRST),0) --count $(or $(GRAPHS),300) $(KIND:%=--kind %)

fuzz: deps
	@cmake --preset fuzz >/dev/null && cmake --build build/fuzz -j$(JOBS) --target tests/fuzz/all && scripts/fuzz

format:
	@git ls-files '*.cpp' '*.h' '*.c' | xargs clang-format -i

clean:
	@rm -rf build
