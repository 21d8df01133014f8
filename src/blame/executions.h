// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "compare/side.h"

namespace belay::blame {

// One run of an operator, as a side recorded it. Null: a tensor that was not recorded.
struct Record {
  std::string op, op_type;
  uint64_t time = 0, task = 0;
  std::vector<const compare::SideTensor*> inputs, outputs;
};

// One execution of a model: its records in the order in which they were made.
struct Execution {
  std::filesystem::path place;
  int64_t step = -1;  // the number that the place ends with; -1: none
  std::vector<Record> records;
};

// By place, those of a model in the order of their steps. The records borrow from the side. Inputs that an operator was
// going to change have files of their own; they join the operator's outputs.
std::vector<Execution> executions_of(const compare::Side& side);

}  // namespace belay::blame
