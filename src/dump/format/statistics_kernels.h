// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace belay::dump {

// What one pass gathers from a block of elements. Sums are not finite when an element was not.
struct BlockTotals {
  long double max, min;
  double sum = 0, squares = 0;
};

// A block of at most this many elements is measured at a time: it fits the first or second cache, so that looking at it
// again costs little.
constexpr size_t block_elements = 1 << 14;

// The best code for this machine; `squares` stay 0 unless asked for. `count` is at least 1. For floating-point types
// max starts at -inf and min at inf, and NaNs never win.
template <class T>
BlockTotals measure_block(const T* elements, size_t count, bool squares);

// Bits of IEEE binary16 and bfloat16.
enum class HalfBits : uint16_t {};
enum class BFloat16Bits : uint16_t {};

template <>
BlockTotals measure_block(const float*, size_t, bool);
template <>
BlockTotals measure_block(const HalfBits*, size_t, bool);
template <>
BlockTotals measure_block(const BFloat16Bits*, size_t, bool);
template <>
BlockTotals measure_block(const double*, size_t, bool);
template <>
BlockTotals measure_block(const int8_t*, size_t, bool);
template <>
BlockTotals measure_block(const uint8_t*, size_t, bool);
template <>
BlockTotals measure_block(const int16_t*, size_t, bool);
template <>
BlockTotals measure_block(const uint16_t*, size_t, bool);
template <>
BlockTotals measure_block(const int32_t*, size_t, bool);
template <>
BlockTotals measure_block(const uint32_t*, size_t, bool);
template <>
BlockTotals measure_block(const int64_t*, size_t, bool);
template <>
BlockTotals measure_block(const uint64_t*, size_t, bool);

}  // namespace belay::dump
