// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspect/dump_tree.h"
#include "inspect/tensor.h"

namespace belay::inspect {

// How large the numbers of one dumped tensor are.
struct Magnitude {
  std::string label;  // "output 0"
  std::string type;   // "FLOAT16"
  double most = 0;    // the largest magnitude; infinite or NaN when an element is; 0 of what is no floating-point type
  uint64_t address = 0, bytes = 0;  // where it was; address 0 in statistics

  bool input() const { return label.starts_with("input"); }
};

// How many times `most` can be doubled before it is beyond the largest number of FLOAT16 or BF16: 65504 and 3.39e38.
// Negative: it is beyond already. Nothing for other types, for 0 and for what is not finite.
std::optional<double> headroom(const std::string& type, double most);
// The largest finite number of a floating-point type, nothing for others.
std::optional<double> largest_finite(const std::string& type);

// The tensors of one operator's file.
struct OperatorMagnitudes {
  FoundDump dump;
  std::string op_name;  // as the header has it
  std::vector<Magnitude> tensors;

  // Whether an output is not finite while all inputs are. No, when there are no inputs to look at.
  bool overflows() const;
};

// 100003 and 100006 as dump::read_dump; statistics need the columns of maximum and minimum.
Result<OperatorMagnitudes> read_magnitudes(const FoundDump& dump);

}  // namespace belay::inspect
