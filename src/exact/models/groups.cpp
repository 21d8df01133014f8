// SPDX-License-Identifier: Apache-2.0
#include "exact/models/groups.h"

namespace belay::exact {
namespace {

std::vector<int64_t> extended(const std::vector<int64_t>& offsets, int64_t size, int64_t step) {
  std::vector<int64_t> longer;
  longer.reserve(offsets.size() * static_cast<size_t>(size));
  for (const int64_t offset : offsets)
    for (int64_t i = 0; i < size; ++i) longer.push_back(offset + i * step);
  return longer;
}

}  // namespace

Groups::Groups(const graph::Shape& shape, const std::vector<int64_t>& axes) : begins{0}, members{0} {
  const auto rank = static_cast<int64_t>(shape.size());
  std::vector<bool> inside(shape.size(), false);
  for (const int64_t axis : axes)
    if (const int64_t at = axis < 0 ? axis + rank : axis; at >= 0 && at < rank) inside[static_cast<size_t>(at)] = true;
  int64_t step = graph::element_count(shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    step = shape[d] > 0 ? step / shape[d] : 0;
    auto& offsets = inside[d] ? members : begins;
    offsets = extended(offsets, shape[d], step);
  }
}

}  // namespace belay::exact
