// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/kernel.h"

namespace belay::backend::cpu {

// A product of matrices of any batch: y[batch] = a[batch] * b[batch] (+ bias), with the strides of each operand's rows
// and columns and the batch dimensions that broadcast.
struct MatmulShape {
  int64_t m = 1, n = 1, k = 1;
  int64_t a_row = 0, a_column = 1, b_row = 0, b_column = 1;
  bool transpose_a = false, transpose_b = false;
  Shape batch;             // of the result
  Shape a_batch, b_batch;  // as given, fewer dimensions or 1 where they repeat

  int64_t batch_count() const { return graph::element_count(batch); }
};

// From a node of type MatMul, MatMulV2, BatchMatMul, BatchMatMulV2, GEMM..., whose shapes fit as the shape rule says.
MatmulShape read_matmul(const KernelRequest& request);

// Where the matrices of each batch start, for an operand with these batch dimensions and matrices of that many elements.
std::vector<int64_t> batch_starts(const Shape& batch, const Shape& own, int64_t matrix);

}  // namespace belay::backend::cpu
