// SPDX-License-Identifier: Apache-2.0
// The vector functions against the C library in double precision.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "backend/cpu/simd/convert_floats.h"
#include "backend/cpu/simd/map_floats.h"
#include "backend/cpu/simd/row_floats.h"
#include "base/half.h"
#include "support/older_processor.h"

namespace belay::backend::cpu {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// About 600,000 floats of all sizes and both signs, denormals and specials among them.
std::vector<float> all_sizes() {
  std::vector<float> list = {0.0f, -0.0f, infinity, -infinity, nan, 1e-45f, -1e-45f, 3e38f, -3e38f};
  for (uint64_t bits = 0; bits < 0x7F800000; bits += 7001) {
    list.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    list.push_back(-list.back());
  }
  for (float x = -20; x < 20; x += 0.0173f) list.push_back(x);
  return list;
}

// The distance between two floats around `want`.
double unit(double want) {
  const float size = std::fabs(static_cast<float>(want));
  if (std::isinf(size)) return std::numeric_limits<double>::infinity();
  return static_cast<double>(std::nextafter(size, infinity)) - static_cast<double>(size);
}

// f within `units` of the wanted value; the same NaNs, infinities and signs of zero.
void check(Map map, double (*want)(double), double units, const MapParameters& parameters = {},
           const std::vector<float>& x = all_sizes()) {
  std::vector<float> y(x.size());
  map_floats(map, parameters, x.data(), y.data(), x.size());
  double worst = 0;
  float where = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = want(static_cast<double>(x[i]));
    if (std::isnan(exact)) {
      ASSERT_TRUE(std::isnan(y[i])) << "of " << x[i] << ": " << y[i];
      continue;
    }
    ASSERT_FALSE(std::isnan(y[i])) << "of " << x[i] << ", not " << exact;
    if (static_cast<double>(y[i]) == exact || y[i] == static_cast<float>(exact)) {
      ASSERT_EQ(std::signbit(y[i]), std::signbit(exact)) << "of " << x[i];
      continue;
    }
    const double off = std::fabs(static_cast<double>(y[i]) - exact) / unit(exact);
    if (off > worst) worst = off, where = x[i];
  }
  EXPECT_LE(worst, units) << "at " << where;
}

void check_transcendental() {
  check(
      Map::Exp, [](double x) { return std::exp(x); }, 2);
  check(
      Map::Sigmoid, [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }, 4);
  check(
      Map::Tanh, [](double x) { return std::tanh(x); }, 3);
  check(
      Map::Erf, [](double x) { return std::erf(x); }, 3);
  check(
      Map::Gelu,
      [](double x) {
        return std::isinf(x) ? (x > 0 ? x : std::nan("")) : 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
      },
      8);
  check(Map::Swish, [](double x) { return x * (x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x))); }, 4,
        {1});
}

// Computed in double and rounded once. Floats close to multiples of a quarter turn leave little behind.
void check_wide() {
  check(
      Map::Sin, [](double x) { return std::sin(x); }, 0.52);
  check(
      Map::Cos, [](double x) { return std::cos(x); }, 0.52);
  check(
      Map::Log, [](double x) { return std::log(x); }, 0.52);
  std::vector<float> x, near_one;
  for (int64_t k = 1; k < 3000000; k += 31) {
    const auto at = static_cast<float>(static_cast<double>(k) * std::numbers::pi / 2);
    for (const float v : {std::nextafter(at, 0.0f), at, std::nextafter(at, infinity)}) x.push_back(v), x.push_back(-v);
  }
  for (uint32_t bits = 0x3f700000; bits < 0x3f900000; bits += 11) near_one.push_back(std::bit_cast<float>(bits));
  check(
      Map::Sin, [](double v) { return std::sin(v); }, 0.52, {}, x);
  check(
      Map::Cos, [](double v) { return std::cos(v); }, 0.52, {}, x);
  check(
      Map::Log, [](double v) { return std::log(v); }, 0.52, {}, near_one);
}

TEST(VectorMath, TranscendentalFunctionsAreWithinFourUnitsAndGeluWithinEight) { check_transcendental(); }

TEST(VectorMath, SineCosineAndLogarithmAreWithinLittleMoreThanHalfAUnit) { check_wide(); }

TEST(VectorMath, OlderProcessorsAreAsExact) {
  for (const int64_t without : {test::avx512, test::avx512 | int64_t{HWY_AVX2}}) {
    const test::OlderProcessor older(without);
    check_transcendental();
    check_wide();
  }
}

TEST(VectorMath, RootsAndQuotientsAreRoundedOnceOrTwice) {
  check(
      Map::Sqrt, [](double x) { return std::sqrt(x); }, 0.5);
  check(
      Map::Rsqrt, [](double x) { return 1 / std::sqrt(x); }, 1.5);
  check(
      Map::Reciprocal, [](double x) { return 1 / x; }, 0.5);
  check(
      Map::SqrtOfPower, [](double x) { return std::pow(x, 0.5); }, 0.5);
  check(
      Map::Square, [](double x) { return x * x; }, 0.5);
}

TEST(VectorMath, ChoicesAreExact) {
  check(
      Map::Relu, [](double x) { return x < 0 ? 0 : x; }, 0);
  check(Map::Limit, [](double x) { return x < 0 ? 0 : x > 6 ? 6 : x; }, 0, {0, 6});
  check(
      Map::Abs, [](double x) { return std::fabs(x); }, 0);
  check(
      Map::Negative, [](double x) { return -x; }, 0);
  check(
      Map::Floor, [](double x) { return std::floor(x); }, 0);
  check(
      Map::Ceil, [](double x) { return std::ceil(x); }, 0);
  check(Map::LeakyRelu, [](double x) { return x < 0 ? 0.25 * x : x; }, 0.5, {0.25f});
}

// Where the argument of the exponential is itself a rounded product, its error grows with the argument.
TEST(VectorMath, ComposedActivationsAreCloseWhereTheyMatter) {
  std::vector<float> x;
  for (float v = -12; v < 12; v += 0.00173f) x.push_back(v);
  const auto close = [&](Map map, const MapParameters& parameters, double (*want)(double)) {
    std::vector<float> y(x.size());
    map_floats(map, parameters, x.data(), y.data(), x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      const double exact = want(static_cast<double>(x[i]));
      ASSERT_NEAR(y[i], exact, 4e-7 * std::max(std::fabs(exact), 0.05)) << "of " << x[i];
    }
  };
  close(Map::TanhGelu, {}, [](double v) {
    return 0.5 * v * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (v + 0.044715 * v * v * v)));
  });
  close(Map::FastGelu, {}, [](double v) { return v / (1 + std::exp(-1.702 * v)); });
  close(Map::Mish, {}, [](double v) { return v * std::tanh(std::log1p(std::exp(v))); });
  close(Map::Elu, {2, 1, 1}, [](double v) { return v < 0 ? 2 * std::expm1(v) : v; });
  close(Map::HardSwish, {}, [](double v) { return v * std::min(std::max(v + 3, 0.0), 6.0) / 6; });
  close(Map::HardSigmoid, {0.25f, 0.5f}, [](double v) { return std::min(std::max(0.25 * v + 0.5, 0.0), 1.0); });
}

TEST(VectorConvert, HalvesAreTheBitsOfTheScalarConversion) {
  const auto x = all_sizes();
  std::vector<uint16_t> half(x.size()), brain(x.size());
  store_floats(DataType::Float16, x.data(), half.data(), x.size());
  store_floats(DataType::BFloat16, x.data(), brain.data(), x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(half[i], float_to_half(x[i])) << x[i];
    ASSERT_EQ(brain[i], float_to_bf16(x[i])) << x[i];
  }
  std::vector<uint16_t> bits(65536);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(i);
  std::vector<float> wide(bits.size());
  load_floats(DataType::Float16, bits.data(), wide.data(), bits.size());
  for (size_t i = 0; i < bits.size(); ++i) ASSERT_TRUE(std::isnan(wide[i]) || wide[i] == half_to_float(bits[i])) << i;
  load_floats(DataType::BFloat16, bits.data(), wide.data(), bits.size());
  for (size_t i = 0; i < bits.size(); ++i) ASSERT_TRUE(std::isnan(wide[i]) || wide[i] == bf16_to_float(bits[i])) << i;
}

TEST(VectorRow, SumsOfLongRowsAreAsGoodAsInDouble) {
  std::vector<float> x;
  for (size_t i = 0; i < 100003; ++i) x.push_back(1 + 1e-3f * static_cast<float>(i % 977));
  double sum = 0;
  for (const float v : x) sum += static_cast<double>(v);
  EXPECT_NEAR(fold_row(Fold::Sum, x.data(), x.size()), sum, 3e-7 * sum);
  const Spread spread = spread_of(x.data(), x.size());
  EXPECT_NEAR(spread.mean, sum / static_cast<double>(x.size()), 5e-7);
  double variance = 0;
  for (const float v : x) variance += std::pow(static_cast<double>(v) - sum / double(x.size()), 2);
  EXPECT_NEAR(spread.variance, variance / static_cast<double>(x.size()), 1e-7);
}

TEST(VectorRow, SumsBeyondTheRangeOfFloatsAreKept) {
  const std::vector<float> x(1000, 3e38f);
  EXPECT_NEAR(fold_row(Fold::Sum, x.data(), x.size()) / 3e41, 1, 1e-6);
  EXPECT_NEAR(fold_row(Fold::SumOfSquares, x.data(), x.size()) / 9e79, 1, 1e-6);
}

TEST(VectorRow, ExtremesAreFoundAtAnyPlace) {
  for (const size_t count : {1u, 3u, 8u, 16u, 17u, 33u, 100u})
    for (size_t at = 0; at < count; ++at) {
      std::vector<float> x(count, 1.0f);
      x[at] = 2;
      if (at + 1 < count) x[count - 1] = 2;  // the first of equals
      EXPECT_EQ(find_extreme(true, x.data(), count), at);
      for (float& v : x) v = -v;
      EXPECT_EQ(find_extreme(false, x.data(), count), at);
      EXPECT_EQ(fold_row(Fold::Minimum, x.data(), count), -2);
      x[at] = nan;
      EXPECT_EQ(find_extreme(true, x.data(), count), at);
      EXPECT_TRUE(std::isnan(fold_row(Fold::Maximum, x.data(), count)));
    }
}

}  // namespace
}  // namespace belay::backend::cpu
