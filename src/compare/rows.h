// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compare/matching.h"
#include "compare/measure.h"
#include "compare/rules.h"
#include "compare/side.h"

namespace belay::compare {

enum class Verdict : uint8_t { Agree, Differ, Ignored, Unread };
const char* name_of(Verdict verdict);  // "agree"…

// One tensor of both sides, compared.
struct Row {
  const SideTensor *ours = nullptr, *truth = nullptr;
  MatchedBy by = MatchedBy::Name;
  graph::DataType ours_type = graph::DataType::Undefined, truth_type = graph::DataType::Undefined;
  graph::Shape shape, truth_shape;
  Limits limits;
  Verdict verdict = Verdict::Unread;
  std::string reason;  // why it differs, or could not be read; "" when it agrees
  bool measured = false;
  Measures measures;  // of use when measured
};

// Both sides compared. Borrows them.
struct Comparison {
  const Side *ours = nullptr, *truth = nullptr;
  std::vector<Row> rows;  // in the order of the pairs
  std::vector<Unmatched> only_ours, only_truth;

  size_t count(Verdict verdict) const;
  // Where the truth has other tensors than the rows say: those that differ most first, unread ones before.
  std::vector<const Row*> worst_first() const;
  // "" or how many tensors of each side have no partner, and whether a model's result is among them: "; 2 of A ...".
  std::string unpaired() const;
  // Every file that could not be read, and why; first those that were found while the sides were opened.
  std::vector<std::string> problems() const;
};

// Opens and measures every pair: small ones side by side on the threads of the scope, large ones one after the other on
// all of them. `done` is called after each, by one thread at a time.
Comparison compare_sides(const Side& ours, const Side& truth, const Matching& matching, const Rules& rules,
                         const std::function<void()>& done);

// An element for a table: a whole number with all its digits, others as printf's pattern for a double says.
std::string element_text(long double value, graph::DataType type, const char* pattern);

// One pair alone.
Row compare_pair(const SideTensor& ours, const SideTensor& truth, const Rules& rules);

}  // namespace belay::compare
