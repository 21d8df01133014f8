// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "blame/executions.h"
#include "blame/trial.h"
#include "exact/yardstick.h"

namespace belay::blame {

// A wrong output of a guilty operator, and all that a hypothesis about it may look at.
struct Suspect {
  const Trial& trial;
  const Ran& ran;
  size_t output = 0;
  graph::DataType type = graph::DataType::Undefined;
  const exact::Value& got;
  const exact::Output& expected;
  exact::Yardstick yardstick;
  std::vector<int64_t> wrong;             // places of the wrong elements
  std::span<const Execution> executions;  // the last is the one that is examined
};

Suspect make_suspect(const Trial& trial, const Ran& ran, size_t output, graph::DataType type,
                     std::span<const Execution> executions);

// What made the output wrong, in words: the first hypothesis under which every wrong element is right and no other
// becomes wrong. Empty when there is none.
std::string guess(const Suspect& suspect);

// Whether the recorded output is what these elements would be: each as near to the recorded one as is allowed.
bool explains(const Suspect& suspect, const exact::Output& hypothesis);

// The hypotheses, in families. Empty: this is not it.
std::string guess_bits(const Suspect& suspect);    // flipped, stuck, inverted
std::string guess_values(const Suspect& suspect);  // not finite, clipped, rounded otherwise
std::string guess_places(const Suspect& suspect);  // swapped axes, neighbours, another operator's or an earlier output
std::string guess_inputs(const Suspect& suspect);  // transposed or stale inputs, padding
std::string guess_sums(const Suspect& suspect);    // accumulated in half precision
std::string guess_ranks(const Suspect& suspect);   // what a rank sent is missing

}  // namespace belay::blame
