// SPDX-License-Identifier: Apache-2.0
#include "base/threads/steps.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>

#include "base/threads/pause.h"
#include "base/threads/pool.h"

namespace belay {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience =
    std::chrono::microseconds(20);  // and twice what a piece takes: then its thread was displaced

class Steps final : public SharedWork {
 public:
  Steps(int64_t steps, int64_t pieces, SteppedWork& work)
      : steps_(steps), count_(pieces), pieces_(std::make_unique<Piece[]>(static_cast<size_t>(pieces))), work_(work) {}

  void work(int64_t number) override {
    Member member{number, Clock::duration::max()};
    for (int64_t step = 0; step < steps_; ++step) {
      for (int64_t i = 0; i < count_; ++i) begin((number + i) % count_, step, member);
      for (int64_t piece = 0; piece < count_; ++piece) await(piece, step, member);
    }
  }

 private:
  struct Member {
    int64_t number;
    Clock::duration took;  // for a piece, when it was not displaced itself
  };
  // Where a piece is: free, taken or being published, at a step.
  enum Stage : uint64_t { Free, Taken, Published, kStages };
  static uint64_t state(int64_t step, Stage stage) { return static_cast<uint64_t>(step) * kStages + stage; }
  struct alignas(64) Piece {
    std::atomic<uint64_t> state{0};
  };

  void begin(int64_t index, int64_t step, Member& member) {
    std::atomic<uint64_t>& piece = pieces_[static_cast<size_t>(index)].state;
    uint64_t free = state(step, Free);
    if (piece.load(std::memory_order_relaxed) == free && piece.compare_exchange_strong(free, state(step, Taken)))
      compute(index, step, member);
  }

  void compute(int64_t index, int64_t step, Member& member) {
    const auto start = Clock::now();
    work_.compute(step, index, member.number);
    member.took = std::min(member.took, Clock::now() - start);
    std::atomic<uint64_t>& piece = pieces_[static_cast<size_t>(index)].state;
    uint64_t taken = state(step, Taken);
    if (!piece.compare_exchange_strong(taken, state(step, Published))) return;  // somebody did not want to wait
    work_.publish(step, index, member.number);
    piece.store(state(step + 1, Free), std::memory_order_release);
  }

  void await(int64_t index, int64_t step, Member& member) {
    const std::atomic<uint64_t>& piece = pieces_[static_cast<size_t>(index)].state;
    const auto done = [&] { return piece.load(std::memory_order_acquire) >= state(step + 1, Free); };
    if (done()) return;
    const auto usual = member.took == Clock::duration::max() ? kPatience : member.took;
    const auto end = Clock::now() + 2 * usual + kPatience;
    do {
      for (int i = 0; i < 64; ++i) {
        if (done()) return;
        pause_core();
      }
    } while (Clock::now() < end);
    compute(index, step, member);
    while (!done()) (void)sched_yield();  // a copy that is under way
  }

  const int64_t steps_, count_;
  const std::unique_ptr<Piece[]> pieces_;
  SteppedWork& work_;
};

}  // namespace

void run_steps(int64_t steps, int64_t pieces, int64_t members, SteppedWork& work) {
  Steps all(steps, pieces, work);
  count_pieces(static_cast<uint64_t>(steps * pieces));
  work_together(members, all);
}

}  // namespace belay
