// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/move/put_rows.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"

namespace belay::backend::cpu {
namespace {

template <class T>
T combined(Combine how, T old, T update) {
  using C = compute_t<T>;
  const C a = old, b = update;
  switch (how) {
    case Combine::Replace:
      return update;
    case Combine::Add:
      return T(C(a + b));
    case Combine::Sub:
      return T(C(a - b));
    case Combine::Mul:
      return T(C(a * b));
    case Combine::Max:
      return a != a || a > b ? old : update;  // a NaN stays
    case Combine::Min:
      return a != a || a < b ? old : update;
  }
  return update;
}

template <class T>
void scatter(Combine how, const std::vector<int64_t>& targets, int64_t inner, const T* updates, T* y) {
  for (size_t i = 0; i < targets.size(); ++i) {
    T* to = y + targets[i] * inner;
    const T* from = updates + int64_t(i) * inner;
    for (int64_t j = 0; j < inner; ++j) to[j] = combined(how, to[j], from[j]);
  }
}

// The same for elements of 16 bits: what meets in one row meets in float, and is rounded once. Of the memory for all of
// y only what the rows need is touched.
template <class T>
void scatter_wide(Combine how, const std::vector<int64_t>& targets, int64_t inner, const T* updates, Tensor& y) {
  const auto wide = std::make_unique_for_overwrite<float[]>(static_cast<size_t>(y.count()));
  for (const int64_t target : targets) std::copy_n(y.as<T>() + target * inner, inner, wide.get() + target * inner);
  for (size_t i = 0; i < targets.size(); ++i) {
    float* to = wide.get() + targets[i] * inner;
    const T* from = updates + int64_t(i) * inner;
    for (int64_t j = 0; j < inner; ++j) to[j] = combined<float>(how, to[j], from[j]);
  }
  for (const int64_t target : targets) std::copy_n(wide.get() + target * inner, inner, y.as<T>() + target * inner);
}

}  // namespace

Status put_rows(Combine how, DataType type, const std::vector<int64_t>& targets, int64_t inner, const Tensor& updates,
                Tensor& y) {
  if (how == Combine::Replace) {
    const size_t row = TRY(element_bytes(type)) * size_t(inner);
    if (row == 0) return {};
    for (size_t i = 0; i < targets.size(); ++i)
      std::memcpy(y.as<std::byte>() + size_t(targets[i]) * row, updates.as<std::byte>() + i * row, row);
    return {};
  }
  return with_type(AllTypes{}, type, [&]<class T>() -> Status {
    if constexpr (is_narrow_float<T>)
      scatter_wide(how, targets, inner, updates.as<T>(), y);
    else
      scatter(how, targets, inner, updates.as<T>(), y.as<T>());
    return {};
  });
}

void begin_with(const Tensor& x, Tensor& y) {
  if (x.data != y.data && x.count()) std::memcpy(y.data, x.data, graph::bytes_of(x.type, x.count()));
}

}  // namespace belay::backend::cpu
