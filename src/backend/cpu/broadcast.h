// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "base/status.h"
#include "base/threads/parallel.h"
#include "graph/tensor/types.h"

namespace belay::backend::cpu {

// Strides, in elements, of a row-major tensor of this shape.
graph::Shape row_major_strides(const graph::Shape& shape);

// Whether the shapes of inputs are such that they can be repeated to the output's; else why not.
Status check_broadcast(const graph::Shape& output, std::span<const graph::Shape> inputs);

// How the elements of several inputs meet those of an output by numpy's broadcasting: the dimensions of the output,
// neighbours joined where every input allows it, and for each input its strides (0 where it repeats).
// Of shapes that check_broadcast() accepts.
struct Broadcast {
  Broadcast(const graph::Shape& output, std::span<const graph::Shape> inputs);

  int64_t count = 1;
  graph::Shape dims;  // at least one
  std::vector<graph::Shape> strides;
};

// Calls row(start, offsets, length) for the stretches of the elements [begin, end) of the output that lie in its last
// dimension: `start` is the index of the first element, offsets[i] where input i has it. Within a stretch input i
// advances by strides[i].back().
template <size_t N, class Row>
void walk_rows(const Broadcast& b, int64_t begin, int64_t end, const Row& row) {
  const int64_t inner = b.dims.back();
  for (int64_t at = begin; at < end;) {
    std::array<int64_t, N> offsets{};
    int64_t rest = at;
    for (size_t d = b.dims.size(); d-- > 0;) {
      const int64_t index = rest % b.dims[d];
      rest /= b.dims[d];
      for (size_t i = 0; i < N; ++i) offsets[i] += index * b.strides[i][d];
    }
    const int64_t length = std::min(end - at, inner - at % inner);
    row(at, offsets, length);
    at += length;
  }
}

// The same over all elements, in parallel.
template <size_t N, class Row>
void for_rows(const Broadcast& b, const Row& row) {
  constexpr int64_t grain = 16384;
  parallel_for(b.count, grain, [&](int64_t begin, int64_t end) { walk_rows<N>(b, begin, end, row); });
}

}  // namespace belay::backend::cpu
