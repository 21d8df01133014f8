// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/parallel.h"

#include <omp.h>

#include <cstdlib>

#include "base/text.h"

namespace belay::backend::cpu {

int default_threads() {
  const char* text = std::getenv("BELAY_NUM_THREADS");
  const auto number = parse_number(text ? text : "");
  constexpr uint64_t most = 1024;
  return number && *number > 0 && *number <= most ? static_cast<int>(*number) : omp_get_num_procs();
}

int current_threads() { return omp_in_parallel() ? 1 : omp_get_max_threads(); }

ThreadScope::ThreadScope(int threads) : before_(omp_get_max_threads()) {
  omp_set_num_threads(threads > 0 ? threads : default_threads());
}

ThreadScope::~ThreadScope() { omp_set_num_threads(before_); }

}  // namespace belay::backend::cpu
