// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "blame/walk.h"
#include "exact/evaluate.h"

namespace belay::blame {

// What the other ranks gave to the collective operators that one rank ran: with it these can be computed again.
class OtherRanks {
 public:
  virtual ~OtherRanks() = default;

  // What the operator's outputs should be on this rank if its own inputs were these.
  virtual Result<std::vector<exact::Output>> outputs(const Ran& ran, std::span<const exact::Value> inputs) const = 0;
  // What an element of an output is made of: a line for each rank that gave something to it.
  virtual std::vector<std::string> terms(const Ran& ran, size_t output, int64_t element) const = 0;
  // What the outputs would be if something had gone wrong between the ranks, and what that is, in words.
  struct Mishap {
    std::string what;
    std::vector<exact::Output> outputs;
  };
  virtual std::vector<Mishap> mishaps(const Ran& ran) const = 0;
};

}  // namespace belay::blame
