// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "graph/model/graph.h"

namespace belay::exact {

// What the steps inside of a function may add to an error, in units of the result's type, before the result is rounded.
using Steps = double (*)(const double* x, double y, const graph::Node& node);

struct Function {
  std::string_view op;
  // Null: nothing is computed, an element is only chosen or its sign changed, and nothing rounded.
  Steps steps;
  // Not 0: the function turns between the ends of an interval, and changes by at most so much per change of x.
  double steepness = 0;
  // Not null: the function itself, for the ends of intervals without a kernel.
  double (*direct)(const double* x) = nullptr;
  // What no result is beyond, however far its error may go.
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  // Not null: a line cut off at `least` and `most`, or with that as a factor. How far its result may be off before it
  // is rounded, when `unit` is that of the type; in the place of `steps`.
  double (*cut)(const double* x, double y, double unit, const graph::Node& node) = nullptr;
};

// Of one number, and of several.
std::span<const Function> unary_functions();
std::span<const Function> other_functions();
// Of an operator that is among them.
const Function& function_of(std::string_view op);

}  // namespace belay::exact
