// SPDX-License-Identifier: Apache-2.0
#include "base/threads/steps.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

#include "base/threads/cores.h"

namespace belay {
namespace {

using Numbers = std::vector<uint64_t>;

// A piece of a step: a number that all pieces of the step before go into.
uint64_t next(const Numbers& before, uint64_t piece) {
  uint64_t sum = piece + 1;
  for (const uint64_t number : before) sum = sum * 31 + number;
  return sum;
}

Numbers one_by_one(size_t steps, size_t pieces) {
  Numbers now(pieces);
  for (size_t step = 0; step < steps; ++step) {
    const Numbers before = now;
    for (size_t piece = 0; piece < pieces; ++piece) now[piece] = next(before, piece);
  }
  return now;
}

class Chain : public SteppedWork {
 public:
  Chain(size_t steps, size_t pieces, size_t members)
      : numbers_(steps + 1, Numbers(pieces)), own_(members), times_(steps * pieces) {}

  void compute(int64_t step, int64_t piece, int64_t member) override {
    own_[size_t(member)] = next(numbers_[size_t(step)], size_t(piece));
  }
  void publish(int64_t step, int64_t piece, int64_t member) override {
    numbers_[size_t(step) + 1][size_t(piece)] = own_[size_t(member)];
    ++times_[size_t(step) * numbers_[0].size() + size_t(piece)];
  }

  void expect_all() const {
    EXPECT_EQ(numbers_.back(), one_by_one(numbers_.size() - 1, numbers_[0].size()));
    for (const auto& times : times_) EXPECT_EQ(times, 1);
  }

 private:
  std::vector<Numbers> numbers_;  // by steps, from the start on
  Numbers own_;
  std::vector<std::atomic<int>> times_;
};

TEST(Steps, EachStepSeesAllOfTheOneBefore) {
  for (const size_t pieces : {1, 2, 3, 8})
    for (const size_t members : {1, 2, 8})
      for (const size_t steps : {0, 1, 300}) {
        Chain chain(steps, pieces, members);
        run_steps(int64_t(steps), int64_t(pieces), int64_t(members), chain);
        chain.expect_all();
      }
}

// One thread stops in the middle of a piece until the others have done everything.
class Displaced : public Chain {
 public:
  explicit Displaced(bool caller) : Chain(50, 2, 2), caller_(caller) {}

  void compute(int64_t step, int64_t piece, int64_t member) override {
    Chain::compute(step, piece, member);
    const bool stops = (member == 0) == caller_;
    if (!stops) stopped_.wait(false);
    if (!stops || stopped_.exchange(true)) return;
    stopped_.notify_all();
    done_.wait(false);
  }
  void publish(int64_t step, int64_t piece, int64_t member) override {
    Chain::publish(step, piece, member);
    if (++published_ < 100) return;
    done_ = true;
    done_.notify_all();
  }

 private:
  const bool caller_;
  std::atomic<bool> stopped_{false}, done_{false};
  std::atomic<int> published_{0};
};

TEST(Steps, NobodyWaitsForADisplacedThread) {
  if (usable_cores() < 2) GTEST_SKIP() << "needs BELAY_CORES=8";
  for (const bool caller : {true, false}) {
    Displaced chain(caller);
    run_steps(50, 2, 2, chain);
    chain.expect_all();
  }
}

}  // namespace
}  // namespace belay
