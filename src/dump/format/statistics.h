// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dump/format/record.h"
#include "graph/tensor/types.h"

namespace belay::dump {

// The items of dump_stats: bits, in the order of the columns.
enum Statistic : uint8_t { kMax = 1, kMin = 2, kAvg = 4, kNan = 8, kNegativeInf = 16, kPositiveInf = 32, kL2Norm = 64 };
constexpr uint8_t kUsualStatistics = kMax | kMin | kAvg | kNan | kNegativeInf | kPositiveInf;

// What the elements of a tensor are like. Max and Min pass over NaNs (nan when there is nothing else) and include
// infinities; the mean and the norm are accumulated in double. `max` and `min` hold any 64-bit integer exactly.
struct Statistics {
  bool known = false;  // false: no elements, or a type whose values cannot be told
  long double max = 0, min = 0;
  double avg = 0, l2norm = 0;  // l2norm only when asked for
  uint64_t nan = 0, negative_inf = 0, positive_inf = 0;
};

// Whether the values of the type can be told.
bool measurable(graph::DataType type);

// One pass over `count` elements that lie one after the other, in any order. Large tensors are shared among the threads
// of the calling thread's scope (base/threads/parallel.h); the result does not depend on their number.
Statistics measure(graph::DataType type, const void* data, uint64_t count, bool with_l2norm);

}  // namespace belay::dump
