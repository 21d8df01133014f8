// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>

#include "backend/cpu/move/strided_copy.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {

// Row r of dst is row source(r) of src. Runs on the threads of the scope.
template <class Source>
void copy_picked(size_t row_bytes, int64_t rows, std::byte* dst, const std::byte* src, const Source& source) {
  constexpr int64_t grain_bytes = 1 << 16;
  const int64_t grain = std::max<int64_t>(1, grain_bytes / static_cast<int64_t>(std::max<size_t>(1, row_bytes)));
  parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    const auto loop = [&]<class T>(T) {
      for (int64_t r = begin; r < end; ++r) reinterpret_cast<T*>(dst)[r] = reinterpret_cast<const T*>(src)[source(r)];
    };
    if (row_bytes == 1 || row_bytes == 2 || row_bytes == 4 || row_bytes == 8) return with_element_size(row_bytes, loop);
    for (int64_t r = begin; r < end; ++r)
      std::memcpy(dst + static_cast<size_t>(r) * row_bytes, src + static_cast<size_t>(source(r)) * row_bytes,
                  row_bytes);
  });
}

}  // namespace belay::backend::cpu
