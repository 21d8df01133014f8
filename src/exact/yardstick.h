// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "exact/evaluate.h"

namespace belay::exact {

// How far an output is from what its operator's inputs make of it.
struct Numbers {
  double contributed = 0;                                       // |got - expected| at the worst element
  double allowed = 0;                                           // there
  double inherited = std::numeric_limits<double>::quiet_NaN();  // the largest |expected - truth|; NaN: no other side
  bool inherits = false;  // some element of the other side is farther from the expected one than is allowed
  int64_t count = 0, wrong = 0;
  int64_t worst = -1;  // the element that is farthest beyond what is allowed, else the one that uses most of it
  double got = 0, expected = 0;
  bool clipped = false;  // results beyond the type's range are its largest number: saturation mode
};

// The largest finite number of a floating-point type; infinity for others.
double largest_of(graph::DataType type);

// What the elements of an output may be, given what they are computed to be in double precision.
class Yardstick {
 public:
  // Borrows `truth`. `type` is the one in which the output is stored.
  Yardstick(const Output& truth, graph::DataType type);

  int64_t count() const { return count_; }
  double expected(int64_t at) const;
  double allowed(int64_t at) const;
  bool fits(double got, int64_t at) const { return fits(got, expected(at), allowed(at)); }
  bool fits(double got, double expected, double allowed) const;
  double largest() const { return largest_; }

 private:
  const Output& truth_;
  const bool floats_;
  const double largest_;
  const int64_t count_;
};

// An element of a value as a double, whatever its type.
double element_of(const Value& value, int64_t at);

// `stored` is the type that `got` had. `truth`: the other side's elements, or null.
Numbers held_against(const Output& expected, const Value& got, graph::DataType stored, const Value* truth = nullptr);

}  // namespace belay::exact
