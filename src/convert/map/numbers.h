// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "graph/model/attribute.h"

namespace belay::convert {

// Elements of a constant of any integer or floating type; nothing for the other types.
std::optional<std::vector<int64_t>> read_ints(const graph::Constant& constant);
std::optional<std::vector<float>> read_floats(const graph::Constant& constant);
std::optional<std::vector<double>> read_numbers(const graph::Constant& constant);

// Constants in any integer or floating type; floating ones are rounded to nearest, integers cut.
graph::Constant make_ints(const std::vector<int64_t>& values, graph::Shape shape, graph::DataType type);
graph::Constant make_numbers(const std::vector<double>& values, graph::Shape shape, graph::DataType type);

// The same values in another type.
std::optional<graph::Constant> converted(const graph::Constant& constant, graph::DataType type);

bool is_floating(graph::DataType type);
bool is_integer(graph::DataType type);

}  // namespace belay::convert
