// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "backend/kernel.h"

namespace belay::backend::cpu {

enum class GridBorder { Zeros, Edge, Reflection };
enum class GridMode { Nearest, Linear, Cubic };

// How a GridSampler samples.
struct GridSampling {
  GridMode mode;
  GridBorder border;
  bool align;
};

// The elements of one dimension that make a sample, with weights; index -1: a zero.
struct GridTaps {
  std::array<int64_t, 4> index;
  std::array<double, 4> weight;
  int count = 0;
  void add(int64_t i, double w) {
    index[size_t(count)] = i;
    weight[size_t(count++)] = w;
  }
};

// Of the sample at `normal`, from -1 to 1, in a dimension of `size`.
GridTaps taps_at(const GridSampling& how, double normal, int64_t size);

Result<GridSampling> sampling_of(const graph::Node& node);

}  // namespace belay::backend::cpu
