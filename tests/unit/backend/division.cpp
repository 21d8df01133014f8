// SPDX-License-Identifier: Apache-2.0
// Convolutions divided among threads: every element once, and as much for each thread.
#include "backend/cpu/panels/division.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace belay::backend::cpu::panels {
namespace {

Geometry pointwise(int64_t places, int64_t inputs, int64_t outputs, int64_t groups = 1) {
  graph::Convolution c;
  c.window.input = c.window.output = {places, 1};
  c.window.kernel = c.window.stride = c.window.dilation = {1, 1};
  c.window.pad_begin = c.window.pad_end = {0, 0};
  c.batch = 1;
  c.groups = groups;
  c.input_channels = inputs;
  c.output_channels = outputs;
  return Geometry(c);
}

TEST(Division, HasEveryRowOfEveryPanelOnce) {
  for (const int64_t places : {1, 5, 49, 196, 784, 3136})
    for (const int64_t outputs : {3, 64, 112, 160, 960, 1024})
      for (const int64_t groups : {1, 4})
        for (const int64_t threads : {1, 2, 3, 16}) {
          SCOPED_TRACE(testing::Message() << places << " places, " << outputs << " outputs, " << groups << " groups, "
                                          << threads << " threads");
          const Geometry g = pointwise(places, 240 * groups, outputs * groups, groups);
          const Division division(g, threads);
          std::vector<int> seen(static_cast<size_t>(places * panels_of(g)));
          for (int64_t i = 0; i < division.pieces(); ++i) {
            const auto [rows, panels] = division.piece(i);
            EXPECT_LE(rows.end - rows.begin, division.longest());
            for (int64_t row = rows.begin; row < rows.end; ++row)
              for (int64_t panel = panels.begin; panel < panels.end; ++panel)
                ++seen[static_cast<size_t>(row * panels_of(g) + panel)];
          }
          EXPECT_EQ(std::ranges::count(seen, 1), static_cast<int64_t>(seen.size()));
        }
}

// The columns that each of two threads begins with, in elements of y: at most a block of rows more than half of them.
TEST(Division, ThreadsBeginWithEqualWork) {
  for (const int64_t places : {49, 196})
    for (const int64_t outputs : {112, 160, 480, 672, 960}) {
      SCOPED_TRACE(testing::Message() << places << " places, " << outputs << " outputs");
      const Division division(pointwise(places, 2000, outputs), 2);
      int64_t first = 0;
      for (int64_t i = 0; i < division.pieces() / 2; ++i) {
        const auto [rows, panels] = division.piece(i);
        first += (rows.end - rows.begin) * (std::min(panels.end * 64, outputs) - panels.begin * 64);
      }
      EXPECT_EQ(division.pieces() % 2, 0);
      EXPECT_NEAR(double(first), double(places * outputs) / 2, 6 * 128);
    }
}

}  // namespace
}  // namespace belay::backend::cpu::panels
