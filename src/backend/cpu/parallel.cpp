// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/parallel.h"

#include <omp.h>

#include <cstdlib>

#include "base/fork.h"
#include "base/say_once.h"
#include "base/text.h"

namespace belay::backend::cpu {

int default_threads() {
  constexpr uint64_t most = 1024;
  const char* text = std::getenv("BELAY_NUM_THREADS");
  if (!text || !*text) return omp_get_num_procs();
  const auto number = parse_number(text);
  if (number && *number > 0 && *number <= most) return static_cast<int>(*number);
  say_once(LogModule::Runtime, "BELAY_NUM_THREADS={} is not a number from 1 to {}: {} threads are used", text, most,
           omp_get_num_procs());
  return omp_get_num_procs();
}

int current_threads() { return omp_in_parallel() || orphaned() ? 1 : omp_get_max_threads(); }

int thread_number() { return omp_get_thread_num(); }

PieceRuns::PieceRuns(int64_t pieces, int64_t threads) : runs_(static_cast<size_t>(threads)) {
  for (int64_t t = 0; t < threads; ++t)
    runs_[static_cast<size_t>(t)].left.store(static_cast<uint64_t>(pieces * t / threads) |
                                             static_cast<uint64_t>(pieces * (t + 1) / threads) << 32);
}

int64_t PieceRuns::take(int64_t thread) {
  for (size_t i = 0; i < runs_.size(); ++i) {
    std::atomic<uint64_t>& left = runs_[(static_cast<size_t>(thread) + i) % runs_.size()].left;
    uint64_t seen = left.load();
    for (uint64_t begin, end; (begin = seen & UINT32_MAX) < (end = seen >> 32);) {
      const uint64_t rest = i == 0 ? (begin + 1) | end << 32 : begin | (end - 1) << 32;
      if (left.compare_exchange_weak(seen, rest)) return static_cast<int64_t>(i == 0 ? begin : end - 1);
    }
  }
  return -1;
}

ThreadScope::ThreadScope(int threads) : before_(omp_get_max_threads()) {
  expect_threads();
  omp_set_num_threads(orphaned() ? 1 : threads > 0 ? threads : default_threads());
}

ThreadScope::~ThreadScope() { omp_set_num_threads(before_); }

}  // namespace belay::backend::cpu
