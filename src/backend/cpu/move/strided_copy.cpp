// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/move/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t grain = 16384;  // elements that are worth a thread

// A dimension of a copy.
struct Dim {
  int64_t size, dst, src;
};

// The same copy with as few dimensions as can be; at least one, none of size 1 but the last.
std::vector<Dim> joined(const graph::Shape& shape, const graph::Shape& dst, const graph::Shape& src) {
  std::vector<Dim> dims;
  for (size_t d = 0; d < shape.size(); ++d) {
    const Dim next{shape[d], dst[d], src[d]};
    if (next.size == 1) continue;
    if (!dims.empty() && dims.back().dst == next.dst * next.size && dims.back().src == next.src * next.size)
      dims.back() = {dims.back().size * next.size, next.dst, next.src};
    else
      dims.push_back(next);
  }
  if (dims.empty()) dims.push_back({1, 1, 1});
  return dims;
}

template <class T>
void copy_row(const Dim& dim, T* dst, const T* src) {
  if (dim.dst == 1 && dim.src == 1) {
    std::memcpy(dst, src, size_t(dim.size) * sizeof(T));
  } else if (dim.dst == 1 && dim.src == 0) {
    std::fill_n(dst, dim.size, *src);
  } else {
    for (int64_t i = 0; i < dim.size; ++i) dst[i * dim.dst] = src[i * dim.src];
  }
}

// Rows [begin, end) of the copy, a row being the last dimension.
template <class T>
void copy_rows(const std::vector<Dim>& dims, T* dst, const T* src, int64_t begin, int64_t end) {
  const size_t outer = dims.size() - 1;
  std::vector<int64_t> index(outer);
  int64_t rest = begin;
  for (size_t d = outer; d-- > 0; rest /= dims[d].size) {
    index[d] = rest % dims[d].size;
    dst += index[d] * dims[d].dst;
    src += index[d] * dims[d].src;
  }
  for (int64_t row = begin; row < end; ++row) {
    copy_row(dims.back(), dst, src);
    for (size_t d = outer; d-- > 0;) {
      dst += dims[d].dst;
      src += dims[d].src;
      if (++index[d] < dims[d].size) break;
      dst -= dims[d].dst * dims[d].size;
      src -= dims[d].src * dims[d].size;
      index[d] = 0;
    }
  }
}

// Four elements of four bytes, turned four rows at a time in registers.
using Quad __attribute__((vector_size(16))) = uint32_t;
Quad load_quad(const void* from) {
  Quad quad;
  std::memcpy(&quad, from, sizeof(quad));
  return quad;
}
template <class T>
void turn_quads(T* dst, int64_t dst_step, const T* src, int64_t src_step) {
  const Quad a = load_quad(src), b = load_quad(src + src_step), c = load_quad(src + 2 * src_step),
             d = load_quad(src + 3 * src_step);
  const Quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Quad cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Quad turned[] = {
      __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
      __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5), __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
  for (int64_t i = 0; i < 4; ++i) std::memcpy(dst + i * dst_step, &turned[i], sizeof(Quad));
}

// A tile of a copy whose rows in the destination are columns in the source.
constexpr int64_t tile = 16;
template <class T>
void turn_tile(T* dst, int64_t dst_step, const T* src, int64_t src_step, int64_t height, int64_t width) {
  int64_t whole_height = 0, whole_width = 0;  // of what is turned in registers
  if constexpr (sizeof(T) == 4) {
    whole_height = height / 4 * 4;
    whole_width = width / 4 * 4;
    for (int64_t i = 0; i < whole_height; i += 4)
      for (int64_t j = 0; j < whole_width; j += 4)
        turn_quads(dst + i * dst_step + j, dst_step, src + j * src_step + i, src_step);
  }
  if (width == 3) {  // colours
    for (int64_t i = 0; i < height; ++i, dst += dst_step, ++src)
      dst[0] = src[0], dst[1] = src[src_step], dst[2] = src[2 * src_step];
    return;
  }
  for (int64_t i = 0; i < height; ++i)
    for (int64_t j = i < whole_height ? whole_width : 0; j < width; ++j) dst[i * dst_step + j] = src[j * src_step + i];
}

// The dimension that lies side by side in the source while the last one does in the destination; the number of
// dimensions when there is none.
size_t turned_dim(const std::vector<Dim>& dims) {
  const Dim& last = dims.back();
  size_t d = dims.size();
  if (last.dst != 1 || last.src == 1 || last.src == 0) return d;
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    if (dims[i].src == 1 && std::max(dims[i].size, last.size) >= 4) d = i;
  return d;
}

// Tile by tile, so that every line of the cache that is read is used whole.
template <class T>
void copy_turned(std::vector<Dim> dims, size_t turned, T* dst, const T* src) {
  const Dim row = dims.back(), column = dims[turned];
  dims.pop_back();
  dims.erase(dims.begin() + int64_t(turned));
  int64_t outer = 1;
  for (const Dim& dim : dims) outer *= dim.size;
  const int64_t strips = (column.size + tile - 1) / tile;
  parallel_for(outer * strips, std::max<int64_t>(1, grain / (tile * row.size)), [&](int64_t begin, int64_t end) {
    for (int64_t strip = begin; strip < end; ++strip) {
      const int64_t first = strip % strips * tile;
      T* to = dst + first * column.dst;
      const T* from = src + first;
      int64_t rest = strip / strips;
      for (size_t d = dims.size(); d-- > 0; rest /= dims[d].size) {
        to += rest % dims[d].size * dims[d].dst;
        from += rest % dims[d].size * dims[d].src;
      }
      for (int64_t j = 0; j < row.size; j += tile)
        turn_tile(to + j, column.dst, from + j * row.src, row.src, std::min(tile, column.size - first),
                  std::min(tile, row.size - j));
    }
  });
}

template <class T>
void copy_all(std::vector<Dim> dims, T* dst, const T* src) {
  if (const size_t turned = turned_dim(dims); turned < dims.size()) {
    copy_turned(std::move(dims), turned, dst, src);
    return;
  }
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < dims.size(); ++d) rows *= dims[d].size;
  if (rows > 1) {
    const int64_t least = std::max<int64_t>(1, grain / std::max<int64_t>(1, dims.back().size));
    parallel_for(rows, least, [&](int64_t begin, int64_t end) { copy_rows(dims, dst, src, begin, end); });
    return;
  }
  const Dim last = dims.back();
  parallel_for(last.size, grain, [&](int64_t begin, int64_t end) {
    copy_row(Dim{end - begin, last.dst, last.src}, dst + begin * last.dst, src + begin * last.src);
  });
}

// Stretches of a table in which offsets follow one another.
struct Run {
  int64_t at, offset, length;
};
std::vector<Run> runs_of(const std::vector<int64_t>& offsets) {
  std::vector<Run> runs;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (!runs.empty() && runs.back().offset + runs.back().length == offsets[i])
      ++runs.back().length;
    else
      runs.push_back({int64_t(i), offsets[i], 1});
  }
  return runs;
}

template <class T>
void copy_by_tables(const std::vector<std::vector<int64_t>>& offsets, T* dst, const T* src) {
  const auto& last = offsets.back();
  const auto runs = runs_of(last);
  const bool whole = int64_t(runs.size()) * 8 < int64_t(last.size());  // runs are long enough to be copied as such
  const auto inner = int64_t(last.size());
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < offsets.size(); ++d) rows *= int64_t(offsets[d].size());
  parallel_for(rows, std::max<int64_t>(1, grain / std::max<int64_t>(1, inner)), [&](int64_t begin, int64_t end) {
    const size_t outer = offsets.size() - 1;
    std::vector<size_t> index(outer);
    int64_t rest = begin;
    for (size_t d = outer; d-- > 0; rest /= int64_t(offsets[d].size()))
      index[d] = size_t(rest % int64_t(offsets[d].size()));
    for (int64_t row = begin; row < end; ++row) {
      int64_t base = 0;
      for (size_t d = 0; d < outer; ++d) base += offsets[d][index[d]];
      for (size_t d = outer; d-- > 0; index[d] = 0)
        if (++index[d] < offsets[d].size()) break;
      T* to = dst + row * inner;
      if (whole)
        for (const Run& run : runs) std::memcpy(to + run.at, src + base + run.offset, size_t(run.length) * sizeof(T));
      else
        for (int64_t i = 0; i < inner; ++i) to[i] = src[base + last[size_t(i)]];
    }
  });
}

}  // namespace

void copy_strided(size_t bytes, const graph::Shape& shape, void* dst, const graph::Shape& dst_strides, const void* src,
                  const graph::Shape& src_strides) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  const auto dims = joined(shape, dst_strides, src_strides);
  with_element_size(bytes, [&]<class T>(T) { copy_all(dims, static_cast<T*>(dst), static_cast<const T*>(src)); });
}

void copy_indexed(size_t bytes, const std::vector<std::vector<int64_t>>& offsets, void* dst, const void* src) {
  for (const auto& table : offsets)
    if (table.empty()) return;
  if (offsets.empty()) {
    std::memcpy(dst, src, bytes);
    return;
  }
  with_element_size(bytes,
                    [&]<class T>(T) { copy_by_tables(offsets, static_cast<T*>(dst), static_cast<const T*>(src)); });
}

void turn_floats(float* to, int64_t to_step, const float* from, int64_t from_step, int64_t height, int64_t width) {
  for (int64_t i = 0; i < height; i += tile)
    for (int64_t j = 0; j < width; j += tile) {
      // The next tiles of these rows: more streams than the processor follows by itself.
      for (int64_t row = j; row < std::min(j + tile, width); ++row)
        __builtin_prefetch(from + row * from_step + i + 2 * tile);
      turn_tile(to + i * to_step + j, to_step, from + j * from_step + i, from_step, std::min(tile, height - i),
                std::min(tile, width - j));
    }
}

void fill_elements(size_t bytes, void* dst, int64_t count, const void* value) {
  with_element_size(bytes, [&]<class T>(T) {
    T element;
    std::memcpy(&element, value, sizeof(T));
    parallel_for(count, grain, [&](int64_t begin, int64_t end) {
      std::fill(static_cast<T*>(dst) + begin, static_cast<T*>(dst) + end, element);
    });
  });
}

}  // namespace belay::backend::cpu
