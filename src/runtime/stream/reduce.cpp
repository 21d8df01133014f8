// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/reduce.h"

#include <cmath>
#include <type_traits>

#include "base/half.h"

namespace belay {
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
  static float load(uint16_t bits) { return half_to_float(bits); }
  static uint16_t store(float value) { return float_to_half(value); }
};
struct Bfloat {
  using Stored = uint16_t;
  static float load(uint16_t bits) { return bf16_to_float(bits); }
  static uint16_t store(float value) { return float_to_bf16(value); }
};

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
  } else {
    return a + b;
  }
}

template <class T>
T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b)) return a + b;
  return a > b ? a : b;
}

template <class T>
T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b)) return a + b;
  return a < b ? a : b;
}

template <class Kind, class Op>
void each(void* dst, const void* src, size_t bytes, Op op) {
  using Stored = typename Kind::Stored;
  auto* into = static_cast<Stored*>(dst);
  const auto* from = static_cast<const Stored*>(src);
  for (size_t i = 0; i < bytes / sizeof(Stored); ++i)
    into[i] = Kind::store(op(Kind::load(into[i]), Kind::load(from[i])));
}

template <class Kind>
void reduce_kind(void* dst, const void* src, size_t bytes, Reduction op) {
  using T = decltype(Kind::load({}));
  switch (op) {
    case Reduction::Sum:
      return each<Kind>(dst, src, bytes, sum<T>);
    case Reduction::Max:
      return each<Kind>(dst, src, bytes, larger<T>);
    case Reduction::Min:
      return each<Kind>(dst, src, bytes, smaller<T>);
    case Reduction::Equal:
      return each<Kind>(dst, src, bytes, [](T a, T b) { return static_cast<T>(a == b); });
  }
}

}  // namespace

size_t reduced_element_size(aclDataType type) {
  switch (static_cast<int>(type)) {
    case ACL_INT8:
      return 1;
    case ACL_INT16:
    case ACL_FLOAT16:
    case ACL_BF16:
      return 2;
    case ACL_INT32:
    case ACL_FLOAT:
      return 4;
    default:
      return 0;
  }
}

void reduce(void* dst, const void* src, size_t bytes, Reduction op, aclDataType type) {
  switch (static_cast<int>(type)) {
    case ACL_INT8:
      return reduce_kind<Plain<int8_t>>(dst, src, bytes, op);
    case ACL_INT16:
      return reduce_kind<Plain<int16_t>>(dst, src, bytes, op);
    case ACL_INT32:
      return reduce_kind<Plain<int32_t>>(dst, src, bytes, op);
    case ACL_FLOAT:
      return reduce_kind<Plain<float>>(dst, src, bytes, op);
    case ACL_FLOAT16:
      return reduce_kind<Half>(dst, src, bytes, op);
    case ACL_BF16:
      return reduce_kind<Bfloat>(dst, src, bytes, op);
    default:
      return;
  }
}

}  // namespace belay
