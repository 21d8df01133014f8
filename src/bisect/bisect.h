// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bisect/array.h"
#include "bisect/distance.h"
#include "bisect/network.h"

namespace belay::bisect {

struct Question {
  std::filesystem::path model;
  std::vector<Array> inputs;  // all of the model's, in its order
  std::vector<Truth> truth;   // of each output, in its order; empty: the model's own results in float
  compare::Limits limits;     // empty: the usual ones of the narrow type
  Narrow narrow = Narrow::Half;
  int threads = 0;
};

// An operator that must stay in float.
struct Needed {
  Operator op;
  double sensitivity = 0;
  std::vector<Distance> without;  // when all of the list but this one is kept
};

struct Answer {
  enum class Kind {
    AllNarrow,   // it passes with everything in the narrow type
    Found,       // it passes with `needed` in float, and with no operator less
    NeverPasses  // it does not pass even in float
  };
  Kind kind = Kind::AllNarrow;
  std::vector<Needed> needed;  // in the order in which they run
  std::vector<Distance> in_float, in_narrow, found;
  size_t operators = 0;  // that the narrow type changes
  size_t trials = 0;     // conversions with a run
  bool ordered = true;   // by sensitivity; else in the order in which they run, for the reason in `unordered`
  std::string unordered;
  // Types on the black list with which mixed precision passes; nothing when it does not.
  std::optional<std::vector<std::string>> black;
};

// What an output must fulfil: the question's limits, else the usual ones.
compare::Limits limits_for(const Question& question);

// `progress` is told how many of how many operators are decided. 100006 when the truth does not fit the outputs.
Result<Answer> bisect(const Question& question, const std::function<void(size_t done, size_t of)>& progress);

}  // namespace belay::bisect
