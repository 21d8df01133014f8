// SPDX-License-Identifier: Apache-2.0
#include "exact/yardstick.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>

namespace belay::exact {
namespace {

using graph::DataType;

// How much of what is allowed an element uses: above 1 when it is wrong.
double used(double got, double expected, double allowed, bool fits) {
  const double error = std::abs(got - expected);
  if (fits) return allowed > 0 && std::isfinite(error) ? std::min(error / allowed, 1.0) : 0;
  if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
  return allowed > 0 ? std::max(error / allowed, 1.0 + 1e-9) : std::numeric_limits<double>::max();
}

}  // namespace

double largest_of(DataType type) {
  switch (type) {
    case DataType::Float16:
      return 65504;
    case DataType::BFloat16:
      return 0x1.fep127;
    case DataType::Float:
      return FLT_MAX;
    case DataType::Double:
      return DBL_MAX;
    default:
      return std::numeric_limits<double>::infinity();
  }
}

double element_of(const Value& value, int64_t at) {
  return value.real() ? value.doubles()[static_cast<size_t>(at)] : integer_at(value, at);
}

Yardstick::Yardstick(const Output& truth, DataType type)
    : truth_(truth),
      floats_(truth.value.type == DataType::Double),
      largest_(largest_of(type)),
      count_(truth.value.count()) {}

double Yardstick::expected(int64_t at) const {
  return floats_ ? truth_.value.doubles()[static_cast<size_t>(at)] : element_of(truth_.value, at);
}

double Yardstick::allowed(int64_t at) const {
  return truth_.allowed.empty() ? 0 : truth_.allowed[static_cast<size_t>(at)];
}

bool Yardstick::fits(double got, double expected, double allowed) const {
  if (got == expected) return true;
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
  if (std::abs(got - expected) <= allowed) return true;
  // Beyond the type's range there is infinity, or its largest number in saturation mode.
  const bool beyond = std::abs(expected) + allowed >= largest_ && std::signbit(got) == std::signbit(expected);
  return beyond && std::abs(got) >= largest_;
}

namespace {

// Whether two whole numbers that are one double are not the same.
bool differ_in_bits(const Value& a, const Value& b, int64_t at) {
  if (a.real() || a.type != b.type || a.count() == 0) return false;
  const size_t size = a.bytes->size() / static_cast<size_t>(a.count()), from = static_cast<size_t>(at) * size;
  return std::memcmp(a.bytes->data() + from, b.bytes->data() + from, size) != 0;
}

}  // namespace

Numbers held_against(const Output& expected, const Value& got, DataType stored, const Value* truth) {
  const Yardstick yardstick(expected, stored);
  Numbers numbers{.count = yardstick.count()};
  if (truth) numbers.inherited = 0;
  double most = -1;
  for (int64_t at = 0; at < numbers.count; ++at) {
    const double is = element_of(got, at), should = yardstick.expected(at), may = yardstick.allowed(at);
    const bool fits = yardstick.fits(is, should, may) && !(may == 0 && differ_in_bits(got, expected.value, at));
    numbers.wrong += !fits;
    numbers.clipped |= fits && std::abs(is) == yardstick.largest() && std::abs(should) > yardstick.largest();
    if (const double uses = used(is, should, may, fits); uses > most) {
      most = uses;
      numbers.worst = at;
      numbers.got = is, numbers.expected = should, numbers.allowed = may;
    }
    if (!truth) continue;
    const double other = element_of(*truth, at);
    numbers.inherited = std::max(numbers.inherited, error_between(other, should));
    numbers.inherits |= !yardstick.fits(other, should, may);
  }
  if (numbers.worst >= 0) numbers.contributed = error_between(numbers.got, numbers.expected);
  return numbers;
}

}  // namespace belay::exact
