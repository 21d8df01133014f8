// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "compare/rows.h"

namespace belay::compare {

struct CsvOptions {
  bool overflow = false;  // the column OverFlow: "YES" when a float16 tensor of ours holds |x| >= 65504
  bool extra = true;      // our own columns behind the vendor's
};

// The vendor's columns and number formats (dump.md 10.1), then ours; a line for every pair, and one for every tensor of
// either side without a partner, with the reason.
std::string csv_report(const Comparison& comparison, const CsvOptions& options);

}  // namespace belay::compare
