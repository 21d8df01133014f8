// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/simd/row_floats.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/panels/unroll.h"
#include "backend/cpu/simd/math-inl.h"
#include "backend/cpu/simd/row_floats.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::HWY_NAMESPACE {

constexpr size_t span_of_sum = 256;  // elements that are summed in float
constexpr size_t rows_of_sum = 32;
constexpr float infinity = std::numeric_limits<float>::infinity();

// The sum of f over the elements; f gets a vector whose missing lanes at the end are `filler`.
template <class F>
HWY_INLINE double sum_with(const float* x, size_t count, float filler, const F& f) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  double total = 0;
  for (size_t begin = 0; begin < count; begin += span_of_sum) {
    const size_t end = std::min(count, begin + span_of_sum);
    Vector a = hn::Zero(d), b = a;
    size_t i = begin;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      a = hn::Add(a, f(hn::LoadU(d, x + i)));
      b = hn::Add(b, f(hn::LoadU(d, x + i + lanes)));
    }
    for (; i < end; i += lanes) {
      const auto rest = hn::FirstN(d, std::min(lanes, end - i));
      const Vector value = hn::IfThenElse(rest, hn::MaskedLoad(rest, d, x + i), splat(filler));
      a = hn::Add(a, f(value));
    }
    total += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b))));
  }
  return total;
}

// With `largest`, the largest; a NaN stays.
HWY_INLINE Vector better(bool largest, Vector best, Vector next) {
  const auto wins = largest ? hn::Gt(next, best) : hn::Lt(next, best);
  return hn::IfThenElse(hn::Or(wins, hn::IsNaN(next)), next, best);
}

HWY_INLINE float extreme_of(bool largest, const float* x, size_t count) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const float worst = largest ? -infinity : infinity;
  Vector best = splat(worst);
  for (size_t i = 0; i < count; i += lanes) {
    const auto rest = hn::FirstN(d, std::min(lanes, count - i));
    best = better(largest, best, hn::IfThenElse(rest, hn::MaskedLoad(rest, d, x + i), splat(worst)));
  }
  if (!hn::AllFalse(d, hn::IsNaN(best))) return std::numeric_limits<float>::quiet_NaN();
  return hn::GetLane(largest ? hn::MaxOfLanes(d, best) : hn::MinOfLanes(d, best));
}

double fold_row_all(Fold fold, const float* x, size_t count) {
  switch (fold) {
    case Fold::Sum:
      return sum_with(x, count, 0, [](Vector v) HWY_ATTR { return v; });
    case Fold::SumOfSquares:
      return sum_with(x, count, 0, [](Vector v) HWY_ATTR { return hn::Mul(v, v); });
    case Fold::Maximum:
    case Fold::Minimum:
      return static_cast<double>(extreme_of(fold == Fold::Maximum, x, count));
  }
  return 0;
}

// acc[c] = f(acc[c], x[c]); acc is a whole number of vectors long.
template <class F>
HWY_INLINE void accumulate(const float* x, float* acc, size_t columns, const F& f) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  size_t c = 0;
  for (; c + lanes <= columns; c += lanes) hn::StoreU(f(hn::LoadU(d, acc + c), hn::LoadU(d, x + c)), d, acc + c);
  if (c == columns) return;
  const auto rest = hn::FirstN(d, columns - c);
  hn::BlendedStore(f(hn::MaskedLoad(rest, d, acc + c), hn::MaskedLoad(rest, d, x + c)), rest, d, acc + c);
}

// y[c] = f(...f(start, x[c])..., x[(rows - 1) * stride + c]), some vectors at a time.
template <size_t Vectors, class F>
HWY_INLINE void fold_vectors(const float* x, size_t rows, size_t stride, float start, float* y, const F& f) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  Vector folds[Vectors];
  BELAY_UNROLL
  for (Vector& fold : folds) fold = splat(start);
  for (size_t r = 0; r < rows; ++r) BELAY_UNROLL
  for (size_t j = 0; j < Vectors; ++j) folds[j] = f(folds[j], hn::LoadU(d, x + r * stride + j * lanes));
  BELAY_UNROLL
  for (size_t j = 0; j < Vectors; ++j) hn::StoreU(folds[j], d, y + j * lanes);
}

// y is a whole number of vectors long.
template <class F>
HWY_INLINE void fold_with(const float* x, size_t rows, size_t stride, size_t columns, float start, float* y,
                          const F& f) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  size_t c = 0;
  for (; c + 4 * lanes <= columns; c += 4 * lanes) fold_vectors<4>(x + c, rows, stride, start, y + c, f);
  for (; c + lanes <= columns; c += lanes) fold_vectors<1>(x + c, rows, stride, start, y + c, f);
  if (c == columns) return;
  const auto rest = hn::FirstN(d, columns - c);
  Vector fold = splat(start);
  for (size_t r = 0; r < rows; ++r) fold = f(fold, hn::MaskedLoad(rest, d, x + r * stride + c));
  hn::StoreU(fold, d, y + c);
}

// y += x, in double.
HWY_INLINE void add_to_doubles(const float* x, size_t count, double* y) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> f;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(d, y + i), hn::PromoteTo(d, hn::LoadU(f, x + i))), d, y + i);
  for (; i < count; ++i) y[i] += static_cast<double>(x[i]);
}

void fold_columns_all(Fold fold, const float* x, size_t rows, size_t stride, size_t columns, double* y) {
  float part[fold_columns_most];
  const bool largest = fold == Fold::Maximum;
  if (largest || fold == Fold::Minimum) {
    fold_with(x, rows, stride, columns, largest ? -infinity : infinity, part,
              [&](Vector a, Vector v) HWY_ATTR { return better(largest, a, v); });
    std::copy_n(part, columns, y);
    return;
  }
  std::fill_n(y, columns, 0.0);
  for (size_t begin = 0; begin < rows; begin += rows_of_sum) {
    const size_t count = std::min(rows_of_sum, rows - begin);
    if (fold == Fold::Sum)
      fold_with(x + begin * stride, count, stride, columns, 0, part,
                [](Vector a, Vector v) HWY_ATTR { return hn::Add(a, v); });
    else
      fold_with(x + begin * stride, count, stride, columns, 0, part,
                [](Vector a, Vector v) HWY_ATTR { return hn::MulAdd(v, v, a); });
    add_to_doubles(part, columns, y);
  }
}

size_t find_extreme_all(bool largest, const float* x, size_t count) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const float best = extreme_of(largest, x, count);
  const bool wants_nan = std::isnan(best);
  for (size_t i = 0; i + lanes <= count; i += lanes) {
    const Vector value = hn::LoadU(d, x + i);
    const intptr_t at = hn::FindFirstTrue(d, wants_nan ? hn::IsNaN(value) : hn::Eq(value, splat(best)));
    if (at >= 0) return i + static_cast<size_t>(at);
  }
  size_t i = count - count % lanes;
  while (wants_nan ? !std::isnan(x[i]) : x[i] != best) ++i;
  return i;
}

// A double as the sum of two floats.
struct Split {
  explicit Split(double value)
      : high(static_cast<float>(value)), low(std::isinf(high) ? 0 : static_cast<float>(value - double(high))) {}
  float high, low;
};

Spread spread_all(const float* x, size_t count) {
  const auto number = static_cast<double>(count);
  const double first = sum_with(x, count, 0, [](Vector v) HWY_ATTR { return v; }) / number;
  const Vector centre = splat(static_cast<float>(first));
  // Missing lanes are at the centre, and add nothing.
  const auto distances = [&](const auto& f) HWY_ATTR {
    return sum_with(x, count, static_cast<float>(first), [&](Vector v) HWY_ATTR { return f(hn::Sub(v, centre)); });
  };
  const double off = distances([](Vector d) HWY_ATTR { return d; }) / number;
  const double squares = distances([](Vector d) HWY_ATTR { return hn::Mul(d, d); }) / number;
  return {static_cast<double>(static_cast<float>(first)) + off, std::max(squares - off * off, 0.0)};
}

// y = f(x, i) for whole vectors, and for the rest of the row with masks.
template <class F>
HWY_INLINE void transform(const float* x, float* y, size_t count, const F& f) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(f(hn::LoadU(d, x + i), [&](const float* p) HWY_ATTR { return hn::LoadU(d, p + i); }), d, y + i);
  if (i == count) return;
  const auto rest = hn::FirstN(d, count - i);
  const auto load = [&](const float* p) HWY_ATTR { return hn::MaskedLoad(rest, d, p + i); };
  hn::BlendedStore(f(load(x), load), rest, d, y + i);
}

void normalise_all(const float* x, float* y, size_t count, double mean, double factor, const float* gain,
                   const float* shift) {
  const Split centre(mean);
  const Vector high = splat(centre.high), low = splat(centre.low), scale = splat(static_cast<float>(factor));
  const auto normal = [=](Vector v) HWY_ATTR { return hn::Mul(hn::Sub(hn::Sub(v, high), low), scale); };
  if (gain && shift)
    transform(x, y, count,
              [=](Vector v, const auto& load) HWY_ATTR { return hn::MulAdd(normal(v), load(gain), load(shift)); });
  else if (gain)
    transform(x, y, count, [=](Vector v, const auto& load) HWY_ATTR { return hn::Mul(normal(v), load(gain)); });
  else if (shift)
    transform(x, y, count, [=](Vector v, const auto& load) HWY_ATTR { return hn::Add(normal(v), load(shift)); });
  else
    transform(x, y, count, [=](Vector v, const auto&) HWY_ATTR { return normal(v); });
}

void scale_all(const float* x, float* y, size_t count, double mean, double factor, double shift) {
  const Split centre(mean);
  const Vector high = splat(centre.high), low = splat(centre.low);
  const Vector a = splat(static_cast<float>(factor)), b = splat(static_cast<float>(shift));
  transform(x, y, count,
            [=](Vector v, const auto&) HWY_ATTR { return hn::MulAdd(hn::Sub(hn::Sub(v, high), low), a, b); });
}

void scale_columns_all(const float* x, float* y, size_t rows, size_t columns, const ColumnScales& s) {
  const Floats d;
  const size_t lanes = hn::Lanes(d), whole = columns / lanes * lanes;
  const auto rest = hn::FirstN(d, columns - whole);
  const auto scaled = [](Vector v, Vector mean, Vector factor, Vector shift)
                          HWY_ATTR { return hn::MulAdd(hn::Sub(v, mean), factor, shift); };
  for (size_t r = 0; r < rows; ++r, x += columns, y += columns) {
    for (size_t c = 0; c < whole; c += lanes)
      hn::StoreU(
          scaled(hn::LoadU(d, x + c), hn::LoadU(d, s.mean + c), hn::LoadU(d, s.factor + c), hn::LoadU(d, s.shift + c)),
          d, y + c);
    if (whole == columns) continue;
    const auto load = [&](const float* from) HWY_ATTR { return hn::MaskedLoad(rest, d, from + whole); };
    hn::BlendedStore(scaled(load(x), load(s.mean), load(s.factor), load(s.shift)), rest, d, y + whole);
  }
}

void softmax_all(const float* x, float* y, size_t count, bool logarithm) {
  const Vector most = splat(extreme_of(true, x, count));
  const auto power = [=](Vector v) HWY_ATTR { return exponential(hn::Sub(v, most)); };
  if (logarithm) {
    const double sum = sum_with(x, count, -infinity, power);
    const Vector logarithm_of_sum = splat(static_cast<float>(std::log(sum)));
    transform(x, y, count, [=](Vector v, const auto&) HWY_ATTR { return hn::Sub(hn::Sub(v, most), logarithm_of_sum); });
    return;
  }
  transform(x, y, count, [=](Vector v, const auto&) HWY_ATTR { return power(v); });
  const double sum = sum_with(y, count, 0, [](Vector v) HWY_ATTR { return v; });
  const Vector share = splat(static_cast<float>(1 / sum));
  transform(y, y, count, [=](Vector v, const auto&) HWY_ATTR { return hn::Mul(v, share); });
}

void softmax_columns_all(const float* x, float* y, size_t rows, size_t stride, size_t columns) {
  float most[softmax_columns_most], sum[softmax_columns_most], part[softmax_columns_most];
  std::fill_n(most, columns, -infinity);
  for (size_t r = 0; r < rows; ++r)
    accumulate(x + r * stride, most, columns, [](Vector a, Vector v) HWY_ATTR { return better(true, a, v); });
  std::fill_n(sum, columns, 0.0f);
  for (size_t begin = 0; begin < rows; begin += rows_of_sum) {
    std::fill_n(part, columns, 0.0f);
    for (size_t r = begin; r < std::min(rows, begin + rows_of_sum); ++r) {
      transform(x + r * stride, y + r * stride, columns,
                [&](Vector v, const auto& load) HWY_ATTR { return exponential(hn::Sub(v, load(most))); });
      accumulate(y + r * stride, part, columns, [](Vector a, Vector v) HWY_ATTR { return hn::Add(a, v); });
    }
    accumulate(part, sum, columns, [](Vector a, Vector v) HWY_ATTR { return hn::Add(a, v); });
  }
  for (size_t r = 0; r < rows; ++r)
    transform(y + r * stride, y + r * stride, columns,
              [&](Vector v, const auto& load) HWY_ATTR { return hn::Div(v, load(sum)); });
}

}  // namespace belay::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu {

HWY_EXPORT(fold_row_all);
HWY_EXPORT(fold_columns_all);
HWY_EXPORT(find_extreme_all);
HWY_EXPORT(spread_all);
HWY_EXPORT(normalise_all);
HWY_EXPORT(scale_all);
HWY_EXPORT(scale_columns_all);
HWY_EXPORT(softmax_all);
HWY_EXPORT(softmax_columns_all);

namespace {

// A sum that has become too large for floats, once more in double.
double long_sum(Fold fold, const float* x, size_t count, size_t stride) {
  double total = 0;
  for (size_t i = 0; i < count; ++i) {
    const double value = static_cast<double>(x[i * stride]);
    total += fold == Fold::Sum ? value : value * value;
  }
  return total;
}

bool needs_long_sum(Fold fold, double total) {
  return (fold == Fold::Sum || fold == Fold::SumOfSquares) && !std::isfinite(total);
}

}  // namespace

double fold_row(Fold fold, const float* x, size_t count) {
  const double total = HWY_DYNAMIC_DISPATCH(fold_row_all)(fold, x, count);
  return needs_long_sum(fold, total) ? long_sum(fold, x, count, 1) : total;
}
void fold_columns(Fold fold, const float* x, size_t rows, size_t stride, size_t columns, double* y) {
  HWY_DYNAMIC_DISPATCH(fold_columns_all)(fold, x, rows, stride, columns, y);
  for (size_t c = 0; c < columns; ++c)
    if (needs_long_sum(fold, y[c])) y[c] = long_sum(fold, x + c, rows, stride);
}
size_t find_extreme(bool largest, const float* x, size_t count) {
  return HWY_DYNAMIC_DISPATCH(find_extreme_all)(largest, x, count);
}
Spread spread_of(const float* x, size_t count) {
  Spread spread = HWY_DYNAMIC_DISPATCH(spread_all)(x, count);
  if (std::isfinite(spread.variance)) return spread;
  spread = {long_sum(Fold::Sum, x, count, 1) / static_cast<double>(count), 0};
  for (size_t i = 0; i < count; ++i) {
    const double distance = static_cast<double>(x[i]) - spread.mean;
    spread.variance += distance * distance / static_cast<double>(count);
  }
  return spread;
}
void normalise_row(const float* x, float* y, size_t count, double mean, double factor, const float* gain,
                   const float* shift) {
  HWY_DYNAMIC_DISPATCH(normalise_all)(x, y, count, mean, factor, gain, shift);
}
void scale_row(const float* x, float* y, size_t count, double mean, double factor, double shift) {
  HWY_DYNAMIC_DISPATCH(scale_all)(x, y, count, mean, factor, shift);
}
void scale_columns(const float* x, float* y, size_t rows, size_t columns, const ColumnScales& scales) {
  HWY_DYNAMIC_DISPATCH(scale_columns_all)(x, y, rows, columns, scales);
}
void softmax_row(const float* x, float* y, size_t count, bool logarithm) {
  HWY_DYNAMIC_DISPATCH(softmax_all)(x, y, count, logarithm);
}
void softmax_columns(const float* x, float* y, size_t rows, size_t stride, size_t columns) {
  HWY_DYNAMIC_DISPATCH(softmax_columns_all)(x, y, rows, stride, columns);
}

}  // namespace belay::backend::cpu
#endif
