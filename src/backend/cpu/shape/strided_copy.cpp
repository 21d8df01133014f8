// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/shape/strided_copy.h"

#include <cstring>

#include "backend/cpu/broadcast.h"

namespace belay::backend::cpu {

namespace {

// Joins dimensions that lie behind one another, and drops those of one element.
void simplify(Shape& dims, Shape& strides) {
  Shape joined, steps;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    if (!joined.empty() && steps.back() == strides[d] * dims[d]) {
      joined.back() *= dims[d];
      steps.back() = strides[d];
    } else {
      joined.push_back(dims[d]);
      steps.push_back(strides[d]);
    }
  }
  if (joined.empty()) joined = {1}, steps = {0};
  dims = std::move(joined);
  strides = std::move(steps);
}

template <class T>
void copy_rows(const T* from, T* to, const Shape& dims, const Shape& strides, int64_t first, int64_t last) {
  const int64_t inner = dims.back(), step = strides.back();
  for (int64_t row = first; row < last; ++row) {
    int64_t rest = row, start = 0;
    for (size_t d = dims.size() - 1; d-- > 0; rest /= dims[d]) start += rest % dims[d] * strides[d];
    const T* source = from + start;
    T* target = to + row * inner;
    if (step == 1)
      std::memcpy(target, source, static_cast<size_t>(inner) * sizeof(T));
    else
      for (int64_t i = 0; i < inner; ++i) target[i] = source[i * step];
  }
}

template <class T>
void copy_all(const void* from, void* to, const Shape& dims, const Shape& strides) {
  const int64_t inner = dims.back(), rows = graph::element_count(dims) / std::max<int64_t>(inner, 1);
  parallel_for(rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(inner, 1)), [&](int64_t first, int64_t last) {
    copy_rows(static_cast<const T*>(from), static_cast<T*>(to), dims, strides, first, last);
  });
}

struct Wide {
  uint64_t halves[2];
};

}  // namespace

Status strided_copy(const void* from, void* to, size_t element_bytes, const Shape& all_dims, const Shape& all_strides) {
  Shape dims = all_dims, strides = all_strides;
  simplify(dims, strides);
  if (graph::element_count(dims) == 0) return {};
  switch (element_bytes) {
    case 1:
      copy_all<uint8_t>(from, to, dims, strides);
      return {};
    case 2:
      copy_all<uint16_t>(from, to, dims, strides);
      return {};
    case 4:
      copy_all<uint32_t>(from, to, dims, strides);
      return {};
    case 8:
      copy_all<uint64_t>(from, to, dims, strides);
      return {};
    case 16:
      copy_all<Wide>(from, to, dims, strides);
      return {};
    default:
      return refuse("elements of this size cannot be moved");
  }
}

}  // namespace belay::backend::cpu
