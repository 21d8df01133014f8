// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/tensor/types.h"

namespace belay::graph {

// Element `at` of a type of less than 8 bits: integers as the int8 or uint8 of their value, floats as their bits. The
// first element is in the lowest bits of its byte; of single bits in the highest.
inline std::byte small_element(DataType type, size_t bits, const std::byte* bytes, int64_t at) {
  const size_t bit = static_cast<size_t>(at) * bits, shift = bit % 8;
  const auto low = static_cast<unsigned>(bytes[bit / 8]);
  if (bits == 1) return static_cast<std::byte>(low >> (7 - shift) & 1u);
  const unsigned high = shift + bits > 8 ? static_cast<unsigned>(bytes[bit / 8 + 1]) : 0u;
  const unsigned mask = (1u << bits) - 1, value = (low | high << 8) >> shift & mask;
  const bool negative = (type == DataType::Int4 || type == DataType::Int2) && value >> (bits - 1) != 0;
  return static_cast<std::byte>(negative ? value | ~mask : value);
}

}  // namespace belay::graph
