// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspect/describe.h"
#include "inspect/dump_tree.h"

namespace belay::inspect {

// A tensor of an operator that overflowed.
struct OverflowTensor {
  TensorLine line;
  // The first element in memory that is infinite or NaN: its index ("[0,0,1,1]") and value. Empty: there is none, or
  // only statistics were dumped.
  std::string first_index, first_value;
};

// What an Opdebug file and the file of the operator it means tell together.
struct Overflow {
  FoundDump debug;
  uint64_t model_id = 0, stream = 0, task = 0, status = 0;
  std::optional<FoundDump> op;  // none: its file is not there
  std::vector<OverflowTensor> tensors;
};

// The overflow that an Opdebug file tells of. The operator's file is the one with the record's ids in the same folder
// or below; of several the first that was written after the record. 100003 and 100006 as dump::read_dump.
Result<Overflow> read_overflow(const FoundDump& debug, const std::vector<FoundDump>& dumps);

}  // namespace belay::inspect
