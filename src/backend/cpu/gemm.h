// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace belay::backend::cpu {

// A matrix in memory: row-major with `stride` elements from row to row; transposed: its columns lie in rows.
template <class T>
struct Matrix {
  const T* data;
  int64_t stride;
  bool transposed = false;
};

// c = a * b + beta * c, of m by k and k by n; c is row-major with `stride`. On the threads of the scope. Floats are
// multiplied in panels, doubles by blocks. A NaN or infinity in c counts unless beta is 0.
void gemm(int64_t m, int64_t n, int64_t k, Matrix<float> a, Matrix<float> b, float beta, float* c, int64_t stride);
void gemm(int64_t m, int64_t n, int64_t k, Matrix<double> a, Matrix<double> b, double beta, double* c, int64_t stride);

}  // namespace belay::backend::cpu
