// SPDX-License-Identifier: Apache-2.0
// Products of matrices against plain loops in double precision.
#include <random>

#include "backend/cpu/gemm.h"
#include "support/older_processor.h"
#include "support/op_call.h"

namespace belay::test {
namespace {

using Numbers = std::vector<double>;

Numbers random(int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  Numbers all(static_cast<size_t>(count));
  for (double& number : all) number = static_cast<int>(generator() % 2001) / 1000.0 - 1;
  for (double& number : all) number = static_cast<double>(static_cast<float>(number));
  return all;
}

// a is m by k, or k by m where it is transposed; b likewise.
struct Loop {
  int64_t m, n, k;
  bool transpose_a = false, transpose_b = false;

  Numbers multiply(const Numbers& a, const Numbers& b) const {
    Numbers y(static_cast<size_t>(m * n));
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t l = 0; l < k; ++l)
          y[static_cast<size_t>(i * n + j)] += a[static_cast<size_t>(transpose_a ? l * m + i : i * k + l)] *
                                               b[static_cast<size_t>(transpose_b ? j * k + l : l * n + j)];
    return y;
  }
  Shape a_shape() const { return transpose_a ? Shape{k, m} : Shape{m, k}; }
  Shape b_shape() const { return transpose_b ? Shape{n, k} : Shape{k, n}; }
  // Products of numbers up to 1: each sum is rounded k times.
  double error() const { return 1e-7 * static_cast<double>(k + 8); }
};

std::string name_of(const Loop& l) {
  return std::to_string(l.m) + " " + std::to_string(l.n) + " " + std::to_string(l.k) + (l.transpose_a ? " ta" : "") +
         (l.transpose_b ? " tb" : "");
}

void expect_product(const Loop& l, bool constant, bool bias) {
  SCOPED_TRACE(name_of(l) + (constant ? " constant" : "") + (bias ? " bias" : ""));
  const Numbers a = random(l.m * l.k, 1), b = random(l.k * l.n, 2), added = random(l.n, 3);
  Numbers want = l.multiply(a, b);
  OpCall call{"MatMulV2",
              {tensor<float>(l.a_shape(), a), tensor<float>(l.b_shape(), b)},
              {{"transpose_x1", l.transpose_a}, {"transpose_x2", l.transpose_b}},
              "panels"};
  call.constant = constant;
  if (bias) {
    call.inputs.push_back(tensor<float>({l.n}, added));
    for (size_t i = 0; i < want.size(); ++i) want[i] += added[i % static_cast<size_t>(l.n)];
  }
  const Numbers once = numbers(call);
  expect_near(once, want, l.error());
  call.threads = 3;
  EXPECT_EQ(numbers(call), once);
}

constexpr int64_t odd_sizes[] = {1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 64, 65, 100, 257};

TEST(Matmul, OfAllOddSizesAgreesWithDoubles) {
  int turn = 0;
  for (const int64_t m : odd_sizes)
    for (const int64_t n : odd_sizes)
      for (const int64_t k : odd_sizes) {
        if (m * n * k > 300000) continue;
        ++turn;  // all ways are met with each size, but not all with all
        expect_product({m, n, k, turn % 5 == 0, turn % 2 == 0}, turn % 3 == 0, turn % 7 == 0);
        if (testing::Test::HasFailure()) return;
      }
}

TEST(Matmul, OfLongSidesAgreesWithDoubles) {
  const Loop loops[] = {
      {1, 10, 16384}, {1, 64, 8192},  {3, 100, 5000}, {6, 40, 4096}, {7, 40, 4096}, {1, 600, 257},
      {1000, 1, 300}, {1100, 17, 40}, {1300, 65, 3},  {1, 1, 10000}, {4, 3, 9000},  {150, 140, 130},
  };
  for (const Loop& l : loops)
    for (const int way : {0, 1, 2, 3})
      for (const bool constant : {false, true})
        expect_product({l.m, l.n, l.k, way % 2 == 1, way / 2 == 1}, constant, true);
}

TEST(Matmul, OlderInstructionSetsAgree) {
  for (const int64_t without : {avx512, int64_t{avx512 | HWY_AVX2}}) {
    const OlderProcessor older(without);
    for (const Loop& l : {Loop{1, 100, 257}, Loop{1, 10, 5000}, Loop{13, 33, 17}, Loop{3, 65, 31}, Loop{70, 1, 9}})
      for (const int way : {0, 1, 2, 3})
        for (const bool constant : {false, true})
          expect_product({l.m, l.n, l.k, way % 2 == 1, way / 2 == 1}, constant, true);
  }
}

TEST(Matmul, BatchesBroadcast) {
  struct Case {
    Shape a, b;                   // batches
    std::vector<int> a_at, b_at;  // which matrix each result is made of
  };
  const Case cases[] = {
      {{3}, {}, {0, 1, 2}, {0, 0, 0}},
      {{}, {3}, {0, 0, 0}, {0, 1, 2}},
      {{2, 1}, {1, 2}, {0, 0, 1, 1}, {0, 1, 0, 1}},
      {{1}, {2}, {0, 0}, {0, 1}},
      {{2, 2}, {2}, {0, 1, 2, 3}, {0, 1, 0, 1}},
      {{2}, {2}, {0, 1}, {0, 1}},
  };
  for (const Case& c : cases)
    for (const Loop l : {Loop{5, 7, 9}, Loop{1, 33, 20}, Loop{17, 1, 6}, Loop{13, 64, 16}})
      for (const int way : {0, 1, 2, 3})
        for (const bool constant : {false, true}) {
          const Loop loop{l.m, l.n, l.k, way % 2 == 1, way / 2 == 1};
          SCOPED_TRACE(name_of(loop) + " " + graph::to_text(c.a) + " " + graph::to_text(c.b));
          Shape a_shape = c.a, b_shape = c.b;
          for (const int64_t size : loop.a_shape()) a_shape.push_back(size);
          for (const int64_t size : loop.b_shape()) b_shape.push_back(size);
          const Numbers a = random(graph::element_count(a_shape), 1), b = random(graph::element_count(b_shape), 2);
          Numbers want;
          for (size_t i = 0; i < c.a_at.size(); ++i) {
            const auto part = [](const Numbers& all, int64_t at, int64_t size) {
              return Numbers(all.begin() + at * size, all.begin() + (at + 1) * size);
            };
            const Numbers y = loop.multiply(part(a, c.a_at[i], l.m * l.k), part(b, c.b_at[i], l.k * l.n));
            want.insert(want.end(), y.begin(), y.end());
          }
          OpCall call{"BatchMatMulV2",
                      {tensor<float>(a_shape, a), tensor<float>(b_shape, b)},
                      {{"adj_x1", loop.transpose_a}, {"adj_x2", loop.transpose_b}},
                      "panels"};
          call.constant = constant;
          expect_near(numbers(call), want, loop.error());
        }
}

TEST(Matmul, NaNAndInfinityStayInTheirRowsAndColumns) {
  for (const Loop l : {Loop{9, 70, 20}, Loop{1, 5, 30}, Loop{2, 33, 40, false, true}}) {
    Numbers a = random(l.m * l.k, 1), b = random(l.k * l.n, 2);
    a[0] = std::numeric_limits<double>::quiet_NaN();
    b.back() = std::numeric_limits<double>::infinity();
    OpCall call{"MatMulV2",
                {tensor<float>(l.a_shape(), a), tensor<float>(l.b_shape(), b)},
                {{"transpose_x2", l.transpose_b}},
                "panels"};
    expect_near(numbers(call), l.multiply(a, b), l.error());
  }
}

TEST(Matmul, EmptyMatricesAreLeftToTheReference) {
  for (const Loop l : {Loop{0, 3, 4}, Loop{3, 0, 4}, Loop{3, 4, 0}}) {
    OpCall call{"MatMulV2",
                {tensor<float>(l.a_shape(), random(l.m * l.k, 1)), tensor<float>(l.b_shape(), random(l.k * l.n, 2))},
                {},
                "panels"};
    EXPECT_FALSE(run(call).ok());
    call.how = "";
    EXPECT_EQ(numbers(call), Numbers(static_cast<size_t>(l.m * l.n)));
  }
}

TEST(Gemm, AgreesWithDoublesWhateverTheStridesAndWhatIsAdded) {
  for (const Loop l : {Loop{5, 7, 9}, Loop{1, 100, 300}, Loop{65, 1, 31}, Loop{33, 64, 17}, Loop{3, 40, 5000}})
    for (const int way : {0, 1, 2, 3})
      for (const float beta : {0.0f, 1.0f, -0.5f})
        for (const int64_t gap : {0, 3}) {
          const Loop loop{l.m, l.n, l.k, way % 2 == 1, way / 2 == 1};
          SCOPED_TRACE(name_of(loop) + " beta " + std::to_string(beta) + " gap " + std::to_string(gap));
          const Numbers a = random(l.m * l.k, 1), b = random(l.k * l.n, 2), c = random(l.m * l.n, 3);
          const auto spread = [&](const Numbers& from, int64_t columns) {
            std::vector<float> to;
            for (size_t i = 0; i < from.size(); ++i) {
              to.push_back(static_cast<float>(from[i]));
              if ((i + 1) % static_cast<size_t>(columns) == 0) to.insert(to.end(), static_cast<size_t>(gap), 9.0f);
            }
            return to;
          };
          const int64_t a_columns = loop.transpose_a ? l.m : l.k, b_columns = loop.transpose_b ? l.k : l.n;
          const auto left = spread(a, a_columns), right = spread(b, b_columns);
          auto got = spread(c, l.n);
          backend::cpu::gemm(l.m, l.n, l.k, {left.data(), a_columns + gap, loop.transpose_a},
                             {right.data(), b_columns + gap, loop.transpose_b}, beta, got.data(), l.n + gap);
          Numbers want = loop.multiply(a, b);
          for (size_t i = 0; i < want.size(); ++i) want[i] += static_cast<double>(beta) * c[i];
          const auto wanted = spread(want, l.n);
          expect_near(Numbers(got.begin(), got.end()), Numbers(wanted.begin(), wanted.end()), loop.error());
        }
}

}  // namespace
}  // namespace belay::test
