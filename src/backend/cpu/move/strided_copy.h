// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/loose.h"
#include "graph/tensor/types.h"

namespace belay::backend::cpu {

// For every index i within `shape`: dst[i * dst_strides] = src[i * src_strides]. Strides are in elements of `bytes`
// bytes, may be 0 or negative for the source, and say where the element of index 0 is: at the pointers. Runs on the
// threads of the scope; contiguous stretches are copied whole.
void copy_strided(size_t bytes, const graph::Shape& shape, void* dst, const graph::Shape& dst_strides, const void* src,
                  const graph::Shape& src_strides);

// dst is row-major: element (i0, i1, ...) comes from src[offsets[0][i0] + offsets[1][i1] + ...], in elements. The size
// of each dimension of dst is the length of its table.
void copy_indexed(size_t bytes, const std::vector<std::vector<int64_t>>& offsets, void* dst, const void* src);

// to[i * to_step + j] = from[j * from_step + i] for i below `height` and j below `width`, on the calling thread.
void turn_floats(float* to, int64_t to_step, const float* from, int64_t from_step, int64_t height, int64_t width);

// `count` times the element at `value`.
void fill_elements(size_t bytes, void* dst, int64_t count, const void* value);

// Calls f with a value of this many bytes; 16 for complex numbers of doubles.
struct Element16 {
  uint64_t low, high;
};
template <class F>
void with_element_size(size_t bytes, F&& f) {
  if (bytes == 1) f(Loose<uint8_t>{});
  if (bytes == 2) f(Loose<uint16_t>{});
  if (bytes == 4) f(Loose<uint32_t>{});
  if (bytes == 8) f(Loose<uint64_t>{});
  if (bytes == 16) f(Loose<Element16>{});
}

}  // namespace belay::backend::cpu
