// SPDX-License-Identifier: Apache-2.0
#include "executor/overflow_guard.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace belay::executor {
namespace {

using backend::Layout;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float most = std::numeric_limits<float>::max();

// Its first output repeats an input, or not.
class NoKernel : public backend::Kernel {
 public:
  explicit NoKernel(int alias = -1) : alias_(alias) {}
  Status run(std::span<const Tensor>, std::span<Tensor>) override { return {}; }
  int alias_of(size_t) const override { return alias_; }

 private:
  const int alias_;
};

Tensor tensor_of(std::vector<float>& values) {
  return {graph::DataType::Float, {static_cast<int64_t>(values.size())}, Layout::Plain, values.data()};
}

TEST(OverflowGuard, SaturationClipsAndCounts) {
  OverflowGuard guard(true);
  std::vector<float> x{1, 2}, fine{3, 4}, bad{inf, -inf};
  const std::vector<Tensor> inputs{tensor_of(x)};
  guard.before(inputs, std::vector<Tensor>{tensor_of(fine)});
  guard.after(NoKernel(), inputs, std::vector<Tensor>{tensor_of(fine)});
  EXPECT_FALSE(guard.overflowed());
  guard.after(NoKernel(), inputs, std::vector<Tensor>{tensor_of(bad)});
  EXPECT_TRUE(guard.overflowed());
  EXPECT_EQ(guard.clipped(), 1u);
  EXPECT_EQ(bad, (std::vector<float>{most, -most}));
}

TEST(OverflowGuard, WhatRepeatsAnInputIsLeftAsItIs) {
  OverflowGuard guard(true);
  std::vector<float> given{inf};
  const std::vector<Tensor> tensors{tensor_of(given)};
  guard.after(NoKernel(0), tensors, tensors);
  EXPECT_FALSE(guard.overflowed());
  EXPECT_EQ(given[0], inf);
}

TEST(OverflowGuard, InInfNanModeNothingChangesAndInheritedInfinitiesDoNotCount) {
  OverflowGuard guard(false);
  std::vector<float> finite{1}, infinite{inf}, made{inf};
  guard.before(std::vector<Tensor>{tensor_of(infinite)}, std::vector<Tensor>{tensor_of(made)});
  guard.after(NoKernel(), std::vector<Tensor>{tensor_of(infinite)}, std::vector<Tensor>{tensor_of(made)});
  EXPECT_FALSE(guard.overflowed());
  guard.before(std::vector<Tensor>{tensor_of(finite)}, std::vector<Tensor>{tensor_of(made)});
  guard.after(NoKernel(), std::vector<Tensor>{tensor_of(finite)}, std::vector<Tensor>{tensor_of(made)});
  EXPECT_TRUE(guard.overflowed());
  EXPECT_EQ(guard.clipped(), 0u);
  EXPECT_EQ(made[0], inf);
}

TEST(OverflowGuard, AKernelThatWritesOverItsInputIsJudgedByWhatItRead) {
  for (const float before : {1.0f, inf}) {
    OverflowGuard guard(false);
    std::vector<float> shared{before};
    const std::vector<Tensor> tensors{tensor_of(shared)};
    guard.before(tensors, tensors);
    shared[0] = inf;
    guard.after(NoKernel(), tensors, tensors);
    EXPECT_EQ(guard.overflowed(), before != inf);
  }
}

}  // namespace
}  // namespace belay::executor
