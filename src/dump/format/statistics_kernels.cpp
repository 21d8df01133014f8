// SPDX-License-Identifier: Apache-2.0
// Highway compiles this file once for each instruction set; the best one is chosen when it is first called.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dump/format/statistics_kernels.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "base/half.h"
#include "dump/format/statistics_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace belay::dump::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Doubles = hn::ScalableTag<double>;
using Real = hn::Vec<Doubles>;

// Sums, and sums of squares if asked for, in four independent vectors each: additions take several cycles.
template <bool with_squares>
struct Sums {
  HWY_ATTR Sums() {
    for (size_t i = 0; i < 4; ++i) sum[i] = squares[i] = hn::Zero(Doubles());
  }
  HWY_ATTR void add(size_t i, Real value) {
    sum[i] = hn::Add(sum[i], value);
    if constexpr (with_squares) squares[i] = hn::MulAdd(value, value, squares[i]);
  }
  // 32-bit lanes: the lower half into vectors i, the upper into i + 1.
  template <class D>
  HWY_ATTR void add(size_t i, D /*tag*/, hn::Vec<D> values) {
#if HWY_TARGET == HWY_SCALAR
    add(i, hn::PromoteTo(Doubles(), values));
#else
    const hn::Half<D> half;
    add(i, hn::PromoteTo(Doubles(), hn::LowerHalf(half, values)));
    add(i + 1, hn::PromoteTo(Doubles(), hn::UpperHalf(half, values)));
#endif
  }
  HWY_ATTR void add_to(BlockTotals& totals) const {
    const Doubles d;
    const auto total = [&](const Real* v) {
      return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(v[0], v[1]), hn::Add(v[2], v[3]))));
    };
    totals.sum += total(sum);
    if constexpr (with_squares) totals.squares += total(squares);
  }

  Real sum[4], squares[4];
};

// The larger and the smaller; a NaN on the left loses.
template <class V>
HWY_ATTR V larger(V value, V than) {
  return hn::IfThenElse(hn::Gt(value, than), value, than);
}
template <class V>
HWY_ATTR V smaller(V value, V than) {
  return hn::IfThenElse(hn::Lt(value, than), value, than);
}

HWY_ATTR hn::Vec<Floats> load(const float* from) { return hn::LoadU(Floats(), from); }
HWY_ATTR hn::Vec<Floats> load(const HalfBits* from) {
  const hn::Rebind<hwy::float16_t, Floats> d;
  return hn::PromoteTo(Floats(), hn::LoadU(d, reinterpret_cast<const hwy::float16_t*>(from)));
}
HWY_ATTR hn::Vec<Floats> load(const BFloat16Bits* from) {
  const hn::Rebind<hwy::bfloat16_t, Floats> d;
  return hn::PromoteTo(Floats(), hn::LoadU(d, reinterpret_cast<const hwy::bfloat16_t*>(from)));
}

template <class T>
HWY_ATTR double real(T element) {
  if constexpr (std::is_same_v<T, HalfBits>)
    return half_to_float(static_cast<uint16_t>(element));
  else if constexpr (std::is_same_v<T, BFloat16Bits>)
    return bf16_to_float(static_cast<uint16_t>(element));
  else
    return static_cast<double>(element);
}

// What is left behind the last whole vector.
template <class T>
HWY_ATTR void add_tail(const T* elements, size_t count, BlockTotals& totals) {
  for (size_t i = 0; i < count; ++i) {
    const double value = real(elements[i]);
    if (value > totals.max) totals.max = value;
    if (value < totals.min) totals.min = value;
    totals.sum += value;
    totals.squares += value * value;
  }
}

// float, binary16 and bfloat16: compared as floats, summed as doubles.
template <bool with_squares, class T>
HWY_ATTR BlockTotals measure_floats(const T* elements, size_t count) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  constexpr float inf = std::numeric_limits<float>::infinity();
  auto max0 = hn::Set(d, -inf), max1 = max0, min0 = hn::Set(d, inf), min1 = min0;
  Sums<with_squares> sums;
  size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const auto a = load(elements + i), b = load(elements + i + lanes);
    max0 = larger(a, max0);
    max1 = larger(b, max1);
    min0 = smaller(a, min0);
    min1 = smaller(b, min1);
    sums.add(0, d, a);
    sums.add(2, d, b);
  }
  BlockTotals totals{.max = hn::GetLane(hn::MaxOfLanes(d, larger(max0, max1))),
                     .min = hn::GetLane(hn::MinOfLanes(d, smaller(min0, min1)))};
  sums.add_to(totals);
  add_tail(elements + i, count - i, totals);
  return totals;
}

template <bool with_squares>
HWY_ATTR BlockTotals measure_doubles(const double* elements, size_t count) {
  const Doubles d;
  const size_t lanes = hn::Lanes(d);
  constexpr double inf = std::numeric_limits<double>::infinity();
  auto max = hn::Set(d, -inf), min = hn::Set(d, inf);
  Sums<with_squares> sums;
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    for (size_t j = 0; j < 4; ++j) {
      const auto v = hn::LoadU(d, elements + i + j * lanes);
      max = larger(v, max);
      min = smaller(v, min);
      sums.add(j, v);
    }
  }
  BlockTotals totals{.max = hn::GetLane(hn::MaxOfLanes(d, max)), .min = hn::GetLane(hn::MinOfLanes(d, min))};
  sums.add_to(totals);
  add_tail(elements + i, count - i, totals);
  return totals;
}

// 8- and 16-bit integers as int32 lanes: exact, and no block can overflow the sums of doubles they go to.
template <bool with_squares, class T>
HWY_ATTR BlockTotals measure_small_integers(const T* elements, size_t count) {
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<T, decltype(d)> stored;
  const size_t lanes = hn::Lanes(d);
  auto max = hn::Set(d, std::numeric_limits<T>::lowest()), min = hn::Set(d, std::numeric_limits<T>::max());
  Sums<with_squares> sums;
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::PromoteTo(d, hn::LoadU(stored, elements + i));
    max = hn::Max(max, v);
    min = hn::Min(min, v);
    sums.add(0, d, v);
  }
  BlockTotals totals{.max = static_cast<long double>(hn::GetLane(hn::MaxOfLanes(d, max))),
                     .min = static_cast<long double>(hn::GetLane(hn::MinOfLanes(d, min)))};
  sums.add_to(totals);
  add_tail(elements + i, count - i, totals);
  return totals;
}

// 32- and 64-bit integers: the compiler's own vectors do.
template <bool with_squares, class T>
HWY_ATTR BlockTotals measure_large_integers(const T* elements, size_t count) {
  T max = elements[0], min = elements[0];
  double sum[4] = {}, squares[4] = {};
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (size_t j = 0; j < 4; ++j) {
      const T element = elements[i + j];
      max = std::max(max, element);
      min = std::min(min, element);
      const auto value = static_cast<double>(element);
      sum[j] += value;
      if constexpr (with_squares) squares[j] += value * value;
    }
  }
  BlockTotals totals{.max = static_cast<long double>(max),
                     .min = static_cast<long double>(min),
                     .sum = sum[0] + sum[1] + (sum[2] + sum[3]),
                     .squares = squares[0] + squares[1] + (squares[2] + squares[3])};
  for (; i < count; ++i) {
    totals.max = std::max(totals.max, static_cast<long double>(elements[i]));
    totals.min = std::min(totals.min, static_cast<long double>(elements[i]));
    totals.sum += static_cast<double>(elements[i]);
    totals.squares += static_cast<double>(elements[i]) * static_cast<double>(elements[i]);
  }
  return totals;
}

template <bool with_squares, class T>
HWY_ATTR BlockTotals measure_any(const T* elements, size_t count) {
  if constexpr (std::is_same_v<T, double>)
    return measure_doubles<with_squares>(elements, count);
  else if constexpr (!std::is_integral_v<T>)
    return measure_floats<with_squares>(elements, count);
  else if constexpr (sizeof(T) <= 2)
    return measure_small_integers<with_squares>(elements, count);
  else
    return measure_large_integers<with_squares>(elements, count);
}

#define BELAY_MEASURE(name, T)                                                                 \
  BlockTotals name(const T* elements, size_t count, bool squares) {                            \
    return squares ? measure_any<true>(elements, count) : measure_any<false>(elements, count); \
  }
BELAY_MEASURE(measure_f32, float)
BELAY_MEASURE(measure_f16, HalfBits)
BELAY_MEASURE(measure_bf16, BFloat16Bits)
BELAY_MEASURE(measure_f64, double)
BELAY_MEASURE(measure_i8, int8_t)
BELAY_MEASURE(measure_u8, uint8_t)
BELAY_MEASURE(measure_i16, int16_t)
BELAY_MEASURE(measure_u16, uint16_t)
BELAY_MEASURE(measure_i32, int32_t)
BELAY_MEASURE(measure_u32, uint32_t)
BELAY_MEASURE(measure_i64, int64_t)
BELAY_MEASURE(measure_u64, uint64_t)
#undef BELAY_MEASURE

}  // namespace belay::dump::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::dump {

#define BELAY_DISPATCH(name, T)                                              \
  HWY_EXPORT(name);                                                          \
  template <>                                                                \
  BlockTotals measure_block(const T* elements, size_t count, bool squares) { \
    return HWY_DYNAMIC_DISPATCH(name)(elements, count, squares);             \
  }
BELAY_DISPATCH(measure_f32, float)
BELAY_DISPATCH(measure_f16, HalfBits)
BELAY_DISPATCH(measure_bf16, BFloat16Bits)
BELAY_DISPATCH(measure_f64, double)
BELAY_DISPATCH(measure_i8, int8_t)
BELAY_DISPATCH(measure_u8, uint8_t)
BELAY_DISPATCH(measure_i16, int16_t)
BELAY_DISPATCH(measure_u16, uint16_t)
BELAY_DISPATCH(measure_i32, int32_t)
BELAY_DISPATCH(measure_u32, uint32_t)
BELAY_DISPATCH(measure_i64, int64_t)
BELAY_DISPATCH(measure_u64, uint64_t)
#undef BELAY_DISPATCH

}  // namespace belay::dump
#endif
