// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/gemm.h"

#include <dnnl.h>

#include <algorithm>

#include "backend/cpu/onednn/one_thread.h"
#include "base/parallel.h"

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

}  // namespace

void gemm(int64_t m, int64_t n, int64_t k, Matrix<float> a, Matrix<float> b, float beta, float* c, int64_t stride) {
  if (m == 0 || n == 0) return;
  const auto at_least_one = [](int64_t value) { return std::max<int64_t>(1, value); };
  const onednn::OneThread alone;
  const auto status = k == 0 ? dnnl_invalid_arguments
                             : dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n, k, 1.0f, a.data,
                                          at_least_one(a.stride), b.data, at_least_one(b.stride), beta, c, stride);
  if (status != dnnl_success) plain(m, n, k, a, b, beta, c, stride);
}

void gemm(int64_t m, int64_t n, int64_t k, Matrix<double> a, Matrix<double> b, double beta, double* c, int64_t stride) {
  plain(m, n, k, a, b, beta, c, stride);
}

}  // namespace belay::backend::cpu
