// SPDX-License-Identifier: Apache-2.0
// Highway compiles this file once for each instruction set; the best one is chosen when it is first called.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "graph/tensor/finite.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/half.h"
#include "base/threads/parallel.h"
#include "graph/tensor/finite.h"

HWY_BEFORE_NAMESPACE();
namespace belay::graph::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Without their sign, the bits of floating-point numbers are in the order of their magnitudes: infinity is above all
// numbers, NaN above infinity.
template <class Bits>
HWY_ATTR Bits block_largest(const Bits* elements, size_t count) {
  constexpr auto magnitude = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
  const hn::ScalableTag<Bits> d;
  const size_t lanes = hn::Lanes(d);
  const auto mask = hn::Set(d, magnitude);
  auto most0 = hn::Zero(d), most1 = most0;
  size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    most0 = hn::Max(most0, hn::And(hn::LoadU(d, elements + i), mask));
    most1 = hn::Max(most1, hn::And(hn::LoadU(d, elements + i + lanes), mask));
  }
  HWY_ALIGN Bits lane[HWY_MAX_BYTES / sizeof(Bits)];
  hn::Store(hn::Max(most0, most1), d, lane);
  Bits most = *std::max_element(lane, lane + lanes);
  for (; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, elements + i, sizeof bits);  // the elements are not integers
    most = std::max(most, static_cast<Bits>(bits & magnitude));
  }
  return most;
}

uint16_t largest_16(const uint16_t* elements, size_t count) { return block_largest(elements, count); }
uint32_t largest_32(const uint32_t* elements, size_t count) { return block_largest(elements, count); }
uint64_t largest_64(const uint64_t* elements, size_t count) { return block_largest(elements, count); }

}  // namespace belay::graph::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::graph {
namespace {

constexpr uint64_t kBlockBytes = 16 << 10;
constexpr int64_t kBlocksPerThread = 32;                // where threads begin to pay
constexpr uint16_t kHalf = 0x7c00, kBFloat16 = 0x7f80;  // all bits of the exponent
constexpr uint32_t kFloat = 0x7f800000;
constexpr uint64_t kDouble = 0x7ff0000000000000;

HWY_EXPORT(largest_16);
HWY_EXPORT(largest_32);
HWY_EXPORT(largest_64);

uint16_t block_largest(const uint16_t* elements, size_t count) {
  return HWY_DYNAMIC_DISPATCH(largest_16)(elements, count);
}
uint32_t block_largest(const uint32_t* elements, size_t count) {
  return HWY_DYNAMIC_DISPATCH(largest_32)(elements, count);
}
uint64_t block_largest(const uint64_t* elements, size_t count) {
  return HWY_DYNAMIC_DISPATCH(largest_64)(elements, count);
}

template <class Bits>
Bits largest_bits(const void* data, uint64_t count) {
  constexpr uint64_t block_elements = kBlockBytes / sizeof(Bits);
  const auto* elements = static_cast<const Bits*>(data);
  const auto blocks = static_cast<int64_t>((count + block_elements - 1) / block_elements);
  std::atomic<Bits> most{0};
  parallel_for(blocks, kBlocksPerThread, [&](int64_t begin, int64_t end) {
    const uint64_t first = static_cast<uint64_t>(begin) * block_elements;
    const uint64_t last = std::min(static_cast<uint64_t>(end) * block_elements, count);
    const Bits found = block_largest(elements + first, last - first);
    for (Bits seen = most; seen < found && !most.compare_exchange_weak(seen, found);) continue;
  });
  return most;
}

template <class Bits>
bool saturate_bits(void* data, uint64_t count, Bits exponent) {
  constexpr auto magnitude = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
  auto* at = static_cast<std::byte*>(data);
  bool any = false;
  for (uint64_t i = 0; i < count; ++i, at += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, at, sizeof bits);
    if ((bits & exponent) != exponent) continue;
    any = true;
    const bool infinite = (bits & magnitude) == exponent;
    bits = infinite ? static_cast<Bits>((bits & ~magnitude) | (exponent - 1)) : Bits{0};
    std::memcpy(at, &bits, sizeof bits);
  }
  return any;
}

}  // namespace

double largest_magnitude(DataType type, const void* data, uint64_t count) {
  if (type == DataType::Float) return std::bit_cast<float>(largest_bits<uint32_t>(data, count));
  if (type == DataType::Float16) return half_to_float(largest_bits<uint16_t>(data, count));
  if (type == DataType::BFloat16) return bf16_to_float(largest_bits<uint16_t>(data, count));
  if (type == DataType::Double) return std::bit_cast<double>(largest_bits<uint64_t>(data, count));
  if (type == DataType::Complex32) return half_to_float(largest_bits<uint16_t>(data, 2 * count));
  if (type == DataType::Complex64) return std::bit_cast<float>(largest_bits<uint32_t>(data, 2 * count));
  if (type == DataType::Complex128) return std::bit_cast<double>(largest_bits<uint64_t>(data, 2 * count));
  return 0;
}

bool all_finite(DataType type, const void* data, uint64_t count) {
  return std::isfinite(largest_magnitude(type, data, count));
}

bool saturate(DataType type, void* data, uint64_t count) {
  if (type == DataType::Float) return saturate_bits(data, count, kFloat);
  if (type == DataType::Float16) return saturate_bits(data, count, kHalf);
  if (type == DataType::BFloat16) return saturate_bits(data, count, kBFloat16);
  if (type == DataType::Double) return saturate_bits(data, count, kDouble);
  if (type == DataType::Complex32) return saturate_bits(data, 2 * count, kHalf);
  if (type == DataType::Complex64) return saturate_bits(data, 2 * count, kFloat);
  if (type == DataType::Complex128) return saturate_bits(data, 2 * count, kDouble);
  return false;
}

}  // namespace belay::graph
#endif
