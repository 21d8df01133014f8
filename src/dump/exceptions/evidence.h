// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "dump/format/record.h"
#include "dump/writing/outgoing.h"
#include "executor/faults/failure.h"

// What an exception file says of an operator that failed.
namespace belay::dump {

struct Evidence {
  Header header;
  std::vector<Piece> pieces;  // borrowed from the operator's memory where they have no owner
  bool empty() const { return pieces.empty(); }
};

// The operator's tensors and workspace, in the order of its arguments. `typed` (norm): with name, types, formats and
// attributes; else (brief) shapes and bytes alone. Memory that cannot be read is written as zeros, and the message of
// the header says so.
Evidence gather_evidence(const executor::Running& running, const Status& why, bool typed);

// A name for an exception file: all but letters, digits and underscores replaced, because tools look for [\w.]+.
std::string word(std::string_view name);
// Local time as YYYYmmddHHMMSSmmm; the argument is in microseconds since 1970.
std::string millisecond_text(uint64_t time);

// "[1,2]", "NCHW", "0.5": an attribute as a person reads it; empty for one that is a tensor or a graph.
std::string attribute_text(const graph::AttributeValue& value);

}  // namespace belay::dump
