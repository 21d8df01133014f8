// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blame/blame.h"

namespace belay::blame {

// One execution over all ranks, examined.
struct RanksReport {
  // An operator: which rank's, and its place in that one's report.
  struct At {
    size_t rank = 0, place = 0;
    bool operator==(const At&) const = default;
  };
  // An operator that several ranks ran together.
  struct Joint {
    std::string group;
    size_t number = 0;  // among those of the group, or of the messages between the two; from 1
    std::vector<At> ranks;
  };

  std::vector<Report> ranks;
  std::vector<Joint> joints;               // in the order in which they ran
  std::vector<At> order;                   // all operators, none before one that happened before it
  std::vector<At> first;                   // who is guilty, and nobody who happened before is
  std::vector<std::string> disagreements;  // where the ranks did not run the same
  std::vector<std::string> missing;        // ranks that a group has, records that another rank has
  std::vector<size_t> unchecked;           // ranks of which no operator could be checked

  const OperatorReport& at(const At& which) const { return ranks[which.rank].operators[which.place]; }
  bool anyone_guilty() const;
};

// Examines the same execution of all ranks: rank i is ranks[i]. A collective operator is computed from what all ranks
// of its group gave it, and joins them: what a rank ran before it happened before what another runs after it. Without
// `step` it is the first in which somebody is guilty, else the first. `others` of the questions is set here.
Result<RanksReport> examine_ranks(std::span<const Question> ranks, std::optional<int64_t> step);

}  // namespace belay::blame
