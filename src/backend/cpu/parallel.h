// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

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

// The calling thread's number in the loop that it is in; 0 outside of one.
int thread_number();

// The pieces of a loop, dealt out. Each thread has a run of neighbours and takes them in order; who has none left takes
// the last of another's, so that a thread on a busy core gets less to do.
class PieceRuns {
 public:
  PieceRuns(int64_t pieces, int64_t threads);
  // The next piece for a thread; -1: none is left.
  int64_t take(int64_t thread);

 private:
  struct alignas(64) Run {
    std::atomic<uint64_t> left;  // the first in the low half, the end in the high half
  };
  std::vector<Run> runs_;
};

// Runs body(piece, thread) for each of [0, pieces) on the threads of the scope, `most` at the most. `thread` is below
// `most`; what a piece computes must not depend on it, so that the same input gives the same bits.
template <class Body>
void parallel_pieces(int64_t pieces, int64_t most, const Body& body) {
  const int64_t threads = std::min({static_cast<int64_t>(current_threads()), most, pieces});
  if (threads <= 1) {
    for (int64_t piece = 0; piece < pieces; ++piece) body(piece, 0);
    return;
  }
  PieceRuns runs(pieces, threads);
#pragma omp parallel num_threads(static_cast <int>(threads))
  for (int64_t piece; (piece = runs.take(thread_number())) >= 0;) body(piece, thread_number());
}

}  // namespace belay::backend::cpu
