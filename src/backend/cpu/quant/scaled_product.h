// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "backend/cpu/whole_call.h"

// Products of real or whole numbers with weights of few bits.
namespace belay::backend::cpu {

// Numbers for the weights of a product: one for all, one for each column, or one for each column of each group of rows.
// They borrow what they point to.
struct WeightNumbers {
  const float* values = nullptr;  // null: none
  int64_t count = 0;              // 1: for all
  int64_t group = 0;              // rows of the weight that have the same ones; 0: all
  int64_t columns = 0;            // of the weight

  float at(int64_t row, int64_t column) const {
    return values[count == 1 ? 0 : (group > 0 ? row / group * columns : 0) + column];
  }
};

// y = x * ((w + offset) * scale) of m by k and k by n. What becomes of the sums, `finish` does.
struct ScaledProduct {
  int64_t m = 0, n = 0, k = 0;
  const float* x = nullptr;
  int64_t x_step = 0;     // from row to row
  bool x_turned = false;  // its columns lie in rows
  Tensor w;               // Int4 or what read_floats knows
  int64_t w_first = 0, w_step = 0;
  bool w_turned = false;
  WeightNumbers scale, offset;
  bool whole =
      false;  // x and w are whole numbers of 8 bits or less: sums are exact, and there is neither scale nor offset
  // Columns [first, first + count) of a row: `sums`, or `exact` when the numbers are whole.
  std::function<void(int64_t row, int64_t first, int64_t count, const float* sums, const int32_t* exact)> finish;
};

// All of them, on the threads of the scope.
void multiply(std::span<const ScaledProduct> products);

// The numbers of a scale: of a 64-bit type, those that aclnnTransQuantParamV2 made.
std::vector<float> scale_numbers(const Tensor& tensor);
// The offsets in such words; empty for other types.
std::vector<float> word_offsets(const Tensor& tensor);
// As a tensor of INT4, where it is one of INT32 that has 8 in each element.
Tensor as_int4(Tensor tensor);
// The shape in elements of such a tensor; the others' own.
Shape shape_in_int4(const graph::TensorInfo& info, bool packed);

}  // namespace belay::backend::cpu
