// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "inspect/dump_tree.h"

namespace belay::inspect {

// One line of `belay show`: a tensor and what it is like. All of it as text.
struct TensorLine {
  std::string op_type, op_name;     // the name as the header has it; of statistics as the file name has it
  std::string label;                // "input 0"
  std::string type, shape, format;  // the shape as "[1,3]"; of statistics it may be "NA"
  uint64_t bytes = 0;
  std::vector<std::pair<std::string, std::string>> statistics;  // "max" -> "3.5"
  std::string first;                                            // values at the beginning, separated by blanks
};

// The tensors of one file, with the first values of each, or the rows of a statistics file. 100003 and 100006 as
// dump::read_dump; the message names the file.
Result<std::vector<TensorLine>> describe(const FoundDump& dump, size_t values);

}  // namespace belay::inspect
