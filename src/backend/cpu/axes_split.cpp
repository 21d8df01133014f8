// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/axes_split.h"

#include "backend/cpu/broadcast.h"

namespace belay::backend::cpu {

namespace {

// Appends a dimension: every offset so far, repeated at each of its places.
void extend(std::vector<int64_t>& offsets, int64_t size, int64_t stride) {
  std::vector<int64_t> longer;
  longer.reserve(offsets.size() * static_cast<size_t>(size));
  for (const int64_t offset : offsets)
    for (int64_t i = 0; i < size; ++i) longer.push_back(offset + i * stride);
  offsets = std::move(longer);
}

}  // namespace

AxesSplit::AxesSplit(const graph::Shape& shape, const std::vector<int64_t>& axes) : kept{0}, reduced{0} {
  const auto rank = static_cast<int64_t>(shape.size());
  std::vector<bool> reduces(shape.size(), false);
  for (const int64_t axis : axes) {
    const int64_t at = axis < 0 ? axis + rank : axis;
    if (at >= 0 && at < rank) reduces[static_cast<size_t>(at)] = true;
  }
  const graph::Shape strides = row_major_strides(shape);
  for (size_t d = 0; d < shape.size(); ++d) extend(reduces[d] ? reduced : kept, shape[d], strides[d]);
}

}  // namespace belay::backend::cpu
