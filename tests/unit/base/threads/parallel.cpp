// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>

#include "base/threads/parallel.h"

namespace belay {
namespace {

TEST(PieceRuns, AThreadTakesItsNeighboursInOrderAndThenTheLastOfAnothers) {
  PieceRuns runs(6, 2);
  EXPECT_EQ(runs.take(1), 3);
  for (const int64_t piece : {0, 1, 2, 5, 4}) EXPECT_EQ(runs.take(0), piece);
  EXPECT_EQ(runs.take(0), -1);
  EXPECT_EQ(runs.take(1), -1);
}

TEST(PieceRuns, ManyThreadsTakeEachPieceOnce) {
  constexpr int64_t pieces = 20000, threads = 4;
  PieceRuns runs(pieces, threads);
  std::vector<std::atomic<int>> taken(pieces);
  {
    std::vector<std::jthread> all;
    for (int64_t t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        for (int64_t piece; (piece = runs.take(t)) >= 0;) ++taken[static_cast<size_t>(piece)];
      });
  }
  for (const auto& times : taken) EXPECT_EQ(times, 1);
}

TEST(ParallelPieces, RunsEachOnceOnNoMoreThreadsThanAllowed) {
  const ThreadScope scope(4);
  std::vector<std::atomic<int>> ran(100);
  std::atomic<int64_t> highest = 0;
  parallel_pieces(100, 3, [&](int64_t piece, int64_t thread) {
    ++ran[static_cast<size_t>(piece)];
    for (int64_t seen = highest; seen < thread && !highest.compare_exchange_weak(seen, thread);) {
    }
  });
  for (const auto& times : ran) EXPECT_EQ(times, 1);
  EXPECT_LT(highest, 3);
}

}  // namespace
}  // namespace belay
