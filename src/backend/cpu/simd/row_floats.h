// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// Functions of a row of floats that lie side by side. Sums are kept in float for a few hundred elements and then added
// up in double, always in the same order.
namespace belay::backend::cpu {

enum class Fold { Sum, Maximum, Minimum, SumOfSquares };

// Of no elements: 0, or the infinity that loses. A NaN among them is the largest and the smallest.
double fold_row(Fold fold, const float* x, size_t count);
// y[c] = the fold of x[r * stride + c] over r; columns are at most fold_columns_most.
inline constexpr size_t fold_columns_most = 512;
void fold_columns(Fold fold, const float* x, size_t rows, size_t stride, size_t columns, double* y);

// Where the first largest (smallest) is; a NaN comes before anything else. There is at least one element.
size_t find_extreme(bool largest, const float* x, size_t count);

// The mean and the mean squared distance from it.
struct Spread {
  double mean, variance;
};
Spread spread_of(const float* x, size_t count);

// y = (x - mean) * factor, then times gain[i] and plus shift[i] where they are not null.
void normalise_row(const float* x, float* y, size_t count, double mean, double factor, const float* gain,
                   const float* shift);

// y = (x - mean) * factor + shift.
void scale_row(const float* x, float* y, size_t count, double mean, double factor, double shift);

// The same for rows whose columns have parameters of their own: y = (x - mean[c]) * factor[c] + shift[c].
struct ColumnScales {
  const float *mean, *factor, *shift;
};
void scale_columns(const float* x, float* y, size_t rows, size_t columns, const ColumnScales& scales);

// y = e^(x - largest) / their sum; y = x - largest - log of that sum.
void softmax_row(const float* x, float* y, size_t count, bool logarithm);
// The same over the rows r of each column: elements at r * stride + c.
inline constexpr size_t softmax_columns_most = 256;
void softmax_columns(const float* x, float* y, size_t rows, size_t stride, size_t columns);

}  // namespace belay::backend::cpu
