// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "graph/tensor/types.h"

namespace belay::convert {

// One input of --input_shape or --input_shape_range. A range makes its dimension -1.
struct InputShape {
  std::string name;
  graph::Shape shape;
  std::vector<std::pair<int64_t, int64_t>> range;  // empty when no dimension is dynamic
};

// "name:1,3,224,224;other:" and "name:1~8,3,-1,224"; 100000 with a message that shows the wrong part. A name may
// contain colons: the last one counts.
Result<std::vector<InputShape>> parse_input_shape(std::string_view text);
// "name:[1~8,3,-1];other:[2]".
Result<std::vector<InputShape>> parse_input_shape_range(std::string_view text);

// "1,2;3,4" as lists of numbers.
Result<std::vector<std::vector<int64_t>>> parse_number_lists(std::string_view text, std::string_view option);

// The parts between separators; none for an empty text.
std::vector<std::string_view> split_text(std::string_view text, char separator);

}  // namespace belay::convert
