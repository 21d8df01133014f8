// SPDX-License-Identifier: Apache-2.0
// Statistics against a second, plain implementation in long double; tests/golden compares them with numpy's.
#include "dump/format/statistics.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cmath>
#include <limits>
#include <random>

#include "base/half.h"
#include "base/threads/parallel.h"

namespace belay::dump {
namespace {

using graph::DataType;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Elements of one type, as they are stored and as the numbers they stand for.
struct Elements {
  std::vector<std::byte> bytes;
  std::vector<long double> values;

  template <class T>
  void add(T stored, long double value) {
    const auto* raw = reinterpret_cast<const std::byte*>(&stored);
    bytes.insert(bytes.end(), raw, raw + sizeof stored);
    values.push_back(value);
  }
};

Elements stored_as(DataType type, const std::vector<double>& numbers) {
  Elements made;
  for (const double number : numbers) {
    const auto single = static_cast<float>(number);
    const auto whole = static_cast<int64_t>(number);
    switch (type) {
      case DataType::Float:
        made.add(single, single);
        break;
      case DataType::Float16:
        made.add(float_to_half(single), half_to_float(float_to_half(single)));
        break;
      case DataType::BFloat16:
        made.add(float_to_bf16(single), bf16_to_float(float_to_bf16(single)));
        break;
      case DataType::Double:
        made.add(number, number);
        break;
      case DataType::Int8:
        made.add(static_cast<int8_t>(whole), static_cast<int8_t>(whole));
        break;
      case DataType::UInt8:
        made.add(static_cast<uint8_t>(whole), static_cast<uint8_t>(whole));
        break;
      case DataType::Int16:
        made.add(static_cast<int16_t>(whole), static_cast<int16_t>(whole));
        break;
      case DataType::UInt16:
        made.add(static_cast<uint16_t>(whole), static_cast<uint16_t>(whole));
        break;
      case DataType::Int32:
        made.add(static_cast<int32_t>(whole), static_cast<int32_t>(whole));
        break;
      case DataType::UInt32:
        made.add(static_cast<uint32_t>(whole), static_cast<uint32_t>(whole));
        break;
      case DataType::Int64:
        made.add(whole, whole);
        break;
      case DataType::UInt64:
        made.add(static_cast<uint64_t>(whole), static_cast<uint64_t>(whole));
        break;
      default:
        made.add(static_cast<uint8_t>(whole != 0), whole != 0);
    }
  }
  return made;
}

// The definition, one element after the other.
Statistics plainly(const std::vector<long double>& values) {
  Statistics found{.known = !values.empty(), .max = -inf, .min = inf};
  long double sum = 0, squares = 0;
  for (const long double value : values) {
    found.nan += std::isnan(value);
    found.positive_inf += value == inf;
    found.negative_inf += value == -inf;
    if (value > found.max) found.max = value;
    if (value < found.min) found.min = value;
    sum += value;
    squares += value * value;
  }
  if (found.nan == values.size()) found.max = found.min = nan;
  found.avg = static_cast<double>(sum / values.size());
  found.l2norm = static_cast<double>(std::sqrt(squares));
  return found;
}

void expect_same(double got, double want, const char* what) {
  if (std::isnan(want))
    EXPECT_TRUE(std::isnan(got)) << what << " is " << got;
  else if (std::isinf(want))
    EXPECT_EQ(got, want) << what;
  else
    EXPECT_NEAR(got, want, 1e-12 * std::abs(want) + 1e-300) << what;
}

void expect_measured(DataType type, const Elements& elements) {
  SCOPED_TRACE(std::string(graph::name_of(type)) + " of " + std::to_string(elements.values.size()));
  const Statistics want = plainly(elements.values);
  const Statistics got = measure(type, elements.bytes.data(), elements.values.size(), true);
  ASSERT_TRUE(got.known);
  expect_same(static_cast<double>(got.max), static_cast<double>(want.max), "max");
  expect_same(static_cast<double>(got.min), static_cast<double>(want.min), "min");
  expect_same(got.avg, want.avg, "avg");
  expect_same(got.l2norm, want.l2norm, "l2norm");
  EXPECT_EQ(got.nan, want.nan);
  EXPECT_EQ(got.negative_inf, want.negative_inf);
  EXPECT_EQ(got.positive_inf, want.positive_inf);
  const Statistics quick = measure(type, elements.bytes.data(), elements.values.size(), false);
  expect_same(quick.avg, got.avg, "avg without the norm");
}

constexpr DataType real_types[] = {DataType::Float, DataType::Float16, DataType::BFloat16, DataType::Double};
constexpr DataType integer_types[] = {DataType::Int8,   DataType::UInt8,  DataType::Int16,
                                      DataType::UInt16, DataType::Int32,  DataType::UInt32,
                                      DataType::Int64,  DataType::UInt64, DataType::Bool};

std::vector<double> random_numbers(size_t count, double scale) {
  std::mt19937_64 engine(count);
  std::uniform_real_distribution<double> numbers(-scale, scale);
  std::vector<double> made(count);
  for (double& number : made) number = numbers(engine);
  return made;
}

TEST(Statistics, AreRightForEveryTypeAndLength) {
  for (const size_t count : {1, 2, 3, 15, 16, 17, 31, 33, 63, 64, 65, 100, 1000, 16383, 16384, 16385, 50001}) {
    for (const DataType type : real_types) expect_measured(type, stored_as(type, random_numbers(count, 100)));
    for (const DataType type : integer_types) expect_measured(type, stored_as(type, random_numbers(count, 3e9)));
  }
}

TEST(Statistics, FindWhatIsNotFiniteWhereverItStands) {
  const size_t counts[] = {1, 5, 16, 33, 70, 16384, 20000};
  const std::vector<std::vector<double>> specials = {{nan},      {-nan},      {inf},      {-inf},
                                                     {inf, inf}, {inf, -inf}, {nan, inf}, {-inf, nan, inf}};
  for (const DataType type : real_types)
    for (const size_t count : counts)
      for (const auto& special : specials)
        for (const size_t place : {size_t{0}, count / 2, count - 1}) {
          auto numbers = random_numbers(count, 10);
          for (size_t i = 0; i < special.size(); ++i) numbers[(place + i) % count] = special[i];
          expect_measured(type, stored_as(type, numbers));
        }
}

TEST(Statistics, OfNothingButNaNsAreNaN) {
  for (const DataType type : real_types) expect_measured(type, stored_as(type, std::vector<double>(1000, nan)));
  for (const DataType type : real_types) expect_measured(type, stored_as(type, std::vector<double>(1000, -inf)));
}

TEST(Statistics, HandleExtremeMagnitudes) {
  for (const double magnitude : {1e-45, 1e-40, 1e38, 6e-8, 65504.0})
    for (const DataType type : real_types)
      expect_measured(type, stored_as(type, {magnitude, -magnitude, magnitude, 0.0, -0.0, magnitude / 2}));
  // The sum and the squares overflow a double; the mean and the norm do not.
  const Statistics large = measure(DataType::Double, std::vector<double>{1e308, 1.5e308, 1e308}.data(), 3, true);
  EXPECT_DOUBLE_EQ(large.avg, 3.5e308L / 3);
  EXPECT_EQ(large.positive_inf, 0u);
  const Statistics long_vector = measure(DataType::Double, std::vector<double>{3e200, 4e200}.data(), 2, true);
  EXPECT_DOUBLE_EQ(long_vector.l2norm, 5e200);
}

TEST(Statistics, KeepLargeIntegersExact) {
  const std::vector<int64_t> wide = {INT64_MAX, INT64_MIN, 0};
  const Statistics found = measure(DataType::Int64, wide.data(), 3, false);
  EXPECT_EQ(static_cast<int64_t>(found.max), INT64_MAX);
  EXPECT_EQ(static_cast<int64_t>(found.min), INT64_MIN);
  const std::vector<uint64_t> unsigned_wide = {UINT64_MAX, UINT64_MAX - 1};
  const Statistics other = measure(DataType::UInt64, unsigned_wide.data(), 2, false);
  EXPECT_EQ(static_cast<uint64_t>(other.max), UINT64_MAX);
  EXPECT_EQ(static_cast<uint64_t>(other.min), UINT64_MAX - 1);
}

TEST(Statistics, KnowTheSmallFloats) {
  // E5M2: 0x3c = 1, 0x7b = 57344, 0x7c = inf, 0x7d = nan, 0x01 = 2^-16. E4M3FN: 0x38 = 1, 0x7e = 448, 0x7f = nan.
  const uint8_t e5m2[] = {0x3c, 0xfb, 0x01};
  const Statistics five = measure(DataType::Float8E5M2, e5m2, 3, true);
  EXPECT_EQ(five.max, 1);
  EXPECT_EQ(five.min, -57344);
  const uint8_t special[] = {0x7c, 0xfc, 0x7d};
  EXPECT_EQ(measure(DataType::Float8E5M2, special, 3, true).positive_inf, 1u);
  EXPECT_EQ(measure(DataType::Float8E5M2, special, 3, true).negative_inf, 1u);
  EXPECT_EQ(measure(DataType::Float8E5M2, special, 3, true).nan, 1u);
  const uint8_t e4m3[] = {0x38, 0x7e, 0x38};
  const Statistics four = measure(DataType::Float8E4M3FN, e4m3, 3, true);
  EXPECT_EQ(four.max, 448);
  EXPECT_DOUBLE_EQ(four.avg, 150);
  EXPECT_EQ(measure(DataType::Float8E4M3FN, "\x7f", 1, true).nan, 1u);
}

TEST(Statistics, OfNoElementsOrUnreadableTypesAreUnknown) {
  const std::byte storage[16] = {};
  EXPECT_FALSE(measure(DataType::Float, storage, 0, true).known);
  for (const DataType type : {DataType::Int4, DataType::UInt1, DataType::String, DataType::Undefined,
                              DataType::Complex64, DataType::HiFloat8})
    EXPECT_FALSE(measure(type, storage, 4, true).known) << graph::name_of(type);
}

TEST(Statistics, AreTheSameBitsWithAnyNumberOfThreads) {
  const Elements elements = stored_as(DataType::Float, random_numbers(1 << 20, 7));
  const auto measured = [&](int threads) {
    const ThreadScope scope(threads);
    return measure(DataType::Float, elements.bytes.data(), elements.values.size(), true);
  };
  const Statistics one = measured(1);
  for (const int threads : {2, 3, 7}) {
    EXPECT_EQ(measured(threads).avg, one.avg);
    EXPECT_EQ(measured(threads).l2norm, one.l2norm);
  }
}

#ifndef __SANITIZE_THREAD__  // which takes four times the memory
TEST(Statistics, CountMoreElementsThan32BitsHold) {
  const uint64_t count = (uint64_t{1} << 32) + 5;
  void* memory = mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  static_cast<int8_t*>(memory)[count - 1] = 64;
  static_cast<int8_t*>(memory)[0] = -64;
  static_cast<int8_t*>(memory)[1] = 127;
  const Statistics found = measure(DataType::Int8, memory, count, true);
  EXPECT_EQ(found.max, 127);
  EXPECT_EQ(found.min, -64);
  EXPECT_DOUBLE_EQ(found.avg, 127.0 / count);
  EXPECT_DOUBLE_EQ(found.l2norm, std::sqrt(2.0 * 64 * 64 + 127 * 127));
  munmap(memory, count);
}
#endif

}  // namespace
}  // namespace belay::dump
