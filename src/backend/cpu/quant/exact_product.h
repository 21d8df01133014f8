// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cpu/gemm.h"
#include "backend/kernel.h"

// Products of whole numbers by way of floats, which hold them exactly up to 2^24.
namespace belay::backend::cpu {

// The elements of a tensor of Int8, UInt8 or Int32 as floats; the largest magnitude among them. Those above 2^24 are
// rounded.
int64_t load_integers(const Tensor& tensor, float* to);
bool loads_integers(DataType type);

// How many products of numbers up to these magnitudes can be added up in floats.
int64_t exact_terms(int64_t largest_a, int64_t largest_b);
// Below it, the floats are added up too often.
constexpr int64_t fewest_terms = 16;

// sums = a * b of whole numbers, m by k and k by n, wrapping around. Up to `terms` products are added up in floats, in
// `part`, which has room for m * n. On the threads of the scope.
void exact_gemm(int64_t m, int64_t n, int64_t k, Matrix<float> a, Matrix<float> b, int64_t terms, float* part,
                int32_t* sums);

// a + b, wrapping around.
inline int32_t wrapping_sum(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b));
}

}  // namespace belay::backend::cpu
