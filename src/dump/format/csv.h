// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dump/format/statistics.h"

namespace belay::dump {

// One tensor of a statistics file.
struct StatisticsRow {
  bool input = false;  // else an output
  size_t index = 0;    // in its group
  uint64_t bytes = 0;
  graph::DataType type = graph::DataType::Undefined;
  int32_t format = 0;
  graph::Shape shape;
  Statistics values;
};

// A field of a line: made printable (base/printable.h), in quotes where it has commas or quotes, and with ' before it
// where a spreadsheet would take it for a formula.
std::string csv_field(const std::string& text);

// The header line for this selection (bits of Statistic), ended by a newline.
std::string csv_header(uint8_t selection);
std::string csv_row(const StatisticsRow& row, uint8_t selection);

}  // namespace belay::dump
