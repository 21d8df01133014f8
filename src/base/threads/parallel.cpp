// SPDX-License-Identifier: Apache-2.0
#include "base/threads/parallel.h"

#include <cstdlib>

#include "base/log/say_once.h"
#include "base/text.h"
#include "base/threads/cores.h"

namespace belay {
namespace {

thread_local int limit = 0;  // of the scope; 0: none

int threads_asked() {
  constexpr uint64_t most = 1024;
  const char* text = std::getenv("BELAY_NUM_THREADS");
  if (!text || !*text) return usable_cores();
  const auto number = parse_number(text);
  if (number && *number > 0 && *number <= most) return static_cast<int>(*number);
  say_once(LogModule::Runtime, "BELAY_NUM_THREADS={} is not a number from 1 to {}: {} threads are used", text, most,
           usable_cores());
  return usable_cores();
}

}  // namespace

int threads_given(int asked) { return std::min(asked > 0 ? asked : threads_asked(), usable_cores()); }

int current_threads() {
  if (works_together()) return 1;
  return limit > 0 ? limit : usable_cores();
}

int64_t threads_for(double operations, double bytes) {
  constexpr double operations_a_second = 40e9, bytes_a_second = 8e9;  // of a core, about
  constexpr double worth = 15e-6;                                     // seconds for which a thread is called
  const double seconds = std::max(operations / operations_a_second, bytes / bytes_a_second);
  return std::max<int64_t>(static_cast<int64_t>(std::min(seconds / worth, 1e6)), 1);
}

ThreadScope::ThreadScope(int threads) : before_(limit) { limit = threads_given(threads); }

ThreadScope::~ThreadScope() { limit = before_; }

PieceRuns::PieceRuns(int64_t pieces, int64_t threads)
    : runs_(std::make_unique<Run[]>(static_cast<size_t>(threads))), threads_(threads) {
  for (int64_t t = 0; t < threads; ++t)
    runs_[static_cast<size_t>(t)].left.store(
        static_cast<uint64_t>(pieces * t / threads) | static_cast<uint64_t>(pieces * (t + 1) / threads) << 32,
        std::memory_order_relaxed);
}

int64_t PieceRuns::take(int64_t thread) {
  for (int64_t i = 0; i < threads_; ++i) {
    std::atomic<uint64_t>& left = runs_[static_cast<size_t>((thread + i) % threads_)].left;
    uint64_t seen = left.load(std::memory_order_relaxed);
    for (uint64_t begin, end; (begin = seen & UINT32_MAX) < (end = seen >> 32);) {
      const uint64_t rest = i == 0 ? (begin + 1) | end << 32 : begin | (end - 1) << 32;
      if (left.compare_exchange_weak(seen, rest)) return static_cast<int64_t>(i == 0 ? begin : end - 1);
    }
  }
  return -1;
}

}  // namespace belay
