// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "backend/kernel.h"

namespace belay::backend::cpu {

// A scale or an offset for each element of a tensor: one for all, one for each index of an axis, or a tensor that
// broadcasts.
class Parameter {
 public:
  // `fallback` for a tensor that is absent. A value of 64 bits has a float in its low half. `axis` is for a tensor of
  // one dimension and may count from the end.
  static Result<Parameter> read(const std::string& label, const Tensor& tensor, const Shape& shape, int64_t axis,
                                float fallback);
  static Parameter of(float value) { return Parameter({value}, 1, 1); }

  // The first element behind this one that may have another value.
  int64_t same_until(int64_t element) const {
    return values_.size() == 1 ? std::numeric_limits<int64_t>::max() : (element / inner_ + 1) * inner_;
  }
  float at(int64_t element) const { return values_[values_.size() == 1 ? 0 : size_t(element / inner_ % period_)]; }

 private:
  Parameter(std::vector<float> values, int64_t inner, int64_t period)
      : values_(std::move(values)), inner_(inner), period_(period) {}

  std::vector<float> values_;
  int64_t inner_, period_;
};

enum class Rounding { HalfToEven, Floor, Ceil, Truncate };
Result<Rounding> rounding_named(const std::string& name);
float rounded(Rounding rounding, float value);
double rounded(Rounding rounding, double value);

// std::nearbyint, without a call for numbers of usual size: where floats are whole, they are rounded to such.
inline float nearest_whole(float value) {
  constexpr float whole = 0x1.8p23f;
  return std::abs(value) < 0x1p22f ? (value + whole) - whole : std::nearbyint(value);
}

inline double nearest_whole(double value) { return std::nearbyint(value); }

// The nearest element of T, which is an integer type; a NaN becomes 0.
template <class T>
T saturated(double value) {
  constexpr double low = double(std::numeric_limits<T>::min()), high = double(std::numeric_limits<T>::max());
  return value == value ? T(std::clamp(value, low, high)) : T(0);
}
template <class T>
T saturated(float value) {
  constexpr float low = float(std::numeric_limits<T>::min()), high = float(std::numeric_limits<T>::max());
  if constexpr (sizeof(T) == 1)  // as integers are compared, there is no branch to guess
    if (std::abs(value) < 0x1p22f) return T(std::clamp(int(value), int(low), int(high)));
  if (!(value == value)) return T(0);
  return value <= low ? std::numeric_limits<T>::min() : value >= high ? std::numeric_limits<T>::max() : T(value);
}

}  // namespace belay::backend::cpu
