// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspect/cause.h"
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

// An operator that overflowed: what an Opdebug file and the file of the operator it means tell together, or the latter
// alone.
struct Overflow {
  FoundDump found_by;  // the Opdebug file, else the operator's
  uint64_t model_id = 0, stream = 0, task = 0, status = 0;
  std::optional<FoundDump> op;  // none: its file is not there
  std::vector<OverflowTensor> tensors;
  std::optional<Cause> cause;  // none: only statistics were dumped, or nothing in the outputs shows it
};

// The overflow that an Opdebug file tells of. The operator's file is the one with the record's ids in the same folder
// or below; of several the first that was written after the record. 100003 and 100006 as dump::read_dump.
Result<Overflow> read_overflow(const FoundDump& debug, const std::vector<FoundDump>& dumps);
// The same for an operator whose own file shows it; model_id and status are 0.
Result<Overflow> overflow_of(const FoundDump& op);

}  // namespace belay::inspect
