// SPDX-License-Identifier: Apache-2.0
// Highway compiles this file once for each instruction set; the best one is chosen when it is first called.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dump/finite.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "backend/cpu/parallel.h"
#include "dump/finite.h"

HWY_BEFORE_NAMESPACE();
namespace belay::dump::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// An element is infinite or NaN when all bits of its exponent are set.
template <class Bits>
HWY_ATTR bool block_finite(const Bits* elements, size_t count, Bits exponent) {
  const hn::ScalableTag<Bits> d;
  const size_t lanes = hn::Lanes(d);
  const auto set = hn::Set(d, exponent);
  auto bad0 = hn::Zero(d), bad1 = bad0;
  size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const auto a = hn::LoadU(d, elements + i), b = hn::LoadU(d, elements + i + lanes);
    bad0 = hn::Or(bad0, hn::VecFromMask(d, hn::Eq(hn::And(a, set), set)));
    bad1 = hn::Or(bad1, hn::VecFromMask(d, hn::Eq(hn::And(b, set), set)));
  }
  if (!hn::AllTrue(d, hn::Eq(hn::Or(bad0, bad1), hn::Zero(d)))) return false;
  for (; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, elements + i, sizeof bits);  // the elements are not integers
    if ((bits & exponent) == exponent) return false;
  }
  return true;
}

bool finite_16(const uint16_t* elements, size_t count, uint16_t exponent) {
  return block_finite(elements, count, exponent);
}
bool finite_32(const uint32_t* elements, size_t count, uint32_t exponent) {
  return block_finite(elements, count, exponent);
}
bool finite_64(const uint64_t* elements, size_t count, uint64_t exponent) {
  return block_finite(elements, count, exponent);
}

}  // namespace belay::dump::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::dump {
namespace {

constexpr uint64_t kBlockBytes = 16 << 10;  // looked at before asking whether to go on
constexpr int64_t kBlocksPerThread = 32;    // where threads begin to pay
constexpr uint16_t kHalf = 0x7c00, kBFloat16 = 0x7f80;
constexpr uint32_t kFloat = 0x7f800000;
constexpr uint64_t kDouble = 0x7ff0000000000000;

HWY_EXPORT(finite_16);
HWY_EXPORT(finite_32);
HWY_EXPORT(finite_64);

bool block_finite(const uint16_t* elements, size_t count, uint16_t exponent) {
  return HWY_DYNAMIC_DISPATCH(finite_16)(elements, count, exponent);
}
bool block_finite(const uint32_t* elements, size_t count, uint32_t exponent) {
  return HWY_DYNAMIC_DISPATCH(finite_32)(elements, count, exponent);
}
bool block_finite(const uint64_t* elements, size_t count, uint64_t exponent) {
  return HWY_DYNAMIC_DISPATCH(finite_64)(elements, count, exponent);
}

template <class Bits>
bool blocks_finite(const void* data, uint64_t count, Bits exponent) {
  constexpr uint64_t block_elements = kBlockBytes / sizeof(Bits);
  const auto* elements = static_cast<const Bits*>(data);
  const auto blocks = static_cast<int64_t>((count + block_elements - 1) / block_elements);
  std::atomic<bool> finite{true};
  backend::cpu::parallel_for(blocks, kBlocksPerThread, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end && finite.load(std::memory_order_relaxed); ++block) {
      const uint64_t start = static_cast<uint64_t>(block) * block_elements;
      if (!block_finite(elements + start, std::min(block_elements, count - start), exponent))
        finite.store(false, std::memory_order_relaxed);
    }
  });
  return finite;
}

}  // namespace

bool all_finite(graph::DataType type, const void* data, uint64_t count) {
  using graph::DataType;
  if (type == DataType::Float) return blocks_finite(data, count, kFloat);
  if (type == DataType::Float16) return blocks_finite(data, count, kHalf);
  if (type == DataType::BFloat16) return blocks_finite(data, count, kBFloat16);
  if (type == DataType::Double) return blocks_finite(data, count, kDouble);
  if (type == DataType::Complex32) return blocks_finite(data, 2 * count, kHalf);
  if (type == DataType::Complex64) return blocks_finite(data, 2 * count, kFloat);
  if (type == DataType::Complex128) return blocks_finite(data, 2 * count, kDouble);
  return true;
}

}  // namespace belay::dump
#endif
