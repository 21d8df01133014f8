// SPDX-License-Identifier: Apache-2.0
#include "comm/combine.h"

#include <cstdint>
#include <type_traits>

#include "comm/engine/lanes.h"

namespace belay::comm {
namespace {

// How elements are kept and computed with: Stored in memory, Value in between.
template <class T>
struct Plain {
  using Stored = T;
  static T load(T bits) { return bits; }
  static T store(T value) { return value; }
};
struct Half {
  using Stored = uint16_t;
  static float load(uint16_t bits) { return lane_from_half(bits); }
  static uint16_t store(float value) { return lane_to_half(value); }
};
struct Bfloat {
  using Stored = uint16_t;
  static float load(uint16_t bits) { return lane_from_bf16(bits); }
  static uint16_t store(float value) { return lane_to_bf16(value); }
};

// Wide enough, and unsigned, so that nothing overflows into undefined behaviour.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  else
    return a + b;
}

template <class T>
T product(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  else
    return a * b;
}

// What is larger, or the NaN that one of them is.
template <class T>
T larger(T a, T b) {
  const T one = a > b ? a : b;
  if constexpr (std::is_floating_point_v<T>) return (a != a) | (b != b) ? a + b : one;
  return one;
}

template <class T>
T smaller(T a, T b) {
  const T one = a < b ? a : b;
  if constexpr (std::is_floating_point_v<T>) return (a != a) | (b != b) ? a + b : one;
  return one;
}

template <class Kind, class Op>
void each(void* out, const void* a, const void* b, size_t count, Op op) {
  using Stored = typename Kind::Stored;
  auto* to = static_cast<Stored*>(out);
  const auto* left = static_cast<const Stored*>(a);
  const auto* right = static_cast<const Stored*>(b);
#pragma GCC ivdep  // an input is apart, or lies where the result does
  for (size_t i = 0; i < count; ++i) to[i] = Kind::store(op(Kind::load(left[i]), Kind::load(right[i])));
}

template <class Kind>
void combine_kind(void* out, const void* a, const void* b, size_t count, HcclReduceOp op) {
  using T = decltype(Kind::load({}));
  switch (op) {
    case HCCL_REDUCE_SUM:
      return each<Kind>(out, a, b, count, [](T x, T y) { return sum(x, y); });
    case HCCL_REDUCE_PROD:
      return each<Kind>(out, a, b, count, [](T x, T y) { return product(x, y); });
    case HCCL_REDUCE_MAX:
      return each<Kind>(out, a, b, count, [](T x, T y) { return larger(x, y); });
    case HCCL_REDUCE_MIN:
      return each<Kind>(out, a, b, count, [](T x, T y) { return smaller(x, y); });
    case HCCL_REDUCE_RESERVED:
      return;
  }
}

}  // namespace

void combine(void* out, const void* a, const void* b, size_t count, HcclDataType type, HcclReduceOp op) {
  switch (static_cast<int>(type)) {
    case HCCL_DATA_TYPE_INT8:
      return combine_kind<Plain<int8_t>>(out, a, b, count, op);
    case HCCL_DATA_TYPE_INT16:
      return combine_kind<Plain<int16_t>>(out, a, b, count, op);
    case HCCL_DATA_TYPE_INT32:
      return combine_kind<Plain<int32_t>>(out, a, b, count, op);
    case HCCL_DATA_TYPE_INT64:
      return combine_kind<Plain<int64_t>>(out, a, b, count, op);
    case HCCL_DATA_TYPE_FP32:
      return combine_kind<Plain<float>>(out, a, b, count, op);
    case HCCL_DATA_TYPE_FP16:
      return combine_kind<Half>(out, a, b, count, op);
    case HCCL_DATA_TYPE_BFP16:
      return combine_kind<Bfloat>(out, a, b, count, op);
    default:
      return;
  }
}

}  // namespace belay::comm
