// SPDX-License-Identifier: Apache-2.0
#include "backend/wide_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace belay::backend {
namespace {

PackSide plain(const std::vector<double>& from, int64_t outer, int64_t outer_step, int64_t depth_step) {
  return [&from, outer, outer_step, depth_step](int64_t first, int64_t count, int64_t begin, int64_t end, double* to) {
    for (int64_t k = begin; k < end; ++k)
      for (int64_t i = 0; i < count; ++i)
        to[(k - begin) * count + i] = first + i < outer ? from[size_t((first + i) * outer_step + k * depth_step)] : 0;
  };
}

// Against plain loops over all that is promised.
void check(int64_t m, int64_t n, int64_t k) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> a(size_t(m * k)), b(size_t(k * n)), y(size_t(m * n), 7), partial(y);
  for (double& value : a) value = normal(random);
  for (double& value : b) value = std::round(normal(random) * 2);  // some equal neighbours
  SideSize left, right;
  multiply_wide({m, n, k, plain(a, m, k, 1), plain(b, n, 1, n)}, {y.data(), partial.data(), &left, &right});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0, sizes = 0;
      for (int64_t first = 0; first < k; first += wide_block) {
        double block = 0;
        for (int64_t p = first; p < std::min(k, first + wide_block); ++p)
          block += a[size_t(i * k + p)] * b[size_t(p * n + j)];
        sum += block;
        sizes += std::fabs(block);
      }
      ASSERT_NEAR(y[size_t(i * n + j)], sum, 1e-11) << i << " " << j;
      ASSERT_NEAR(partial[size_t(i * n + j)], sizes, 1e-11) << i << " " << j;
    }
  for (int64_t j = 0; j < n; ++j) {
    double most = 0, repeats = 0;
    for (int64_t first = 0; first < k; first += wide_block) {
      double squares = 0;
      for (int64_t p = first; p < std::min(k, first + wide_block); ++p) squares += std::pow(b[size_t(p * n + j)], 2);
      most = std::max(most, std::sqrt(squares));
    }
    for (int64_t p = 1; p < k; ++p)
      repeats += b[size_t(p * n + j)] == b[size_t((p - 1) * n + j)] && b[size_t(p * n + j)] != 0;
    ASSERT_NEAR(right.blocks[size_t(j)], most, 1e-12);
    ASSERT_EQ(right.repeats[size_t(j)], repeats);
  }
}

TEST(WideProduct, GivesSumsAndTheMagnitudesOfTheirBlocks) {
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{1, 1, 1}, {7, 5, 16}, {6, 40, 33}, {13, 17, 1200}, {3, 2, 0}}) {
    SCOPED_TRACE(std::to_string(m) + " " + std::to_string(n) + " " + std::to_string(k));
    check(m, n, k);
  }
}

}  // namespace
}  // namespace belay::backend
