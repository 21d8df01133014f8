// SPDX-License-Identifier: Apache-2.0
// Products in panels and what follows them, against sums in double.
#include "backend/cpu/panels/product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "support/older_processor.h"

namespace belay::backend::cpu::panels {
namespace {

std::vector<float> random_floats(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> between(-1, 1);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = between(random);
  return values;
}

struct Product {
  int64_t rows, pieces, depth, width;
  std::vector<float> a = random_floats(rows * pieces * depth, 1), b = random_floats(pieces * depth * width, 2);
  std::vector<float> bias = random_floats(width, 3), addend = random_floats(rows * (width + 3), 4);

  double plain(int64_t r, int64_t c) const {
    double sum = 0;
    for (int64_t k = 0; k < pieces * depth; ++k)
      sum += double(a[size_t(r * pieces * depth + k)]) * double(b[size_t(k * width + c)]);
    return sum;
  }

  // Rows of y are width + 3 apart; what lies between keeps what it had.
  std::vector<float> multiplied(const std::vector<Step>& steps, bool with_bias, bool with_addend) const {
    std::vector<const float*> at(size_t(rows * pieces));
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t p = 0; p < pieces; ++p) at[size_t(p * rows + r)] = a.data() + (r * pieces + p) * depth;
    const int64_t pitch = pitch_of(width);
    std::vector<float> panel(size_t(pieces * depth * pitch)), sums(size_t(rows * pitch));
    for (int64_t k = 0; k < pieces * depth; ++k)
      for (int64_t c = 0; c < width; ++c) panel[size_t(k * pitch + c)] = b[size_t(k * width + c)];
    std::vector<float> y = addend;
    multiply({at.data(), rows, rows, pieces, depth}, panel.data(), width,
             {with_bias ? bias.data() : nullptr, with_addend ? y.data() : nullptr, steps}, sums.data(), y.data(),
             width + 3);
    return y;
  }

  void check(const std::vector<Step>& steps, bool with_bias, bool with_addend, double (*f)(double)) const {
    const auto y = multiplied(steps, with_bias, with_addend);
    const double bound = std::ldexp(double(pieces * depth + 16), -23);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < width + 3; ++c) {
        const auto i = size_t(r * (width + 3) + c);
        if (c >= width) {
          ASSERT_EQ(y[i], addend[i]) << "beside row " << r;
          continue;
        }
        const double sum =
            plain(r, c) + (with_bias ? double(bias[size_t(c)]) : 0) + (with_addend ? double(addend[i]) : 0);
        ASSERT_NEAR(double(y[i]), f(sum), bound * std::max(1.0, std::fabs(sum))) << "row " << r << " column " << c;
      }
  }
};

double same(double x) { return x; }
double relu(double x) { return std::max(x, 0.0); }
double silu(double x) { return x / (1 + std::exp(-x)); }

TEST(PanelProduct, AgreesWithSumsInDouble) {
  for (const int64_t width : {1, 3, 5, 8, 16, 17, 24, 33, 40, 48, 63, 64})
    for (const int64_t rows : {1, 5, 6, 13})
      for (const auto& [pieces, depth] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {9, 3}, {1, 300}, {3, 140}}) {
        SCOPED_TRACE(testing::Message() << rows << " rows of " << pieces << " x " << depth << ", width " << width);
        const Product product{rows, pieces, depth, width};
        product.check({}, false, false, same);
        product.check({{Map::Relu}}, true, false, relu);
        product.check({}, false, true, same);
        product.check({{Map::Swish, {1}}}, true, true, silu);
        if (HasFatalFailure()) return;
      }
}

struct NamedStep {
  EltwiseKind kind;
  float alpha, beta;
  double (*f)(double);
};

// The definitions as the operators' documents write them.
const NamedStep named_steps[] = {
    {EltwiseKind::Relu, 0, 0, relu},
    {EltwiseKind::Relu, 0.25f, 0, [](double x) { return x < 0 ? x / 4 : x; }},
    {EltwiseKind::Clip, -0.5f, 0.75f, [](double x) { return std::clamp(x, -0.5, 0.75); }},
    {EltwiseKind::Sigmoid, 0, 0, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {EltwiseKind::Tanh, 0, 0, [](double x) { return std::tanh(x); }},
    {EltwiseKind::Elu, 0.5f, 0, [](double x) { return x < 0 ? 0.5 * std::expm1(x) : x; }},
    {EltwiseKind::Swish, 1, 0, silu},
    {EltwiseKind::HardSwish, 0, 0, [](double x) { return x * std::clamp(x + 3, 0.0, 6.0) / 6; }},
    {EltwiseKind::Mish, 0, 0, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }},
    {EltwiseKind::GeluTanh, 0, 0,
     [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }},
    {EltwiseKind::GeluErf, 0, 0, [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
    {EltwiseKind::Linear, 2, 0.5f, [](double x) { return 2 * x + 0.5; }},
};

TEST(PanelProduct, TakesEveryActivationOfAChainAndKeepsNaN) {
  for (const NamedStep& named : named_steps) {
    SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(named.kind) << " alpha " << double(named.alpha));
    Product product{7, 1, 20, 37};
    const auto steps = steps_of({{named.kind, named.alpha, named.beta}});
    product.check(steps, true, true, named.f);
    product.a[0] = std::numeric_limits<float>::quiet_NaN();
    const auto y = product.multiplied(steps, true, true);
    for (size_t c = 0; c < 37; ++c) EXPECT_TRUE(std::isnan(y[c])) << c;
    EXPECT_FALSE(std::isnan(y[40]));
  }
}

TEST(PanelProduct, TakesTheStepsOfAHardSigmoidInTheirOrder) {
  const Product product{5, 1, 9, 18};
  product.check(steps_of({{EltwiseKind::Linear, 0.2f, 0.5f}, {EltwiseKind::Clip, 0, 1}}), true, false,
                [](double x) { return std::clamp(double(0.2f) * x + 0.5, 0.0, 1.0); });
}

TEST(PanelProduct, OlderInstructionSetsAgree) {
  for (const int64_t without : {test::avx512, int64_t{test::avx512 | HWY_AVX2}}) {
    const test::OlderProcessor older(without);
    for (const int64_t width : {3, 24, 37, 64}) {
      SCOPED_TRACE(width);
      const Product product{13, 3, 140, width};
      product.check({{Map::Relu}}, true, true, relu);
      product.check({{Map::Swish, {1}}}, true, false, silu);
    }
  }
}

}  // namespace
}  // namespace belay::backend::cpu::panels
