// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/infer/infer.h"
#include "graph/model/graph.h"

namespace belay::graph {

// Attributes as shape rules and kernels read them; a missing one has the value its schema gives.
int64_t int_of(const Node& node, std::string_view name, int64_t fallback);
bool flag_of(const Node& node, std::string_view name, bool fallback);  // kept as a bool or as an integer
std::vector<int64_t> ints_of(const Node& node, std::string_view name);
std::string text_of(const Node& node, std::string_view name, std::string fallback);
DataType type_of(const Node& node, std::string_view name, DataType fallback);  // kept as a type or as its number

// An axis counted from the end becomes one counted from the front; nothing when it is outside the rank.
std::optional<size_t> axis_within(int64_t axis, size_t rank);
// The same, with the error that a rule returns.
Result<size_t> require_axis(const InferContext& context, int64_t axis, size_t rank);
// Wants at least `count` connected inputs.
Status require_inputs(const InferContext& context, size_t count);
// The elements of an input of floats when its value is known.
std::optional<std::vector<double>> reals(const InferContext& context, size_t input);
// The first element of an integer input when its value is known.
std::optional<int64_t> scalar(const InferContext& context, size_t input);

}  // namespace belay::graph
