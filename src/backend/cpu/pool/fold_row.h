// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

// Windows moved along rows, and what is left of each: its largest element or the average.
namespace belay::backend::cpu::pool {

// Floats that whole vectors may read and write behind an end.
constexpr int64_t slack = 128;

// A window along a row of x, which has `width` places of `inner` elements side by side, `apart` elements from each
// other; y has `out_width` of them, one after the other.
struct Along {
  int64_t width, out_width, inner, apart;
  int64_t kernel, stride, dilation, pad;
  // Places from the first that the first window sees to the last of the last one.
  int64_t reach() const { return (out_width - 1) * stride + (kernel - 1) * dilation + 1; }
  // Of a row of every stride-th of them.
  int64_t phase_length() const { return (reach() + stride - 1) / stride + slack; }
};

// A row of y, and the rows of x that its windows see.
struct Task {
  std::span<const float* const> rows;
  float divisor;  // of the row
  float* y;
};

// Rows that are computed together, at the most, and the floats that they need besides.
constexpr size_t most_tasks = 8;
int64_t scratch_floats(const Along& along);

// y = the largest of what each window sees; a NaN is larger than anything, of nothing it is -infinity.
void largest_in_rows(const Along& along, std::span<const Task> tasks, float* scratch);

// The same with sums, of which the one at place i is divided by the row's divisor and by[i]. Behind these is slack.
void average_in_rows(const Along& along, std::span<const Task> tasks, const float* by, float* scratch);

}  // namespace belay::backend::cpu::pool
