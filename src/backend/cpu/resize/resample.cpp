// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/resize/resample.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/arguments.h"
#include "backend/cpu/broadcast.h"
#include "backend/cpu/element.h"
#include "backend/cpu/move/strided_copy.h"
#include "backend/cpu/simd/layout_plan.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

// What sums are kept in, and how a sum becomes an element.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T, class S>
T element(S sum) {
  if constexpr (std::is_integral_v<T>) {
    const S low = S(std::numeric_limits<T>::min()), high = S(std::numeric_limits<T>::max());
    const S rounded = std::nearbyint(sum);
    return rounded <= low    ? std::numeric_limits<T>::min()
           : rounded >= high ? std::numeric_limits<T>::max()
                             : T(rounded);
  } else {
    return T(sum);
  }
}

// One dimension of one plane: [outer, taps.from, inner] becomes [outer, taps.to, inner].
template <class S, class From, class To>
void resample_dim(const Taps& taps, const std::vector<S>& weights, int64_t outer, int64_t inner, const From* x, To* y) {
  const int64_t n = taps.width;
  const auto row = [&](int64_t r) {
    const int64_t o = r / taps.to, j = r % taps.to;
    const int64_t* index = &taps.index[size_t(j * n)];
    const S* weight = &weights[size_t(j * n)];
    const From* from = x + o * taps.from * inner;
    To* to = y + r * inner;
    if (n == 2) {
      const From *a = from + index[0] * inner, *b = from + index[1] * inner;
      const S wa = weight[0], wb = weight[1];
      for (int64_t i = 0; i < inner; ++i) to[i] = element<To, S>(wa * S(a[i]) + wb * S(b[i]));
      return;
    }
    for (int64_t i = 0; i < inner; ++i) {
      S sum = 0;
      for (int64_t k = 0; k < n; ++k) sum += weight[k] * S(from[index[k] * inner + i]);
      to[i] = element<To, S>(sum);
    }
  };
  parallel_for(outer * taps.to, std::max<int64_t>(1, 8192 / std::max<int64_t>(1, inner * n)),
               [&](int64_t begin, int64_t end) {
                 for (int64_t r = begin; r < end; ++r) row(r);
               });
}

// The dimensions that change, from the last to the first, and the shape that they are changed in.
template <class T>
class Passes {
 public:
  Passes(std::span<const Taps> taps, Shape shape) : taps_(taps), shape_(std::move(shape)) {
    for (size_t d = taps.size(); d-- > 0;)
      if (!taps[d].identity()) order_.push_back(d);
    for (const size_t d : order_) weights_.emplace_back(taps[d].weight.begin(), taps[d].weight.end());
  }

  void run(const T* x, T* y) const {
    Shape shape = shape_;
    std::vector<Sum<T>> source, made;
    for (size_t pass = 0; pass < order_.size(); ++pass) {
      const Taps& taps = taps_[order_[pass]];
      const int64_t outer = product(shape, 0, order_[pass]), inner = product(shape, order_[pass] + 1, shape.size());
      const bool first = pass == 0, last = pass + 1 == order_.size();
      shape[order_[pass]] = taps.to;
      if (!last) made.resize(size_t(graph::element_count(shape)));
      if (first && last)
        resample_dim(taps, weights_[pass], outer, inner, x, y);
      else if (first)
        resample_dim(taps, weights_[pass], outer, inner, x, made.data());
      else if (last)
        resample_dim(taps, weights_[pass], outer, inner, source.data(), y);
      else
        resample_dim(taps, weights_[pass], outer, inner, source.data(), made.data());
      source.swap(made);
    }
    if (order_.empty()) std::copy_n(x, graph::element_count(shape), y);
  }

 private:
  std::span<const Taps> taps_;
  Shape shape_;
  std::vector<size_t> order_;
  std::vector<std::vector<Sum<T>>> weights_;
};

template <class T>
void resample(const std::vector<Taps>& taps, const Shape& shape, const T* x, T* y) {
  size_t planes_end = 0;  // the dimensions before the first that changes: planes of their own
  while (planes_end < taps.size() && taps[planes_end].identity()) ++planes_end;
  const int64_t planes = product(shape, 0, planes_end);
  const Shape plane(shape.begin() + int64_t(planes_end), shape.end());
  int64_t from = 1, to = 1;
  for (size_t d = planes_end; d < taps.size(); ++d) from *= taps[d].from, to *= taps[d].to;
  const Passes<T> passes(std::span<const Taps>(taps).subspan(planes_end), plane);
  parallel_for(planes, std::max<int64_t>(1, 8192 / std::max<int64_t>(1, to)), [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) passes.run(x + p * from, y + p * to);
  });
}

}  // namespace

Resampler::Resampler(std::vector<Taps> taps, bool nearest, double extrapolation)
    : taps_(std::move(taps)), nearest_(nearest), extrapolation_(extrapolation) {}

std::optional<Resampler> Resampler::in_layout(Layout layout) const {
  if (taps_.size() < 4 || !taps_[0].identity() || !taps_[1].identity()) return std::nullopt;
  for (const Taps& taps : taps_)
    if (!taps.outside.empty()) return std::nullopt;
  std::vector<Taps> moved = {taps_[0]};
  if (layout == Layout::Plain) moved.push_back(taps_[1]);
  moved.insert(moved.end(), taps_.begin() + 2, taps_.end());
  if (layout != Layout::Plain) moved.push_back(taps_[1]);
  return Resampler(std::move(moved), nearest_, extrapolation_);
}

Status Resampler::run(const Tensor& x, Tensor& y) const {
  for (size_t d = 0; d < taps_.size(); ++d)
    if (x.shape[d] != taps_[d].from || y.shape[d] != taps_[d].to)
      return refuse("the result has another shape than the scales and sizes lead to");
  if (y.count() == 0) return {};
  if (x.count() == 0) return refuse("an empty tensor cannot be resized");
  if (nearest_) {
    const size_t bytes = TRY(element_bytes(x.type));
    const Shape strides = row_major_strides(x.shape);
    std::vector<std::vector<int64_t>> offsets(taps_.size());
    for (size_t d = 0; d < taps_.size(); ++d)
      for (const int64_t index : taps_[d].index) offsets[d].push_back(index * strides[d]);
    copy_indexed(bytes, offsets, y.data, x.data);
  } else {
    TRY(with_type(NumberTypes{}, x.type, [&]<class T>() -> Status {
      resample(taps_, x.shape, x.as<T>(), y.as<T>());
      return {};
    }));
  }
  return extrapolate(y);
}

Status Resampler::extrapolate(Tensor& y) const {
  bool any = false;
  for (const Taps& taps : taps_)
    any = any || std::find(taps.outside.begin(), taps.outside.end(), true) != taps.outside.end();
  if (!any) return {};
  return with_type(NumberTypes{}, y.type, [&]<class T>() -> Status {
    const T value = T(compute_t<T>(extrapolation_));
    for (int64_t i = 0, count = y.count(); i < count; ++i) {
      int64_t rest = i;
      for (size_t d = taps_.size(); d-- > 0; rest /= taps_[d].to)
        if (!taps_[d].outside.empty() && taps_[d].outside[size_t(rest % taps_[d].to)]) y.as<T>()[i] = value;
    }
    return {};
  });
}

}  // namespace belay::backend::cpu
