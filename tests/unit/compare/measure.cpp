// SPDX-License-Identifier: Apache-2.0
// The oracle is the table of metrics written down as plain loops, and arithmetic by hand.
#include "compare/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "base/half.h"
#include "base/threads/parallel.h"

namespace belay::compare {
namespace {

using graph::DataType;
using testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// A tensor in memory.
class Memory final : public ElementSource {
 public:
  Memory(DataType type, std::vector<std::byte> bytes, graph::Shape shape)
      : ElementSource(type, std::move(shape)), bytes_(std::move(bytes)) {}
  Result<std::span<const std::byte>> read(int64_t first, int64_t count, std::vector<std::byte>&) const override {
    const size_t size = std::max<size_t>(graph::bits_of(type()) / 8, 1);
    return std::span(bytes_).subspan(first * size, count * size);
  }

 private:
  const std::vector<std::byte> bytes_;
};

std::shared_ptr<const ElementSource> source(DataType type, std::vector<std::byte> bytes, graph::Shape shape) {
  return std::make_shared<Memory>(type, std::move(bytes), std::move(shape));
}

Measures measured(const ElementSource& ours, const ElementSource& truth) {
  auto made = measure(ours, truth);
  EXPECT_TRUE(made.ok()) << made.status().message;
  return made.ok() ? std::move(made).value() : Measures{};
}

template <class T, class U>
Measures measured(DataType type, const std::vector<T>& x, DataType other, const std::vector<U>& y) {
  return measured(*source(type, bytes_of(x), {static_cast<int64_t>(x.size())}),
                  *source(other, bytes_of(y), {static_cast<int64_t>(y.size())}));
}
Measures floats(const std::vector<float>& x, const std::vector<float>& y) {
  return measured(DataType::Float, x, DataType::Float, y);
}

// Doubles as elements of a type, and what they are then.
struct Stored {
  std::vector<std::byte> bytes;
  std::vector<double> values;
};

template <class T, class F, class G>
Stored stored_as(const std::vector<double>& values, const F& narrow, const G& wide) {
  std::vector<T> elements;
  Stored made;
  for (const double value : values) {
    elements.push_back(narrow(value));
    made.values.push_back(static_cast<double>(wide(elements.back())));
  }
  made.bytes = bytes_of(elements);
  return made;
}

Stored stored(DataType type, const std::vector<double>& values) {
  const auto plain = [&]<class T>(T) {
    return stored_as<T>(
        values,
        [](double v) {
          if constexpr (std::is_integral_v<T>)
            return static_cast<T>(std::isfinite(v) ? std::clamp(v * 10, -100.0, 100.0) : 0);
          return static_cast<T>(v);
        },
        [](T v) { return v; });
  };
  switch (type) {
    case DataType::Float:
      return plain(float{});
    case DataType::Double:
      return plain(double{});
    case DataType::Int8:
      return plain(int8_t{});
    case DataType::Int32:
      return plain(int32_t{});
    case DataType::Int64:
      return plain(int64_t{});
    case DataType::Float16:
      return stored_as<uint16_t>(
          values, [](double v) { return float_to_half(static_cast<float>(v)); }, half_to_float);
    default:
      return stored_as<uint16_t>(
          values, [](double v) { return float_to_bf16(static_cast<float>(v)); }, bf16_to_float);
  }
}

double numpy_max(double a, double b) { return std::isnan(a) || std::isnan(b) ? kNaN : std::max(a, b); }

// The table, one line after the other.
struct Table {
  Table(const std::vector<double>& x, const std::vector<double>& y) {
    const size_t n = x.size();
    const double eps = 2.22e-16;
    long double xx = 0, yy = 0, xy = 0, dd = 0, d = 0, r = 0;
    for (size_t i = 0; i < n; ++i) {
      const double relative = std::abs(y[i]) > eps ? std::abs(x[i] / y[i] - 1) : 0;
      xx += static_cast<long double>(x[i]) * x[i];
      yy += static_cast<long double>(y[i]) * y[i];
      xy += static_cast<long double>(x[i]) * y[i];
      dd += static_cast<long double>(x[i] - y[i]) * (x[i] - y[i]);
      d += std::abs(x[i] - y[i]);
      r += relative;
      max_absolute = numpy_max(max_absolute, std::abs(x[i] - y[i]));
      max_relative = numpy_max(max_relative, relative);
    }
    cosine = xx == 0 && yy == 0 ? 1 : xx == 0 || yy == 0 ? kNaN : double(xy / (std::sqrt(xx) * std::sqrt(yy)));
    if (cosine > 1 || n == 1) cosine = 1;
    relative_euclidean = std::sqrt(yy) <= eps ? 0 : double(std::sqrt(dd / yy));
    accumulated_relative = double(r);
    mean_absolute = double(d / n);
    root_mean_square = double(std::sqrt(dd / n));
    mean_relative = double(r / n);
    kullback_leibler = divergence(x, y);
  }

  static std::vector<long double> normalised(const std::vector<double>& v) {
    double least = kInf, most = -kInf;
    for (const double value : v) {
      if (!std::isfinite(value)) return {};
      least = std::min(least, value), most = std::max(most, value);
    }
    if (!(least < most)) return {};
    std::vector<long double> made;
    long double sum = 0;
    for (const double value : v)
      sum += made.emplace_back((static_cast<long double>(value) - least) / (static_cast<long double>(most) - least));
    for (long double& value : made) value /= sum;
    return made;
  }
  static double divergence(const std::vector<double>& x, const std::vector<double>& y) {
    const auto p = normalised(x), q = normalised(y);
    if (p.empty() || q.empty()) return kNaN;
    long double sum = 0;
    for (size_t i = 0; i < p.size(); ++i)
      if (p[i] > 0) sum += p[i] * std::log(p[i] / q[i]);
    return std::abs(sum) < 2.22e-16 ? 0 : double(sum);
  }

  double cosine, max_absolute = 0, accumulated_relative, relative_euclidean, kullback_leibler;
  double mean_absolute, root_mean_square, max_relative = 0, mean_relative;
};

void expect_near(const char* what, double got, double wanted) {
  if (std::isnan(wanted) || std::isinf(wanted))
    EXPECT_TRUE(std::isnan(wanted) ? std::isnan(got) : got == wanted) << what << ": " << got << " for " << wanted;
  else
    EXPECT_NEAR(got, wanted, 1e-11 * std::max(1e-3, std::abs(wanted))) << what;
}

void expect_table(const Measures& got, const Table& wanted) {
  expect_near("cosine", got.cosine, wanted.cosine);
  expect_near("max absolute", got.max_absolute, wanted.max_absolute);
  expect_near("accumulated relative", got.accumulated_relative, wanted.accumulated_relative);
  expect_near("relative euclidean", got.relative_euclidean, wanted.relative_euclidean);
  expect_near("kullback leibler", got.kullback_leibler, wanted.kullback_leibler);
  expect_near("mean absolute", got.mean_absolute, wanted.mean_absolute);
  expect_near("root mean square", got.root_mean_square, wanted.root_mean_square);
  expect_near("max relative", got.max_relative, wanted.max_relative);
  expect_near("mean relative", got.mean_relative, wanted.mean_relative);
}

// What is put among random numbers.
enum class Among { Nothing, Zeros, Denormals, Nan, Infinities, SameLeast };

std::vector<double> numbers(size_t count, unsigned seed, Among among) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> made(count);
  for (double& value : made) value = normal(random);
  for (size_t i = 3; i < count; i += 97) {
    if (among == Among::Zeros) made[i] = 0;
    if (among == Among::Denormals) made[i] = 1e-41;
  }
  if (among == Among::Nan && count > 5) made[count / 2 + seed] = kNaN;
  if (among == Among::Infinities && count > 5) made[count / 2] = kInf, made[count / 3] = seed ? kInf : -kInf;
  if (among == Among::SameLeast)
    for (double& value : made) value = std::max(value, 0.0);
  return made;
}

void expect_table(DataType type, DataType other, const std::vector<double>& x, const std::vector<double>& y) {
  SCOPED_TRACE(testing::Message() << graph::name_of(type) << " " << graph::name_of(other) << " " << x.size());
  const Stored a = stored(type, x), b = stored(other, y);
  const graph::Shape shape{static_cast<int64_t>(x.size())};
  expect_table(measured(*source(type, a.bytes, shape), *source(other, b.bytes, shape)), {a.values, b.values});
}

TEST(Measure, IsTheTableForAllTypesSizesAndSpecialValues) {
  for (const Among among : {Among::Nothing, Among::Zeros, Among::Denormals, Among::Nan, Among::Infinities}) {
    SCOPED_TRACE(static_cast<int>(among));
    for (const size_t count : {1, 2, 7, 2048, 2051}) {
      const std::vector<double> x = numbers(count, 0, among), y = numbers(count, 1, among);
      for (const DataType type : {DataType::Float, DataType::Float16, DataType::BFloat16, DataType::Double,
                                  DataType::Int8, DataType::Int32, DataType::Int64})
        for (const DataType other : {type, DataType::Float, DataType::Double}) expect_table(type, other, x, y);
    }
    expect_table(DataType::Float, DataType::Float16, numbers(70001, 0, among), numbers(70001, 1, among));
  }
}

TEST(Measure, DivergenceIsFiniteWhenBothAreLeastAtTheSamePlaces) {
  for (const size_t count : {7, 2051, 70001}) {
    std::vector<double> x = numbers(count, 3, Among::SameLeast), y = x;
    for (size_t i = 0; i < count; ++i) y[i] *= 1 + 0.01 * std::sin(static_cast<double>(i));
    const Stored a = stored(DataType::Float, x), b = stored(DataType::Float, y);
    const Measures got = measured(*source(DataType::Float, a.bytes, {static_cast<int64_t>(count)}),
                                  *source(DataType::Float, b.bytes, {static_cast<int64_t>(count)}));
    EXPECT_GT(got.kullback_leibler, 0);
    expect_table(got, {a.values, b.values});
  }
}

TEST(Measure, OfNothingIsEqual) {
  const Measures got = floats({}, {});
  EXPECT_TRUE(got.bitwise);
  EXPECT_EQ(got.different, 0u);
  EXPECT_EQ(got.cosine, 1);
  EXPECT_EQ(got.max_absolute, 0);
  EXPECT_TRUE(std::isnan(got.mean_absolute));
  EXPECT_EQ(got.first.at, -1);
}

TEST(Measure, OneElementHasTheCosineOneByDefinition) {
  const Measures got = floats({-3}, {2});
  EXPECT_TRUE(got.constant_one);
  EXPECT_EQ(got.cosine, 1);
  EXPECT_EQ(got.max_absolute, 5);
}

TEST(Measure, ZeroNormsFollowTheTable) {
  EXPECT_EQ(floats({0, 0}, {0, 0}).cosine, 1);
  EXPECT_TRUE(std::isnan(floats({0, 0}, {0, 1}).cosine));
  EXPECT_TRUE(std::isnan(floats({0, 1}, {0, 0}).cosine));
  EXPECT_EQ(floats({0, 1}, {0, 0}).relative_euclidean, 0);
  EXPECT_EQ(floats({0, 1}, {0, 0}).accumulated_relative, 0);
  EXPECT_EQ(floats({0, 1}, {0, 0}).least_rtol, kInf);
}

TEST(Measure, BoolsHaveTwoMetrics) {
  const Measures got = measured<uint8_t, uint8_t>(DataType::Bool, {1, 0, 7, 0}, DataType::Bool, {1, 1, 1, 0});
  EXPECT_NEAR(got.cosine, 2 / std::sqrt(6.0), 1e-15);
  EXPECT_NEAR(got.relative_euclidean, std::sqrt(1 / 3.0), 1e-15);
  for (const double other : {got.max_absolute, got.accumulated_relative, got.kullback_leibler, got.mean_absolute,
                             got.root_mean_square, got.max_relative, got.mean_relative})
    EXPECT_TRUE(std::isnan(other));
  EXPECT_EQ(got.different, 1u);
  EXPECT_EQ(got.first.at, 1);
}

TEST(Measure, FindsTheFirstAndTheWorstElement) {
  std::vector<float> x(200000, 1.0F), y = x;
  x[131071] = 1.5F;
  x[150000] = -7;
  x[150001] = 9;
  x[199999] = 2;
  const Measures got = floats(x, y);
  EXPECT_EQ(got.different, 4u);
  EXPECT_EQ(got.first.at, 131071);
  EXPECT_EQ(got.first.ours, 1.5);
  EXPECT_EQ(got.worst.at, 150000);
  EXPECT_EQ(got.worst.ours, -7);
  EXPECT_EQ(got.worst.truth, 1);
  EXPECT_EQ(got.least_atol, 8);
  EXPECT_EQ(got.least_rtol, 8);
  EXPECT_FALSE(got.bitwise);
}

TEST(Measure, NanEqualsNanAndIsInfinitelyFarFromAllElse) {
  const auto nan = std::nanf("");
  const float inf = std::numeric_limits<float>::infinity();
  const Measures same = floats({nan, inf, -inf, 1}, {nan, inf, -inf, 1});
  EXPECT_EQ(same.different, 0u);
  EXPECT_EQ(same.least_atol, 0);
  EXPECT_TRUE(std::isnan(same.max_absolute));
  EXPECT_EQ(same.ours.nan, 1u);
  EXPECT_EQ(same.truth.plus_inf, 1u);
  EXPECT_EQ(same.truth.minus_inf, 1u);
  EXPECT_EQ(same.ours.max, kInf);
  const Measures one = floats({1, nan, 100}, {1, 2, 3});
  EXPECT_EQ(one.different, 2u);
  EXPECT_EQ(one.worst.at, 1);
  EXPECT_EQ(one.least_rtol, kInf);
  EXPECT_EQ(one.max_ulp, kInf);
  EXPECT_EQ(floats({inf, 1}, {-inf, 1}).worst.at, 0);
  EXPECT_EQ(floats({inf, 1}, {-inf, 1}).least_atol, kInf);
}

TEST(Measure, ZerosOfDifferentSignsAreEqualButNotBitwise) {
  const Measures got = floats({0.0F, 1}, {-0.0F, 1});
  EXPECT_EQ(got.different, 0u);
  EXPECT_FALSE(got.bitwise);
}

TEST(Measure, UlpsAreThoseOfTheCoarserTypeAtTheTruth) {
  std::vector<float> x(40, 1.0F), y = x;
  x[20] = std::nextafter(std::nextafter(1.0F, 2.0F), 2.0F);
  EXPECT_EQ(floats(x, y).max_ulp, 2);
  EXPECT_EQ(floats(y, x).max_ulp, 2);
  x[20] = y[20] = 0;
  x[20] = std::ldexp(3.0F, -149);
  EXPECT_EQ(floats(x, y).max_ulp, 3);

  // 1 + 2^-10 is the next half of 1; as a double it is one unit of half away.
  const std::vector<uint16_t> halves(20, float_to_half(1));
  std::vector<double> doubles(20, 1.0);
  doubles[3] = 1 + std::ldexp(1, -11);
  EXPECT_EQ(measured(DataType::Float16, halves, DataType::Double, doubles).max_ulp, 0.5);
  const std::vector<uint16_t> bfloats(20, float_to_bf16(1));
  EXPECT_EQ(measured(DataType::BFloat16, bfloats, DataType::Double, doubles).max_ulp, 0.0625);

  // Tiny numbers: halves are 2^-24 apart, bfloats 2^-133.
  const std::vector<uint16_t> zeros(20, 0);
  const std::vector<double> tiny(20, std::ldexp(1, -24));
  EXPECT_EQ(measured(DataType::Float16, zeros, DataType::Double, tiny).max_ulp, 1);

  EXPECT_EQ((measured<int32_t, int32_t>(DataType::Int32, {7, 1 << 30}, DataType::Int32, {9, (1 << 30) + 1}).max_ulp),
            2);
  // A whole number beside a float has the float's neighbours: 0 and 1 are 2^149 of the least float32 apart.
  const std::vector<uint8_t> ones(20, 1);
  EXPECT_EQ(measured(DataType::Bool, ones, DataType::Float, std::vector<float>(20, 2)).max_ulp, std::ldexp(1, 22));
  EXPECT_EQ(measured(DataType::UInt8, ones, DataType::Float, std::vector<float>(20, 0)).max_ulp, std::ldexp(1, 149));
  const std::vector<int64_t> large(20, (int64_t{1} << 24) + 1);
  EXPECT_EQ(measured(DataType::Int64, large, DataType::Float, std::vector<float>(20, 1 << 24)).max_ulp, 0.5);
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(
      (measured<double, double>(DataType::Double, std::vector(9, 5 * least), DataType::Double, std::vector(9, least))
           .max_ulp),
      4);
}

TEST(Measure, LargeIntegersAreExact) {
  const int64_t large = (int64_t{1} << 62) + 1;
  std::vector<int64_t> x(3000, large), y = x;
  ++y[2999];
  const Measures got = measured(DataType::Int64, x, DataType::Int64, y);
  EXPECT_EQ(got.different, 1u);
  EXPECT_EQ(got.max_absolute, 1);
  EXPECT_EQ(got.max_ulp, 1);
  EXPECT_EQ(got.first.at, 2999);
}

TEST(Measure, HugeDoublesDoNotOverflow) {
  const std::vector<double> x(3000, 1e300), y(3000, 2e300);
  const Measures got = measured(DataType::Double, x, DataType::Double, y);
  EXPECT_NEAR(got.cosine, 1, 1e-15);
  EXPECT_NEAR(got.relative_euclidean, 0.5, 1e-15);
  EXPECT_EQ(got.max_absolute, 1e300);
}

TEST(Measure, SmallFloatsHaveTheirValues) {
  // E4M3FN: 0x38 is 1, 0x3a 1.25, 0x7f NaN; E5M2: 0x3c is 1, 0x7c infinity.
  const std::vector<uint8_t> e4m3{0x38, 0x3a, 0x00, 0x7f}, e5m2{0x3c, 0x3c, 0x80, 0x7c};
  const Measures got = measured(DataType::Float8E4M3FN, e4m3, DataType::Float8E5M2, e5m2);
  EXPECT_EQ(got.ours.nan, 1u);
  EXPECT_EQ(got.truth.plus_inf, 1u);
  EXPECT_EQ(got.different, 2u);
  EXPECT_EQ(got.first.ours, 1.25);
  EXPECT_EQ(got.first.truth, 1);
  // Elements of four bits come one to a byte: -1, 7 and -1, 6.
  const Measures fours = measured<int8_t, int8_t>(DataType::Int4, {-1, 7}, DataType::Int4, {-1, 6});
  EXPECT_EQ(fours.ours.min, -1);
  EXPECT_EQ(fours.max_absolute, 1);
  EXPECT_EQ(fours.worst.at, 1);
}

TEST(Measure, MeanDeviationAndPsnrAreThoseOfArithmetic) {
  const Measures got = floats({1, 2, 3, 6}, {1, 2, 3, 4});
  EXPECT_EQ(got.ours.mean, 3);
  EXPECT_NEAR(got.ours.deviation, std::sqrt(14 / 4.0), 1e-12);
  EXPECT_EQ(got.truth.mean, 2.5);
  EXPECT_NEAR(got.psnr, 20 * std::log10(4 / 1.0), 1e-12);
  EXPECT_EQ(floats({1, 2}, {1, 2}).psnr, kInf);
}

TEST(Measure, CountsWhatIsOutsideOfTheTolerance) {
  std::vector<float> x(100, 100.0F), y = x;
  x[1] = 101;    // 1 = atol + rtol * |y|: passes
  x[2] = 101.5;  // does not
  x[3] = y[3] = std::nanf("");
  x[99] = std::nanf("");
  const auto made = measure(*source(DataType::Float, bytes_of(x), {100}), *source(DataType::Float, bytes_of(y), {100}),
                            {.rtol = 0.0078125, .atol = 0.21875});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ((*made).different, 3u);
  EXPECT_EQ((*made).outside, 2u);
}

TEST(Measure, TellsOfTheFiniteElementsAlone) {
  const float inf = std::numeric_limits<float>::infinity();
  const Measures got = floats({-inf, 3, 0}, {-inf, 3, 4});
  EXPECT_TRUE(std::isnan(got.relative_euclidean));
  EXPECT_NEAR(got.finite_euclidean, 0.8, 1e-15);
  EXPECT_NEAR(got.finite_cosine, 0.6, 1e-15);
  EXPECT_EQ(got.finite_largest, 4);
  EXPECT_EQ(floats({1, 2}, {0, 0}).finite_euclidean, kInf);
}

TEST(Measure, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Stored x = stored(DataType::Float, numbers(300000, 0, Among::SameLeast));
  Stored y = x;
  for (size_t i = 0; i < y.bytes.size(); i += 4000) y.bytes[i] ^= std::byte{1};
  const graph::Shape shape{300000};
  const auto a = source(DataType::Float, x.bytes, shape), b = source(DataType::Float, y.bytes, shape);
  std::vector<Measures> made;
  for (const int threads : {1, 2, 7}) {
    const ThreadScope scope(threads);
    made.push_back(measured(*a, *b));
  }
  for (const Measures& other : {made[1], made[2]}) {
    EXPECT_EQ(std::bit_cast<uint64_t>(other.cosine), std::bit_cast<uint64_t>(made[0].cosine));
    EXPECT_EQ(std::bit_cast<uint64_t>(other.kullback_leibler), std::bit_cast<uint64_t>(made[0].kullback_leibler));
    EXPECT_EQ(std::bit_cast<uint64_t>(other.accumulated_relative),
              std::bit_cast<uint64_t>(made[0].accumulated_relative));
    EXPECT_EQ(other.worst.at, made[0].worst.at);
  }
}

TEST(Measure, RefusesDifferentCountsWithBothShapes) {
  const auto made = measure(*source(DataType::Float, bytes_of<float>({1, 2}), {2, 1}),
                            *source(DataType::Float, bytes_of<float>({1}), {1}));
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().code, ACL_ERROR_PARSE_FILE);
  EXPECT_THAT(made.status().message, HasSubstr("[2,1] and [1]"));
}

TEST(Measure, RefusesTypesWithoutValuesBesideOthersByName) {
  const auto one = source(DataType::Complex64, std::vector<std::byte>(8), {1});
  const auto other = source(DataType::Float, std::vector<std::byte>(4), {1});
  for (const auto& made : {measure(*one, *other), measure(*other, *one)}) {
    ASSERT_FALSE(made.ok());
    EXPECT_THAT(made.status().message, HasSubstr("DT_COMPLEX64"));
  }
}

TEST(Measure, TypesWithoutValuesAreComparedBitByBit) {
  std::vector<std::byte> bytes(24);
  const auto one = source(DataType::Complex64, bytes, {3});
  bytes[9] = bytes[10] = bytes[23] = std::byte{1};
  const auto other = source(DataType::Complex64, bytes, {3});
  const Measures same = measured(*one, *one), made = measured(*one, *other);
  EXPECT_TRUE(same.bitwise && same.bits_only);
  EXPECT_EQ(same.different, 0u);
  EXPECT_FALSE(made.bitwise);
  EXPECT_EQ(made.different, 2u);
  EXPECT_TRUE(std::isnan(made.cosine) && std::isnan(made.max_absolute));
  EXPECT_EQ(made.worst.at, -1);
}

TEST(Measure, OnePassTellsTheDivergenceWhenTheFirstPieceHasTheLeast) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (const size_t lower :
       {size_t{0}, size_t{150000}}) {  // 150000: an element of both sides is less than all of the first piece
    std::vector<float> y(200000), x(y.size());
    for (float& value : y) value = std::max(normal(random), 0.0F);
    if (lower > 0) y[lower] = -1;
    for (size_t i = 0; i < y.size(); ++i) x[i] = y[i] * 1.01F;
    if (lower > 0) x[lower] = -1.5F;
    double a = 0, b = 0;
    const double least_x = *std::ranges::min_element(x), least_y = *std::ranges::min_element(y);
    for (size_t i = 0; i < y.size(); ++i) a += x[i] - least_x, b += y[i] - least_y;
    double divergence = 0;
    for (size_t i = 0; i < y.size(); ++i)
      if (const double p = (x[i] - least_x) / a; p > 0) divergence += p * std::log(p / ((y[i] - least_y) / b));
    EXPECT_NEAR(floats(x, y).kullback_leibler, divergence, 1e-9 * std::abs(divergence) + 1e-15) << lower;
  }
}

// A tensor whose second half cannot be read.
class Broken final : public ElementSource {
 public:
  Broken() : ElementSource(DataType::Float, {1 << 20}), values_(1 << 20) {}
  Result<std::span<const std::byte>> read(int64_t first, int64_t count, std::vector<std::byte>&) const override {
    if (first >= 1 << 19) return Status{ACL_ERROR_PARSE_FILE, "the file ends here"};
    return std::as_bytes(std::span(values_)).subspan(first * sizeof(float), count * sizeof(float));
  }

 private:
  const std::vector<float> values_;
};

TEST(Measure, SaysWhatCouldNotBeRead) {
  const Broken broken;
  const auto made = measure(broken, broken);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().message, "the file ends here");
}

}  // namespace
}  // namespace belay::compare
