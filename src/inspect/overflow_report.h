// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "inspect/chain.h"
#include "inspect/magnitude.h"
#include "inspect/overflow.h"

namespace belay::inspect {

// How far an operator's output of type FLOAT16 or BF16 is from overflow.
struct Headroom {
  std::string op_type, op_name;
  Magnitude value;
  double binades = 0;
};

// What dumps tell of overflow.
struct OverflowReport {
  struct Entry {
    Overflow overflow;
    std::vector<ChainLink> chain;
  };
  std::vector<Entry> overflows;       // by time
  std::vector<Headroom> headroom;     // the least first
  std::vector<std::string> problems;  // files that could not be read
};

// Overflows are what Opdebug files tell and what operators' own files show: an output is not finite while all inputs
// are. Of operators whose inputs were not dumped, the first in each folder is taken whose outputs are not finite;
// but an input of the model that is not finite itself is named in its place.
OverflowReport report_overflows(const std::vector<FoundDump>& dumps);

}  // namespace belay::inspect
