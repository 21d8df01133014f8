// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace belay::backend::cpu {

// BELAY_NUM_THREADS when it is a number above 0, else the number of cores this process may use.
int default_threads();

// The number of threads that loops of the calling thread use now, oneDNN's among them.
int current_threads();

// While it lives, loops of the calling thread use this many threads.
class ThreadScope {
 public:
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

// Runs body(begin, end) over parts of [0, count), each at least `grain` long (but the last), on the threads of the
// scope. The parts depend on the number of threads only, so that the same input gives the same bits.
template <class Body>
void parallel_for(int64_t count, int64_t grain, const Body& body) {
  const int64_t parts = std::min<int64_t>(current_threads(), count / std::max<int64_t>(grain, 1));
  if (parts <= 1) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (int64_t part = 0; part < parts; ++part) body(count * part / parts, count * (part + 1) / parts);
}

}  // namespace belay::backend::cpu
