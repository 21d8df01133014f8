// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/move/order_keys.h"

#include <bit>
#include <cmath>
#include <limits>

#include "backend/cpu/element.h"

namespace belay::backend::cpu {
namespace {

template <class T>
int64_t key_of(T element) {
  if constexpr (is_float<T>) {
    const auto value = static_cast<double>(compute_t<T>(element));
    if (std::isnan(value)) return std::numeric_limits<int64_t>::max();
    // The bits of a double are ordered as a sign and a size.
    const auto size = std::bit_cast<int64_t>(std::fabs(value));
    return std::signbit(value) ? -size : size;
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    return static_cast<int64_t>(element ^ (uint64_t{1} << 63));
  } else {
    return static_cast<int64_t>(compute_t<T>(element));
  }
}

}  // namespace

Result<std::vector<int64_t>> order_keys(const Tensor& tensor) {
  return with_type(AllTypes{}, tensor.type, [&]<class T>() -> Result<std::vector<int64_t>> {
    std::vector<int64_t> keys(static_cast<size_t>(tensor.count()));
    for (size_t i = 0; i < keys.size(); ++i) keys[i] = key_of(tensor.as<T>()[i]);
    return keys;
  });
}

}  // namespace belay::backend::cpu
