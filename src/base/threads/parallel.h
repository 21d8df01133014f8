// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/threads/pool.h"

// Loops on several threads.
namespace belay {

// The threads that work for which `asked` were asked for gets: at the most one for each core. 0: BELAY_NUM_THREADS
// decides, and without it there is one for each.
int threads_given(int asked);

// The number of threads that loops of the calling thread have at the most: what the scope says; without one all cores.
// 1 inside of such a loop.
int current_threads();

// While it lives, loops of the calling thread have at the most threads_given(`threads`).
class ThreadScope {
 public:
  explicit ThreadScope(int threads);
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

// How many threads so much work pays for, at the least 1: to hand a part over costs some microseconds, and it should
// bring several times that.
int64_t threads_for(double operations, double bytes);

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
  std::unique_ptr<Run[]> runs_;
  int64_t threads_;
};

// Runs body(piece, thread) for each of [0, pieces) on the threads of the scope, `most` at the most. `thread` is below
// `most`; what a piece computes must not depend on it, so that the same input gives the same bits.
template <class Body>
void parallel_pieces(int64_t pieces, int64_t most, const Body& body) {
  const int64_t threads = std::min({static_cast<int64_t>(current_threads()), most, pieces});
  if (threads <= 1) {
    for (int64_t piece = 0; piece < pieces; ++piece) body(piece, int64_t{0});
    return;
  }
  class Work final : public SharedWork {
   public:
    Work(int64_t pieces, int64_t threads, const Body& body) : runs_(pieces, threads), body_(body) {}
    void work(int64_t member) override {
      for (int64_t piece; (piece = runs_.take(member)) >= 0;) body_(piece, member);
    }

   private:
    PieceRuns runs_;
    const Body& body_;
  };
  Work work(pieces, threads, body);
  count_pieces(static_cast<uint64_t>(pieces));
  work_together(threads, work);
}

// Runs body(begin, end) over parts of [0, count), each at least `grain` long (but the last), on the threads of the
// scope. What an element becomes must not depend on the part that it is in, so that the same input gives the same bits.
template <class Body>
void parallel_for(int64_t count, int64_t grain, const Body& body) {
  constexpr int64_t parts_each = 4;  // for a thread on a busy core to get less to do
  const int64_t most = count / std::max<int64_t>(grain, 1);
  const int64_t threads = std::min<int64_t>(current_threads(), most);
  if (threads <= 1) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  const int64_t parts = std::min(most, threads * parts_each);
  parallel_pieces(parts, threads,
                  [&](int64_t part, int64_t) { body(count * part / parts, count * (part + 1) / parts); });
}

}  // namespace belay
