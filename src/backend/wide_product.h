// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace belay::backend {

// Products of matrices of doubles, which say besides how large the sums were on the way: what a rounding of them in a
// narrower type may have cost.
//
// A sum is made of blocks of wide_block terms that follow one another. Whatever order a kernel adds them in, as long as
// it adds a block's terms together: no partial sum is larger than the sum of the blocks' magnitudes and one block's
// inner partial sum.
constexpr int64_t wide_block = 16;

// One side: `count` rows of the left or columns of the right matrix from `first` on, as to[k * count + i] for k in
// [from, until). What lies outside of the matrix is 0. Called by several threads.
using PackSide = std::function<void(int64_t first, int64_t count, int64_t from, int64_t until, double* to)>;

struct WideProduct {
  int64_t rows, columns, depth;
  PackSide left, right;
};

// Of each row of the left or column of the right matrix.
struct SideSize {
  std::vector<double> blocks;   // the largest length (2-norm) of a block
  std::vector<double> repeats;  // how many neighbours along the sum are equal, and not 0
};

struct WideResult {
  double* y;                  // row-major
  double* partial = nullptr;  // null: not wanted. Of each element the sum of its blocks' magnitudes
  SideSize* left = nullptr;   // filled when `partial` is wanted
  SideSize* right = nullptr;
};

void multiply_wide(const WideProduct& product, const WideResult& result);

}  // namespace belay::backend
