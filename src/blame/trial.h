// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "blame/ranks/other_ranks.h"
#include "blame/report.h"
#include "blame/walk.h"
#include "exact/evaluate.h"

namespace belay::blame {

// The other side's elements of an output; null when it has none.
using Truth = std::function<Source(const compare::SideTensor& output)>;

// One run of an operator, computed again in double precision from what it read.
class Trial {
 public:
  // All are borrowed. `others` null: collective operators are not checkable.
  Trial(const graph::Model& model, const Ran& ran, const OtherRanks* others = nullptr);

  // Fills verdict, reason and outputs.
  void judge(const Truth& truth, OperatorReport& report);

  // What judge() has computed; empty when the operator is not checkable.
  const graph::Node& node() const { return node_; }  // with the types that were recorded
  std::span<const exact::Value> inputs() const { return inputs_; }
  std::span<const exact::Output> expected() const { return expected_; }
  const Ran& ran() const { return ran_; }
  // Null unless it is a collective operator, and what the other ranks gave is known.
  const OtherRanks* others() const { return others_; }
  // The recorded output, wide; by the operator's output.
  const std::vector<std::optional<exact::Value>>& got() const { return got_; }

  // What the operator would give if its inputs were these.
  Result<std::vector<exact::Output>> evaluate(std::span<const exact::Value> inputs) const;
  // The same if it were this node.
  Result<std::vector<exact::Output>> evaluate(const graph::Node& node, std::span<const exact::Value> inputs) const;
  // Whether it is innocent when it read what the producers made instead of what the record says.
  bool innocent_of(std::span<const Held> inputs);

 private:
  // What a narrower side made of inputs that the dump does not hold: near them, or where its range ends.
  enum class Narrowing : uint8_t { Within, ToInfinity, WeightsSaturated, Saturated };

  // Computes the outputs again and fills verdict, reason and outputs.
  Status judge_outputs(const Truth& truth, OperatorReport& report);
  Status recompute(std::span<const Held> inputs);
  Status read_outputs();
  void find_narrower_type();
  bool is_recorded(size_t input) const;
  // How the output's shape is not the one that the operator makes of its inputs; "" when it is.
  std::string shape_fault(size_t output) const;
  Result<OutputReport> judge_output(size_t output, const Truth& truth) const;

  const graph::Model& model_;
  const Ran& ran_;
  const OtherRanks* const others_;
  graph::Node node_;
  std::vector<exact::Value> inputs_;
  std::vector<exact::Output> expected_;
  std::vector<std::optional<exact::Value>> got_;
  std::vector<Source> sources_;  // of the recorded outputs
  std::optional<graph::DataType> narrower_;
  Narrowing narrowing_ = Narrowing::Within;
};

}  // namespace belay::blame
