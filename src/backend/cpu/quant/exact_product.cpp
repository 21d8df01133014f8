// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/quant/exact_product.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t grain = 1 << 14;
constexpr int64_t exact_limit = int64_t{1} << 24;

template <class T>
int64_t load(const T* from, float* to, int64_t count) {
  std::atomic<int64_t> largest = 0;
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    T low = 0, high = 0;
    for (int64_t i = begin; i < end; ++i) {
      low = std::min(low, from[i]);
      high = std::max(high, from[i]);
      to[i] = static_cast<float>(from[i]);
    }
    const int64_t here = std::max(-int64_t{low}, int64_t{high});
    for (int64_t known = largest; known < here && !largest.compare_exchange_weak(known, here);) {
    }
  });
  return largest;
}

Matrix<float> columns_from(Matrix<float> a, int64_t first) {
  a.data += a.transposed ? first * a.stride : first;
  return a;
}
Matrix<float> rows_from(Matrix<float> b, int64_t first) {
  b.data += b.transposed ? first : first * b.stride;
  return b;
}

}  // namespace

bool loads_integers(DataType type) {
  return type == DataType::Int8 || type == DataType::UInt8 || type == DataType::Int32;
}

int64_t load_integers(const Tensor& tensor, float* to) {
  if (tensor.type == DataType::Int8) return load(tensor.as<int8_t>(), to, tensor.count());
  if (tensor.type == DataType::UInt8) return load(tensor.as<uint8_t>(), to, tensor.count());
  return load(tensor.as<int32_t>(), to, tensor.count());
}

int64_t exact_terms(int64_t largest_a, int64_t largest_b) {
  return exact_limit / std::max<int64_t>(1, largest_a) / std::max<int64_t>(1, largest_b);
}

void exact_gemm(int64_t m, int64_t n, int64_t k, Matrix<float> a, Matrix<float> b, int64_t terms, float* part,
                int32_t* sums) {
  if (k == 0) std::memset(sums, 0, static_cast<size_t>(m * n) * sizeof(int32_t));
  for (int64_t first = 0; first < k; first += terms) {
    gemm(m, n, std::min(terms, k - first), columns_from(a, first), rows_from(b, first), 0.0f, part, n);
    parallel_for(m * n, grain, [&](int64_t begin, int64_t end) {
      if (first == 0)
        for (int64_t i = begin; i < end; ++i) sums[i] = static_cast<int32_t>(part[i]);
      else
        for (int64_t i = begin; i < end; ++i) sums[i] = wrapping_sum(sums[i], static_cast<int32_t>(part[i]));
    });
  }
}

}  // namespace belay::backend::cpu
