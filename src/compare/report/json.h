// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "compare/rows.h"

namespace belay::compare {

// Everything: counts, every pair with its measures and limits, what has no partner, what could not be read. What is no
// number of JSON's is text: "nan", "inf", "-inf".
std::string json_report(const Comparison& comparison);

}  // namespace belay::compare
