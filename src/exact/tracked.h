// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "exact/value.h"

namespace belay::exact {

// By element: the largest distance from the exact value that is permitted. Null: none.
using Errors = std::shared_ptr<const std::vector<double>>;

// A value on its way through several operators, with the type that the model stores it in and how far a faithful
// computation of it may be off.
struct Tracked {
  Value value;
  graph::DataType stored = graph::DataType::Undefined;
  Errors errors;
};

inline double error_at(const Tracked& tracked, int64_t i) {
  return tracked.errors ? (*tracked.errors)[static_cast<size_t>(i)] : 0.0;
}

}  // namespace belay::exact
