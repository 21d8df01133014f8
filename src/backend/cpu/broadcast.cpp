// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/broadcast.h"

#include "backend/kernel.h"
#include "base/text.h"

namespace belay::backend::cpu {

using graph::Shape;

Shape row_major_strides(const Shape& shape) {
  Shape strides(shape.size());
  int64_t step = 1;
  for (size_t d = shape.size(); d-- > 0; step *= shape[d]) strides[d] = step;
  return strides;
}

namespace {

Shape strides_against(const Shape& output, const Shape& input) {
  const Shape own = row_major_strides(input);
  Shape strides(output.size(), 0);
  const size_t lead = output.size() - input.size();
  for (size_t d = 0; d < input.size(); ++d)
    if (input[d] != 1) strides[lead + d] = own[d];
  return strides;
}

// Whether dimension d continues dimension d - 1 in every input.
bool joins(const Shape& dims, const std::vector<Shape>& strides, size_t d) {
  return std::ranges::all_of(strides, [&](const Shape& s) { return s[d - 1] == s[d] * dims[d]; });
}

}  // namespace

Status check_broadcast(const Shape& output, std::span<const Shape> inputs) {
  for (const Shape& input : inputs) {
    bool fits = input.size() <= output.size();
    for (size_t d = 0; fits && d < input.size(); ++d)
      fits = input[d] == 1 || input[d] == output[output.size() - input.size() + d];
    if (!fits)
      return refuse(formatted("shape {} cannot be repeated to {}", graph::to_text(input), graph::to_text(output)));
  }
  return {};
}

Broadcast::Broadcast(const Shape& output, std::span<const Shape> inputs) : count(graph::element_count(output)) {
  Shape all = output;
  std::vector<Shape> full;
  for (const Shape& input : inputs) full.push_back(strides_against(output, input));
  // Dimensions of one element have no say.
  for (size_t d = all.size(); d-- > 0;) {
    if (all[d] != 1) continue;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(d));
    for (Shape& s : full) s.erase(s.begin() + static_cast<std::ptrdiff_t>(d));
  }
  strides.resize(inputs.size());
  for (size_t d = 0; d < all.size(); ++d) {
    if (d > 0 && joins(all, full, d)) {
      dims.back() *= all[d];
      for (size_t i = 0; i < full.size(); ++i) strides[i].back() = full[i][d];
    } else {
      dims.push_back(all[d]);
      for (size_t i = 0; i < full.size(); ++i) strides[i].push_back(full[i][d]);
    }
  }
  if (dims.empty()) {
    dims = {1};
    for (Shape& s : strides) s = {0};
  }
}

}  // namespace belay::backend::cpu
