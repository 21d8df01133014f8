// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/threads/parallel.h"

namespace belay::exact {

template <class Before>
Errors round_each(const Tracked& output, const Before& before) {
  const auto y = output.value.doubles();
  auto made = std::make_shared<std::vector<double>>(y.size());
  const Rounding& rounding = rounding_of(output.stored);
  parallel_for(static_cast<int64_t>(y.size()), 1 << 13, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      (*made)[static_cast<size_t>(i)] = with_rounding(rounding, y[static_cast<size_t>(i)], before(i));
  });
  return made;
}

}  // namespace belay::exact
