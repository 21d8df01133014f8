// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/gemm.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "backend/cpu/matmul/product.h"
#include "backend/wide_product.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

template <class T>
void plain(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T beta, T* c, int64_t stride) {
  parallel_for(m, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, n * k)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* row = c + i * stride;
      for (int64_t j = 0; j < n; ++j) row[j] = beta == T(0) ? T(0) : beta * row[j];
      for (int64_t p = 0; p < k; ++p) {
        const T left = a.transposed ? a.data[p * a.stride + i] : a.data[i * a.stride + p];
        if (b.transposed)
          for (int64_t j = 0; j < n; ++j) row[j] += left * b.data[j * b.stride + p];
        else
          for (int64_t j = 0; j < n; ++j) row[j] += left * b.data[p * b.stride + j];
      }
    }
  });
}

// One side of a product; `rows`: what it has `outer` of are the rows in memory.
PackSide packer(Matrix<double> from, int64_t outer, bool rows) {
  return [=](int64_t first, int64_t count, int64_t begin, int64_t end, double* to) {
    for (int64_t k = begin; k < end; ++k)
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = first + i;
        to[(k - begin) * count + i] = at >= outer ? 0 : from.data[rows ? at * from.stride + k : k * from.stride + at];
      }
  };
}

}  // namespace

void gemm(int64_t m, int64_t n, int64_t k, Matrix<float> a, Matrix<float> b, float beta, float* c, int64_t stride) {
  if (m == 0 || n == 0) return;
  if (k == 0 || (beta != 0 && beta != 1)) return plain(m, n, k, a, b, beta, c, stride);
  constexpr int64_t first[] = {0};
  matmul::Sizes s{.m = m, .n = n, .k = k, .y_row = stride, .a_starts = first, .b_starts = first};
  (a.transposed ? s.a_column : s.a_row) = a.stride;
  (b.transposed ? s.b_column : s.b_row) = b.stride;
  const matmul::Product product(s, current_threads());
  const std::unique_ptr<void, decltype(&std::free)> scratch(std::aligned_alloc(64, product.scratch_bytes()), std::free);
  if (!scratch) throw std::bad_alloc();
  product.run({a.data, b.data, {.addend = beta == 1 ? c : nullptr}, c}, scratch.get());
}

void gemm(int64_t m, int64_t n, int64_t k, Matrix<double> a, Matrix<double> b, double beta, double* c, int64_t stride) {
  constexpr int64_t few = 1 << 12;  // products that are not worth packing for
  if (m * n * k < few) return plain(m, n, k, a, b, beta, c, stride);
  std::vector<double> y(static_cast<size_t>(m * n));
  multiply_wide({m, n, k, packer(a, m, !a.transposed), packer(b, n, b.transposed)}, {y.data()});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double& to = c[i * stride + j];
      to = y[static_cast<size_t>(i * n + j)] + (beta == 0 ? 0 : beta * to);
    }
}

}  // namespace belay::backend::cpu
