// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/tensor/types.h"

namespace belay::exact {

// What storing a number in a type may do to it.
struct Rounding {
  double unit;      // half a unit in the last place of 1: the largest relative error of rounding to nearest
  double smallest;  // that is normal: below it a device may give zero
  double largest;   // that is finite
};

// Of a float type. For double the unit is twice as large: both sides of a comparison are rounded.
const Rounding& rounding_of(graph::DataType stored);

// The unit of the type that sums are kept in: float's for float and all that is narrower.
double sum_unit(graph::DataType stored);

// What is permitted for a result y in all, when `before` is what was permitted before it is rounded to its type: that,
// half a unit in the last place, the whole number where it may be flushed to zero, and anything where it may overflow.
// 0 where y is no number: then only the same will do.
double with_rounding(const Rounding& rounding, double y, double before);

}  // namespace belay::exact
